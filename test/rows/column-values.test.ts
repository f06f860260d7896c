import fc from 'fast-check';
import { expect, it } from 'vitest';
import { notCents, readField, toCents } from '../../src/rows/column-values.ts';
import { readRows } from '../../src/rows/read-rows.ts';
import { RepeatFinder } from '../../src/rows/repeat-finder.ts';
import { hasValue, readJsonValues, toRows } from '../../src/rows/row-batch.ts';
import { parseNumber } from '../../src/totals/numbers.ts';
import { chunksOf } from './report-documents.ts';

/** The JSON of valid and invalid values. */
const valueJson = fc.oneof(
  fc.integer().map(String),
  fc.integer({ min: -99_999, max: 99_999 }).map((cents) => (cents / 100).toFixed(2)),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => JSON.stringify(number)),
  fc.stringMatching(/^"-?\d{1,17}([.,]\d{0,3})?"$/),
  fc.constantFrom('null', '""', '"0"', '-0', '"-0"', '"007"', '"1.101"', '1e3', '1E2', 'true'),
  fc.constantFrom('[1101]', '{"a":12345678901234567890}', '12345678901234567890', '0.1', '0,5'),
  fc.constantFrom('"Été"', '"a\\nb"', '"\\u00e9"', '"2026-10-01"', '"France"', '" 1"'),
  fc.string().map((text) => JSON.stringify(text)),
);

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

/** A field that is null in most rows. */
const mostlyNull = fc.oneof(
  { weight: 9, arbitrary: fc.constant('null') },
  { weight: 1, arbitrary: valueJson.filter(isJson) },
);

/** A document whose rows may lack a field; most have five consecutive null fields. */
const body = fc
  .array(
    fc.record(
      {
        campaignName: valueJson.filter(isJson),
        os: mostlyNull,
        platform: mostlyNull,
        country: mostlyNull,
        city: mostlyNull,
        carrier: mostlyNull,
        displays: valueJson.filter(isJson),
      },
      { requiredKeys: ['os', 'platform', 'country', 'city', 'carrier'] },
    ),
    { minLength: 1, maxLength: 40 },
  )
  .map((rows) => {
    const objects = rows.map((row) => {
      const members = Object.entries(row).map(([name, json]) => `"${name}":${json}`);
      return `{${members.join(',')}}`;
    });
    return `{"data":[${objects.join(',')}]}`;
  });

const fields = ['campaignName', 'os', 'country', 'carrier', 'displays', 'clicks'];

it('reads a column like the objects of the rows, and its numbers exactly', async () => {
  await fc.assert(
    fc.asyncProperty(body, async (json) => {
      for await (const batch of readRows(chunksOf(Buffer.from(json), 1000))) {
        const rows = toRows(batch);
        for (const field of fields) {
          const values = rows.map((row) => row[field]);
          expect(readField(batch, field)).toEqual(values);
          const areNull = readJsonValues(batch, field).map((text) => text === 'null');
          expect(areNull).toEqual(values.map((value) => value === null));
          expect(hasValue(batch, field)).toBe(values.some((value) => (value ?? '') !== ''));

          for (const [index, cents] of toCents(batch, field).entries()) {
            const number = parseNumber(rows[index]?.[field]);
            if (Number.isNaN(cents)) expect(number).toBeNull();
            else if (cents !== notCents) expect(cents / 100).toBe(number);
          }
        }
      }
    }),
  );
});

it('finds repeated keys in many rows, in batches of any size', async () => {
  const rows = Array.from({ length: 10_000 }, (_, row) => ({ displays: row % 7000 }));
  const finder = new RepeatFinder(['displays'], []);
  const json = JSON.stringify({ data: rows });
  for await (const batch of readRows(chunksOf(Buffer.from(json), 1000))) finder.observe(batch);

  expect(finder).toMatchObject({ count: 3000, firstRow: 7001 });
});
