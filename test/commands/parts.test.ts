import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { clearFaults } from '../server/local.ts';
import { expectRefusal, interruption } from '../support/run-cli.ts';
import { serveForTest } from '../support/service.ts';
import { startCli } from '../support/spawn.ts';

/** Many reports in one command: `--split` and its related flags. */

const october = 'run --period 2024-10-26..2024-10-28 --metrics displays,revenueEuro';
const whole = `${october} --by DAILY,CAMPAIGN`;
const daily = `${whole} --split day`;
const perDay = `${october} --by CAMPAIGN --split day -o data/date={date}/part.csv`;

/** The first second of an ordered report. */
function sinceOf(body: unknown): number {
  return Number((body as { readonly since: number }).since);
}

describe('one merged output', () => {
  test.each([
    {
      split: 'day',
      by: 'DAILY,CAMPAIGN',
      period: '2024-10-26..2024-10-28',
      formats: ['json', 'csv', 'table'],
    },
    { split: 'week', by: 'HOURLY,OS', period: '2024-10-21..2024-11-03', formats: ['csv'] },
    { split: 'month', by: 'MONTHLY,CAMPAIGN', period: '2024-10..2024-11', formats: ['json'] },
  ])(
    '--split $split by $by is the unsplit report, byte for byte, as $formats',
    async ({ split, by, period, formats }) => {
      const { run } = await serveForTest({ delayMs: 0 });
      for (const format of formats) {
        const line = `run --period ${period} --metrics displays --by ${by} --format ${format}`;
        const unsplit = await run(`${line} -o whole.${format}`);
        const merged = await run(`${line} --split ${split} -o merged.${format}`);
        expect(merged).toMatchObject({ exitCode: 0, stdout: '' });
        expect(merged.files[`merged.${format}`]).toBe(unsplit.files[`whole.${format}`]);
      }
    },
  );

  test('has the rows of the unsplit report as Parquet', async () => {
    const { run } = await serveForTest({ delayMs: 0 });
    const line = `run --period 2024-10-26..2024-10-27 --metrics displays --by DAILY,CAMPAIGN`;
    await run(`${line} -o whole.parquet`);
    await run(`${line} --split day -o merged.parquet`);

    // The metadata differs: a merged file has no report id.
    const rowsOf = async (name: string) =>
      (await run(`view ${name}.parquet --by date,campaignId --sort date --format csv`)).stdout;
    expect(await rowsOf('merged')).toBe(await rowsOf('whole'));
  });

  test('a damaged part is downloaded again', async () => {
    const faults = ['download:truncate:bytes=200:times=1'];
    const { run, calls } = await serveForTest({ delayMs: 0, faults });

    const merged = await run(`${daily} -o x.csv`);

    expect(calls('download')).toBe(4);
    expect(merged.files['x.csv']).toBe((await run(whole)).stdout);
  });

  test('--strict applies to the whole: after one invalid day, exit 9, no file, and no report is picked up', async () => {
    const { run, server, calls } = await serveForTest({ delayMs: 0 });
    server.fault({
      endpoint: 'download',
      change: ({ data, summary }) => {
        const isOdd = String(summary.since).startsWith('2024-10-26');
        return { summary, data: data.map((row) => (isOdd ? { ...row, displays: 'many' } : row)) };
      },
    });
    const line =
      'run --period 2024-10-25..2024-10-27 --by DAILY --metrics displays --split day --strict -o x.csv';

    const strict = await run(line);

    expectRefusal(strict, 9, '2024-10-26: The metric displays is not a whole number in row 1');
    expect(strict.files).toEqual({});
    expect(calls('buyer')).toBe(3);

    await run(line);

    expect(calls('buyer')).toBe(6);
  });

  test.each([
    { by: 'CAMPAIGN', split: 'day', why: 'the rows have no date' },
    { by: 'MONTHLY', split: 'day', why: 'MONTHLY' },
  ])(
    'by $by, parts of a $split cannot be merged: refused before the first call',
    async ({ by, split, why }) => {
      const { run, server } = await serveForTest();

      const result = await run(`${october} --by ${by} --split ${split} -o x.csv`);

      expectRefusal(result, 2, why);
      expect(result.stderr).toContain('{date}');
      expect(server.requests()).toEqual([]);
    },
  );

  test('if a part fails, nothing is written, and the next run picks up the other reports', async () => {
    const { run, calls } = await serveForTest({
      delayMs: 0,
      faults: ['status:failed:times=1:after=1'],
    });

    const failed = await run(`${daily} -o x.csv --concurrency 1 --retries 0`);

    expectRefusal(failed, 6, /2024-10-27 failed: The report \w+ failed/);
    expect(failed.files).toEqual({});
    expect(calls('buyer')).toBe(3);

    const again = await run(`${daily} -o x.csv`);

    expect(calls('buyer')).toBe(4);
    expect(again.files['x.csv']).toBe((await run(whole)).stdout);
  });
});

describe('one file per part', () => {
  test('each file equals a report of its day', async () => {
    const { run } = await serveForTest({ delayMs: 0 });

    const { files, exitCode, stderr } = await run(perDay);

    expect(exitCode).toBe(0);

    const days = ['26', '27', '28'];

    expect(Object.keys(files)).toEqual(days.map((day) => `data/date=2024-10-${day}/part.csv`));
    expect(stderr).toContain('Wrote data/date=2024-10-26/part.csv');

    const alone = await run('run --period 2024-10-27 --by CAMPAIGN --metrics displays,revenueEuro');

    expect(files['data/date=2024-10-27/part.csv']).toBe(alone.stdout);
  });

  test('one failed part: it is reported with its code, the others are written, and the next run fetches only it', async () => {
    const { run, server, calls } = await serveForTest({
      delayMs: 0,
      faults: ['status:expired:times=1:after=1'],
    });

    const failed = await run(`${perDay} --concurrency 1 --retries 0`);

    expectRefusal(failed, 6, /2024-10-27 failed: [\s\S]*To resume: adreport run .* --split day/);
    expect(Object.keys(failed.files)).toHaveLength(2);

    await clearFaults(server);

    const again = await run(`${perDay}`);

    expect(again.exitCode).toBe(0);
    expect(Object.keys(again.files)).toHaveLength(3);
    expect(calls('buyer')).toBe(4);
  });

  test('several failed parts are all named, but at most ten', async () => {
    const few = await serveForTest({ delayMs: 0, faults: ['download:400:times=2'] });

    const result = await few.run(`${perDay} --concurrency 1`);

    expectRefusal(result, 4, '2 reports (2024-10-26, 2024-10-27) failed: The service rejected');
    expect(Object.keys(result.files)).toHaveLength(1);

    const many = await serveForTest({ delayMs: 0, faults: ['buyer:404:after=1'] });

    const refused = await many.run(
      'run --period 2024-10-01..2024-10-13 --by OS --split day -o {date}.csv --concurrency 1',
    );

    expectRefusal(refused, 4, /12 reports \(2024-10-02, .*, 2024-10-13\) failed: /);
  });

  test('one cause that stops all parts is one sentence with their number', async () => {
    const { run, calls } = await serveForTest({ faults: ['auth:503'] });
    const env = {
      ADREPORT_TOKEN: undefined,
      ADREPORT_EMAIL: 'buyer@example.com',
      ADREPORT_PASSWORD: 'demo',
    };

    const result = await run(`${perDay} --retries 1`, { env });

    expectRefusal(result, 5, /The sign-in failed.* None of the 3 reports was downloaded/);
    expect(result.stderr.match(/The sign-in failed/g)).toHaveLength(2);
    expect(calls('auth')).toBe(2);

    const one = await run(`${perDay} --shard 1/3 --retries 1`, { env });
    expectRefusal(one, 5, 'The sign-in failed');
    expect(one.stderr).not.toContain('None of');
  });

  test('failures are listed in time order, and the earliest decides the exit code', async () => {
    const { run, server } = await serveForTest({ delayMs: 0 });
    // The later parts fail first: they are refused immediately, but the earliest fails later.
    server.fault({
      endpoint: 'buyer',
      kind: '400',
      when: ({ body }) => sinceOf(body) > Date.UTC(2024, 9, 26) / 1_000,
    });
    server.fault({
      endpoint: 'buyer',
      kind: 'expired',
      when: ({ body }) => sinceOf(body) < Date.UTC(2024, 9, 26) / 1_000,
    });

    const result = await run(`${perDay} --concurrency 3`);

    const lines = result.stderr.split('\n').filter((line) => line.startsWith('    - '));
    expect(result.exitCode).toBe(6);
    expect(lines).toHaveLength(2);
    expect(lines[1]).toMatch(
      /^ {4}- 2 reports \(2024-10-27, 2024-10-28\): The service rejected the report request/,
    );
    expect(result.stderr).toContain('To resume: adreport run ');
  });

  test('of several folders, the folder is named', async () => {
    const { run, server, cwd } = await serveForTest({ delayMs: 0 });
    for (const folder of ['a', 'b']) {
      await run(`${october} --by OS --split day -o ${folder}/{date}.csv`);
      rmSync(join(cwd, folder, '2024-10-27.csv'));
    }
    server.fault('status:failed');

    const result = await run('update a b --retries 0');

    expectRefusal(result, 6, /a 2024-10-27: .*failed[\s\S]*b 2024-10-27: .*failed/);
    expect(result.stderr).toContain('To resume: adreport update a b\n');
  });

  test('Ctrl-C is exit 130 with a resume command', async () => {
    const { run } = await serveForTest({ manual: true });
    const interrupted = (line: string) => {
      const { signal, send } = interruption(130);
      return run(line, { signal, onOutput: (text) => void (text.includes('Reports:') && send()) });
    };

    const result = await interrupted(`${perDay} --shard 1/2`);

    expectRefusal(result, 130, /To resume: adreport run .* --split day --shard 1\/2\n/);
    expect(result.files).toEqual({});
    expect(result.stderr).not.toContain('is kept');
    expectRefusal(await interrupted(daily), 130, 'To resume: adreport run ');
  });
});

describe('--shard', () => {
  test.each([{ more: '' }, { more: '--dry-run' }])(
    'a shard without a day of the window has nothing to download $more',
    async ({ more }) => {
      const { run, calls } = await serveForTest({ delayMs: 0 });

      expect(await run(`${perDay} --shard 1/1000 ${more}`)).toMatchObject({
        exitCode: 0,
        stdout: '',
        stderr: expect.stringMatching(/Nothing to download: this shard is empty.\n$/),
      });
      expect(calls('buyer')).toBe(0);
    },
  );

  test('a merged output has only the days of its shard, which --strict accepts', async () => {
    const { run } = await serveForTest({ delayMs: 0 });

    const { exitCode, stdout, stderr } = await run(`${daily} --shard 1/4 --strict --format csv`);

    expect([exitCode, stderr]).toEqual([0, expect.not.stringContaining('Warning')]);
    expect([...new Set(stdout.match(/^2024-10-\d\d/gm))]).toEqual(['2024-10-28']);
  });
});

describe('invalid combinations are exit 2', () => {
  test.each([
    { flags: '--no-clobber -o {date}.csv --split day', hint: '--no-clobber' },
    { flags: '--concurrency 2', hint: '--concurrency has no effect' },
    { flags: '--direct --wait-timeout 5m', hint: '--wait-timeout cannot be used with --direct' },
    { flags: '--shard 1/2', hint: '--shard has no effect' },
    { flags: '--split day --by DAILY --shard 3/2', hint: '1/4' },
  ])('$flags', async ({ flags, hint }) => {
    const { run, server } = await serveForTest();

    expectRefusal(await run(`${october} ${flags}`), 2, hint);
    expect(server.requests()).toEqual([]);
  });
});

test('429 slows all parts: at 5 calls per second, all of 10 concurrent parts are fetched', async () => {
  const { run } = await serveForTest({ delayMs: 1_000, rateLimit: 5 });
  const line =
    'run --period 2026-10-01..2026-10-10 --by OS --split day -o {date}.csv --concurrency 10';

  const { exitCode, files } = await run(line);

  expect(exitCode).toBe(0);
  expect(Object.keys(files)).toHaveLength(10);
});

test('files are written even if the reader of --json goes away', async () => {
  const { env, cwd } = await serveForTest({ delayMs: 0 });
  const line =
    'run --period 2026-11-01..2026-11-06 --by OS --metrics displays --split day -o {date}.csv --json';
  const { child, ended } = startCli(line, { env, cwd });
  child.stdout?.once('data', () => child.stdout?.destroy());

  const result = await ended;

  expect(result.exitCode).toBe(0);
  expect(result.stderr).not.toMatch(/destroyed|Retrying/);
  expect(readdirSync(cwd).filter((name) => name.endsWith('.csv'))).toHaveLength(6);
});
