import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fieldLabel, metricOfField } from '../../src/contract/columns.ts';
import { encode } from '../output/encode.ts';
import { readParquet } from '../output/parquet-reader.ts';
import { readSheet } from '../output/xlsx-reader.ts';
import { serveForTest } from '../support/service.ts';

/** Parquet and Excel from the command line; numbers that are the same whatever the report came as. */

/** What a file of the report has of a row: what was asked for. */
function asked(row: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const isAsked = (field: string) =>
    ['date', 'hour', 'campaignId', 'campaignName'].includes(field) || metricOfField(field) !== undefined;
  return Object.fromEntries(Object.entries(row).filter(([field]) => isAsked(field)));
}

const byHour = 'run --period 2026-10-24..2026-10-25 --by HOURLY,CAMPAIGN --fresh';

describe('a report', () => {
  test('as Parquet and as a sheet has the rows of the JSON, under their names', async () => {
    const { run, cwd } = await serveForTest({ delayMs: 0 });
    const { data, summary } = JSON.parse((await run(`${byHour} --format json`)).stdout);
    await run(`${byHour} -o r.parquet`);
    const parquet = await readParquet(readFileSync(join(cwd, 'r.parquet')));
    const types = { date: 'DATE', hour: 'TIMESTAMP_MICROS', displays: 'INT64', valueDollar: 'DOUBLE' };
    expect(parquet.types).toMatchObject(types);
    expect(parquet.rows.map(plainRow)).toEqual(
      data.map((row: { hour: string }) => ({ ...asked(row), hour: new Date(row.hour).toISOString() })),
    );
    expect(JSON.parse(parquet.metadata.key_value_metadata?.[0]?.value ?? '')).toEqual(summary);

    const written = await run(`${byHour} -o r.xlsx`);
    expect(written.stderr).toContain('Hours are the wall time of europe/paris: Excel has no time zones.');
    const [header = [], ...rows] = readSheet(readFileSync(join(cwd, 'r.xlsx')));
    const fields = Object.keys(asked(data[0]));
    expect(header).toEqual([...fields, 'ctr', 'ecpmEuro', 'ecpmDollar'].map(fieldLabel));
    const at = (name: string) => fields.indexOf(name);
    expect(rows.map((row) => [row[at('campaignName')], row[at('displays')], row[at('revenueEuro')]])).toEqual(
      data.map((row: Record<string, unknown>) => [row.campaignName, row.displays, row.revenueEuro]),
    );
    // 49 hours, one of which the clocks show twice.
    expect(new Set(rows.map((row) => row[at('hour')])).size).toBe(48);
  });

  test.each([
    ['parquet', /^PAR1/],
    ['xlsx', /^PK/],
  ])('as %s goes into a pipe', async (format, magic) => {
    const { run } = await serveForTest({ delayMs: 0 });
    const piped = await run(`${byHour} --format ${format}`);
    expect(piped).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(magic) });
  });
});

describe('--normalize', () => {
  const money = fc.integer({ min: -99_999, max: 9_999_999 }).map((cents) => (cents / 100).toFixed(2).replace('.', ','));
  const row = fc.record({
    date: fc.constantFrom('2026-01-01', '2026-02-28', '2026-12-31'),
    bundleId: fc.option(fc.string({ unit: 'grapheme', minLength: 1 })),
    displays: fc.nat(),
    revenueEuro: money,
    revenueDollar: fc.option(money),
  });

  test('gives the same rows whether a DSP report came as JSON or as CSV', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1 }), async (rows) => {
        const json = JSON.stringify({ data: rows });
        const csv = stringify(rows, { header: true, quoted_string: true });
        for (const format of ['csv', 'json', 'ndjson', 'parquet', 'table'] as const) {
          const fromJson = (await encode(json, format, { normalize: true })).text;
          expect((await encode(csv, format, { normalize: true, contentType: 'text/csv' })).text).toBe(fromJson);
        }
        const lines = (await encode(csv, 'ndjson', { normalize: true })).text.trimEnd().split('\n');
        const numbers = rows.map(({ revenueEuro }) => Number(revenueEuro.replace(',', '.')));
        expect(lines.map((line) => JSON.parse(line).revenueEuro)).toEqual(numbers);
      }),
      { numRuns: 30 },
    );
  });
});

function plainRow(row: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => {
      if (typeof value === 'bigint') return [name, Number(value)];
      if (value instanceof Date)
        return [name, name === 'date' ? value.toISOString().slice(0, 10) : value.toISOString()];
      return [name, value];
    }),
  );
}
