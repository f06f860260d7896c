import { Transform } from 'node:stream';
import type { FaultEffect, FaultKind } from '../fault-kind.ts';

interface Truncation extends FaultEffect {
  readonly bytes: number;
}

export const truncate: FaultKind = {
  meaning: 'the connection is cut behind so many bytes of the body',
  keys: { bytes: '1000' },
  read(keys): Truncation {
    const bytes = keys.takeSize('bytes');
    return { bytes, cutsConnection: true, changeBody: () => firstBytes(bytes) };
  },
};

/** Ends, as far as its reader is concerned, with the last byte that is wanted; the rest of the body is dropped. */
function firstBytes(sizeBytes: number): Transform {
  let leftBytes = sizeBytes;
  const body = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      if (leftBytes > 0) {
        this.push(chunk.subarray(0, leftBytes));
        leftBytes -= Math.min(leftBytes, chunk.length);
        if (leftBytes === 0) this.push(null);
      }
      done();
    },
  });
  if (sizeBytes === 0) body.push(null);
  return body;
}
