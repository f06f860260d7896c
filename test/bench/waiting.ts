import { pauseAfter } from '../../src/client/wait.ts';

/**
 * How soon each tool would notice that a report is ready, and how many status calls that takes it:
 * its schedule of pauses, played against reports of five lengths. No real time passes.
 */

/** Seconds before the poll of that number (from 0), when so many have been waited. */
type Schedule = (poll: number, waited: number) => number;

const listed =
  (...pauses: readonly number[]): Schedule =>
  (poll) =>
    pauses[poll] ?? pauses.at(-1) ?? 1;
const doubling =
  (first: number, longest: number): Schedule =>
  (poll) =>
    Math.min(first * 2 ** poll, longest);
const auto: Schedule = (poll, waited) => (poll === 0 ? 0 : pauseAfter(waited * 1000) / 1000);

const schedules: Readonly<Record<string, Schedule>> = {
  'adreport (auto)': auto,
  "Microsoft's SDK: 1 s × 4, then 5 s": listed(1, 1, 1, 1, 5),
  'ingestr: 3 s doubling to 20 s': doubling(3, 20),
  'Airbyte Facebook: 30 s': listed(30),
  'OWOX: 3, 3 + 5, 5, 10, 10, then 15 s': listed(3, 8, 5, 10, 10, 15),
  'tap-facebook: 10 s doubling to 320 s': doubling(10, 320),
};

const reports = { '2 s': 2, '20 s': 20, '2 min': 120, '10 min': 600, '1 h': 3600 };

/** Means over reports that take from 10 % less to 10 % more, so that no schedule is lucky. */
function meanOf(pause: Schedule, about: number): string {
  let [lag, polls] = [0, 0];
  for (let sample = 0; sample < 1_000; sample += 1) {
    const readyAfter = about * (0.9 + (sample + 0.5) / 5_000);
    let waited = 0;
    for (let poll = 0; waited < readyAfter; poll += 1) {
      waited += pause(poll, waited);
      polls += 1;
    }
    lag += waited - readyAfter;
  }
  return `${(lag / 1_000).toFixed(2)} s (${(polls / 1_000).toFixed(polls < 10_000 ? 1 : 0)})`;
}

const row = (name: string, cells: readonly string[]) =>
  name.padEnd(40) + cells.map((cell) => cell.padStart(18)).join('');
console.log(row('mean lag (status calls)', Object.keys(reports)));
for (const [name, schedule] of Object.entries(schedules)) {
  console.log(
    row(
      name,
      Object.values(reports).map((about) => meanOf(schedule, about)),
    ),
  );
}
