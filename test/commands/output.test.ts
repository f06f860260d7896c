import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fieldLabel } from '../../src/contract/columns.ts';
import { listQueryColumns } from '../../src/query/columns.ts';
import { documentOf, encode } from '../formats/encode.ts';
import { readParquet } from '../formats/parquet-reader.ts';
import { readSheet } from '../present/xlsx-reader.ts';
import { expectRefusal } from '../support/run-cli.ts';
import { serveForTest } from '../support/service.ts';

/**
 * The output of a report: columns, formats, dialects, and the lines of --json (`cli.md`, Output).
 */

const day = 'run --period 2026-11-01 --fresh';
const byHour = 'run --period 2026-10-25 --by HOURLY,CAMPAIGN --fresh';

/** A row of the service, for computing rates. */
interface SummedRow {
  readonly country: string | null;
  readonly revenueEuro: number;
  readonly valueDollar: number;
  readonly clicks: number;
  readonly leads: number;
  readonly downloads: number;
}

describe('columns', () => {
  test('are the fields of the breakdowns, then the metrics, in the order of the request', async () => {
    const { run, cwd } = await serveForTest({ delayMs: 0 });
    const asked = `${day} --by CAMPAIGN,DAILY --metrics clicks,ctr,revenueDollar`;
    const names = ['campaignId', 'campaignName', 'date', 'clicks', 'ctr', 'valueDollar'];

    const { stdout } = await run(`${asked} --format csv`);

    expect(stdout.split('\r\n')[0]).toBe(names.join(','));

    await run(`${asked} -o r.parquet`);

    const { types, rows } = await readParquet(readFileSync(join(cwd, 'r.parquet')));

    expect(Object.keys(types)).toEqual(names);
    expect(rows.every(({ ctr }) => ctr === null || (typeof ctr === 'number' && ctr < 1))).toBe(
      true,
    );
  });

  test('may be costs per click, lead and download, computed from the row', async () => {
    const { run } = await serveForTest({ delayMs: 0 });
    const sums = 'revenueEuro,revenueDollar,clicks,leads,downloads';
    const costs = 'cpcEuro,cpcDollar,cplEuro,cpdEuro';

    const json = await run(`${day} --by COUNTRY --metrics ${sums} --format json`);
    const csv = await run(`${day} --by COUNTRY --metrics ${costs} --format csv`);

    const costOf = (revenue: number, count: number): string => {
      return count === 0 ? '' : String(Number((revenue / count).toPrecision(6)));
    };
    const expectedLines = JSON.parse(json.stdout).data.map((row: SummedRow) => {
      const { country, revenueEuro, valueDollar, clicks, leads, downloads } = row;
      const cells = [
        country ?? '',
        costOf(revenueEuro, clicks),
        costOf(valueDollar, clicks),
        costOf(revenueEuro, leads),
        costOf(revenueEuro, downloads),
      ];
      return cells.join(',');
    });

    expect(expectedLines.length).toBeGreaterThan(5);
    expect(csv.stdout.trimEnd().split('\r\n')).toEqual([`country,${costs}`, ...expectedLines]);
  });

  test('are all of the service’s with --columns all; json has no computed ones', async () => {
    const { run } = await serveForTest({ delayMs: 0 });

    const all = await run(`${day} --by DAILY --metrics clicks --format csv --columns all`);

    expect(all.stdout).toMatch(/^date,clicks,Adnetwork,campaignId,/);

    for (const format of ['json', 'ndjson']) {
      for (const more of ['', '--dry-run']) {
        const refused = await run(`${day} --by DAILY --metrics ctr --format ${format} ${more}`);
        expectRefusal(
          refused,
          2,
          `ctr is computed by adreport; ${format} contains only the service's own data.`,
        );
      }
    }
  });

  const columns = listQueryColumns({ profile: 'buyer', breakdowns: ['DAILY'], metrics: ['ctr'] });

  test('that were not requested are left out if null, otherwise kept', async () => {
    const rows = [
      '{"date":"2026-11-01","city":null,"os":"iOS","displays":4,"clicks":1,"new":null}',
      '{"date":"2026-11-02","city":"","os":null,"displays":4,"clicks":1,"new":2}',
    ];

    const { text } = await encode(documentOf(...rows), 'csv', { columns });

    expect(text).toBe('date,ctr,os,new\r\n2026-11-01,0.25,iOS,\r\n2026-11-02,0.25,,2\r\n');

    const late = documentOf(
      ...rows,
      '{"date":"2026-11-03","city":"Lyon","displays":4,"clicks":1,"new":null}',
    );

    const refused = {
      exitCode: 9,
      code: 'LATE_COLUMN',
      message: expect.stringContaining('“city”'),
    };

    await expect(encode(late, 'csv', { columns, pieceBytes: 100 })).rejects.toMatchObject(refused);
  });
});

describe('typed formats', () => {
  test('Parquet and a sheet have the rows of the JSON, under their names', async () => {
    const { run, cwd } = await serveForTest({ delayMs: 0 });
    const line = `${byHour} --metrics displays,revenueEuro,revenueDollar`;
    const { data, summary } = JSON.parse((await run(`${line} --format json`)).stdout);
    const dimensions = ['date', 'hour', 'campaignId', 'campaignName'];
    const fields = [...dimensions, 'displays', 'revenueEuro', 'valueDollar'];
    const rows: unknown[][] = data.map((row: Record<string, unknown>) =>
      fields.map((field) => row[field]),
    );

    await run(`${line} -o r.parquet`);
    const parquet = await readParquet(readFileSync(join(cwd, 'r.parquet')));
    const types = {
      date: 'DATE',
      hour: 'TIMESTAMP_MICROS',
      displays: 'INT64',
      valueDollar: 'DOUBLE',
    };

    expect(parquet.types).toMatchObject(types);

    const plain = (value: unknown, at: number) => {
      if (value instanceof Date)
        return at === 0 ? value.toISOString().slice(0, 10) : value.toISOString();
      return typeof value === 'bigint' ? Number(value) : value;
    };

    expect(parquet.rows.map((row) => Object.values(row).map(plain))).toEqual(
      rows.map(([date, hour, ...rest]) => [date, new Date(String(hour)).toISOString(), ...rest]),
    );
    expect(JSON.parse(parquet.metadata.key_value_metadata?.[0]?.value ?? '')).toEqual(summary);

    await run(`${line} -o r.xlsx`);

    const spreadsheet = readFileSync(join(cwd, 'r.xlsx'));

    expect(readSheet(spreadsheet, 2).flat()).toContain(
      'Hours are wall times in europe/paris: Excel has no time zones.',
    );

    const [header, ...cells] = readSheet(spreadsheet);

    expect(header).toEqual(fields.map(fieldLabel));
    expect(cells.map((row) => row.slice(2, 7))).toEqual(rows.map((row) => row.slice(2)));
    // 25 hours, one of which a clock change repeats.
    expect(new Set(cells.map((row) => row[1])).size).toBe(24);
  });

  test.each([
    { format: 'parquet', magic: /^PAR1/ },
    { format: 'xlsx', magic: /^PK/ },
  ])('$format is written to a pipe, but not to a terminal', async ({ format, magic }) => {
    const { run } = await serveForTest({ delayMs: 0 });

    const piped = await run(`${byHour} --format ${format}`);

    expect(piped).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(magic) });
    for (const line of [byHour, 'download x', 'campaigns']) {
      expectRefusal(
        await run(`${line} --format ${format}`, { tty: true }),
        2,
        `-o report.${format}`,
      );
    }
  });

  const money = fc
    .integer({ min: -99_999, max: 9_999_999 })
    .map((cents) => (cents / 100).toFixed(2).replace('.', ','));
  const row = fc.record({
    date: fc.constantFrom('2026-01-01', '2026-02-28', '2026-12-31'),
    bundleId: fc.option(fc.string({ unit: 'grapheme', minLength: 1 })),
    displays: fc.nat(),
    revenueEuro: money,
    revenueDollar: fc.option(money),
  });

  test('--normalize gives the same rows for a DSP report in JSON and CSV', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1 }), async (rows) => {
        const json = JSON.stringify({ data: rows });
        const csv = stringify(rows, { header: true, quoted_string: true });
        for (const format of ['csv', 'json', 'ndjson', 'parquet', 'table'] as const) {
          const fromJson = (await encode(json, format, { normalize: true })).text;
          expect(
            (await encode(csv, format, { normalize: true, contentType: 'text/csv' })).text,
          ).toBe(fromJson);
        }
        const lines = (await encode(csv, 'ndjson', { normalize: true })).text.trimEnd().split('\n');
        const numbers = rows.map(({ revenueEuro }) => Number(revenueEuro.replace(',', '.')));
        expect(lines.map((line) => JSON.parse(line).revenueEuro)).toEqual(numbers);
      }),
      { numRuns: 10 },
    );
  });
});

describe('CSV', () => {
  test('shows control characters on a terminal, and keeps them in pipes and files', async () => {
    const { run } = await serveForTest({ delayMs: 0 }, 'awkward');
    const csv = 'run --period 2026-11-09 --by CAMPAIGN --metrics displays --format csv';
    const raw = '\n49002,\u001b[31mRED ALERT\u001b[0m launch,';

    expect((await run(csv)).stdout).toContain(raw);
    expect((await run(`${csv} -o x.csv`, { tty: true })).files['x.csv']).toContain(raw);

    const list = 'campaigns --format csv';
    for (const line of [csv, list, 'view x.csv --by CAMPAIGN --format csv']) {
      const { stdout } = await run(line, { tty: true });
      for (const text of [
        '49002,␛[31mRED ALERT␛[0m launch,',
        '49004,Printemps␍␊Été␊2026,',
        '\\u202e',
      ]) {
        expect(stdout).toContain(text);
      }
      expect(stdout).not.toContain('\u001b');
    }
  });
});

describe('--json without -o', () => {
  test('a report or list is JSON, unless --format is given', async () => {
    const { run } = await serveForTest({ delayMs: 0 });
    const day = '--period 2026-11-09 --by DAILY --metrics clicks';
    const id = (await run(`report create ${day}`)).stdout.trim();

    for (const line of [`run ${day}`, `run ${day} -o -`, `download ${id}`]) {
      const { exitCode, stdout } = await run(`${line} --json`);
      expect(exitCode).toBe(0);
      expect(JSON.parse(stdout).data).toEqual([
        expect.objectContaining({ date: '2026-11-09', clicks: expect.any(Number) }),
      ]);
    }

    expect((await run(`run ${day} --json --format csv`)).stdout).toMatch(/^date,clicks\r\n/);
    expect(JSON.parse((await run('campaigns --json')).stdout)[0]).toHaveProperty('campaignId');
    const { files } = await run('campaigns --json -o c.csv');
    expect(files['c.csv']).toMatch(/^\w+,\w+/);
  });
});

describe('--json with -o', () => {
  test('prints one line with file, rows, bytes, report, window and warnings', async () => {
    const { run } = await serveForTest();
    const line = 'run --since 2026-11-09 --until 2026-11-10 --by DAILY --json -q -o r.csv';

    const { exitCode, stdout, files } = await run(line);

    expect(exitCode).toBe(0);
    expect(stdout.endsWith('\n')).toBe(true);
    const written = JSON.parse(stdout);
    expect(written).toEqual({
      file: 'r.csv',
      report: null,
      account: expect.any(String),
      rows: 2,
      bytes: Buffer.byteLength(files['r.csv'] ?? ''),
      sha256: createHash('sha256')
        .update(files['r.csv'] ?? '')
        .digest('hex'),
      key: ['date'],
      reportId: expect.stringMatching(/^[0-9a-f]+$/),
      reportIds: [written.reportId],
      since: '2026-11-09T00:00:00+01:00',
      until: '2026-11-10T23:59:59+01:00',
      warnings: [],
      notes: [],
      changed: null,
    });
  });
});
