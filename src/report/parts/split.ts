import { plusUnits, startOfUnit, type Window, ZoneClock } from '../window/window.ts';

/** The values of `--split`. */
export const splitUnits = ['day', 'week', 'month'] as const;

export type SplitUnit = (typeof splitUnits)[number];

/**
 * The window in parts, one a calendar unit of its zone (weeks begin on Monday), in time order. The parts tile it:
 * each begins one second after the one before ends; the first and the last are cut where the window is.
 */
export function splitWindow(window: Window, unit: SplitUnit): Window[] {
  const clock = new ZoneClock(window.zone);
  const parts: Window[] = [];
  let since = window.since;
  for (let wall = startOfUnit(clock.wallAt(since), unit); since <= window.until; ) {
    wall = plusUnits(wall, 1, unit);
    const next = clock.startOfDay(wall);
    // A day that the calendar skipped has no seconds, and a clock that went back over midnight repeats a boundary.
    if (next <= since) continue;
    const until = Math.min(next - 1, window.until);
    parts.push({ since, until, zone: window.zone, notes: [] });
    since = next;
  }
  return parts;
}
