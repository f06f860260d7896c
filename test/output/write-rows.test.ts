import { describe, expect, it } from 'vitest';
import { writeRows } from '../../src/output/encoder.ts';
import { createEncoder } from '../../src/output/formats/index.ts';
import { readRows } from '../../src/rows/read-rows.ts';
import { chunksOf } from '../rows/report-documents.ts';
import { documentOf } from './encode.ts';
import { memorySink } from './memory-sink.ts';

describe('writeRows', () => {
  it('writes several reports into one output, by the columns of each', async () => {
    const encoder = await createEncoder('csv', {});
    const sink = memorySink();
    for (const body of [documentOf('{"a":1,"b":2}'), documentOf('{"b":4,"a":3}')]) {
      for await (const batch of readRows(chunksOf(Buffer.from(body), 1000))) {
        for (const piece of await encoder.encode(batch)) await sink.write(piece);
      }
    }
    expect(sink.text()).toBe('a,b\r\n1,2\r\n3,4\r\n');
  });

  it('closes the body when the sink fails', async () => {
    let isClosed = false;
    async function* body() {
      try {
        yield Buffer.from('{"data":[{"a":1}');
        for (;;) yield Buffer.from(',{"a":1}');
      } finally {
        isClosed = true;
      }
    }
    const sink = { write: () => Promise.reject(new Error('disk full')) };
    const batches = readRows(body(), { pieceBytes: 10 });
    await expect(writeRows({ batches, encoder: await createEncoder('csv', {}), sink })).rejects.toThrow('disk full');
    expect(isClosed).toBe(true);
  });

  it('shows every batch to its observer', async () => {
    const seen: number[] = [];
    const batches = readRows(chunksOf(Buffer.from(documentOf('{"a":1}', '{"a":2}')), 3), { pieceBytes: 8 });
    await writeRows({
      batches,
      encoder: await createEncoder('json', {}),
      sink: memorySink(),
      observe: (batch) => seen.push(batch.rowCount),
    });
    expect(seen.reduce((sum, count) => sum + count, 0)).toBe(2);
  });
});
