import { readdirSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { json, serve } from '../support/http-server.ts';
import { runCli, temporaryFolder } from '../support/run-cli.ts';
import { serveForTest } from '../support/service.ts';

/** One command, many reports: `--split` with all that goes with it (`cli.md`, Cron). */

const october = ['run', '--period', '2024-10-24..2024-10-31', '--metrics', 'displays,revenueEuro'];
const daily = [...october, '--by', 'DAILY,CAMPAIGN', '--split', 'day'];
const perDay = [...october, '--by', 'CAMPAIGN', '--split', 'day', '-o', 'data/date={date}/part.csv'];

describe('one merged output', () => {
  const all = ['json', 'csv', 'ndjson', 'table', 'parquet', 'xlsx'];
  test.each([
    ['day', 'DAILY,CAMPAIGN', all],
    ['day', 'HOURLY,OS', ['ndjson']],
    ['week', 'DAILY,CAMPAIGN', ['csv']],
    ['month', 'MONTHLY,CAMPAIGN', ['json']],
    ['month', 'HOURLY', ['parquet']],
  ])('--split %s by %s is the unsplit report, byte for byte, as %j', async (split, by, formats) => {
    const { run } = await serveForTest({ delayMs: 0 });
    const what = ['run', '--period', '2024-10-27..2024-11-02', '--by', by];
    for (const format of formats) {
      const whole = await run([...what, '--format', format, '-o', `whole.${format}`]);
      const merged = await run([...what, '--format', format, '--split', split, '-o', `merged.${format}`]);
      expect(merged).toMatchObject({ exitCode: 0, stdout: '' });
      expect(merged.files[`merged.${format}`]).toBe(whole.files[`whole.${format}`]);
    }
  });

  test('a part that arrives damaged is downloaded again', async () => {
    const { run, server } = await serveForTest({ delayMs: 0, faults: ['download:truncate:bytes=200:times=1'] });
    const merged = await run([...daily, '-o', 'x.csv']);
    expect(merged.exitCode).toBe(0);
    expect(server.requests().filter(({ endpoint }) => endpoint === 'download')).toHaveLength(9);
    expect(merged.files['x.csv']).toBe((await run([...october, '--by', 'DAILY,CAMPAIGN'])).stdout);
  });

  test('--strict judges the whole: a day without rows is exit 9, no file, and no report is picked up again', async () => {
    let creates = 0;
    const { url } = await serve(({ path, body }, response) => {
      if (path === '/download-reporting') {
        const [, day = ''] = /"r-(\d+)"/.exec(body) ?? [];
        return json(response, { data: day === '26' ? [] : [{ date: `2024-10-${day}`, displays: 1 }] });
      }
      if (path === '/status-reporting') return json(response, { response: { status: 'ready' } });
      creates += 1;
      // The last second of a day in Paris is on the same day in UTC.
      return json(response, { id: `r-${new Date(JSON.parse(body).until * 1_000).getUTCDate()}` });
    });
    const cwd = temporaryFolder();
    const env = { ADREPORT_BASE_URL: url.href, ADREPORT_TOKEN: 'f'.repeat(40) };
    const argv = ['run', '--period', '2024-10-24..2024-10-27', '--by', 'DAILY', '--metrics', 'displays'];
    const run = () => runCli([...argv, '--split', 'day', '--strict', '-o', 'x.csv'], { cwd, env });
    const gap = 'no rows for 1 of the 4 days of its window: 2024-10-26';
    expect(await run()).toMatchObject({ exitCode: 9, files: {}, stderr: expect.stringContaining(gap) });
    expect(creates).toBe(4);
    await run();
    expect(creates).toBe(8);
  });

  test.each([
    ['CAMPAIGN', 'day', 'no row says'],
    ['MONTHLY', 'day', 'MONTHLY'],
    ['MONTHLY', 'week', 'MONTHLY'],
    ['RANGE', 'month', 'RANGE'],
  ])('by %s, parts of a %s cannot be merged, and that is said before anything is sent', async (by, split, why) => {
    const { run, server } = await serveForTest();
    const result = await run([...october, '--by', by, '--split', split, '-o', 'x.csv']);
    expect(result).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(why) });
    expect(result.stderr).toContain('{date}');
    expect(server.requests()).toEqual([]);
  });

  test('if a part fails nothing is written, and the next run has the other reports from the service again', async () => {
    const { run, server } = await serveForTest({ delayMs: 0, faults: ['status:failed:times=1:after=3'] });
    const creates = () => server.requests().filter(({ endpoint }) => endpoint === 'buyer').length;
    const failed = await run([...daily, '-o', 'x.csv', '--concurrency', '1']);
    expect(failed).toMatchObject({ exitCode: 6, files: {} });
    expect(failed.stderr).toMatch(/2024-10-27 failed: The report \w+ ended as failed/);
    expect(creates()).toBe(8);
    const again = await run([...daily, '-o', 'x.csv']);
    expect(again).toMatchObject({ exitCode: 0 });
    expect(creates()).toBe(9);
    expect(again.files['x.csv']).toBe((await run([...october, '--by', 'DAILY,CAMPAIGN'])).stdout);
  });
});

describe('a file a part', () => {
  test('each holds what a report of its day holds', async () => {
    const { run } = await serveForTest({ delayMs: 0 });
    const { files, exitCode, stderr } = await run(perDay);
    expect(exitCode).toBe(0);
    expect(Object.keys(files)).toEqual(
      ['24', '25', '26', '27', '28', '29', '30', '31'].map((day) => `data/date=2024-10-${day}/part.csv`),
    );
    expect(stderr).toContain('Wrote data/date=2024-10-24/part.csv');
    const alone = await run(['run', '--period', '2024-10-27', '--by', 'CAMPAIGN', '--metrics', 'displays,revenueEuro']);
    expect(files['data/date=2024-10-27/part.csv']).toBe(alone.stdout);
  });

  test('one failing part: the others stand, its code and name are told, and --missing fetches it alone', async () => {
    const { run, server } = await serveForTest({ delayMs: 0, faults: ['status:expired:times=1:after=2'] });
    const failed = await run([...perDay, '--missing', '--concurrency', '1']);
    expect(failed).toMatchObject({ exitCode: 6 });
    expect(failed.stderr).toMatch(/2024-10-26 failed: /);
    expect(failed.stderr).toContain('fetches only what is missing');
    expect(Object.keys(failed.files)).toHaveLength(7);
    server.clearFaults();
    const before = server.requests().filter(({ endpoint }) => endpoint === 'buyer').length;
    const again = await run([...perDay, '--missing']);
    expect(again).toMatchObject({ exitCode: 0 });
    expect(Object.keys(again.files)).toHaveLength(8);
    expect(server.requests().filter(({ endpoint }) => endpoint === 'buyer')).toHaveLength(before + 1);
  });

  test('several failing parts are all named; of many, ten', async () => {
    const { run } = await serveForTest({ delayMs: 0, faults: ['download:404:times=2'] });
    const { exitCode, stderr, files } = await run([...perDay, '--concurrency', '1']);
    expect(exitCode).toBe(4);
    expect(stderr).toMatch(/2 reports failed:\n +- 2024-10-24: .*\n +- 2024-10-25: /);
    expect(Object.keys(files)).toHaveLength(6);

    const { run: runRefused } = await serveForTest({ faults: ['buyer:404'] });
    const month = ['run', '--period', '2024-10', '--by', 'OS', '--split', 'day', '-o', '{date}.csv'];
    const refused = await runRefused([...month, '--concurrency', '1']);
    expect(refused.exitCode).toBe(4);
    expect(refused.stderr).toMatch(/31 reports failed:\n( +- 2024-10-\d\d: .*\n){10} +- and 21 more\n/);
  });

  test('a refused token ends the run at once: nothing else could go better', async () => {
    const { run, server } = await serveForTest({ delayMs: 0, faults: ['buyer:unauthorized'] });
    const { exitCode } = await run([...perDay, '--concurrency', '1']);
    expect(exitCode).toBe(3);
    expect(server.requests().filter(({ endpoint }) => endpoint === 'buyer')).toHaveLength(1);
  });

  test('Ctrl-C ends it with 130 and says how to go on', async () => {
    const { run } = await serveForTest({ manual: true });
    const result = await run([...perDay, '--missing'], { interrupt: { when: /Parts:/, signal: 'SIGINT' } });
    expect(result).toMatchObject({ exitCode: 130, files: {} });
    expect(result.stderr.match(/goes on being made/g) ?? []).toHaveLength(0);
    expect(result.stderr).toContain('Run the same command again: it fetches only what is missing.');

    // --missing would be refused without a file.
    const toStdout = ['run', '--period', '2024-10-21..2024-10-25', '--by', 'DAILY', '--split', 'day'];
    const { stderr } = await run(toStdout, { interrupt: { when: /Parts:/, signal: 'SIGINT' } });
    expect(stderr).toContain('Run the same command again.\n');
  });
});

describe('--missing', () => {
  test('fetches what has no file, and with --lookback the last parts again', async () => {
    const { run, server, cwd } = await serveForTest({ delayMs: 0 });
    await run(perDay);
    rmSync(join(cwd, 'data/date=2024-10-26'), { recursive: true });
    const fetched = async (...flags: string[]) => {
      const { stdout } = await run([...perDay, '--missing', '--dry-run', '--json', ...flags]);
      return JSON.parse(stdout).requests.map(({ output }: { output: string }) => output.slice(10, 20));
    };
    expect(await fetched()).toEqual(['2024-10-26']);
    expect(await fetched('--lookback', '2')).toEqual(['2024-10-26', '2024-10-30', '2024-10-31']);
    expect(await fetched('--lookback', '0')).toEqual(['2024-10-26']);
    expect(server.requests().filter(({ endpoint }) => endpoint === 'buyer')).toHaveLength(8);
  });

  test('a file that was written before its day was over holds only the beginning, and days to come are left out', async () => {
    const { run, cwd } = await serveForTest({ delayMs: 0 });
    const month = ['run', '--period', 'this-month', '--by', 'OS', '--split', 'day', '-o', '{date}.csv', '--missing'];
    const noon = Date.UTC(2026, 10, 20, 12);
    const first = await run(month, { now: noon });
    expect(Object.keys(first.files)).toHaveLength(20);
    for (const name of readdirSync(cwd)) utimesSync(join(cwd, name), noon / 1_000, noon / 1_000);
    const next = await run([...month, '--dry-run', '--json'], { now: noon + 86_400_000 });
    expect(JSON.parse(next.stdout).requests.map(({ output }: { output: string }) => output)).toEqual([
      '2026-11-20.csv',
      '2026-11-21.csv',
    ]);
  });

  test('works for a single file, and for a merged one', async () => {
    const { run, server } = await serveForTest({ delayMs: 0 });
    for (const flags of [[], ['--split', 'day']]) {
      const argv = [...october, '--by', 'DAILY', ...flags, '--missing', '-o', `${flags.length}.csv`];
      expect(await run(argv)).toMatchObject({ exitCode: 0 });
      const before = server.requests().length;
      expect(await run(argv)).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('Nothing is missing') });
      expect(server.requests()).toHaveLength(before);
      expect((await run([...argv, '--dry-run', '--json', '--lookback', '1'])).exitCode).toBe(0);
    }
  });
});

test('--shard of a merged output lacks the days of the others, and --strict lets it', async () => {
  const { run } = await serveForTest({ delayMs: 0 });
  const { exitCode, files, stderr } = await run([...daily, '--shard', '1/4', '--strict', '-o', 'x.csv']);
  expect([exitCode, stderr]).toEqual([0, expect.not.stringContaining('Warning')]);
  const days = (files['x.csv'] ?? '')
    .trimEnd()
    .split('\r\n')
    .slice(1)
    .map((row) => row.slice(0, 10));
  expect([...new Set(days)]).toEqual(['2024-10-25', '2024-10-29']);
});

test('--shard: the machines together fetch every part once', async () => {
  const { run, server } = await serveForTest({ delayMs: 0 });
  for (const shard of ['0/3', '1/3', '2/3']) {
    expect(await run([...perDay, '--shard', shard, '--missing'])).toMatchObject({ exitCode: 0 });
  }
  const bodies = server.requests().filter(({ endpoint }) => endpoint === 'buyer');
  expect(bodies).toHaveLength(8);
  expect((await run([...perDay, '--missing'])).stderr).toContain('8 parts are there');
});

describe('what does not fit together is exit 2', () => {
  test.each([
    [['--lookback', '2', '-o', '{date}.csv', '--split', 'day'], '--missing'],
    [['--missing'], '-o'],
    [['--missing', '-o', '{id}.csv'], '{id}'],
    [['--shard', '1/2'], '--split'],
    [['--split', 'day', '--by', 'DAILY', '-o', '{id}.csv'], '{id}'],
    [['--split', 'dya'], 'day'],
    [['--split', 'day', '--by', 'DAILY', '--shard', '3/2'], '1/4'],
    [['--concurrency', '0'], '1 or more'],
  ])('%j', async (flags, hint) => {
    const { run, server } = await serveForTest();
    const { exitCode, stderr } = await run([...october, ...flags]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining(hint) });
    expect(server.requests()).toEqual([]);
  });
});

describe('names as filters', () => {
  test('become ids, shown in the dry run; the report is that of the ids', async () => {
    const { run } = await serveForTest({ delayMs: 0 });
    const [, row = ''] = (
      await run(['campaigns', '--format', 'csv', '--columns', 'campaignId,campaignName'])
    ).stdout.split('\r\n');
    const id = row.slice(0, row.indexOf(','));
    const argv = [...october, '--by', 'DAILY', '--campaign', 'fil ROUGE*'];
    const dry = await run([...argv, '--dry-run']);
    expect(dry.stdout).toContain(`"campaignId":["${id}"]`);
    expect(dry.stderr).toContain(`(${id})`);
    const byId = await run([...october, '--by', 'DAILY', '--filter', `campaignId=${id}`]);
    expect((await run(argv)).stdout).toBe(byId.stdout);
    expect((await run([...october, '--by', 'DAILY', '--campaign', id])).stdout).toBe(byId.stdout);
  });

  test('a name that matches nothing is exit 2, with the nearest', async () => {
    const { run, server } = await serveForTest();
    const result = await run([...october, '--ad-unit', 'No such unit anywhere']);
    expect(result).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--ad-unit "No such unit anywhere"') });
    expect(server.requests().map(({ endpoint }) => endpoint)).toEqual(['campaigns']);
  });

  test.each(['', ',', '"A, B'])('%j is no name: exit 2, and nobody is asked', async (name) => {
    const { run, server } = await serveForTest();
    const result = await run([...october, '--campaign', name]);
    expect(result).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('this is no name') });
    expect(server.requests()).toEqual([]);
  });
});

test('429 slows all parts: at 10 calls a second, 20 parts at a time all come', async () => {
  const { run } = await serveForTest({ delayMs: 1_000, rateLimitPerSecond: 10 });
  const argv = ['run', '--period', '2026-10-01..2026-10-20', '--by', 'OS', '--split', 'day', '-o', '{date}.csv'];
  const { exitCode, files } = await run([...argv, '--concurrency', '20']);
  expect(exitCode).toBe(0);
  expect(Object.keys(files)).toHaveLength(20);
});

test.each([
  [['--period', '2026-10-01..2026-10-10', '--split', 'week'], '--period 2026-09-28..2026-10-11.'],
  [['--period', '2026-10-01..2026-10-10', '--split', 'month'], '--period 2026-10-01..2026-10-31.'],
])('a file a part holds a whole unit: %j is refused, with the nearest', async (flags, period) => {
  const { exitCode, stderr, files } = await runCli(['run', '--local', '--by', 'OS', '-o', '{date}.csv', ...flags]);
  expect({ exitCode, files }).toEqual({ exitCode: 2, files: {} });
  expect(stderr).toContain(period);
});
