import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readRows } from '../../src/rows/read-rows.ts';
import { Aggregate } from '../../src/view/aggregate.ts';
import { DecimalSum } from '../../src/view/decimal-sum.ts';
import { chunksOf, stringText } from '../rows/report-documents.ts';

async function aggregate(body: string, by: readonly string[], pieceBytes = 65_536): Promise<Aggregate> {
  const aggregate = new Aggregate(by);
  const chunks = chunksOf(Buffer.from(body), 4096);
  for await (const batch of readRows(chunks, { pieceBytes })) aggregate.observe(batch);
  return aggregate;
}

/** The groups as plain values, each sum without the zeros at its end. */
function plain(aggregate: Aggregate) {
  return [...aggregate].map(({ key, rowCount, sums }) => ({
    key,
    rowCount,
    sums: Object.fromEntries([...sums].map(([field, sum]) => [field, trimmed(sum)])),
  }));
}

function trimmed(sum: DecimalSum): string {
  return sum
    .toString()
    .replace(/(\.\d*?)0+$/, '$1')
    .replace(/\.$/, '');
}

type Row = readonly (readonly [key: string, value: string])[];

const metricFields = ['displays', 'revenueEuro', 'valueDollar'];

/** What the rows come to when each value is parsed and added by itself. */
function reference(rows: readonly Row[], by: readonly string[]) {
  const groups = new Map<string, { key: (string | null)[]; rowCount: number; sums: Map<string, DecimalSum> }>();
  for (const row of rows) {
    const texts = new Map(row.map(([key, value]) => [JSON.parse(key) as string, value]));
    const key = by.map((field) => keyText(texts.get(field)));
    const id = JSON.stringify(key);
    const group = groups.get(id) ?? { key, rowCount: 0, sums: new Map<string, DecimalSum>() };
    groups.set(id, group);
    group.rowCount++;
    for (const field of metricFields) {
      const number = numberText(texts.get(field));
      if (number === undefined) continue;
      const sum = group.sums.get(field) ?? new DecimalSum();
      if (sum.add(number)) group.sums.set(field, sum);
    }
  }
  return [...groups.values()].map(({ sums, ...group }) => ({
    ...group,
    sums: Object.fromEntries([...sums].map(([field, sum]) => [field, trimmed(sum)])),
  }));
}

function keyText(json: string | undefined): string | null {
  const value: unknown = JSON.parse(json ?? 'null');
  if (value === null) return null;
  // UTF-8 has no lone surrogates.
  return typeof value === 'string' ? Buffer.from(value).toString() : (json ?? null);
}

function numberText(json: string | undefined): string | undefined {
  const value: unknown = JSON.parse(json ?? 'null');
  if (typeof value === 'number') return json;
  return typeof value === 'string' && /^-?\d+([.,]\d+)?$/.test(value) ? value.replace(',', '.') : undefined;
}

const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: 20 });
const number = fc
  .tuple(fc.constantFrom('', '-'), fc.oneof(fc.nat().map(String), fc.bigInt(0n, 10n ** 19n).map(String)), digits)
  .map(([sign, integer, decimals]) => ({ integer: sign + integer, decimals }));
const metricText = fc.oneof(
  { weight: 6, arbitrary: fc.nat({ max: 1e6 }).map(String) },
  {
    weight: 4,
    arbitrary: fc.nat({ max: 1e8 }).map((cents) => JSON.stringify((cents / 100).toFixed(2)).replace('.', ',')),
  },
  { weight: 3, arbitrary: fc.nat({ max: 1e8 }).map((cents) => String(cents / 100)) },
  { weight: 2, arbitrary: number.map(({ integer, decimals }) => `${integer}.${decimals}`) },
  { weight: 1, arbitrary: number.map(({ integer, decimals }) => `"${integer},${decimals}"`) },
  { weight: 1, arbitrary: number.map(({ integer }) => integer) },
  fc.constantFrom(
    'null',
    '""',
    '"n/a"',
    'true',
    '1e3',
    '-2.5E-2',
    '"1,234,567"',
    '"-"',
    '","',
    '"1,"',
    '[1]',
    '-0',
    '"007"',
  ),
);
const keyTextOf = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('"a"', '"b"', '"ab"', '""', 'null') },
  fc.constantFrom(`"${'é'.repeat(700)}"`, `"${'\\u00e9'.repeat(700)}"`),
  fc.constantFrom('"\\u0061"', '1', '"1"', '"Été"', '"\\u00c9t\\u00e9"', '"日本"', '"a\\u0000"', '[ 1 ]', 'false'),
  stringText,
);
const row: fc.Arbitrary<Row> = fc
  .tuple(keyTextOf, keyTextOf, fc.array(fc.tuple(fc.constantFrom(...metricFields), metricText), { maxLength: 4 }))
  .map(([city, campaign, values]) => [
    ...(city === '""' ? [] : [['"city"', city] as const]),
    ['"campaignName"', campaign],
    ...values.map(([field, value]) => [JSON.stringify(field), value] as const),
  ]);

const documentOf = (rows: readonly Row[]) =>
  `[${rows.map((members) => `{${members.map((member) => member.join(':')).join(',')}}`).join(',')}]`;

describe('Aggregate', () => {
  it('groups and adds as parsing and adding each value by itself does, to the last digit', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { minLength: 1, maxLength: 40 }),
        fc.subarray(['city', 'campaignName', 'nowhere'], { minLength: 0 }),
        fc.integer({ min: 1, max: 400 }),
        async (rows, by, pieceBytes) => {
          const result = await aggregate(documentOf(rows), by, pieceBytes);
          expect(plain(result)).toEqual(reference(rows, by));
          const [all] = reference(rows, []);
          const totals = [...result.totals()].map(([field, sum]) => [field, trimmed(sum)]);
          expect(Object.fromEntries(totals)).toEqual(all?.sums);
          expect(result).toMatchObject({ rowCount: rows.length, size: reference(rows, by).length });
        },
      ),
      { numRuns: 500 },
    );
  });

  it('keeps its groups apart when there are many', async () => {
    const rows = Array.from({ length: 30_000 }, (_, i) => `{"adId":"${i % 20_000}","displays":${i},"revenueEuro":0.1}`);
    const groups = plain(await aggregate(`[${rows.join(',')}]`, ['adId']));
    expect(groups).toHaveLength(20_000);
    expect(groups[7]).toEqual({ key: ['7'], rowCount: 2, sums: { displays: '20014', revenueEuro: '0.2' } });
    expect(groups[19_999]).toEqual({ key: ['19999'], rowCount: 1, sums: { displays: '19999', revenueEuro: '0.1' } });
  });

  it('stays exact past what a number can hold', async () => {
    const rows = [...Array.from({ length: 30 }, () => '999999999999999'), '0.5'].map((number, i) =>
      i % 2 === 0 ? `{"city":"a","displays":${number}}` : `{"city":"b","displays":-${number}}`,
    );
    expect(plain(await aggregate(`[${rows.join(',')}]`, ['city']))).toEqual([
      { key: ['a'], rowCount: 16, sums: { displays: '14999999999999985.5' } },
      { key: ['b'], rowCount: 15, sums: { displays: '-14999999999999985' } },
    ]);
  });

  it('says which keys and metrics it saw, and how many values are no numbers', async () => {
    const body =
      '[{"date":"2026-11-01","displays":"n/a","clicks":1,"mine":5},{"clicks":"x","city":null,"displays":[1]}]';
    const result = await aggregate(body, []);
    expect(result.fields).toEqual(['date', 'displays', 'clicks', 'mine', 'city']);
    expect(result.metrics).toEqual(['displays', 'clicks']);
    expect(result.strangeCounts).toEqual(
      new Map([
        ['displays', 2],
        ['clicks', 1],
      ]),
    );
  });

  it('of no rows has no groups and no totals', async () => {
    const result = await aggregate('[]', ['date']);
    expect([...result]).toEqual([]);
    expect(result.totals()).toEqual(new Map());
    expect(new Aggregate().size).toBe(0);
  });
});
