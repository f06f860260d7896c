import { UsageError } from '../errors.ts';
import { type CalendarUnit, formatDate, unitHolding } from '../report/window.ts';
import { resolveWindow } from '../report/window-flags.ts';
import type { OrderLine } from './forms.ts';
import { type FetchedTime, longestUnitSeconds, unitsWithin } from './series.ts';

/** When a series was fetched, in seconds. */
export interface Rhythm {
  readonly last: number;

  /** The longest time between two runs. */
  readonly longest: number;

  /** The longest between two of the last runs: an outage of long ago is not waited out again. */
  readonly usual: number;
}

/** So many times between runs on different days are the last ones. */
const lastGapCount = 10;

/**
 * The rhythm of a series that a job keeps up; `undefined` where it was fetched on one day alone, or
 * for a fixed time.
 *
 * @param order the newest one of the series
 * @param times when its reports were created, in unix seconds, in any order
 */
export function rhythmOf(
  order: OrderLine,
  times: readonly number[],
  now: number,
): Rhythm | undefined {
  if (!isRelative(order, now)) return undefined;

  const sorted = times.filter((time) => time <= now).sort((one, other) => one - other);
  const dayOf = (time: number): string => formatDate(time, order.timezone);
  const days = new Set(sorted.map(dayOf));
  const last = sorted.at(-1);
  if (last === undefined || days.size < 2) return undefined;

  let longest = 0;
  let before = last;
  const gaps: number[] = [];
  for (const time of sorted.toReversed()) {
    const gap = before - time;
    longest = Math.max(longest, gap);
    const isOfOtherDay = gap > 0 && dayOf(time) !== dayOf(before);
    if (isOfOtherDay) gaps.push(gap);
    before = time;
  }
  return { last, longest, usual: Math.max(...gaps.slice(0, lastGapCount)) };
}

/**
 * A cron job is expected a little later than after the longest time that lay between two of its
 * last runs.
 */
const patience = 9 / 8;

/** Whether the run that would have to fetch something from an instant on is still to come. */
export function isAwaited({ last, usual }: Rhythm, from: number, now: number): boolean {
  return last < from && now < last + patience * usual;
}

/** Whether the job that keeps a series up seems to have died. */
export function isLate({ last, longest }: Rhythm, { split }: OrderLine, now: number): boolean {
  const unitSeconds = longestUnitSeconds[split ?? 'day'];
  return now - last > Math.max(2 * longest, 2 * unitSeconds);
}

/** What a series lacks since its last unit, to the end of the window that its order has by now. */
export function timesSince(
  last: CalendarUnit | undefined,
  order: OrderLine,
  now: number,
): FetchedTime[] {
  const window = windowOf(order, now);
  if (!last) return window.since <= window.until ? [window] : [];

  const times: FetchedTime[] = [];
  const end = unitHolding(
    formatDate(window.until, order.timezone),
    order.split ?? 'day',
    order.timezone,
  );
  for (const { start, over } of unitsWithin(order, { since: last.over, until: end?.over ?? 0 })) {
    if (start <= window.until)
      times.push({ since: start, until: Math.min(over - 1, window.until) });
  }
  return times;
}

/** Whether the window of an order depends on when it is run. */
function isRelative(order: OrderLine, now: number): boolean {
  const today = windowOf(order, now);
  const later = windowOf(order, now + 800 * 86_400);
  return plannedEnd(today) !== plannedEnd(later);
}

/** The end of a window that was asked for, also where it is still to come. */
function plannedEnd({ until, plannedUntil = until }: OrderWindow): number {
  return plannedUntil;
}

interface OrderWindow extends FetchedTime {
  readonly plannedUntil?: number;
}

/** The window that an order has as of a time; an empty one where the books tell none. */
function windowOf({ since, until, period, timezone }: OrderLine, now: number): OrderWindow {
  try {
    return resolveWindow({ since, until, period, zone: timezone, nowMs: now * 1_000 });
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { since: 0, until: -1 };
  }
}
