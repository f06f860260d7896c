import type { Call } from '../../http/call.ts';
import type { FaultKind } from '../fault-kind.ts';

export const reset: FaultKind = {
  meaning: 'the connection is cut, with no answer',
  read: () => ({ answer: cutConnection }),
};

/** A reset where the platform can; a TLS connection can only be closed, without its goodbye. */
function cutConnection({ incoming: { socket }, isSecure }: Call): undefined {
  if (isSecure) socket.destroy();
  else socket.resetAndDestroy();
}
