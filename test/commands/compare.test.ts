import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openerOn } from '../../src/deliver/deliver.ts';
import { readSheet } from '../present/xlsx-reader.ts';
import { serveAnswers } from '../support/http-server.ts';
import { serveOdd } from '../support/odd-service.ts';
import { expectRefusal, runCli, temporaryFolder } from '../support/run-cli.ts';
import { serveForTest } from '../support/service.ts';

/** `--compare`, `--title` and `--open`. */

/** A request of `--dry-run --json`. */
interface PlannedRequest {
  readonly output: string | null;
  readonly window: { readonly since: number; readonly until: number };
}

const byCampaign = '--by CAMPAIGN --metrics displays,revenueEuro';
const oneWeek = `run --local --period 2026-W45 ${byCampaign}`;

describe('--compare', () => {
  test('previous: the same number of days before, with changes of totals and groups, and both windows', async () => {
    const { run, server, cwd } = await serveForTest({ delayMs: 0 });
    const week = `run --period 2026-11-09..2026-11-15 ${byCampaign} --compare previous`;
    const sentence = 'Change: 9–15 November 2026 against 2–8 November 2026.';

    const table = await run(`${week} --format table`);

    const totals = table.stdout.split('\n').slice(-5, -1);
    const labels = totals.map((line) => line.split(/ {2,}/)[0]);
    expect(labels).toEqual(['total', 'before', 'change', sentence]);

    const displaysOf = async (period: string) => {
      const { stdout } = await run(`run --period ${period} --metrics displays --format json`);
      return Number(JSON.parse(stdout).data[0].displays);
    };
    const now = await displaysOf('2026-11-09..2026-11-15');
    const before = await displaysOf('2026-11-02..2026-11-08');
    const percent = (100 * (now - before)) / before;

    expect(totals[2]).toContain(`${percent > 0 ? '▲' : '▼'} ${Math.abs(percent).toFixed(1)}%`);
    expect(totals[1]).toContain(before.toLocaleString('en'));

    await run(`${week} -o r.html`);
    const html = readFileSync(join(cwd, 'r.html'), 'utf8');

    expect(html).toContain('<span>compared with 2–8 November 2026</span>');
    expect(html).toMatch(
      /<dt>Displays<\/dt><dd[^>]*>[\d,]+<\/dd><dd class="change"><b class="(?:up|down)">[▲▼] [\d.]+%<\/b> <span>[\d,]+ before<\/span><\/dd>/,
    );
    expect(html).toMatch(
      /<small class="change"><b class="\w+">(?:[▲▼=] [\d.]+%|new)<\/b><\/small>/,
    );

    await run(`${week} -o r.xlsx`);
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

  test.each([
    {
      which: 'last-year',
      period: '2024-02',
      sentence: 'Change: 1–29 February 2024 (29 days) against 1–28 February 2023 (28 days).',
    },
    {
      which: 'last-year',
      period: '2025-02',
      sentence: 'Change: 1–28 February 2025 (28 days) against 1–29 February 2024 (29 days).',
    },
    {
      which: 'last-year',
      period: '2025-03',
      sentence: 'Change: 1–31 March 2025 against 1–31 March 2024.',
    },
    {
      which: 'previous',
      period: '2026-10',
      sentence: 'Change: 1–31 October 2026 (31 days) against 1–30 September 2026 (30 days).',
    },
    {
      which: 'previous',
      period: '2026-W43',
      sentence: 'Change: 19–25 October 2026 against 12–18 October 2026.',
    },
    {
      which: 'last-year',
      period: '2026-W45',
      sentence: 'Change: 2–8 November 2026 against 3–9 November 2025.',
    },
    {
      which: 'previous',
      period: '2026-Q3',
      sentence:
        'Change: 1 July – 30 September 2026 (92 days) against 1 April – 30 June 2026 (91 days).',
    },
  ])(
    '$which of $period mentions why the windows are unequal',
    async ({ which, period, sentence }) => {
      const row = { campaignId: '1', campaignName: 'A', displays: 7, revenueEuro: 1 };
      const { env } = await serveAnswers({ '/download-reporting': { data: [row] } });
      const line = `run --period ${period} ${byCampaign} --compare ${which} --format table`;

      const { stdout, exitCode } = await runCli(line, { env });

      expect(exitCode).toBe(0);
      const lines = stdout.split('\n').filter((each) => !each.startsWith('Ended: '));
      expect(lines.at(-2)).toBe(sentence);
      expect(stdout).not.toContain('hours');
    },
  );

  test('lists groups that only the previous month had, in a table, a page and a sheet', async () => {
    const { run, cwd } = await serveForTest({ delayMs: 0 });
    const october = `run --period 2026-10 ${byCampaign} --compare previous`;

    const { stdout } = await run(`${october} --format table`);
    const ended = /^Ended: (.+) \((€[\d,.]+) before\)\.$/m.exec(stdout);

    expect(ended).not.toBeNull();

    await run(`${october} -o r.html`);
    const html = readFileSync(join(cwd, 'r.html'), 'utf8');

    expect(html).toContain(`<p class="by">Ended: ${ended?.[1]} (${ended?.[2]} before).</p>`);
    expect(html).toMatch(/<p class="headline">Revenue (rose|fell) [\d.]+% to €[\d,]+; .+<\/p>/);

    await run(`${october} -o r.xlsx`);
    const cells = readSheet(readFileSync(join(cwd, 'r.xlsx')), 2);

    expect(cells.some((row) => row[0] === ended?.[1] && row.includes('ended'))).toBe(true);
  });

  test('a table has the change of revenue in each row, unless --columns was given', async () => {
    const { run } = await serveForTest({ delayMs: 0 });
    const revenueOf = async (period: string): Promise<Map<string, number>> => {
      const { stdout } = await run(`run --period ${period} ${byCampaign} --format json`);
      const revenues = new Map<string, number>();
      for (const { campaignId, revenueEuro } of JSON.parse(stdout).data) {
        revenues.set(String(campaignId), Number(String(revenueEuro).replace(',', '.')));
      }
      return revenues;
    };
    const october = await revenueOf('2026-10');
    const september = await revenueOf('2026-09');

    const line = `run --period 2026-10 ${byCampaign} --compare previous --format table`;
    const { stdout } = await run(line);
    const rows = stdout.split('\n').filter((each) => /^\d{5} /.test(each));

    expect(rows).toHaveLength(october.size);
    for (const row of rows) {
      const id = row.slice(0, 5);
      const now = october.get(id) ?? Number.NaN;
      const before = september.get(id);
      const percent = before && (100 * (now - before)) / before;
      const text = percent ? `${percent > 0 ? '▲' : '▼'} ${Math.abs(percent).toFixed(1)}%` : 'new';
      expect(row.split(/ {2,}/)[4]).toBe(text);
    }

    const chosen = await run(`${line} --columns campaignId,revenueEuro`);
    const [heading] = chosen.stdout.split('\n');
    expect(heading).not.toContain('change');
  });

  test('is also below a table with one row', async () => {
    const line = 'run --local --period 2026-10 --metrics displays,revenueEuro';

    const { stdout } = await runCli(`${line} --compare previous --format table`);

    const labels = stdout.split('\n').map((each) => each.split(/ {2,}/)[0]);
    expect(labels).toEqual(expect.arrayContaining(['now', 'before', 'change']));
    expect(stdout).toContain(
      'Change: 1–31 October 2026 (31 days) against 1–30 September 2026 (30 days).',
    );
  });

  test('--dry-run shows both windows, as text and as JSON', async () => {
    const line = 'run --local --period 2026-10 --compare previous --dry-run -o r.html';

    const text = (await runCli(line)).stdout;
    const { requests } = JSON.parse((await runCli(`${line} --json`)).stdout);

    expect(text).toContain('2026-10-01T00:00:00+0200 … 2026-10-31T23:59:59+0100');
    expect(text).toContain('2026-09-01T00:00:00+0200 … 2026-09-30T23:59:59+0200');
    expect(requests).toMatchObject([
      { output: 'r.html', window: { since: 1790805600, until: 1793487599 } },
      { output: null, window: { since: 1788213600, until: 1790805599 } },
    ]);
  });

  test('a merged report is compared as a whole, and ends with its last whole day', async () => {
    // The clock of the test is at Friday, 20 November.
    const whole = `run --local --period this-month --by DAILY,CAMPAIGN --metrics displays,revenueEuro --compare previous`;
    const split = `${whole} --split day`;

    const planned = JSON.parse((await runCli(`${split} --dry-run --json -o r.html`)).stdout);
    const ofWhole = await runCli(`${whole} --format table`);
    const ofSplit = await runCli(`${split} --format table`);

    const windows = planned.requests.map(({ output, window }: PlannedRequest) => {
      return `${output}: ${window.since} … ${window.until}`;
    });
    expect(windows).toHaveLength(19 + 1);
    // 1 October in Paris, and the last second of 19 October.
    expect(windows.at(-1)).toBe('null: 1790805600 … 1792447199');
    expect(ofSplit.stdout.split('\n').slice(-7)).toEqual(ofWhole.stdout.split('\n').slice(-7));
    expect(ofSplit.stdout).toContain('Change: 1–19 November 2026 against 1–19 October 2026.');
  });

  test('a part that is not over is compared with the same time of the previous part', async () => {
    const { run } = await serveForTest({ delayMs: 0 });
    const line = `run --period 2026-11-19..2026-11-20 ${byCampaign} --compare previous --split day`;

    const { files } = await run(`${line} -o {date}.html`);

    expect(files['2026-11-19.html']).not.toContain('is not over');
    expect(files['2026-11-20.html']).toContain('compared with 19 November 2026');
    expect(files['2026-11-20.html']).toContain(
      'The period is not over, so 19 November 2026 is also counted only until 13:00.',
    );
  });

  test('is on the card of a file on a terminal', async () => {
    const { stderr } = await runCli(`${oneWeek} --compare previous -o r.csv --no-color`, {
      tty: true,
    });

    expect(stderr).toMatch(/ {2}displays +[\d,]+ +[▲▼] [\d.]+% /);
    expect(stderr).toContain('  Change: 2–8 November 2026 against 26 October – 1 November 2026.\n');
  });

  test.each([
    { how: 'goes on elsewhere', change: { hasMore: true }, says: 'hasMore' },
    { how: 'has an error beside its rows', change: { errors: ['shard 3 failed'] }, says: 'errors' },
    { how: 'has another total', change: { totals: { displays: 1 } }, says: 'totals.displays' },
  ])('an earlier report that $how is a warning', async (row) => {
    const { run } = await serveOdd({
      server: { delayMs: 0 },
      faults: [
        {
          endpoint: 'download',
          change: (document: { summary: { since: string } }) =>
            document.summary.since.startsWith('2026-10-26')
              ? { ...document, ...row.change }
              : document,
        },
      ],
    });
    const line = `run --period 2026-W45 ${byCampaign} --compare previous -o r.html`;

    const warned = await run(line);
    expect(warned.exitCode).toBe(0);
    const warning = `Warning: r.html: 26 October – 1 November 2026: The report`;
    expect(warned.stderr).toMatch(new RegExp(`${warning}.*${row.says}`));
    expect(warned.files['r.html']).toContain(row.says);

    const strict = await run(`${line} --strict`);
    expectRefusal(strict, 9, row.says);
  });

  test('is exit 2 for a format that cannot show it', async () => {
    expectRefusal(
      await runCli(`${oneWeek} --compare previous --format csv`),
      2,
      '--compare does not work with csv',
    );
  });
});

test('--title is the heading of the page and of the summary', async () => {
  const line = `${oneWeek} --title "Week <45>"`;

  const page = await runCli(`${line} -o r.html`);

  expect(page.files['r.html']).toContain('<h1>Week &lt;45&gt;</h1>');

  const { cwd } = await runCli(`${line} -o r.xlsx`);

  expect(readSheet(readFileSync(join(cwd, 'r.xlsx')), 2)[0]).toEqual(['Week <45>']);
});

describe('--open', () => {
  test('starts no shell on Windows, where file names may contain &', () => {
    const { command, args } = openerOn('win32', undefined);
    expect(command).toBe('rundll32.exe');
    expect(args).toEqual(['url.dll,FileProtocolHandler']);
    expect(openerOn('win32', 'firefox.exe').command).toBe('firefox.exe');
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

      const shown = await runCli(`${oneWeek} -o r.html --open`, { cwd, env: { BROWSER: browser } });

      expect(shown).toMatchObject({ exitCode: 0 });

      await expect.poll(() => readFileSync(shownFile, 'utf8')).toBe(join(cwd, 'r.html'));
    },
  );

  test('needs -o', async () => {
    expectRefusal(await runCli(`${oneWeek} --open`), 2, 'Add -o');
  });
});
