import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import {
  type CliOptions,
  type CliResult,
  type CommandLine,
  expectRefusal,
  runCli,
  temporaryFolder,
  wordsOf,
} from '../support/run-cli.ts';

interface Row {
  readonly date: string;
  readonly campaignName: string | null;
  readonly displays: number;
  readonly clicks: number;
  readonly revenueEuro: number;
}

const rows: readonly Row[] = [
  { date: '2026-10-31', campaignName: 'Été', displays: 1000, clicks: 10, revenueEuro: 5 },
  { date: '2026-10-31', campaignName: null, displays: 500, clicks: 20, revenueEuro: 0.25 },
  { date: '2026-11-01', campaignName: 'Été', displays: 3000, clicks: 90, revenueEuro: 2.5 },
  { date: '2026-11-01', campaignName: 'x;"y",\nz', displays: 100, clicks: 9, revenueEuro: 1.1 },
];
const header = ['date', 'campaignName', 'displays', 'clicks', 'revenueEuro'] as const;

/** The rows as plain CSV. */
const csv = `${header.join(',')}\r\n2026-10-31,Été,1000,10,5\r\n2026-10-31,,500,20,0.25\r\n2026-11-01,Été,3000,90,2.5\r\n2026-11-01,"x;""y"",\nz",100,9,1.1\r\n`;

/** Views a file with this name, by default without flags. */
function view(
  name: string,
  bytes: string | Uint8Array,
  args: CommandLine = [],
  options: CliOptions = {},
) {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, name), bytes);
  return runCli(['view', name, ...wordsOf(args)], { cwd, ...options });
}

/** The groups of a result of `--json`. */
function groupsOf({ stdout, stderr, exitCode }: CliResult): unknown[] {
  expect(stderr).toBe('');
  expect(exitCode).toBe(0);
  return JSON.parse(stdout).groups;
}

const namedRows =
  'campaignId,campaignName,adId,country,displays\n' +
  '44,Ski 2026/27,6,France,1\n45,Puzzle King iOS,7,France,2\n' +
  '46,"A, B",8,Germany,4\n47,Puzzle King Android,9,France,5\n';

describe('output', () => {
  const json = JSON.stringify({ data: rows });

  test('on a terminal a card and the first rows; in a pipe the rows', async () => {
    const shown = await view('r.json', json, '--no-color', { tty: true });

    expect(shown.stdout).toMatchInlineSnapshot(`
      "r.json: 4 rows, 373 B, 2026-10-31 to 2026-11-01
        Revenue (€)  8.85  Displays    4,600  Clicks        129  CTR         2.80%  eCPM (€)     1.92

      Date        Campaign name  Displays  Clicks  Revenue (€)
      ──────────  ─────────────  ────────  ──────  ───────────
      2026-10-31  Été               1,000      10         5.00
      2026-10-31  (unknown)           500      20         0.25
      2026-11-01  Été               3,000      90         2.50
      2026-11-01  x;"y",␊z            100       9         1.10
      ──────────  ─────────────  ────────  ──────  ───────────
      total                         4,600     129         8.85
      "
    `);
    const long = await view('r.csv', `os,clicks\n${'iOS,7\n'.repeat(12)}`, '--no-color', {
      tty: true,
    });
    expect(long.stdout).toMatch(/(^iOS +7\n){10}^2 others +14\n.*\n^total +84\n$/m);

    const piped = await view('r.json', json);

    expect(piped.stdout).toBe(csv);
  });

  test('the cost per click is shown if it is requested or sorted by', async () => {
    const named = await view('r.json', json, '--by campaign --metrics cpcEuro --sort cpcEuro');
    const sorted = await view('r.json', json, '--by campaign --sort CPCeuro:asc --json');

    expect(named.stdout).toBe(
      'campaignName,cpcEuro\r\n"x;""y"",\nz",0.122222\r\nÉté,0.075\r\n,0.0125\r\n',
    );
    expect(groupsOf(sorted)[0]).toMatchObject({ campaignName: null, cpcEuro: 0.0125 });
  });

  test('groups, the others and the total', async () => {
    const args = '--by campaignName --sort ctr:asc --top 1 --format table';
    expect(
      (await view('r.json', json, args, { env: { COLUMNS: '50' } })).stdout,
    ).toMatchInlineSnapshot(`
      "r.json: 4 rows, 373 B, 2026-10-31 to 2026-11-01
        Revenue (€)  8.85  CTR         2.80%
        Displays    4,600  eCPM (€)     1.92
        Clicks        129

      Campaign                    Revenue         eCPM
      name      Displays  Clicks      (€)    CTR   (€)
      ────────  ────────  ──────  ───────  ─────  ────
      Été          4,000     100     7.50  2.50%  1.88
      2 others       600      29     1.35  4.83%  2.25
      ────────  ────────  ──────  ───────  ─────  ────
      total        4,600     129     8.85  2.80%  1.92
      "
    `);
  });

  test('groups sorted by key or figure in both directions, those without a value last', async () => {
    const odd = [
      { campaignName: 'b', displays: 10, clicks: 1 },
      { campaignName: null, displays: 20, clicks: 8 },
      { campaignName: 'a10', displays: 0, clicks: 3 },
      { campaignName: 'a9', displays: 10, clicks: 2 },
      { campaignName: 'c', displays: 10, clicks: null },
    ];

    const sorted = async (sort: string) => {
      const args = `--by CAMPAIGN --sort ${sort} --metrics ctr,clicks`;
      return (await view('r.json', JSON.stringify(odd), args)).stdout.split('\r\n').slice(1, -1);
    };

    expect(await sorted('campaignName')).toEqual([
      'a9,0.2,2',
      'a10,,3',
      'b,0.1,1',
      'c,,',
      ',0.4,8',
    ]);
    expect(await sorted('campaignname:DESC')).toEqual([
      'c,,',
      'b,0.1,1',
      'a10,,3',
      'a9,0.2,2',
      ',0.4,8',
    ]);
    expect(await sorted('ctr')).toEqual([',0.4,8', 'a9,0.2,2', 'b,0.1,1', 'a10,,3', 'c,,']);
    expect(await sorted('ctr:asc')).toEqual(['b,0.1,1', 'a9,0.2,2', ',0.4,8', 'a10,,3', 'c,,']);
  });

  test('--filter keeps rows with one of the values, also in the figures', async () => {
    const kept = await view(
      'r.json',
      json,
      '--by date --filter CAMPAIGN=été,x;"y" --metrics clicks',
    );

    expect(kept.stdout).toBe('date,clicks\r\n2026-10-31,10\r\n2026-11-01,90\r\n');

    const none = await view(
      'r.json',
      json,
      '--filter campaignname= --filter date=2026-10-31 --json',
    );

    expect(JSON.parse(none.stdout)).toMatchObject({ rows: 1, totals: { clicks: 20 } });
    expect(none.stderr).toBe('');

    const nothing = await view('r.json', json, '--filter campaignname=Nope*');

    expect(nothing).toMatchObject({
      exitCode: 0,
      stderr: 'Note: No row matches --filter.\n',
    });
  });

  test.each([
    { filter: 'country=FR', displays: 8 },
    { filter: 'country=Frankreich,3017382', displays: 8 },
    { filter: 'countryId=2921044', displays: 4 },
    { filter: 'COUNTRY=de', displays: 4 },
    { filter: 'adunitId=7', displays: 2 },
    { filter: 'campaign="A, B"', displays: 4 },
    { filter: 'campaign="A, B",ski*', displays: 5 },
  ])('--filter $filter is read as by run', async ({ filter, displays }) => {
    const { stdout } = await view('r.csv', namedRows, ['--filter', filter, '--json']);

    expect(JSON.parse(stdout).totals.displays ?? 0).toBe(displays);
  });

  test('computed metrics in dollars have their values in a file', async () => {
    const dollars = 'displays,valueDollar\n1000,5\n1000,7\n';
    const { stdout } = await view('r.csv', dollars, '--metrics ecpmDollar --format csv');

    expect(stdout).toBe('ecpmDollar\r\n5\r\n7\r\n');
  });

  test('a blank name of a campaign is (unknown), like any unknown cell of names', async () => {
    const blank = 'campaignId,campaignName,displays\n1,,3\n2,"  ",2\n,,1\n';
    const table = await view('r.csv', blank, '--by CAMPAIGN --format table');
    const bars = await view('r.csv', blank, '--by CAMPAIGN --chart bar', {
      env: { COLUMNS: '30' },
    });

    expect(table.stdout).toMatch(/^1 +\(unknown\) +3$\n^2 +\(unknown\) +2$\n^– +\(unknown\) +1$/m);
    expect(bars.stdout).toMatch(/^\(unknown\) 1 .*$\n^\(unknown\) 2 .*$\n^\(unknown\) .*$/m);
  });

  test('bars and a line', async () => {
    const bars = await view('r.json', json, '--by CAMPAIGN --chart bar --metrics clicks', {
      env: { COLUMNS: '40' },
    });

    expect(bars.stdout.split('\n\n')[1]).toMatchInlineSnapshot(`
      "Clicks
      Été        ━━━━━━━━━━━━━━━━━━━━━━━━  100
      (unknown)  ━━━━━                      20
      x;"y",␊z   ━━                          9
      "
    `);

    const line = await view('r.json', json, '--chart line --metrics revenueEuro', {
      env: { COLUMNS: '40' },
    });

    expect(line.stdout.split('\n\n')[1]).toMatchInlineSnapshot(`
      "Revenue (€)  Sat 31 Oct 2026 – Sun 1 No…
      6 ┤
        │         ⠤⢄⣀⡀
        │            ⠈⠉⠑⠒⠢⠤⢄⣀⡀
      4 ┤                    ⠈⠉⠑⠒⠢⠤⢄⣀
        │
        │
      2 ┤
        │
        │
      0 ┤
        └─────────┬─────────────────┬─────────
               31 Oct             1 Nov
      "
    `);
  });

  test('--json has rows, bytes, totals and groups', async () => {
    const { stdout } = await view('r.json', json, '--by date --metrics clicks --top 1 --json');
    expect(JSON.parse(stdout)).toEqual({
      rows: 4,
      bytes: Buffer.byteLength(json),
      totals: { clicks: 129 },
      groups: [{ date: '2026-10-31', clicks: 30 }],
    });
  });

  test('control characters in names are made visible', async () => {
    const bad = JSON.stringify([
      { campaignName: '\u001b[31mred\n', 'clicks\u001b[2J': 1, clicks: 1 },
    ]);
    for (const args of ['', ' --by CAMPAIGN', ' --by CAMPAIGN --chart bar']) {
      const { stdout } = await view('r.json', bad, `--no-color${args}`, {
        tty: true,
      });
      expect(stdout).not.toContain('\u001b');
    }
  });

  test('no value is no number', async () => {
    const odd = JSON.stringify([
      { city: null, clicks: 'n/a' },
      { city: null, clicks: 2 },
    ]);

    const { stderr, stdout } = await view('r.json', odd, '--by CITY');

    expect(stderr).toBe('');
    expect(stdout).toBe('city,clicks\r\n,2\r\n');
  });
});

describe('refusals', () => {
  const json = JSON.stringify({ data: rows });

  test.each([
    {
      name: 'cut.json',
      bytes: json.slice(0, -40),
      says: 'cut.json: The report ends early, after 3 rows',
    },
    {
      name: 'cut.csv',
      bytes: csv.slice(0, -15),
      says: 'cut.csv: Line 5 of the CSV cannot be read: a quotation mark is opened',
    },
    {
      name: 'cut.ndjson',
      bytes: '{"clicks":1}\n{"cli',
      says: 'ends early, after 1 row (byte 18)',
    },
    { name: 'bad.ndjson', bytes: '{"clicks":1}\n{"clicks":01}\n', says: 'Row 2 cannot be read' },
    {
      name: 'bad.json',
      bytes: '{"data":[{"clicks":1},{"clicks":}]}',
      says: 'Row 2 cannot be read',
    },
    {
      name: 'cut.csv.gz',
      bytes: gzipSync(csv).subarray(0, 60),
      says: 'Its gzip stream is incomplete',
    },
    {
      name: 'cut.parquet',
      bytes: 'PAR1\u0015\u0004',
      says: 'cut.parquet: The Parquet file is incomplete',
    },
    {
      name: 'error.json',
      bytes: '{"response":{"error":"no"}}',
      says: 'The service sent an error instead of the report: no',
    },
    { name: 'other.json', bytes: '{"a":[1]}', says: 'it has no “data” array' },
    {
      name: 'other.csv',
      bytes: 'a,b\nc,d\n',
      says: 'This is neither JSON nor a CSV report',
    },
    { name: 'empty.csv', bytes: '', says: 'ends early, after 0 rows' },
  ])('$name is exit 9', async ({ name, bytes, says }) => {
    expectRefusal(await view(name, bytes), 9, says);
  });

  test.each([
    { args: '--by campainName', says: 'Did you mean campaignName?' },
    { args: '--by COUNTRY', says: 'There is no COUNTRY column.' },
    { args: ['--by', ''], says: 'Pass at least one value' },
    { args: '--metrics clics', says: 'Did you mean clicks?' },
    { args: '--filter campainName=x', says: 'Did you mean campaignName?' },
    { args: '--filter x', says: "Use NAME=VALUE, for example 'country=France,Germany'." },
    { args: '--by CAMPAIGN --sort reach', says: 'Unknown column “reach” in --sort.' },
    { args: '--by CAMPAIGN --sort clicks:up', says: 'only asc or desc can follow the colon' },
    { args: '--chart bar', says: 'Add --by CAMPAIGN' },
    { args: '--chart line --by CAMPAIGN', says: '--chart line needs days or hours' },
    { args: '--sort clics', says: 'Did you mean clicks?' },
    {
      args: '--chart line --format csv',
      says: '--chart cannot be used with --format',
    },
    { args: '--json --format csv', says: '--json cannot be used with --format csv.' },
    { args: '--json --chart bar', says: '--json cannot be used with --chart.' },
  ])('$args is exit 2', async ({ args, says }) => {
    expectRefusal(await view('r.csv', csv, args), 2, says);
  });

  test.each([
    {
      name: 'r.pdf',
      bytes: '%PDF-1.4\n%\u{e2}',
      says: 'r.pdf is a PDF: open it with a PDF reader.',
    },
    {
      name: 'r.html',
      bytes: '<!doctype html>',
      says: 'r.html is a web page: open it with a browser.',
    },
    {
      name: 'r.xlsx',
      bytes: 'PK\u0003\u0004',
      says: 'r.xlsx is a spreadsheet: open it with Excel, LibreOffice or another spreadsheet program.',
    },
  ])('$name is exit 2 and names a program that opens it', async ({ name, bytes, says }) => {
    expectRefusal(await view(name, bytes), 2, says);
    expectRefusal(await runCli('view -', { stdin: bytes }), 2, says.replace(name, 'stdin'));
  });

  test('Parquet through a pipe is exit 2', async () => {
    const piped = await runCli('view -', { stdin: 'PAR1....' });
    expectRefusal(piped, 2, 'Cannot read Parquet from a pipe');
  });
});

describe('--period of a single file', () => {
  const data = ['2026-11-16', '2026-11-17', '2026-11-22'].map((date) => ({ date, clicks: 1 }));
  const summary = {
    since: '2026-11-16T00:00:00+0100',
    until: '2026-11-22T23:59:59+0100',
    breakdowns: ['DAILY'],
    timezone: 'Europe/Paris',
  };
  const json = JSON.stringify({ data, summary });

  test('selects the rows of these days', async () => {
    const { stdout, stderr } = await view('r.json', json, '--period 2026-11-17..2026-11-22');
    const rows = 'date,clicks\r\n2026-11-17,1\r\n2026-11-22,1\r\n';
    expect({ stdout, stderr }).toEqual({ stdout: rows, stderr: '' });
  });

  test('is exit 2 if the file has no rows of them', async () => {
    const result = await view('r.json', json, '--period 2026-10');
    expectRefusal(result, 2, 'r.json has no rows for these days.');
    expect(result.stderr).toContain('It covers 2026-11-16 to 2026-11-22.');
  });
});

describe('the closing card', () => {
  const run = 'run --local --period 2026-11-01..2026-11-07 --by DAILY,CAMPAIGN --no-color';
  const cardOf = (stderr: string): string =>
    /Wrote week\.\w+: [^\n]*\n([\s\S]*)$/.exec(stderr)?.[1] ?? '';

  test('is printed after writing a file on a terminal, with the figures of view', async () => {
    const { stderr, cwd } = await runCli(`${run} -o week.json`, { tty: true });
    const card = cardOf(stderr);

    expect(card).toMatch(/^ {2}Revenue \(€\) +[\d,.]+ [\s\S]* CTR +\d\.\d\d% /);
    const viewed = await runCli('view week.json --no-color', { tty: true, cwd });

    expect(viewed.stdout).toContain(card);
  });

  test.each([
    { when: 'with -q', flags: '-o week.csv -q', tty: true },
    { when: 'with --json', flags: '-o week.csv --json', tty: true },
    { when: 'to stdout', flags: '-o -', tty: true },
  ])('$when there is none', async ({ flags, tty }) => {
    expect((await runCli(`${run} ${flags}`, { tty })).stderr).not.toContain('CTR');
  });

  test('is one for all if there is one file per day', async () => {
    const { stderr } = await runCli(`${run} --split day -o {date}.csv`, { tty: true });

    const whole = await runCli(`${run} -o week.csv`, { tty: true });

    expect(stderr).toMatch(/Total: 7 files, \d+ rows/);
    expect(stderr.endsWith(cardOf(whole.stderr))).toBe(true);
    expect(stderr.split('CTR')).toHaveLength(2);
  });
});
