import { plusUnits, type Window, ZoneClock } from './window.ts';

/** What `--compare` takes. */
export const comparedWindows = ['previous', 'last-year'] as const;

export type ComparedWindow = (typeof comparedWindows)[number];

/** The window of as many days that ends where this one begins, or the same dates a year earlier. */
export function earlierWindow({ since, until, zone }: Window, which: ComparedWindow): Window {
  const clock = new ZoneClock(zone);
  const instantOf = (wall: number): number => clock.instantsOf(wall)[0] ?? clock.instantAfterGap(wall);
  const [first, over] = [clock.wallAt(since), clock.wallAt(until + 1)];
  if (which === 'previous') return { since: instantOf(2 * first - over), until: since - 1, zone, notes: [] };
  const [start, end] = [plusUnits(first, -1, 'year'), plusUnits(over, -1, 'year')];
  return { since: instantOf(start), until: instantOf(end) - 1, zone, notes: [] };
}
