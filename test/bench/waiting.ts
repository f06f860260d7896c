import { nextPauseMs } from '../../src/report/wait.ts';

/**
 * How soon each tool would notice that a report is ready, and how many status calls that takes it: its schedule of
 * pauses, played against reports of five lengths. No real time passes.
 */

const secondMs = 1_000;
const minuteMs = 60 * secondMs;

interface Schedule {
  readonly name: string;
  /** Milliseconds before the poll of that number (from 0), when so much time has been waited. */
  readonly pauseMs: (poll: number, waitedMs: number) => number;
}

/** Pauses from a list, the last of which goes on for ever. */
function listed(name: string, ...pausesSeconds: readonly number[]): Schedule {
  const last = pausesSeconds.at(-1) ?? 1;
  return { name, pauseMs: (poll) => (pausesSeconds[poll] ?? last) * secondMs };
}

/** Pauses that double up to a longest. */
function doubling(name: string, firstSeconds: number, longestSeconds: number): Schedule {
  return { name, pauseMs: (poll) => Math.min(firstSeconds * 2 ** poll, longestSeconds) * secondMs };
}

const schedules: readonly Schedule[] = [
  {
    name: 'adreport (auto)',
    pauseMs: (poll, waitedMs) =>
      poll === 0 ? 0 : (nextPauseMs({ interval: 'auto', waitedMs, timeoutMs: Infinity }) ?? Number.NaN),
  },
  listed("Microsoft's SDK: 1 s × 4, then 5 s", 1, 1, 1, 1, 5),
  doubling('ingestr: 3 s doubling to 20 s', 3, 20),
  listed('Airbyte Facebook: 30 s', 30),
  listed('OWOX: 3, 3 + 5, 5, 10, 10, then 15 s', 3, 8, 5, 10, 10, 15),
  doubling('tap-facebook: 10 s doubling to 320 s', 10, 320),
];

const reports = [
  ['2 s', 2 * secondMs],
  ['20 s', 20 * secondMs],
  ['2 min', 2 * minuteMs],
  ['10 min', 10 * minuteMs],
  ['1 h', 60 * minuteMs],
] as const;

function play({ pauseMs }: Schedule, readyAfterMs: number): { lagMs: number; polls: number } {
  let waitedMs = 0;
  for (let poll = 0; ; poll += 1) {
    waitedMs += pauseMs(poll, waitedMs);
    if (waitedMs >= readyAfterMs) return { lagMs: waitedMs - readyAfterMs, polls: poll + 1 };
  }
}

/** Means over reports that take from 10 % less to 10 % more, so that no schedule is lucky. */
function mean(schedule: Schedule, aboutMs: number): { lagMs: number; polls: number } {
  const samples = 1_000;
  let [lagMs, polls] = [0, 0];
  for (let sample = 0; sample < samples; sample += 1) {
    const played = play(schedule, aboutMs * (0.9 + (0.2 * (sample + 0.5)) / samples));
    lagMs += played.lagMs / samples;
    polls += played.polls / samples;
  }
  return { lagMs, polls };
}

function row(cells: readonly string[]): string {
  return cells.map((cell, column) => (column === 0 ? cell.padEnd(40) : cell.padStart(18))).join('');
}

const table = [
  row(['mean lag (status calls)', ...reports.map(([name]) => name)]),
  ...schedules.map((schedule) =>
    row([
      schedule.name,
      ...reports.map(([, aboutMs]) => {
        const { lagMs, polls } = mean(schedule, aboutMs);
        return `${(lagMs / secondMs).toFixed(2)} s (${polls.toFixed(polls < 10 ? 1 : 0)})`;
      }),
    ]),
  ),
];
console.log(table.join('\n'));
