import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { serveOdd } from '../support/odd-service.ts';

// Nights on which a folder could lose figures without a word.

const job = '--by OS --metrics displays,revenueEuro --split day -q -o data/{date}.csv --missing';

/** A folder with the clocks of the service and of this machine, and reports that can change. */
async function serveNights() {
  let serviceMs = 0;
  let change: ((document: object) => object) | undefined;
  const { run, cwd, calls, server } = await serveOdd({
    server: { delayMs: 0, clock: () => serviceMs },
    faults: [
      {
        endpoint: 'download',
        when: () => change !== undefined,
        change: (document: object) => change?.(document) ?? document,
      },
    ],
  });

  /** Runs a line at a time of the service, which may differ from this machine's. */
  async function runAt(time: string, line: string, machineTime = time) {
    serviceMs = Date.parse(time);
    return run(line, { now: Date.parse(machineTime) });
  }
  return {
    cwd,
    calls,
    runAt,
    runJobAt: (time: string, window: string, machineTime?: string) =>
      runAt(time, `run ${window} ${job}`, machineTime),
    readDay: (day: string) => readFileSync(join(cwd, `data/${day}.csv`), 'utf8'),
    /** Reports are in progress from now on. */
    stopReports() {
      server.fault('status:stuck');
    },

    /** Changes the reports that the service sends from now on. */
    changeReports(by: typeof change) {
      change = by;
    },
    async problemsAt(time: string): Promise<string[]> {
      const { stdout } = await runAt(time, 'check data --json');
      const { problems } = JSON.parse(stdout);
      return problems.map(({ kind, file }: { kind: string; file: string }) => `${kind} ${file}`);
    },
  };
}

/** What the service has for a day. */
async function wholeDay(night: Awaited<ReturnType<typeof serveNights>>, day: string) {
  const line = `run --period ${day} --by OS --metrics displays,revenueEuro -q -o whole.csv`;
  const { files, stderr } = await night.runAt('2026-12-20T08:00:00+01:00', line);
  expect(stderr).toBe('');
  return files['whole.csv'];
}

describe('a file that ends before its day is over is never final', () => {
  test.each([
    {
      name: 'the run begins at 22:30, and the report is created at 00:10',
      window: '--since 2026-11-19 --until now',
      service: '2026-11-21T00:10:00+01:00',
      machine: '2026-11-20T22:30:00+01:00',
    },
    {
      name: 'the clock of this machine is a day slow for one night',
      window: '--since 2026-11-19 --until now',
      service: '2026-11-21T06:15:00+01:00',
      machine: '2026-11-20T06:15:00+01:00',
    },
  ])('$name', async ({ window, service, machine }) => {
    const nights = await serveNights();
    const first = await nights.runJobAt(service, window, machine);
    expect(first.exitCode, first.stderr).toBe(0);
    const cut = nights.readDay('2026-11-20');

    const { stderr } = await nights.runJobAt('2026-11-22T06:15:00+01:00', window);

    expect(stderr).toBe('');
    expect(nights.readDay('2026-11-20')).not.toBe(cut);
    expect(nights.readDay('2026-11-20')).toBe(await wholeDay(nights, '2026-11-20'));
  });

  test('without another run it becomes stale, and repair downloads it', async () => {
    const nights = await serveNights();
    await nights.runJobAt(
      '2026-11-21T00:10:00+01:00',
      '--since 2026-11-19 --until 2026-11-20T22:30',
      '2026-11-20T22:30:00+01:00',
    );
    const morning = '2026-11-24T06:15:00+01:00';
    expect(await nights.problemsAt(morning)).toContain('stale data/2026-11-20.csv');

    await nights.runAt(morning, 'repair data -q');

    expect(nights.readDay('2026-11-20')).toBe(await wholeDay(nights, '2026-11-20'));
  });
});

const empty = (document: object) => ({ ...document, data: [] });

test('after one empty response for a day that ends at 06:15, the day is due the next night', async () => {
  const nights = await serveNights();
  const window = '--since 2026-11-19 --until now';
  await nights.runJobAt('2026-11-20T06:15:00+01:00', window);
  const morning = nights.readDay('2026-11-20');
  nights.changeReports(empty);
  await nights.runJobAt('2026-11-21T06:15:00+01:00', window);
  expect(nights.readDay('2026-11-20')).toBe(morning);
  expect(await nights.problemsAt('2026-11-23T06:15:00+01:00')).toContain(
    'stale data/2026-11-20.csv',
  );

  nights.changeReports(undefined);
  await nights.runJobAt('2026-11-22T06:15:00+01:00', window);

  expect(nights.readDay('2026-11-20')).toBe(await wholeDay(nights, '2026-11-20'));
});

/** Rows without figures, made from the first row of a report. */
const withoutFigures: Record<string, (row: object) => object[]> = {
  'no rows': () => [],
  'a row of nulls': (row) => [{ ...row, os: null, displays: null, revenueEuro: null }],
  'a row of empty texts': (row) => [{ ...row, os: 'No data', displays: '', revenueEuro: '' }],
  'a row of zeros': (row) => [{ ...row, os: '', displays: 0, revenueEuro: '0,00' }],
};

describe('a report without figures never replaces a file with figures', () => {
  test.each(Object.keys(withoutFigures))('%s', async (kind) => {
    const nights = await serveNights();
    await nights.runJobAt('2026-11-20T06:15:00+01:00', '--since 2026-11-19 --lookback 1');
    const before = nights.readDay('2026-11-19');
    nights.changeReports((document) => {
      const { data } = document as { readonly data: readonly object[] };
      return { ...document, data: data.slice(0, 1).flatMap((row) => withoutFigures[kind]?.(row)) };
    });

    const { exitCode, stderr } = await nights.runJobAt(
      '2026-11-21T06:15:00+01:00',
      '--since 2026-11-19 --until yesterday --lookback 1',
    );

    expect(exitCode).toBe(0);
    expect(stderr).toContain('2026-11-19.csv is kept, because the new report has no numbers');
    expect(nights.readDay('2026-11-19')).toBe(before);
  });

  test('rows whose sum is zero are figures', async () => {
    const nights = await serveNights();
    const refunds = (document: object) => {
      const { data } = document as { readonly data: readonly object[] };
      const [row] = data;
      const first = { ...row, os: 'a', displays: 0, revenueEuro: 5 };
      return { ...document, data: [first, { ...first, os: 'b', revenueEuro: -5 }] };
    };
    nights.changeReports(refunds);
    await nights.runJobAt('2026-11-20T06:15:00+01:00', '--since 2026-11-19 --lookback 1');
    const before = nights.readDay('2026-11-19');
    nights.changeReports(empty);

    await nights.runJobAt('2026-11-21T06:15:00+01:00', '--since 2026-11-19 --lookback 1');

    expect(nights.readDay('2026-11-19')).toBe(before);
  });

  test('zeros may replace zeros', async () => {
    const nights = await serveNights();
    const zeros = (names: readonly string[]) => (document: object) => {
      const { data } = document as { readonly data: readonly object[] };
      const rows = names.map((os) => ({ ...data[0], os, displays: 0, revenueEuro: 0 }));
      return { ...document, data: rows };
    };
    nights.changeReports(zeros(['a']));
    await nights.runJobAt('2026-11-20T06:15:00+01:00', '--since 2026-11-19 --lookback 1');
    nights.changeReports(zeros(['a', 'b']));

    const { stderr } = await nights.runJobAt(
      '2026-11-21T06:15:00+01:00',
      '--since 2026-11-19 --lookback 1',
    );

    expect(stderr).toBe('');
    expect(nights.readDay('2026-11-19')).toContain('b,');
  });
});

describe('a folder keeps its columns', () => {
  const line = 'run --since 2026-11-17 --until yesterday --by OS --split day -o data/{date}.csv';
  const friday = '2026-11-20T06:15:00+01:00';
  const saturday = '2026-11-21T06:15:00+01:00';

  test('without --metrics a run asks for those of the folder, in a dry run too', async () => {
    const nights = await serveNights();
    await nights.runAt(friday, `${line} --missing -q --metrics displays,clicks`);

    const dry = await nights.runAt(saturday, `${line} --missing --dry-run --json`);
    const { requests } = JSON.parse(dry.stdout);
    const { exitCode, stderr } = await nights.runAt(saturday, `${line} --missing`);

    expect(requests).toMatchObject([{ body: { metrics: 'displays,clicks' } }]);
    expect(exitCode, stderr).toBe(0);
    expect(stderr).toContain(
      'Using the metrics already in {date}.csv: displays, clicks. To change them, add --metrics',
    );
    expect(nights.readDay('2026-11-20')).toContain('os,displays,clicks');
  });

  test('a metric that this version knows and the folder does not have is no reason to refuse', async () => {
    const nights = await serveNights();
    await nights.runAt(friday, `${line} --missing -q`);
    const path = join(nights.cwd, 'data/_adreport.ndjson');
    const written = readFileSync(path, 'utf8');
    // As a version before this one wrote it, which did not know leads.
    expect(written).toContain('"leads",');
    writeFileSync(path, written.replace('"leads",', ''));

    const { exitCode, stderr } = await nights.runAt(saturday, `${line} --missing`);

    expect(exitCode, stderr).toBe(0);
    expect(nights.readDay('2026-11-20')).not.toContain('leads');
  });
});

test('a history that is removed during a run ends the run', async () => {
  const nights = await serveNights();
  const path = join(nights.cwd, 'data/_adreport.ndjson');
  nights.changeReports((document) => {
    rmSync(path, { force: true });
    return document;
  });

  const { exitCode, stderr, files, histories } = await nights.runJobAt(
    '2026-11-20T06:15:00+01:00',
    '--period last-2d',
  );

  expect(exitCode).toBe(8);
  expect(stderr).toContain('it was removed while this command was running');
  expect({ files, histories }).toEqual({ files: {}, histories: {} });
});

test('2,000 or 19,000 blanks in a period are an error at once', async () => {
  const nights = await serveNights();
  const morning = '2026-11-20T06:15:00+01:00';
  await nights.runJobAt(morning, '--period last-2d');
  const path = join(nights.cwd, 'data/_adreport.ndjson');
  const [spec = ''] = readFileSync(path, 'utf8').split('\n');
  for (const count of [2_000, 19_000]) {
    const blanks = `last${' '.repeat(count)}7d`;
    appendFileSync(path, `${spec.replace('last-2d', blanks)}\n`);
    const refused = await nights.runAt(morning, ['run', '--period', blanks] as never);
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain('Unknown period');
    writeFileSync(join(nights.cwd, 'adreport.yaml'), `reports: {a: {period: "${blanks}"}}\n`);
    expect(await nights.runAt(morning, 'run a')).toMatchObject({ exitCode: 2 });
  }
  const { stdout, exitCode } = await nights.runAt(morning, 'check data');
  expect(exitCode, stdout).toBe(0);
  expect(stdout).toContain('2 lines of _adreport.ndjson skipped');
});

test('the line that resumes an interrupted --refetch is whole', async () => {
  const nights = await serveNights();
  const line = 'run --period last-2d --by OS --metrics displays --split day -o data/{date}.csv';
  await nights.runAt('2026-11-20T06:15:00+01:00', `${line} --missing -q`);
  nights.stopReports();

  const { stderr } = await nights.runAt(
    '2026-11-21T06:15:00+01:00',
    `${line} --refetch --wait-timeout 1m`,
  );

  expect(stderr).toMatch(/adreport run .*--period 2026-11-19..2026-11-20.* --refetch/);
});
