import { formatInstant, secondsPerDay, startOfUnit, type Window, ZoneClock } from './window.ts';

/** The two ends and the length of a window, as text for people. */
export interface WindowDescription {
  /** Local time of the first second with its offset, `2026-10-25T00:00:00+0200`. */
  readonly since: string;
  /** That of the last second. */
  readonly until: string;
  /** `7 days`, `36 h`, `25 h: clock change`. */
  readonly length: string;
}

/** How a window reads in its zone: what `--dry-run` and the ledger show. */
export function describeWindow(window: Window): WindowDescription {
  return {
    since: formatInstant(window.since, window.zone),
    until: formatInstant(window.until, window.zone),
    length: describeLength(window),
  };
}

function describeLength({ since, until, zone }: Window): string {
  const clock = new ZoneClock(zone);
  const end = until + 1;
  const [first, last] = [midnightAt(since, clock), midnightAt(end, clock)];
  const wholeDays = first !== undefined && last !== undefined;
  const wallSeconds = wholeDays ? last - first : clock.wallAt(end) - clock.wallAt(since);
  const text = wholeDays ? daysText(wallSeconds / secondsPerDay, end - since) : hoursText(end - since);
  return wallSeconds === end - since ? text : `${text}: clock change`;
}

/** Midnight, as a wall time, of the day that begins at an instant; `undefined` where none does. */
function midnightAt(instant: number, clock: ZoneClock): number | undefined {
  const midnight = startOfUnit(clock.wallAt(instant), 'day');
  return clock.startOfDay(midnight) === instant ? midnight : undefined;
}

function daysText(days: number, seconds: number): string {
  if (days < 2) return hoursText(seconds);
  return seconds === days * secondsPerDay ? `${days} days` : `${days} days (${hoursText(seconds)})`;
}

function hoursText(seconds: number): string {
  const parts = [
    [Math.floor(seconds / 3_600), 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ] as const;
  return parts.flatMap(([count, unit]) => (count > 0 ? [`${count} ${unit}`] : [])).join(' ');
}
