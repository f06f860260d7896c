import {
  appendFileSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { clearFaults } from '../server/local.ts';
import { serveOdd } from '../support/odd-service.ts';
import { expectRefusal } from '../support/run-cli.ts';
import { serveForTest } from '../support/service.ts';

// Examples of folders and what `check` reports. It is 2026-11-25, and the job runs every night.

const rolling = '--period last-4d --missing --lookback 3';

/** A folder, with a clock that the tests set. */
async function serveFolder(restateDays = 0) {
  let nowMs = 0;
  const { server, cwd, run, calls } = await serveForTest({
    delayMs: 0,
    restate: restateDays,
    clock: () => nowMs,
  });
  const at = (name: string): string => join(cwd, 'data', name);

  /** Sets the clock to five in the morning, Paris time. */
  function wakeOn(day: string): void {
    nowMs = Date.parse(`${day}T04:00:00Z`);
  }

  function runNow(line: string) {
    return run(line, { now: nowMs });
  }

  function runJob(window: string, more = '') {
    return runNow(
      `run ${window} --by OS --metrics displays --split day -q -o data/{date}.csv ${more}`,
    );
  }

  /** Runs the job every night from the first day to the last. */
  async function runNights(first: number, last: number, window: string): Promise<void> {
    for (let day = first; day <= last; day += 1) {
      wakeOn(`2026-11-${String(day).padStart(2, '0')}`);
      const { exitCode, stderr } = await runJob(window);
      expect(exitCode, stderr).toBe(0);
    }
  }

  /** The problems as `missing 2026-11-09`, and the number of files outside each range. */
  async function check(path = 'data') {
    const { stdout, exitCode, stderr } = await runNow(`check ${path} --json`);
    expect([0, 9], stderr).toContain(exitCode);
    const { problems, series } = JSON.parse(stdout);
    const kinds = problems.map(({ kind, file }: { kind: string; file: string }) => {
      return `${kind} ${/\d{4}-\d\d-\d\d/.exec(file)?.[0] ?? file}`;
    });
    const outside = series.map((each: { outside: number }) => each.outside);
    return { kinds, outside, series };
  }

  async function repair(): Promise<void> {
    const { exitCode, stderr } = await runNow('repair data -q --yes');
    expect(exitCode, stderr).toBe(0);
  }
  return { server, cwd, at, wakeOn, run: runNow, runJob, runNights, check, repair, calls };
}

/** Problems of one kind for several days of November 2026, or of another month. */
function each(kind: string, first: number, last: number, month = '11'): string[] {
  const problems: string[] = [];
  for (let day = first; day <= last; day += 1) {
    problems.push(`${kind} 2026-${month}-${String(day).padStart(2, '0')}`);
  }
  return problems;
}

test('a rolling job that missed seven nights: days are missing or stale, and runs warn until a repair', async () => {
  const { runNights, runJob, wakeOn, check, repair, run } = await serveFolder(3);
  await runNights(9, 9, rolling);
  await runNights(17, 17, rolling);
  wakeOn('2026-11-18');

  const { stderr, exitCode } = await runJob(rolling);
  expect(exitCode).toBe(0);
  expect(stderr).toContain(
    'Before this period, 4 days are missing and 3 are stale. To download them: adreport repair data',
  );
  expect((await check()).kinds).toEqual([...each('stale', 6, 8), ...each('missing', 9, 12)]);
  const { stdout } = await run('check data');
  expect(stdout).toContain('missing: 2026-11-09.csv … 2026-11-12.csv (4 days)');
  expect(stdout).toMatch(/To repair: adreport repair data {3}\(7 reports\)\n$/);

  await repair();
  expect((await check()).kinds).toEqual([]);
  expect((await runJob(rolling)).stderr).toBe('');
});

test('the first night of a job has nothing to download, and mistakes in its flags are found', async () => {
  const { wakeOn, run, cwd } = await serveFolder();
  wakeOn('2026-11-01');
  const job = 'run --since 2026-11-01 --by OS --split day -o data/{date}.csv';

  expect(await run(job)).toMatchObject({
    exitCode: 0,
    stderr: 'Nothing to download yet: no day is over.\n',
  });
  expect(existsSync(join(cwd, 'data'))).toBe(false);

  expectRefusal(await run(job.replace('OS', 'PLANET')), 2, 'PLANET');
});

test('a backfill adds its days to the range, even failed ones, but not the gap', async () => {
  const { runNights, runJob, check, server, repair } = await serveFolder();
  await runNights(25, 25, '--period last-2d --missing');
  server.fault('status:failed:after=2');

  const january = await runJob('--period 2026-01-01..2026-01-04', '--retries 0');
  expect(january.exitCode, january.stderr).toBe(6);
  await clearFaults(server);

  const { kinds, series } = await check();
  expect(kinds).toHaveLength(2);
  expect(kinds.every((kind: string) => kind.startsWith('missing 2026-01-'))).toBe(true);
  expect(series).toMatchObject([{ since: '2026-01-01', until: '2026-11-24' }]);
  await repair();
  expect((await check()).kinds).toEqual([]);
});

test('after a failed first run, all days of its window are missing', async () => {
  const { server, runJob, wakeOn, check, repair } = await serveFolder();
  wakeOn('2026-11-24');
  server.fault('auth:401');
  server.fault('buyer:401');
  const { exitCode } = await runJob('--period last-2d --missing');
  expect(exitCode).toBe(3);

  wakeOn('2026-11-25');
  expect((await check()).kinds).toEqual(each('missing', 22, 23));
  server.reset();
  await repair();
});

test('after a longer lookback, final files stay final, and the next run downloads the last days again', async () => {
  const { runNights, runJob, wakeOn, check, calls } = await serveFolder(3);
  await runNights(24, 24, '--period last-5d --missing --lookback 1');
  wakeOn('2026-11-25');
  const before = calls('buyer');

  const { exitCode } = await runJob('--period last-5d --missing --lookback 3');

  expect(exitCode).toBe(0);
  expect(calls('buyer') - before).toBe(3);
  expect((await check()).kinds).toEqual([]);
});

test('other metrics are refused; with --refetch, older files are outside the range', async () => {
  const { runNights, runJob, wakeOn, check, calls } = await serveFolder();
  await runNights(23, 24, '--period last-4d --missing');
  wakeOn('2026-11-25');
  const before = calls('buyer');
  const clicks = '--period last-4d --missing --metrics clicks';

  const refused = await runJob(clicks.replace('--metrics clicks', ''), '--by COUNTRY');
  expect(refused.exitCode).toBe(2);
  expect(refused.stderr).toContain('by: OS → OS,COUNTRY');
  expect(refused.stderr).toContain('3 files (2026-11-21.csv … 2026-11-23.csv)');
  expect(refused.stderr).toContain('--refetch');
  expect(calls('buyer')).toBe(before);
  expect((await check()).kinds).toEqual([]);

  const taken = await runJob('--period last-4d --missing --refetch', '--by COUNTRY');
  expect(taken.exitCode, taken.stderr).toBe(0);
  expect(calls('buyer') - before).toBe(4);
  const { kinds, outside } = await check();
  expect(kinds).toEqual([]);
  expect(outside).toEqual([2]);
});

test('a resume line with fixed dates leaves a standing job as it is', async () => {
  const { runNights, runJob, wakeOn, check, calls } = await serveFolder();
  await runNights(8, 10, '--since 2026-11-05 --until yesterday --missing');
  const before = calls('buyer');

  const resumed = await runJob('--period 2026-11-05..2026-11-09 --missing');
  expect(resumed.exitCode, resumed.stderr).toBe(0);
  expect(calls('buyer')).toBe(before);
  wakeOn('2026-11-25');
  expect((await check()).kinds).toEqual(each('missing', 10, 23));
});

test('of a job that lets go of old days, every file is read, and only the window can be missing', async () => {
  const { runNights, runJob, wakeOn, at, check } = await serveFolder();
  await runNights(24, 24, '--since -8d --until yesterday --missing');
  wakeOn('2026-11-25');
  await runJob('--since -3d --until yesterday --missing');
  appendFileSync(at('2026-11-17.csv'), 'damage');
  rmSync(at('2026-11-18.csv'));
  rmSync(at('2026-11-23.csv'));

  const { kinds, series } = await check();

  expect(kinds).toEqual(['changed 2026-11-17', 'missing 2026-11-23']);
  expect(series).toMatchObject([{ since: '2026-11-22', until: '2026-11-24', files: 2 }]);
});

test('one run per day builds a range day by day', async () => {
  const { runJob, wakeOn, at, check } = await serveFolder();
  for (let day = 11; day <= 14; day += 1) {
    wakeOn(`2026-11-${day}`);
    const first = String(day - 4).padStart(2, '0');
    await runJob(`--since 2026-11-${first} --until 2026-11-${day - 1} --missing --lookback 3`);
  }
  rmSync(at('2026-11-12.csv'));
  wakeOn('2026-11-25');

  const { kinds, series } = await check();

  expect(series).toMatchObject([{ since: '2026-11-07', until: '2026-11-13' }]);
  expect(kinds).toContain('missing 2026-11-12');
});

test('--period limits what is checked and repaired', async () => {
  const { runNights, run, wakeOn, at } = await serveFolder();
  await runNights(24, 24, '--since -6d --until yesterday --missing');
  wakeOn('2026-11-25');
  rmSync(at('2026-11-19.csv'));
  rmSync(at('2026-11-21.csv'));
  const window = '--since 2026-11-18 --until 2026-11-20';

  const checked = await run(`check data ${window}`);
  expect(checked.exitCode).toBe(9);
  expect(checked.stdout).toContain('missing: 2026-11-19.csv is missing.');
  expect(checked.stdout).not.toContain('2026-11-21');
  expect(checked.stdout).toContain(`To repair: adreport repair data ${window}   (1 report)`);
  expect(await run(`repair data -q ${window}`)).toMatchObject({ exitCode: 0 });
  expect(await run('check data')).toMatchObject({ exitCode: 9 });
  expectRefusal(await run('check data --since 2026-11-08T12:00 --until yesterday'), 2, 'full days');
});

test('the history of a nightly job grows by what changes', async () => {
  const { runNights, runJob, wakeOn, at } = await serveFolder();
  const nightly = '--period last-3d --missing';
  await runNights(19, 20, nightly);
  wakeOn('2026-11-20');
  const before = readFileSync(at('_adreport.ndjson'), 'utf8');

  for (let run = 0; run < 3; run += 1) await runJob(nightly);

  expect(readFileSync(at('_adreport.ndjson'), 'utf8')).toBe(before);
  expect(before.match(/"history":1/g)).toHaveLength(1);
});

test('two formats in one folder are two series, each checked against its own spec', async () => {
  const { run, wakeOn, at, check } = await serveFolder();
  const line = '--by OS --split day -q --missing';
  wakeOn('2026-11-25');
  await run(`run --period last-3d ${line} -o data/{date}.csv`);
  await run(`run --period last-2d ${line} -o data/{date}.ndjson`);
  expect((await check()).series).toMatchObject([
    { output: '{date}.csv', files: 3 },
    { output: '{date}.ndjson', files: 2 },
  ]);
  rmSync(at('2026-11-23.ndjson'));
  expect((await check()).kinds).toEqual(['missing 2026-11-23']);
});

test.for(['csv', 'json', 'parquet'])(
  'a column that the service adds from the second day on is written to %s, with a note, and check is clean',
  async (ending) => {
    let hasMore = true;
    const { run } = await serveOdd({
      server: { delayMs: 0 },
      faults: [
        {
          endpoint: 'download',
          change(document: { data: object[]; summary: { since: string } }) {
            const { data, summary } = document;
            if (!hasMore || summary.since < '2026-11-12') return document;
            return { summary, data: data.map((row) => ({ ...row, reach: 5, region: 'north' })) };
          },
        },
      ],
    });
    const line = (period: string) =>
      `run --period ${period} --by OS --metrics displays --split day --missing -o data/{date}.${ending}`;

    const first = await run(line('2026-11-11..2026-11-13'));
    const next = await run(line('2026-11-14'));
    hasMore = false;
    const last = await run(line('2026-11-15'));

    const added =
      'From 2026-11-12 on, files have the columns reach and region, which were not requested.';
    expect(first.stderr.split(added)).toHaveLength(2);
    expect(next.stderr).not.toContain('From 2026');
    expect(last.stderr).toContain('From 2026-11-15 on, files no longer have the columns reach');
    expect(await run('check data')).toMatchObject({ exitCode: 0 });
    const { stdout } = await run('view data --by DAILY --metrics displays --json');
    expect(JSON.parse(stdout).groups).toHaveLength(5);
  },
);

test('the next run replaces the file of a run killed before its rename, even with the same size', async () => {
  const { runNights, runJob, at, check, calls } = await serveFolder();
  await runNights(24, 25, '--period last-3d --missing');
  // The history has the new line, but the file is the old one, with the same size.
  const history = readFileSync(at('_adreport.ndjson'), 'utf8');
  const line = JSON.parse(
    history.split('\n').find((text) => text.includes('2026-11-23.csv')) ?? '',
  );
  appendFileSync(
    at('_adreport.ndjson'),
    `${JSON.stringify({ ...line, sha256: 'a'.repeat(64) })}\n`,
  );
  expect((await check()).kinds).toEqual(['changed 2026-11-23']);
  const before = calls('buyer');

  expect((await runJob('--period last-3d --missing')).exitCode).toBe(0);

  expect(calls('buyer') - before).toBe(1);
  expect((await check()).kinds).toEqual([]);
});

test('a moved folder keeps working', async () => {
  const { runNights, cwd, check, run, calls } = await serveFolder();
  await runNights(24, 25, '--period last-3d --missing');
  renameSync(join(cwd, 'data'), join(cwd, 'moved'));
  expect((await check('moved')).kinds).toEqual([]);
  const before = calls('buyer');
  const line = 'run --period last-3d --missing --by OS --metrics displays --split day';
  const { exitCode, stderr } = await run(`${line} -o moved/{date}.csv`);
  expect(exitCode).toBe(0);
  expect(stderr).toContain('Nothing to download');
  expect(calls('buyer')).toBe(before);
});

test('a BOM is ignored, and the file of a torn line is untracked until the next run', async () => {
  const { runNights, at, check, runJob } = await serveFolder();
  await runNights(24, 25, '--period last-3d --missing');
  const path = at('_adreport.ndjson');
  const history = readFileSync(path, 'utf8');
  const [spec = '', first = '', ...others] = history.split('\n');

  writeFileSync(path, `\ufeff${history}`);
  expect((await check()).kinds).toEqual([]);
  writeFileSync(path, [spec, first.slice(0, 90), ...others].join('\n'));
  expect((await check()).kinds).toEqual([`untracked ${JSON.parse(first).file.slice(0, 10)}`]);

  expect((await runJob('--period last-3d --missing')).exitCode).toBe(0);
  expect((await check()).kinds).toEqual([]);
});
