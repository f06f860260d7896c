import { expect, test } from 'vitest';
import { serveForTest } from '../support/service.ts';

// A year with both changes of the clocks in Paris, a year's end and a leap day.

const dayMs = 86_400_000;
const firstNight = '2027-10-04';
const lastNight = '2028-10-03';

/** Those nights on which nothing runs: the first and the last of each outage. */
const outages = [
  // Over the end of summer time.
  { from: '2027-10-30', to: '2027-11-02' },
  // Longer than the lookback, and shorter than the window.
  { from: '2027-12-20', to: '2028-01-11' },
  // Longer than the window, over the leap day and the begin of summer time.
  { from: '2028-02-20', to: '2028-04-04' },
  { from: '2028-06-10', to: '2028-06-10' },
  { from: '2028-07-01', to: '2028-07-31' },
] as const;

/** A day so many days after another. */
function addDays(day: string, count: number): string {
  return new Date(Date.parse(day) + count * dayMs).toISOString().slice(0, 10);
}

/** The days from one to another, both included. */
function* daysFrom(first: string, last: string): Generator<string> {
  for (let day = first; day <= last; day = addDays(day, 1)) yield day;
}

/** A service that corrects a day for three more days, and the time of the program beside it. */
async function serveNights(split: 'day' | 'week' | 'month') {
  let nowMs = 0;
  const service = await serveForTest({ delayMs: 0, restateDays: 3, clock: () => nowMs });
  const request = `--by OS --metrics displays,downloads --split ${split} -q`;

  /** Goes to four or five in the morning in Paris, as summer and winter have it. */
  function wakeOn(day: string): void {
    nowMs = Date.parse(day) + 3 * 3_600_000;
  }

  function run(line: string) {
    return service.run(line, { now: nowMs });
  }

  async function expectSuccess(line: string): Promise<void> {
    const { exitCode, stdout, stderr } = await run(line);
    expect(exitCode, `${new Date(nowMs).toISOString()} ${stdout} ${stderr}`).toBe(0);
  }

  /** What `check` finds, a word and a file each. */
  async function findings(): Promise<string[]> {
    const { stdout } = await run('check data --json');
    const found: { readonly kind: string; readonly file: string }[] = JSON.parse(stdout).findings;
    return found.map(({ kind, file }) => `${kind} ${file}`);
  }

  /** Holds the files of some days to what the service says once nothing is corrected any more. */
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

  return { request, wakeOn, expectSuccess, findings, expectTruth };
}

test('a year of one cron line, with outages of up to 45 nights: every file is the truth', async () => {
  const { request, wakeOn, expectSuccess, findings, expectTruth } = await serveNights('day');
  const late = 'late data/{date}.csv';
  const line = `run --period last-30d ${request} --missing --lookback 3 -o data/{date}.csv`;

  for (const night of daysFrom(firstNight, lastNight)) {
    const outage = outages.find(({ from, to }) => from <= night && night <= to);
    wakeOn(night);
    if (outage) {
      const silentDays = (Date.parse(night) - Date.parse(outage.from)) / dayMs + 1;
      const found = await findings();
      // Until the first outage it came every day.
      if (outage === outages[0]) expect(found.includes(late), night).toBe(silentDays > 2);
      const others = found.filter((each) => each !== late && !each.startsWith('stale '));
      expect(others, night).toEqual([]);
      // Two days after the last night should have made it final, whatever outages were before.
      const isStale = found.some((each) => each.startsWith('stale '));
      expect(isStale, night).toBe(silentDays > 2);
      continue;
    }

    await expectSuccess(line);
    const ended = outages.find(({ to }) => to === addDays(night, -1));
    if (!ended) {
      expect(await findings(), night).toEqual([]);
      continue;
    }

    // The days that fell out of the window were never fetched, and one repair fetches them.
    const unseen = [...daysFrom(addDays(ended.from, -1), addDays(night, -31))];
    expect(await findings(), night).toEqual(unseen.map((day) => `missing data/${day}.csv`));
    if (unseen.length > 0) await expectSuccess('repair data -q');
    expect(await findings(), night).toEqual([]);
  }

  // The days after these were still to be corrected on the last night.
  await expectTruth(addDays(firstNight, -30), addDays(lastNight, -4));
});

test.for([
  { split: 'week', period: 'last-4w', runsOn: (day: string) => new Date(day).getUTCDay() === 1 },
  { split: 'month', period: 'last-month', runsOn: (day: string) => day.endsWith('-02') },
] as const)(
  'a year of a job that comes each $split: nothing is wrong on any day between',
  async ({ split, period, runsOn }) => {
    const { request, wakeOn, expectSuccess, findings } = await serveNights(split);
    const line = `run --period ${period} ${request} --missing --lookback 1 -o data/{since}.csv`;
    let runs = 0;

    for (const day of daysFrom(firstNight, lastNight)) {
      wakeOn(day);
      if (runsOn(day)) {
        await expectSuccess(line);
        runs += 1;
      }
      if (runs > 0) expect(await findings(), day).toEqual([]);
    }
    expect(runs).toBeGreaterThanOrEqual(12);
  },
);
