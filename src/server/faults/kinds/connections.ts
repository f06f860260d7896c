import { setTimeout as sleep } from 'node:timers/promises';
import { parseDuration } from '../../../text/quantity.ts';
import type { FaultKind } from '../fault-kind.ts';

/** Faults of the connection: the answer is that of the service, but comes late, slowly, in part or not at all. */

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

export const truncate: FaultKind = {
  meaning: 'the connection is cut after so many bytes of the body',
  keys: { bytes: '1000' },
  read(keys) {
    const sizeBytes = keys.takeSize('bytes');
    return {
      cutsConnection: true,
      async *changeBody(body) {
        let leftBytes = sizeBytes;
        if (leftBytes === 0) return;
        for await (const chunk of body) {
          yield chunk.subarray(0, leftBytes);
          leftBytes -= chunk.length;
          if (leftBytes <= 0) return;
        }
      },
    };
  },
};

export const slow: FaultKind = {
  meaning: 'the body comes at so many bytes a second',
  keys: { rate: '10kb' },
  read(keys) {
    const bytesPerSecond = Math.max(1, keys.takeSize('rate'));
    const stepBytes = Math.ceil(bytesPerSecond / 20);
    return {
      async *changeBody(body) {
        for await (const chunk of body) {
          for (let at = 0; at < chunk.length; at += stepBytes) {
            const piece = chunk.subarray(at, at + stepBytes);
            yield piece;
            await sleep((piece.length * 1_000) / bytesPerSecond, undefined, { ref: false });
          }
        }
      },
    };
  },
};

/** Timers hold 2^31 - 1 milliseconds at most, and end at once beyond it. */
const delayMsAtMost = 2 ** 31 - 1;

export const delay: FaultKind = {
  meaning: 'the answer comes so much later: milliseconds, or 2s',
  keys: { ms: '500' },
  read(keys) {
    const delayMs = keys.take('ms', 'number of milliseconds up to 24 days', (text) => {
      const ms = /^\d{1,10}$/.test(text) ? Number(text) : parseDuration(text);
      return ms !== undefined && ms <= delayMsAtMost ? ms : undefined;
    });
    if (delayMs === undefined) throw keys.wrong('ms= is missing', 'For example delay:ms=500.');
    return { before: () => sleep(delayMs, undefined, { ref: false }) };
  },
};
