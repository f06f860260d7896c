import { DateTime, Duration, IANAZone } from 'luxon';
import { parseDay } from '../contract/values.ts';

/**
 * Clocks and calendar of a report's zone.
 *
 * Instants are unix seconds. A wall time is the local time of a zone, written as if it were UTC.
 * Clock changes therefore do not affect calendar arithmetic.
 */

/** First and last second of a report, inclusive, and the zone of its days. */
export interface Window {
  readonly since: number;
  readonly until: number;

  /**
   * First second after the whole period, which is later than `until + 1` while the period is still
   * running.
   */
  readonly end: number;

  /** IANA name of the zone. */
  readonly zone: string;
}

/** A day, ISO week or month of a zone. */
export interface CalendarUnit {
  /** First and last local day, `2026-11-01`. */
  readonly firstDay: string;
  readonly lastDay: string;

  /** First second of the unit, and first second after it. */
  readonly since: number;
  readonly end: number;
}

export const splitUnits = ['day', 'week', 'month'] as const;
export type SplitUnit = (typeof splitUnits)[number];

/** A wall time as a date. The zone of the object is always UTC. */
export type WallTime = DateTime;

const secondsPerDay = 86_400;

/** Returns the offset from UTC in seconds. */
export function offsetAt(instant: number, zone: string): number {
  return Math.round(IANAZone.create(zone).offset(instant * 1_000) * 60);
}

/** Rejects offsets (`+02:00`), although Node accepts them. */
export function isZoneName(name: string): boolean {
  return /^[a-z]/i.test(name) && IANAZone.create(name).isValid;
}

export function wallAt(instant: number, zone: string): WallTime {
  return DateTime.fromSeconds(instant + offsetAt(instant, zone), { zone: 'utc' });
}

/**
 * Instants of a wall time. If a clock change repeats the wall time, the first and the last instant
 * differ.
 */
interface WallInstants {
  readonly first: number;
  readonly last: number;

  /**
   * Whether a clock change skips the wall time. Both instants are then the first instant after the
   * gap.
   */
  readonly isSkipped: boolean;
}

export function findInstants(wall: WallTime, zone: string): WallInstants {
  const wallSeconds = wall.toSeconds();
  const before = offsetAt(wallSeconds - secondsPerDay, zone);
  const after = offsetAt(wallSeconds + secondsPerDay, zone);
  if (before === after) {
    const instant = wallSeconds - before;
    return { first: instant, last: instant, isSkipped: false };
  }
  const instants = [wallSeconds - before, wallSeconds - after].filter(
    (instant) => instant + offsetAt(instant, zone) === wallSeconds,
  );

  const [first, last = first] = instants;
  if (first !== undefined && last !== undefined) return { first, last, isSkipped: false };

  // With the offset from before the change, the time is after the change. Clocks change at whole
  // minutes.
  let instant = wall.startOf('minute').toSeconds() - before;
  const offset = offsetAt(instant, zone);
  while (offsetAt(instant - 60, zone) === offset) instant -= 60;
  return { first: instant, last: instant, isSkipped: true };
}

/** Finds the instants of a wall time in milliseconds since 1970, as if in UTC. */
export function instantsAt(wallMs: number, zone: string): WallInstants {
  return findInstants(DateTime.fromMillis(wallMs, { zone: 'utc' }), zone);
}

/** Returns the first instant of the day with this midnight. */
export function startOfDay(midnight: WallTime, zone: string): number {
  const { first, last } = findInstants(midnight, zone);
  // If clocks go back across midnight, an hour of the previous day follows the first midnight (St.
  // John's until 2010).
  return first !== last && wallAt(last - 1, zone) < midnight ? last : first;
}

/** Returns the midnight at an instant, or `undefined` if no day begins at that instant. */
export function midnightAt(instant: number, zone: string): WallTime | undefined {
  const midnight = wallAt(instant, zone).startOf('day');
  return startOfDay(midnight, zone) === instant ? midnight : undefined;
}

/** First midnight of a range of days, and the midnight after the range. */
export interface Days {
  readonly start: WallTime;
  readonly end: WallTime;
}

/** Forms of a period, as Luxon formats. */
const calendarForms = [
  { form: 'yyyy', unit: 'year' },
  { form: "yyyy-'q'q", unit: 'quarter' },
  { form: 'yyyy-MM', unit: 'month' },
  { form: "kkkk-'w'WW", unit: 'week' },
  { form: 'yyyy-MM-dd', unit: 'day' },
] as const;

/** Parses `2026`, `2026-q3`, `2026-10`, `2026-w45` or `2026-11-01`, or returns `undefined`. */
export function readDays(text: string): Days | undefined {
  for (const { form, unit } of calendarForms) {
    const start = DateTime.fromFormat(text, form, { zone: 'utc', locale: 'en' });
    if (start.isValid) return { start, end: start.plus({ [unit]: 1 }) };
  }
  return undefined;
}

/** Common forms that are not accepted, each with the accepted form, as Luxon formats. */
const otherForms = [
  { form: 'd.M.yyyy', accepted: 'yyyy-MM-dd' },
  { form: 'yyyy/M/d', accepted: 'yyyy-MM-dd' },
  { form: 'yyyyMMdd', accepted: 'yyyy-MM-dd' },
  { form: 'LLLL yyyy', accepted: 'yyyy-MM' },
] as const;

/** Returns `2026-10-31` for `31.10.2026`, and `2026-10` for `October 2026`. */
export function findAcceptedForm(text: string): string | undefined {
  for (const { form, accepted } of otherForms) {
    const date = DateTime.fromFormat(text, form, { zone: 'utc', locale: 'en' });
    if (date.isValid) return date.toFormat(accepted);
  }
  return undefined;
}

/**
 * Parses an ISO 8601 date-time, `2026-11-01T14:30`, or returns `undefined`. With an offset, the
 * result is in UTC.
 */
export function readWallTime(
  text: string,
): { readonly wall: WallTime; readonly hasOffset: boolean } | undefined {
  const iso = text.replace(' ', 'T').replace(' ', '');
  const match = /^\d{4}-[\dW-]+T[\d:.,]+(Z|[+-][\d:]+)?$/.exec(iso);
  const wall = match ? DateTime.fromISO(iso, { zone: 'utc' }) : undefined;
  return wall?.isValid ? { wall, hasOffset: match?.[1] !== undefined } : undefined;
}

/** Formats an instant as the service does: `2026-10-25T02:00:00+0200`. */
export function formatInstant(instant: number, zone: string): string {
  return DateTime.fromSeconds(instant, { zone }).toFormat("yyyy-MM-dd'T'HH:mm:ssZZZ");
}

/** Formats an instant in RFC 3339: `2026-10-25T02:00:00+02:00`. */
function formatTime(instant: number, zone: string): string {
  return DateTime.fromSeconds(instant, { zone }).toFormat("yyyy-MM-dd'T'HH:mm:ssZZ");
}

/** Formats the first and last second of a period in RFC 3339. */
export function formatEnds({ since, until, zone }: Omit<Window, 'end'>): {
  readonly since: string;
  readonly until: string;
} {
  return { since: formatTime(since, zone), until: formatTime(until, zone) };
}

/** Formats the local date of an instant: `2026-10-25`. */
export function formatDate(instant: number, zone: string): string {
  return formatWallDay(wallAt(instant, zone));
}

function formatWallDay(wall: WallTime): string {
  return wall.toJSDate().toISOString().slice(0, '2026-11-01'.length);
}

/** Formats days for `--period`: `2026-11-01`, `2026-11-02..2026-11-08`. */
export function formatDays({
  firstDay,
  lastDay,
}: Pick<CalendarUnit, 'firstDay' | 'lastDay'>): string {
  return firstDay === lastDay ? firstDay : `${firstDay}..${lastDay}`;
}

/** Counts the local days of a window, including partial days. */
export function countDays({ since, until, zone }: Omit<Window, 'end'>): number {
  return dayNumber(formatDate(until, zone)) - dayNumber(formatDate(since, zone)) + 1;
}

/** Counts days from 1970. */
function dayNumber(day: string): number {
  const number = parseDay(day);
  if (number === undefined) throw new Error(`${day} is not a day.`);
  return number;
}

function toMidnight(day: string): WallTime {
  return DateTime.fromSeconds(dayNumber(day) * secondsPerDay, { zone: 'utc' });
}

/**
 * Finds the calendar unit that contains a day.
 *
 * @param day as `2026-11-01`
 * @returns `undefined` for an invalid day
 */
export function unitContaining(
  day: string,
  unit: SplitUnit,
  zone: string,
): CalendarUnit | undefined {
  if (parseDay(day) === undefined) return undefined;
  const since = startOfDay(toMidnight(day).startOf(unit), zone);
  return unitsIn({ since, until: since, zone }, unit).next().value ?? undefined;
}

/** Yields the whole calendar units that overlap a window, in time order. */
export function* unitsIn(
  { since, until, zone }: Omit<Window, 'end'>,
  unit: SplitUnit,
): Generator<CalendarUnit> {
  let midnight = wallAt(since, zone).startOf(unit);
  let start = startOfDay(midnight, zone);
  while (start <= until) {
    const next = midnight.plus({ [unit]: 1 });
    const end = startOfDay(next, zone);
    const firstDay = formatWallDay(midnight);
    const lastDay = unit === 'day' ? firstDay : formatWallDay(next.minus({ day: 1 }));
    // Some zones have skipped a day.
    if (end > start) yield { firstDay, lastDay, since: start, end };
    midnight = next;
    start = end;
  }
}

/** Returns the end of the unit that comes `count` units later. */
export function endAfterUnits(
  { lastDay }: Pick<CalendarUnit, 'lastDay'>,
  count: number,
  { unit, zone }: { readonly unit: SplitUnit; readonly zone: string },
): number {
  const next = toMidnight(lastDay).plus({ day: 1 });
  return startOfDay(next.plus({ [unit]: count }), zone);
}

/** Counts the units from 1970-01-01 to the unit that contains a day. */
export function unitNumber(day: string, unit: SplitUnit): number {
  if (unit === 'day') return dayNumber(day);
  // 1970-01-01 was a Thursday.
  if (unit === 'week') return Math.floor((dayNumber(day) + 3) / 7);

  const { year, month } = toMidnight(day);
  return 12 * (year - 1_970) + month - 1;
}

/** Units that are compared as whole units, longest first. */
const comparedUnits = ['year', 'quarter', 'month', 'week', 'day'] as const;

export const comparisons = ['previous', 'last-year'] as const;
export type ComparisonName = (typeof comparisons)[number];

/**
 * Shortens a period that is still running, for a comparison. The result has only complete days, or
 * complete hours if the first day has not ended.
 *
 * @param now in unix seconds
 */
export function comparableWindow(window: Window, now: number): Window {
  const { since, until, zone } = window;
  if (now >= until || now < since) return window;

  const midnight = startOfDay(wallAt(now, zone).startOf('day'), zone);
  if (midnight > since) return { ...window, until: midnight - 1 };

  const hour = now - (wallAt(now, zone).toSeconds() % 3_600);
  return { ...window, until: Math.min(until, Math.max(hour, since + 3_600) - 1) };
}

/**
 * Finds the period to compare with (`cli.md`, Choosing a report): the previous calendar units, the
 * same number of days before, or the same dates or ISO weeks a year earlier.
 *
 * @param window already limited by `comparableWindow`
 */
export function earlierWindow(window: Window, which: ComparisonName): Window {
  const { zone } = window;
  const first = toWallTime(window.since, zone);
  const last = toWallTime(window.until + 1, zone);
  const distance = distanceTo(window, which);

  const since = toInstant(first.minus(distance), zone);
  const end = toInstant(endBefore(last, distance, wholeUnits(window)?.unit === 'day'), zone);
  // Even if a clock change skips the whole earlier period, one second remains.
  const until = Math.max(since, end - 1);
  return { since, until, end: until + 1, zone };
}

/** Returns the calendar distance to the earlier period. */
function distanceTo(window: Window, which: ComparisonName): Duration {
  const { since, end, zone } = window;
  const first = toWallTime(since, zone);
  const units = wholeUnits(window);
  if (which === 'last-year') {
    if (units?.unit !== 'week') return Duration.fromObject({ years: 1 });
    return first.diff(sameWeekOfYearBefore(first), 'days');
  }
  if (units) return Duration.fromObject({ [units.unit]: units.count });

  const length = toWallTime(end, zone).diff(first);
  const beginsWithDay = first.equals(first.startOf('day'));
  return beginsWithDay ? Duration.fromObject({ days: Math.ceil(length.as('days')) }) : length;
}

/**
 * Finds the longest calendar unit that divides a period, and counts the units. Returns `undefined`
 * if the period has partial days.
 */
function wholeUnits({ since, end, zone }: Window) {
  const first = midnightAt(since, zone);
  const last = midnightAt(end, zone);
  if (!first || !last) return undefined;

  const unit = comparedUnits.find((candidate) => {
    return first.equals(first.startOf(candidate)) && last.equals(last.startOf(candidate));
  });
  return unit && { unit, count: Math.round(last.diff(first, unit).as(unit)) };
}

/**
 * Returns the Monday of the same ISO week a year earlier, or the Monday 52 weeks earlier if that
 * year has no week 53.
 */
function sameWeekOfYearBefore(monday: WallTime): WallTime {
  const { weekYear, weekNumber } = monday;
  const sameNumber = DateTime.fromObject(
    { weekYear: weekYear - 1, weekNumber, weekday: 1 },
    { zone: 'utc' },
  );
  return sameNumber.isValid ? sameNumber : monday.minus({ weeks: 52 });
}

/** Moves the end to the earlier period, at most to the end of a shorter month. */
function endBefore(end: WallTime, distance: Duration, consistsOfDays: boolean): WallTime {
  const isMidnight = end.equals(end.startOf('day'));
  if (consistsOfDays && isMidnight) {
    // Moving the last day keeps 28 February on 28 February in a leap year.
    return end.minus({ days: 1 }).minus(distance).plus({ days: 1 });
  }
  const before = end.minus(distance);
  const isCut = !before.plus(distance).equals(end);
  return isCut ? before.startOf('day').plus({ days: 1 }) : before;
}

/**
 * Returns the wall time of an instant. For the first instant of a day, this is midnight, even if a
 * clock change skips midnight.
 */
export function toWallTime(instant: number, zone: string): WallTime {
  return midnightAt(instant, zone) ?? wallAt(instant, zone);
}

function toInstant(wall: WallTime, zone: string): number {
  const isMidnight = wall.equals(wall.startOf('day'));
  return isMidnight ? startOfDay(wall, zone) : findInstants(wall, zone).first;
}
