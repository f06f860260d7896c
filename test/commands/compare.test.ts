import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { chooseOpener } from '../../src/ui/open-file.ts';
import { readParquet } from '../formats/parquet-reader.ts';
import { readSheet } from '../present/xlsx-reader.ts';
import { json, serve } from '../support/http-server.ts';
import { expectRefusal, runCli, temporaryFolder } from '../support/run-cli.ts';
import { serveForTest } from '../support/service.ts';

/** `--compare`, `--title` and `--open`. */

/** A request of `--dry-run --json`. */
interface PlannedRequest {
  readonly output: string | null;
  readonly window: { readonly since: number; readonly until: number };
}

const byCampaign = '--by CAMPAIGN --metrics displays,revenueEuro';
const twoDays = `run --local --period 2026-11-07..2026-11-08 ${byCampaign}`;

/** Serves the rows of two windows, told apart by the month of the request. */
async function serveMonths(months: Readonly<Record<string, readonly object[]>>) {
  const { env } = await serve(({ path, body }, response) => {
    const { since = 0, id = '' } = JSON.parse(body);
    // The window begins at midnight in Paris, an hour or two before that in UTC.
    if (path === '/buyer-reporting') {
      return json(response, { id: new Date((since + 7_200) * 1_000).toISOString().slice(0, 7) });
    }
    json(response, path === '/status-reporting' ? { status: 'ready' } : { data: months[id] });
  });
  const cwd = temporaryFolder();
  return { cwd, run: (line: string) => runCli(line, { cwd, env }) };
}

describe('--compare', () => {
  test('previous: the same number of days before, with changes of totals and groups, and both windows', async () => {
    const { run, server, cwd } = await serveForTest({ delayMs: 0 });
    const days = `run --period 2026-11-12..2026-11-15 ${byCampaign} --compare previous`;
    const sentence = 'Change: 12–15 November 2026 compared with 8–11 November 2026.';

    const table = await run(`${days} --format table`);

    const totals = table.stdout.split('\n').slice(-5, -1);
    const labels = totals.map((line) => line.split(/ {2,}/)[0]);
    expect(labels).toEqual(['total', 'before', 'change', sentence]);

    const displaysOf = async (period: string) => {
      const { stdout } = await run(`run --period ${period} --metrics displays --format json`);
      return Number(JSON.parse(stdout).data[0].displays);
    };
    const now = await displaysOf('2026-11-12..2026-11-15');
    const before = await displaysOf('2026-11-08..2026-11-11');
    const percent = (100 * (now - before)) / before;

    expect(totals[2]).toContain(`${percent > 0 ? '▲' : '▼'} ${Math.abs(percent).toFixed(1)}%`);
    expect(totals[1]).toContain(before.toLocaleString('en'));

    await run(`${days} -o r.html`);
    const html = readFileSync(join(cwd, 'r.html'), 'utf8');

    expect(html).toContain('<span>compared with 8–11 November 2026</span>');
    expect(html).toMatch(
      /<dt>Displays<\/dt><dd[^>]*>[\d,]+<\/dd><dd class="change"><b class="(?:up|down)">[▲▼] [\d.]+%<\/b> <span>[\d,]+ before<\/span><\/dd>/,
    );
    expect(html).toMatch(
      /<small class="change"><b class="\w+">(?:[▲▼=] [\d.]+%|new)<\/b><\/small>/,
    );

    await run(`${days} -o r.xlsx`);
    const cells = readSheet(readFileSync(join(cwd, 'r.xlsx')), 2);

    expect(cells.find(([name]) => name === 'Displays')).toEqual([
      'Displays',
      now,
      before,
      expect.closeTo((now - before) / before, 12),
    ]);
    // The earlier report was fetched, so the same request creates a new one.
    expect(server.requests().filter(({ path }) => path === '/buyer-reporting')).toHaveLength(8);
  });

  test('--dry-run shows both windows, as text and as JSON', async () => {
    const line = 'run --local --period 2026-10 --compare previous --dry-run -o r.html';

    const text = (await runCli(line)).stdout;
    const { requests } = JSON.parse((await runCli(`${line} --json`)).stdout);

    expect(text).toContain('2026-10-01T00:00:00+0200 … 2026-10-31T23:59:59+0100');
    expect(text).toContain('2026-09-01T00:00:00+0200 … 2026-09-30T23:59:59+0200');
    expect(text).toContain("curl 'http://127.0.0.1:8787/");
    expect(requests).toMatchObject([
      { output: 'r.html', window: { since: 1790805600, until: 1793487599 } },
      { output: null, window: { since: 1788213600, until: 1790805599 } },
    ]);
  });

  test('a merged report is compared as a whole, and ends with its last whole day', async () => {
    const now = Date.UTC(2026, 10, 5, 12);
    const whole = `run --local --period this-month --by DAILY,CAMPAIGN --metrics displays,revenueEuro --compare previous`;
    const split = `${whole} --split day`;

    const planned = JSON.parse(
      (await runCli(`${split} --dry-run --json -o r.html`, { now })).stdout,
    );
    const ofWhole = await runCli(`${whole} --format table`, { now });
    const ofSplit = await runCli(`${split} --format table`, { now });

    const windows = planned.requests.map(({ output, window }: PlannedRequest) => {
      return `${output}: ${window.since} … ${window.until}`;
    });
    expect(windows).toHaveLength(4 + 1);
    // 1 October in Paris, and the last second of 4 October.
    expect(windows.at(-1)).toBe('null: 1790805600 … 1791151199');
    expect(ofSplit.stdout.split('\n').slice(-7)).toEqual(ofWhole.stdout.split('\n').slice(-7));
    expect(ofSplit.stdout).toContain('Change: 1–4 November 2026 compared with 1–4 October 2026.');
  });

  test('has the IDs of both reports in --json', async () => {
    const { stdout } = await runCli(`${twoDays} --compare previous -o r.csv --json`);
    const { reportId, reportIds } = JSON.parse(stdout);
    expect(reportIds).toEqual([reportId, expect.not.stringContaining(reportId)]);
  });

  test('is on the card of a file on a terminal; an unfinished period is one note', async () => {
    const { stderr } = await runCli(`${twoDays} --compare previous -o r.csv --no-color`, {
      tty: true,
    });
    const unfinished = 'run --local --period this-month --by DAILY --compare -o r.csv';
    const { stderr: noted } = await runCli(unfinished, { now: Date.UTC(2026, 10, 5, 12) });
    expect(noted.split('The period is not over')).toHaveLength(2);

    expect(stderr).toMatch(/ {2}Displays +[\d,]+ +[▲▼] [\d.]+% /);
    expect(stderr).toContain('  Change: 7–8 November 2026 compared with 5–6 November 2026.\n');
  });

  test('an earlier report that goes on elsewhere is a warning', async () => {
    const { run, server } = await serveForTest({ delayMs: 0 });
    server.fault({
      endpoint: 'download',
      change: (document) =>
        String(document.summary.since).startsWith('2026-10-31')
          ? { ...document, hasMore: true }
          : document,
    });
    const line = `run --period 2026-11-02..2026-11-03 ${byCampaign} --compare previous -o r.html`;

    const warned = await run(line);
    expect(warned.exitCode).toBe(0);
    const warning = `Warning: r.html: 31 October – 1 November 2026: The report`;
    expect(warned.stderr).toMatch(new RegExp(`${warning}.*hasMore`));
    expect(warned.files['r.html']).toContain('hasMore');

    const strict = await run(`${line} --strict`);
    expectRefusal(strict, 9, 'hasMore');
  });
});

describe('METRICBefore', () => {
  const header = ['date', 'campaignId', 'campaignName'];

  const sales = (date: string, campaign: number, displays: number, name = `C${campaign}`) => ({
    date,
    campaignId: String(campaign),
    campaignName: name,
    displays,
  });

  const february = [sales('2026-02-01', 1, 100), sales('2026-02-02', 2, 7)];
  const january = [
    sales('2026-01-01', 1, 50, 'Old name'),
    sales('2026-01-01', 3, 8),
    sales('2026-01-31', 1, 5),
  ];
  const displays = 'run --period 2026-02 --by DAILY,CAMPAIGN --metrics displays --compare previous';

  /** New rows have no earlier value; ended ones are at their place, or at their own date. */
  const expected = [
    [...header, 'displays', 'displaysBefore'],
    ['2026-02-01', '1', 'C1', 100, 50],
    ['2026-02-02', '2', 'C2', 7, null],
    ['2026-02-01', '3', 'C3', null, 8],
    ['2026-01-31', '1', 'C1', null, 5],
  ];

  test('in csv: rows by campaign and place in the month; new and ended rows are there', async () => {
    const { run } = await serveMonths({ '2026-02': february, '2026-01': january });

    const { stdout, exitCode } = await run(`${displays} --format csv`);

    expect(exitCode).toBe(0);
    const rows = expected.map((row) => row.map((cell) => cell ?? '').join(','));
    expect(stdout).toBe(`${rows.join('\r\n')}\r\n`);
  });

  test('rows match by what their values mean: ids, names without an id, case and hours', async () => {
    const row = (campaignId: unknown, campaignName: string, displays: number, more = {}) => {
      return { campaignId, campaignName, displays, ...more };
    };
    const { run } = await serveMonths({
      '2026-02': [
        row(1, 'New name', 1),
        row('2', 'Two', 2, { carrier: null }),
        row(null, 'Winter', 3),
        row(null, 'Spring', 4),
        row(3, 'Three', 5, { carrier: 'orange' }),
        row(4, 'Four', 6, { hour: '2026-02-01T00:00:00Z' }),
      ],
      '2026-01': [
        row('1', 'Old name', 10),
        row(2, 'Two', 20),
        row(null, 'Winter', 30),
        row(3, 'Three', 50, { carrier: 'Orange' }),
        row(4, 'Four', 60, { hour: '2026-01-01T01:00:00+0100' }),
      ],
    });

    const { stdout } = await run(
      'run --period 2026-02 --by HOURLY,CAMPAIGN,CARRIER --metrics displays --compare previous --format csv',
    );

    const metrics = stdout.match(/\d*,\d*(?=\r)/g);
    expect(metrics).toEqual(['1,10', '2,20', '3,30', '4,', '5,', '6,60', ',50']);
  });

  test('in parquet and on the data sheet, with their types', async () => {
    const { run, cwd } = await serveMonths({ '2026-02': february, '2026-01': january });

    await run(`${displays} -o r.parquet`);
    await run(`${displays} -o r.xlsx`);

    const [names = [], ...rows] = expected;
    const parquet = await readParquet(readFileSync(join(cwd, 'r.parquet')));
    const cells = parquet.rows.map((row) => names.map((name) => plainCell(row[String(name)])));
    expect(cells).toEqual(rows);
    const [headings, ...sheet] = readSheet(readFileSync(join(cwd, 'r.xlsx')));
    expect(headings?.slice(3)).toEqual(['Displays', 'Displays before']);
    expect(sheet.map((row) => [...row.slice(3), null].slice(0, 2))).toEqual(
      rows.map((row) => row.slice(3)),
    );
    // The Summary has ended campaigns once, and counts the rows of this report.
    const summary = readSheet(readFileSync(join(cwd, 'r.xlsx')), 2);
    expect(summary.filter(([name]) => String(name).includes('C3'))).toHaveLength(1);
  });

  test('of a rate is computed from the earlier row, and money of a DSP has a comma', async () => {
    const { run } = await serveForTest({ delayMs: 0 }, 'dsp');
    const dsp =
      'run --period 2026-11-02..2026-11-03 --by DAILY --metrics revenueEuro,ecpmEuro --compare previous';

    const { stdout } = await run(`${dsp} --format csv`);
    const plain = await run(`${dsp} --format csv --normalize`);
    const ofRate = await run(`${dsp} --format csv --columns date,ecpmEuro`);
    const ofDay = await run(`${dsp} --format csv --columns date`);

    const [head, first = ''] = stdout.split('\r\n');
    expect(head).toBe('date,revenueEuro,revenueEuroBefore,ecpmEuro,ecpmEuroBefore');
    expect(first).toMatch(/^2026-11-02,"\d+,\d\d","\d+,\d\d",[\d.]+,[\d.]+$/);
    expect(plain.stdout).toMatch(/^2026-11-02,[\d.]+,[\d.]+,[\d.]+,[\d.]+\r$/m);
    const rates = /^date,ecpmEuro,ecpmEuroBefore\r\n(?:2026-11-0[23],[\d.]+,[\d.]+\r\n){2}$/;
    expect(ofRate.stdout).toMatch(rates);
    expect(ofDay.stdout).toBe('date\r\n2026-11-02\r\n2026-11-03\r\n');
  });

  test.each([
    { by: 'WEEKLY', window: '2026-W44', before: '2026-W43' },
    { by: 'MONTHLY', window: 'this-month', before: '2026-10-01..2026-10-02' },
    { by: 'RANGE', window: '2026-10-26', before: '2026-10-25' },
    { by: 'COUNTRY', window: '2026-10-26', before: '2026-10-25' },
  ])(
    'by $by the earlier figures add up to the earlier report',
    async ({ by: breakdown, window, before }) => {
      const now = Date.UTC(2026, 10, 3, 12);
      const { run } = await serveForTest({ delayMs: 0, clock: () => now });
      const of = (by: string) => `run --by ${by} --metrics displays --format csv`;

      const compared = await run(`${of(breakdown)} --period ${window} --compare previous`, { now });
      const earlier = await run(`${of('RANGE')} --period ${before}`, { now });

      const sumOfLast = (csv: string) =>
        csv
          .trim()
          .split('\r\n')
          .slice(1)
          .reduce((sum, row) => sum + Number(row.split(',').at(-1)), 0);
      expect(sumOfLast(compared.stdout)).toBe(sumOfLast(earlier.stdout));
      expect(compared.stdout).not.toMatch(/,\d+,\r/);
    },
  );

  test.each([
    {
      period: '2026-10',
      hours: ['25T02+02', '25T02+01', '26T00+01', '26T02+01'],
      before: ['25T02+02', '26T00+02', '26T02+02', '26T02+01'],
      pairs: ['0,0', '1,', '2,1', '3,2', ',3'],
    },
    {
      period: '2026-03',
      hours: ['29T01+01', '29T03+02', '30T02+02'],
      before: ['29T01+01', '29T02+01', '29T03+01', '30T03+02'],
      pairs: ['0,0', '1,2', '2,', ',1', ',3'],
    },
    {
      period: '2026-W43',
      hours: ['25T02+02', '25T02+01'],
      before: ['26T02+02', '26T02+01'],
      pairs: ['0,0', '1,1'],
    },
  ])('hours of $period match by wall time', async ({ period, hours, before, pairs }) => {
    const month = period.replace('W43', '10').slice(4);
    const rowsAt = (times: string[], year: number) =>
      times.map((time, displays) => {
        return { hour: `${year}${month}-${time.replace('+', ':00:00+')}00`, displays };
      });
    const { run } = await serveMonths({
      [`2026${month}`]: rowsAt(hours, 2026),
      [`2025${month}`]: rowsAt(before, 2025),
    });

    const { stdout } = await run(
      `run --period ${period} --by HOURLY --metrics displays --compare last-year --format csv`,
    );

    expect(stdout.match(/\d*,\d*(?=\r)/g)).toEqual(pairs);
  });
});

/** A cell of Parquet as in CSV. */
function plainCell(value: unknown): string | number | null {
  if (value instanceof Date) return value.toISOString().slice(0, 10);
  if (typeof value === 'bigint') return Number(value);
  return typeof value === 'string' ? value : null;
}

describe('--open', () => {
  test('starts no shell on Windows, where file names may contain &', () => {
    const { command, args } = chooseOpener('win32', undefined);
    expect(command).toBe('rundll32.exe');
    expect(args).toEqual(['url.dll,FileProtocolHandler']);
    expect(chooseOpener('win32', 'firefox.exe').command).toBe('firefox.exe');
  });

  test.skipIf(process.platform === 'win32')(
    'opens the file with the program of BROWSER',
    async () => {
      const cwd = temporaryFolder();
      // Elsewhere, because the files of `cwd` are read when the command is done.
      const elsewhere = temporaryFolder();
      const browser = join(elsewhere, 'browser');
      const shownFile = join(elsewhere, 'shown');
      writeFileSync(
        browser,
        `#!/bin/sh\nprintf %s "$1" > '${elsewhere}/part' && mv '${elsewhere}/part' '${shownFile}'\n`,
      );
      chmodSync(browser, 0o755);

      const shown = await runCli(`${twoDays} -o r.html --open`, { cwd, env: { BROWSER: browser } });

      expect(shown).toMatchObject({ exitCode: 0 });

      await expect.poll(() => readFileSync(shownFile, 'utf8')).toBe(join(cwd, 'r.html'));
    },
  );

  test('needs -o', async () => {
    expectRefusal(await runCli(`${twoDays} --open`), 2, 'Add -o');
  });
});
