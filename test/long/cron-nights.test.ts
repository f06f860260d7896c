import { expect, test } from 'vitest';
import { serveForTest } from '../support/service.ts';

// A year with both clock changes in Paris, a turn of the year and a leap day.

const dayMs = 86_400_000;
const firstNight = '2027-10-04';
const lastNight = '2028-10-03';

/** Nights on which nothing runs: the first and the last of each outage. */
const outages = [
  // Over the end of summer time.
  { from: '2027-10-30', to: '2027-11-02' },
  // Longer than the lookback, and shorter than a rolling window.
  { from: '2027-12-20', to: '2028-01-11' },
  // Longer than a rolling window, over the leap day and the beginning of summer time.
  { from: '2028-02-20', to: '2028-04-19' },
  { from: '2028-06-10', to: '2028-06-10' },
  { from: '2028-07-01', to: '2028-07-31' },
] as const;

/** The day `count` days after another. */
function addDays(day: string, count: number): string {
  return new Date(Date.parse(day) + count * dayMs).toISOString().slice(0, 10);
}

/** The days from one to another, inclusive. */
function* daysFrom(first: string, last: string): Generator<string> {
  for (let day = first; day <= last; day = addDays(day, 1)) yield day;
}

/** A service that corrects a day for three more days, and a job next to it. */
async function serveNights(split: 'day' | 'week' | 'month') {
  let nowMs = 0;
  const service = await serveForTest({ delayMs: 0, restate: 3, clock: () => nowMs });
  const request = `--by OS --metrics displays,downloads --split ${split} -q`;

  /** Sets the clock to four or five in the morning in Paris, in winter or summer. */
  function wakeOn(day: string): void {
    nowMs = Date.parse(day) + 3 * 3_600_000;
  }

  function run(line: string) {
    return service.run(line, { now: nowMs });
  }

  async function expectSuccess(line: string): Promise<string> {
    const { exitCode, stdout, stderr } = await run(line);
    expect(exitCode, `${new Date(nowMs).toISOString()} ${stdout} ${stderr}`).toBe(0);
    return stderr;
  }

  /** The problems of `check`, as kind and file. */
  async function problems(): Promise<string[]> {
    const { stdout } = await run('check data --json');
    const found: { readonly kind: string; readonly file: string }[] = JSON.parse(stdout).problems;
    return found.map(({ kind, file }) => `${kind} ${file}`);
  }

  /** Compares the files of some days with the service's final data. */
  async function expectTruth(first: string, last: string): Promise<void> {
    wakeOn(addDays(last, 100));
    const { exitCode, stderr, files } = await run(
      `run --period ${first}..${last} ${request} -o truth/{date}.csv`,
    );
    expect(exitCode, stderr).toBe(0);
    for (const day of daysFrom(first, last)) {
      expect(files[`data/${day}.csv`], day).toBe(files[`truth/${day}.csv`]);
    }
  }

  return { request, wakeOn, expectSuccess, problems, expectTruth };
}

test.for([
  { name: 'that begins at a day', window: '--since 2027-10-01 --until yesterday', rolls: false },
  { name: 'that rolls', window: '--period last-30d', rolls: true },
])(
  'a year of a job with a window $name, with outages of up to 60 nights: every file is correct',
  async ({ window, rolls }) => {
    const { request, wakeOn, expectSuccess, problems, expectTruth } = await serveNights('day');
    const line = `run ${window} ${request} --missing --lookback 3 -o data/{date}.csv`;

    for (const night of daysFrom(firstNight, lastNight)) {
      const outage = outages.find(({ from, to }) => from <= night && night <= to);
      wakeOn(night);
      if (outage) {
        // The day before the outage is the last one that was downloaded.
        const lost = [...daysFrom(addDays(outage.from, -1), addDays(night, -2))];
        const found = await problems();
        const missing = found.filter((each) => each.startsWith('missing'));
        expect(missing, night).toEqual(lost.map((day) => `missing data/${day}.csv`));
        // Each night, one more of the three days that were not final becomes stale.
        const silentDays = (Date.parse(night) - Date.parse(outage.from)) / dayMs + 1;
        const stale = Math.max(0, Math.min(3, silentDays - 2));
        expect(found.length - missing.length, night).toBe(stale);
        continue;
      }

      const stderr = await expectSuccess(line);
      const hasGap = stderr.includes('adreport repair data');
      expect(rolls || !hasGap, night).toBe(true);
      if (hasGap) await expectSuccess('repair data -q');
      expect(await problems(), night).toEqual([]);
    }

    // Later days were not final on the last night.
    const first = rolls ? addDays(firstNight, -30) : '2027-10-01';
    await expectTruth(first, addDays(lastNight, -5));
  },
);

test.for([
  { split: 'week', period: 'last-4w', runsOn: (day: string) => new Date(day).getUTCDay() === 1 },
  { split: 'month', period: 'last-quarter', runsOn: (day: string) => day.endsWith('-02') },
] as const)(
  'a year of a job that runs each $split has no finding on any day between',
  async ({ split, period, runsOn }) => {
    const { request, wakeOn, expectSuccess, problems } = await serveNights(split);
    const lookback = split === 'week' ? '--lookback 1' : '';
    const line = `run --period ${period} ${request} --missing ${lookback} -o data/{since}.csv`;
    let runs = 0;

    for (const day of daysFrom(firstNight, lastNight)) {
      wakeOn(day);
      if (runsOn(day)) {
        await expectSuccess(line);
        runs += 1;
      }
      if (runs > 0) expect(await problems(), day).toEqual([]);
    }
    expect(runs).toBeGreaterThanOrEqual(12);
  },
);
