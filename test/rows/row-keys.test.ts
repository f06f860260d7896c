import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readRows } from '../../src/rows/read-rows.ts';
import { RowKeys } from '../../src/rows/row-keys.ts';
import { chunksOf } from './report-documents.ts';

/** A row as it is meant, and the ways in which a file may write it. */
const row = fc.record({
  campaignId: fc.integer({ min: 1, max: 3 }),
  carrier: fc.constantFrom(null, '', 'é', 'a "b"', 'ab', 'a', 'longer than a word'),
  hour: fc.constantFrom('2026-10-25T02:00:00+0200', '2026-10-25T02:00:00+0100', '2026-10-25'),
});
const style = fc.record({
  isReversed: fc.boolean(),
  hasTextIds: fc.boolean(),
  isEscaped: fc.boolean(),
  hasDecimals: fc.boolean(),
  isUtc: fc.boolean(),
  blanks: fc.constantFrom('', '  '),
});
type Row = typeof row extends fc.Arbitrary<infer Value> ? Value : never;
type Style = typeof style extends fc.Arbitrary<infer Value> ? Value : never;

const files = fc.array(fc.record({ rows: fc.array(row, { minLength: 1, maxLength: 8 }), style }), {
  minLength: 1,
  maxLength: 4,
});

function write(
  rows: readonly Row[],
  { isReversed, hasTextIds, isEscaped, hasDecimals, ...style }: Style,
) {
  const written = rows.map(({ campaignId, carrier, hour }) => {
    const isTime = hour.includes('T');
    const members = [
      ['campaignId', hasTextIds ? `${campaignId}${style.blanks}` : campaignId],
      ['carrier', carrier === null ? null : carrier + style.blanks],
      ['hour', isTime && style.isUtc ? new Date(hour).toISOString().replace('.000', '') : hour],
    ];
    return Object.fromEntries(isReversed ? members.reverse() : members);
  });
  const plain = JSON.stringify({ data: written });
  const json = hasDecimals ? plain.replaceAll(/("campaignId":\d)(?=[,}])/g, '$1.0') : plain;
  return isEscaped ? json.replaceAll('é', '\\u00e9') : json;
}

test('rows have the same key, however their files write it', async () => {
  await fc.assert(
    fc.asyncProperty(files, async (all) => {
      const keys = new RowKeys();
      const found: string[] = [];
      const expected: string[] = [];
      const owners = new Map<string, number>();
      for (const [file, { rows, style: ownStyle }] of all.entries()) {
        const owner = file + 1;
        const body = Buffer.from(write(rows, ownStyle));
        for await (const batch of readRows(chunksOf(body, 1000))) {
          const fields = ['hour', 'carrier', 'campaignId'].map((field) => ({ field }));
          keys.add(batch, { fields, owner }, (index, first) => {
            found.push(`${owner}: ${batch.firstRow + index} is in ${first}`);
          });
        }
        for (const [index, { campaignId, carrier, hour }] of rows.entries()) {
          const instant = hour.includes('T') ? Date.parse(hour) : hour;
          const key = JSON.stringify([campaignId, carrier, instant]);
          const first = owners.get(key);
          if (first === undefined) owners.set(key, owner);
          else expected.push(`${owner}: ${index} is in ${first}`);
        }
      }
      expect(found).toEqual(expected);
    }),
  );
});

test('rows of a file of one day have the key of rows with that date', async () => {
  const keys = new RowKeys();
  const found: number[] = [];
  const add = async (rows: readonly object[], owner: number, day?: string) => {
    const body = Buffer.from(JSON.stringify({ data: rows }));
    for await (const batch of readRows(chunksOf(body, 1000))) {
      const fields = batch.fields.map((field) => ({ field }));
      keys.add({ ...batch, day }, { fields, owner }, (_row, other) => found.push(other));
    }
  };

  await add([{ date: '2026-11-01', country: 'FR' }], 1);
  await add([{ country: 'FR' }], 2, '2026-11-02');
  await add([{ country: 'FR' }], 3, '2026-11-01');
  await add([{ country: 'FR', date: '2026-11-02' }], 4);

  expect(found).toEqual([1, 2]);
});
