import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readRows } from '../../src/rows/read-rows.ts';
import { RowKeys } from '../../src/rows/row-keys.ts';
import { chunksOf } from './report-documents.ts';

/** Texts of one to nine letters, few enough to be repeated: all that a word of four bytes can be short by. */
const text = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 9 });
const rowLists = fc.array(fc.record({ os: text, country: text, clicks: fc.nat(9) }), { minLength: 1, maxLength: 60 });

async function keysOf(body: string, contentType: string, pieceBytes: number): Promise<RowKeys> {
  const keys = new RowKeys(['os', 'country']);
  const batches = readRows(chunksOf(Buffer.from(body), 50), { contentType, pieceBytes });
  for await (const batch of batches) keys.observe(batch);
  return keys;
}

test('as many keys are repeated as a set of their texts says, in JSON and in CSV, however the batches are cut', async () => {
  await fc.assert(
    fc.asyncProperty(rowLists, fc.integer({ min: 16, max: 400 }), async (rows, pieceBytes) => {
      const texts = rows.map(({ os, country }) => `${os} ${country}`);
      const repeated = texts.map((key, row) => texts.indexOf(key) < row);
      const expected = {
        repeatedCount: repeated.filter(Boolean).length,
        firstRepeated: repeated.indexOf(true) + 1,
      };
      const csv = ['os,country,clicks', ...rows.map(({ os, country, clicks }) => `${os},${country},${clicks}`), ''];
      expect(await keysOf(JSON.stringify({ data: rows }), 'application/json', pieceBytes)).toMatchObject(expected);
      expect(await keysOf(csv.join('\r\n'), 'text/csv', pieceBytes)).toMatchObject(expected);
    }),
    { numRuns: 150 },
  );
});
