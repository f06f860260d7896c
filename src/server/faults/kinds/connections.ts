import { setTimeout as sleep } from 'node:timers/promises';
import { type FaultKind, milliseconds, size } from '../fault-kind.ts';

/** Faults of the connection: the answer is that of the service, but comes late, slowly, in part or not at all. */

export const reset: FaultKind = {
  meaning: 'the connection is cut, with no answer',
  effect: () => ({
    answer({ socket }) {
      // A TLS connection can only be closed, without its goodbye.
      if ('encrypted' in socket) socket.destroy();
      else socket.resetAndDestroy();
      return undefined;
    },
  }),
};

export const truncate: FaultKind = {
  meaning: 'the connection is cut after so many bytes of the body',
  keys: { bytes: size },
  needs: 'bytes',
  effect: ({ bytes = 0 }) => ({
    async *changeBody(body, outgoing) {
      outgoing.flushHeaders();
      let leftBytes = bytes;
      for await (const chunk of body) {
        if (leftBytes > 0) yield chunk.subarray(0, leftBytes);
        leftBytes -= chunk.length;
        if (leftBytes <= 0) break;
      }
      // Whatever was written before has been handed to the system when this has.
      await new Promise((resolve) => outgoing.socket?.write('', resolve) ?? resolve(undefined));
      outgoing.destroy();
    },
  }),
};

export const slow: FaultKind = {
  meaning: 'the body comes at so many bytes a second',
  keys: { rate: size },
  needs: 'rate',
  effect: ({ rate = 1 }) => ({
    async *changeBody(body) {
      const stepBytes = Math.max(1, Math.ceil(rate / 20));
      for await (const chunk of body) {
        for (let at = 0; at < chunk.length; at += stepBytes) {
          const piece = chunk.subarray(at, at + stepBytes);
          yield piece;
          await sleep((piece.length * 1_000) / Math.max(1, rate), undefined, { ref: false });
        }
      }
    },
  }),
};

export const delay: FaultKind = {
  meaning: 'the answer comes so much later: milliseconds, or 2s',
  keys: { ms: milliseconds },
  needs: 'ms',
  effect: ({ ms }) => ({ before: () => sleep(ms, undefined, { ref: false }) }),
};
