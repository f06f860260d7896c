import { Transform } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FaultKind } from '../fault-kind.ts';

export const slow: FaultKind = {
  meaning: 'the body comes at so many bytes a second',
  keys: { rate: '10kb' },
  read(keys) {
    const bytesPerSecond = Math.max(1, keys.takeSize('rate'));
    return { changeBody: () => slowed(bytesPerSecond) };
  },
};

function slowed(bytesPerSecond: number): Transform {
  const stepBytes = Math.max(1, Math.ceil(bytesPerSecond / 20));
  return new Transform({
    async transform(chunk: Buffer, _encoding, done) {
      for (let at = 0; at < chunk.length && !this.destroyed; at += stepBytes) {
        const piece = chunk.subarray(at, at + stepBytes);
        this.push(piece);
        await sleep((piece.length * 1_000) / bytesPerSecond, undefined, { ref: false });
      }
      done();
    },
  });
}
