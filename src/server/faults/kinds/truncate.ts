import { Transform } from 'node:stream';
import type { FaultKind } from '../fault-kind.ts';

export const truncate: FaultKind = {
  meaning: 'the connection is cut after so many bytes of the body',
  keys: { bytes: '1000' },
  read(keys) {
    const bytes = keys.takeSize('bytes');
    return { cutsConnection: true, changeBody: () => firstBytes(bytes) };
  },
};

/** Ends with the last byte that is wanted, and drops the rest. */
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
