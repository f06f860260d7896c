import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { fieldLabel } from '../../src/contract/columns.ts';
import { ZipArchive } from '../../src/output/xlsx/zip-archive.ts';
import { encode } from '../output/encode.ts';
import { readSheet } from '../output/xlsx-reader.ts';
import { hasDuckDb, isInstalled, openDuckDb } from '../support/programs.ts';
import { temporaryFolder } from '../support/run-cli.ts';
import { serveForTest } from '../support/service.ts';
import { spawnCli } from '../support/spawn.ts';

/**
 * The same report in every format, read by programs that are not ours: Python's json and csv, DuckDB (in the
 * `node_modules` of the folder that ADREPORT_TOOLS names), LibreOffice.
 */

const reports = {
  buyer: 'run --period 2026-10-24..2026-10-26 --by HOURLY,CAMPAIGN,COUNTRY',
  dsp: 'run --profile dsp --timezone America/New_York --period 2026-10-31..2026-11-01 --by HOURLY,BUNDLEID',
} as const;
type ReportName = keyof typeof reports;

type Row = Readonly<Record<string, string | number | null>>;

/** A row as any format can hold it: numbers, and the rest as text; of an hour what the clocks showed. */
function comparable(row: Row, { wallTime = false } = {}): Row {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => {
      const isNumber =
        /^(?:requests|displays|clicks|downloads|leads|landings|revenue\w+|eyesTrackings)$/.test(
          name,
        );
      if (isNumber) return [name, value === '' || value === null ? null : Number(value)];
      if (name !== 'hour') return [name, value ?? ''];
      const text = String(value);
      return [name, wallTime ? text.slice(0, 16).replace('T', ' ') : Date.parse(text)];
    }),
  );
}

async function write(name: ReportName, file: string): Promise<string> {
  const { cwd, env } = await serveForTest({ delayMs: 0 }, name);
  // JSON has every column; a sheet is compared by those that were asked for.
  const columns = /\.(?:csv|parquet)$/.test(file) ? ['--columns', 'all'] : [];
  const flags = [...columns, '-o', file, '--normalize', '-q'];
  const { exitCode, stderr } = await spawnCli([...reports[name].split(' '), ...flags], {
    cwd,
    env,
  });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return join(cwd, file);
}

/** The rows as Node parses the JSON. */
async function reference(name: ReportName, options = {}): Promise<Row[]> {
  const { data } = JSON.parse(readFileSync(await write(name, 'r.json'), 'utf8')) as { data: Row[] };
  expect(data.length).toBeGreaterThan(90);
  return data.map((row) => comparable(row, options));
}

const python = `
import csv, json, sys
kind, file = sys.argv[1:]
if kind == 'json': rows = json.load(open(file, encoding='utf-8'))['data']
elif kind == 'ndjson': rows = [json.loads(line) for line in open(file, encoding='utf-8', newline='\\n')]
else: rows = list(csv.DictReader(open(file, encoding='utf-8', newline='')))
json.dump(rows, sys.stdout)
`;

async function readWithPython(kind: string, file: string): Promise<Row[]> {
  const { stdout } = await promisify(execFile)('python3', ['-c', python, kind, file], {
    maxBuffer: 2 ** 28,
  });
  return JSON.parse(stdout) as Row[];
}

const hasPython = isInstalled('python3');
const hasOffice = hasPython && isInstalled('soffice');
if (!hasPython) console.log('Skipped: there is no python3.');
if (!hasOffice) console.log('Skipped: there is no soffice (apt: libreoffice-calc).');
if (!hasDuckDb) console.log('Skipped: ADREPORT_TOOLS names no folder with @duckdb/node-api.');

describe.each(Object.keys(reports) as ReportName[])('a %s report', (name) => {
  test.skipIf(!hasPython).each(['json', 'ndjson', 'csv'])('as %s, read by Python', async (kind) => {
    const rows = await readWithPython(kind, await write(name, `r.${kind}`));
    expect(rows.map((row) => comparable(row))).toEqual(await reference(name));
  });

  test.skipIf(!hasDuckDb)('as Parquet, read by DuckDB', async () => {
    const file = await write(name, 'r.parquet');
    const queryDuckDb = await openDuckDb();

    const rows = await queryDuckDb(
      `SELECT * REPLACE (date::varchar AS date, strftime(hour AT TIME ZONE 'UTC', '%Y-%m-%dT%H:%M:%SZ') AS hour) FROM '${file}'`,
    );

    expect(rows.map((row) => comparable(row))).toEqual(await reference(name));

    const types = await queryDuckDb(`DESCRIBE SELECT * FROM '${file}'`);

    expect(
      Object.fromEntries(types.map((row) => [row.column_name, row.column_type])),
    ).toMatchObject({
      date: 'DATE',
      hour: 'TIMESTAMP WITH TIME ZONE',
      displays: 'BIGINT',
      revenueEuro: 'DOUBLE',
      revenueDollar: 'DOUBLE',
    });

    // What the footer says of the values is what DuckDB leaves row groups out by.
    const all = await reference(name);
    const sameDay = all.filter(({ date }) => date === all[0]?.date);

    const counted = await queryDuckDb(
      `SELECT count(*)::int AS n FROM '${file}' WHERE date = '${all[0]?.date}' AND displays >= 0`,
    );

    expect(counted).toEqual([{ n: sameDay.length }]);
  });

  test.skipIf(!hasOffice)('as a sheet, opened by LibreOffice', async () => {
    const file = await write(name, 'r.xlsx');
    const folder = temporaryFolder();
    // As they are stored, not as they are shown.
    const filter = 'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,false,false';
    const profile = `-env:UserInstallation=file://${folder}/profile`;
    await promisify(execFile)('soffice', [
      profile,
      '--headless',
      '--convert-to',
      filter,
      '--outdir',
      folder,
      file,
    ]);
    const rows = await readWithPython('csv', join(folder, 'r.csv'));
    const expected = await reference(name, { wallTime: true });
    const named = rows.map((row) => {
      const cells = Object.keys(expected[0] ?? {}).map((field) => [field, row[fieldLabel(field)]]);
      return comparable(Object.fromEntries(cells), { wallTime: true });
    });

    expect(named).toEqual(expected);
  });
});

describe('a sheet', () => {
  const bodyOf = (rowCount: number) =>
    `[${Array.from({ length: rowCount }, () => '{"displays":1}').join()}]`;

  test('holds 1,048,575 rows', async () => {
    const { bytes } = await encode(bodyOf(1_048_575), 'xlsx');
    const rows = readSheet(bytes);

    expect([rows.length, rows.at(-1)]).toEqual([1_048_576, [1]]);
  });

  test('refuses one row more', async () => {
    await expect(encode(bodyOf(1_048_576), 'xlsx')).rejects.toMatchObject({
      exitCode: 8,
      message: 'The report has more than 1,048,575 rows, which is all that a sheet of Excel holds.',
    });
  });

  test('refuses what would make it larger than 4 GiB', async () => {
    const entry = new ZipArchive().begin('sheet');
    const part = ' '.repeat(2 ** 26);
    for (let i = 1; i < 64; i++) entry.write(part);

    expect(() => entry.write(part)).toThrow(
      'The sheet becomes larger than 4 GiB, which no spreadsheet opens.',
    );
  });
});
