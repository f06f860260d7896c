import { describe, expect, test } from 'vitest';
import { expectRefusal } from '../support/run-cli.ts';
import { serveForTest } from '../support/service.ts';

/** `--by WEEKLY`: one report per ISO week. The clock is at Friday 2026-11-20. */

const weekly = 'run --by WEEKLY,OS --metrics displays,clicks';
const twoWeeks = `${weekly} --period 2026-W43..2026-W44`;

describe('run --by WEEKLY', () => {
  test('adds up the days of each week, and dates rows with the Monday', async () => {
    const { run, calls } = await serveForTest({ delayMs: 0 });

    const weeks = await run(`${twoWeeks} --format csv`);
    expect(weeks).toMatchObject({ exitCode: 0 });
    expect(calls('buyer')).toBe(2);

    const days = 'run --by DAILY,OS --metrics displays,clicks --period 2026-W43..2026-W44';
    await run(`${days} -o days.csv`);
    const added = await run('view days.csv --by WEEKLY,OS --metrics displays,clicks --format csv');
    expect(linesOf(weeks.stdout)).toEqual(linesOf(added.stdout));
    const dates = new Set(linesOf(weeks.stdout).map((line) => line.slice(0, 10)));
    expect([...dates]).toEqual(['2026-10-19', '2026-10-26', 'date,os,di']);

    const shown = await run(`${twoWeeks} --format table`);
    expect(shown.stdout).toMatch(/^Week {2}/);
  });

  test('equals --split week --by RANGE, except for the breakdown in the summary', async () => {
    const { run } = await serveForTest({ delayMs: 0 });
    const byHand = twoWeeks.replace('WEEKLY', 'RANGE');

    const named = await run(`${twoWeeks} --format json`);
    const split = await run(`${byHand} --split week --format json`);

    expect(named.stdout).toContain('"breakdowns":["WEEKLY","OS"]');
    expect(named.stdout.replace('"WEEKLY"', '"RANGE"')).toBe(split.stdout);
  });

  test('a report of a single window is not shown as a day on a page', async () => {
    const { run } = await serveForTest({ delayMs: 0 });

    const { files } = await run('run --by RANGE --period last-month -o month.html');

    const [, main = ''] = files['month.html']?.split('<main') ?? [];
    const text = main.replaceAll(/<[^>]*>/g, ' ');
    expect(text).toMatch(/All windows[\s\S]*From[\s\S]*Thu 1 Oct/);
    expect(text).not.toMatch(/1 day|All days/);
  });

  test.each([{ period: 'last-month', nearest: '2026-09-28..2026-11-01' }])(
    '--period $period cuts a week: exit 2 with the nearest whole weeks',
    async (row) => {
      const { run, calls } = await serveForTest();

      const refused = await run(`${weekly} --period ${row.period}`);

      expectRefusal(refused, 2, '--by WEEKLY needs full weeks');
      expectRefusal(refused, 2, `The nearest full period is --period ${row.nearest}.`);
      expect(calls('buyer')).toBe(0);
      expect(await run(`${weekly} --period ${row.nearest} --dry-run`)).toMatchObject({
        exitCode: 0,
      });
    },
  );

  test('{date} in the name writes one file per week', async () => {
    const { run } = await serveForTest({ delayMs: 0 });
    const { exitCode, files } = await run(`${twoWeeks} -o w/{date}-{report}.csv`);
    expect(exitCode).toBe(0);
    expect(Object.keys(files).filter((name) => name.endsWith('.csv'))).toEqual([
      'w/2026-10-19-weekly-os.csv',
      'w/2026-10-26-weekly-os.csv',
    ]);
  });

  test('--dry-run shows one RANGE call per week', async () => {
    const { run } = await serveForTest();
    const { stdout } = await run(`${twoWeeks} --dry-run --json`);
    const { requests } = JSON.parse(stdout);
    expect(requests).toHaveLength(2);
    for (const { body, window } of requests) {
      expect(body.breakdowns).toEqual(['RANGE', 'OS']);
      expect(window.until - window.since).toBeGreaterThan(6 * 86_400);
    }
  });

  test('a week that is not over ends now', async () => {
    const { run } = await serveForTest({ delayMs: 0 });
    const { exitCode, stdout } = await run(`${weekly} --period 2026-11-09..today --format csv`);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('\n2026-11-16,');
  });

  test('report create, which creates one report, suggests run', async () => {
    const { run } = await serveForTest();
    const refused = await run('report create --by WEEKLY,CAMPAIGN --period last-4w', {
      platform: 'linux',
    });
    expectRefusal(refused, 2, 'Use: adreport run --by WEEKLY,CAMPAIGN --period last-4w');
  });
});

/** The lines of a CSV, sorted. */
function linesOf(csv: string): string[] {
  return csv.trim().split(/\r?\n/).sort();
}
