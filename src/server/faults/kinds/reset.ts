import type { FaultKind } from '../fault-kind.ts';

export const reset: FaultKind = {
  meaning: 'the connection is cut, with no answer',
  read: () => ({
    answer({ socket }) {
      // A TLS connection can only be closed, without its goodbye.
      if ('encrypted' in socket) socket.destroy();
      else socket.resetAndDestroy();
      return undefined;
    },
  }),
};
