import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { fieldLabel } from '../../src/contract/columns.ts';
import { encode } from '../formats/encode.ts';
import { hasDuckDb, isInstalled, openDuckDb } from '../support/programs.ts';
import { temporaryFolder } from '../support/run-cli.ts';
import { serveForTest } from '../support/service.ts';
import { spawnCli } from '../support/spawn.ts';

/**
 * The same report in every format, read by other programs: Python's json and csv, DuckDB (from the
 * `node_modules` in ADREPORT_TOOLS), LibreOffice, Python's openpyxl.
 */

const reports = {
  buyer: 'run --period 2026-10-24..2026-10-26 --by HOURLY,CAMPAIGN,COUNTRY',
  dsp: 'run --profile dsp --timezone America/New_York --period 2026-10-31..2026-11-01 --by HOURLY,BUNDLEID',
} as const;
type ReportName = keyof typeof reports;

type Row = Readonly<Record<string, string | number | null>>;

/**
 * A row in a form that is the same for all formats: numbers, and everything else as text; hours as
 * wall time.
 */
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
  // JSON has every column, a sheet only the requested ones.
  const columns = /\.(?:csv|parquet)$/.test(file) ? ['--columns', 'all'] : [];
  const flags = [...columns, '-o', file, '--normalize', '-q'];
  const { exitCode, stderr } = await spawnCli([...reports[name].split(' '), ...flags], {
    cwd,
    env,
  });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return join(cwd, file);
}

/** The rows of the JSON, parsed by Node. */
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

    // DuckDB skips row groups by the statistics in the footer.
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
    // Cells as stored, not as displayed.
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
    // Several rows have a total below them.
    const named = rows.slice(0, expected.length).map((row) => {
      const cells = Object.keys(expected[0] ?? {}).map((field) => [field, row[fieldLabel(field)]]);
      return comparable(Object.fromEntries(cells), { wallTime: true });
    });

    expect(named).toEqual(expected);
  });
});

const openpyxl = `
import json, sys, warnings
import openpyxl
warnings.simplefilter('error')
book = openpyxl.load_workbook(sys.argv[1])
sheet = book['Report']
table = sheet.tables['Report']
def cells(sheet):
    return [[[str(cell.value) if cell.is_date else cell.value, cell.number_format] for cell in row] for row in sheet]
json.dump({
    'range': table.ref,
    'filter': table.autoFilter.ref,
    'headings': [column.name for column in table.tableColumns],
    'frozen': sheet.freeze_panes,
    'report': cells(sheet),
    'summary': cells(book['Summary']),
}, sys.stdout)
`;

/** A cell as openpyxl reads it. */
interface PythonCell {
  readonly value: unknown;
  readonly format: string;
}

async function readWithOpenpyxl(file: string) {
  const { stdout } = await promisify(execFile)(pythonOfSheets ?? '', ['-c', openpyxl, file], {
    maxBuffer: 2 ** 26,
  });
  const book = JSON.parse(stdout);
  const cellsOf = (rows: [unknown, string][][]): PythonCell[][] => {
    return rows.map((row) => row.map(([value, format]) => ({ value, format })));
  };
  return { ...book, report: cellsOf(book.report), summary: cellsOf(book.summary) };
}

/** openpyxl does not decode the escapes of characters that XML does not allow. */
function unescaped(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  return value.replace(/_x([0-9A-F]{4})_/g, (_, code) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}

/** The Python with openpyxl, which Debian installs for its own Python. */
const pythonOfSheets = ['python3', '/usr/bin/python3'].find((program) => {
  return spawnSync(program, ['-c', 'import openpyxl']).status === 0;
});
if (!pythonOfSheets) console.log('Skipped: there is no openpyxl (apt: python3-openpyxl).');

describe.skipIf(!pythonOfSheets)('a sheet, read by openpyxl', () => {
  test.each(['buyer', 'awkward'] as const)(
    'of the account %s is a table of values',
    async (account) => {
      const { cwd, env } = await serveForTest({ delayMs: 0 }, account);
      const line = 'run --period 2026-10 --by DAILY,CAMPAIGN,ADUNIT --compare previous -q -o';
      const done = await spawnCli([...line.split(' '), 'r.xlsx'], { cwd, env });
      expect(done).toMatchObject({ exitCode: 0 });
      const plain = 'run --period 2026-10 --by DAILY,CAMPAIGN,ADUNIT -q -o';
      await spawnCli([...plain.split(' '), 'r.json'], { cwd, env });
      const { data } = JSON.parse(readFileSync(join(cwd, 'r.json'), 'utf8')) as { data: Row[] };

      const book = await readWithOpenpyxl(join(cwd, 'r.xlsx'));

      const [header = [], ...lines]: PythonCell[][] = book.report;
      const headings = header.map(({ value }) => value);
      expect(book.headings).toEqual(headings);
      expect(book.range).toMatch(new RegExp(`^A1:[A-Z]+${lines.length + 1}$`));
      expect(book.filter).toBe(book.range);
      expect(book.frozen).toBe('A2');

      // The rows are in the order of the service, with typed values.
      const place = (field: string): number => headings.indexOf(fieldLabel(field));
      // Rows that have ended have metrics of the month before only.
      const rows = lines.filter((line) => (line[place('displays')]?.value ?? null) !== null);
      for (const field of ['date', 'campaignId', 'campaignName', 'displays', 'revenueEuro']) {
        const values = rows.map((row) => unescaped(row[place(field)]?.value));
        const expected = data.map((row) =>
          field === 'date' ? `${row[field]} 00:00:00` : row[field],
        );
        expect(values).toEqual(expected);
      }
      const formats = ['date', 'displays', 'revenueEuro', 'ctr'].map((field) => {
        return rows[0]?.[place(field)]?.format;
      });
      const euros = '"€"#,##0.00;-"€"#,##0.00';
      expect(formats).toEqual(['yyyy\\-mm\\-dd', '#,##0', euros, '0.00%']);

      const summary = new Map<unknown, PythonCell[]>();
      for (const [name, ...others] of book.summary) summary.set(name.value, others);
      expect(summary.get('Downloaded')?.[0]?.value).toMatch(/^\d+ \w+ \d{4}, \d\d:\d\d UTC$/);
      const [now, before, change] = summary.get('Displays') ?? [];
      expect(change?.value).toBeCloseTo(Number(now?.value) / Number(before?.value) - 1, 9);
      expect(change?.format).toContain('0.0%');
    },
  );
});

describe('a sheet', () => {
  const bodyOf = (rowCount: number) =>
    `{"data":[${Array.from({ length: rowCount }, () => '{"displays":1}').join()}]}`;

  test('refuses one row more', async () => {
    await expect(encode(bodyOf(1_048_576), 'xlsx')).rejects.toMatchObject({
      exitCode: 8,
      message: 'The report has more than 1,048,575 rows, the limit of an Excel sheet.',
    });
  });
});
