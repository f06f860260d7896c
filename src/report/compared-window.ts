import { DateTime, Duration } from 'luxon';
import {
  formatDate,
  formatInstant,
  instantsOf,
  startOfDay,
  type Window,
  wallAt,
} from './window.ts';

/** The values of `--compare`. */
export const comparedWindows = ['previous', 'last-year'] as const;
export type ComparedWindow = (typeof comparedWindows)[number];

/** What a window is held against, and what a reader should know of it. */
export interface EarlierWindow extends Window {
  /**
   * The last instant of the later window that counts: an earlier one, where that window is not
   * over.
   */
  readonly laterUntil: number;
}

/**
 * The calendar units that windows are held against as such, the longest first; weeks are those of
 * ISO 8601.
 */
const calendarUnits = ['year', 'quarter', 'month', 'week', 'day'] as const;
type CalendarUnit = (typeof calendarUnits)[number];

/** A window that consists of whole calendar units: of which, and how many. */
interface WholeUnits {
  readonly unit: CalendarUnit;
  readonly count: number;
}

const secondsPerHour = 3_600;

/**
 * The earlier window that a window is held against (`cli.md`, Comparisons): as many calendar units
 * before, as many days before, or the same dates or ISO weeks of the year before. Of a window that
 * is not over, so many hours count as are.
 *
 * @param now the present, in unix seconds
 */
export function earlierWindow(window: Window, which: ComparedWindow, now: number): EarlierWindow {
  const { zone } = window;
  const first = wallOf(window.since, zone);
  const laterUntil = lastToCount(window, now);
  const over = wallOf(laterUntil + 1, zone);
  const distance = distanceTo(window, which);

  const since = instantOf(first.minus(distance), zone);
  const consistsOfDays = unitsOf(window)?.unit === 'day';
  const endsWithDay = consistsOfDays && over.equals(over.startOf('day'));
  const before = endsWithDay ? endOfDayBefore(over, distance) : endBefore(over, distance);
  const end = instantOf(before, zone);
  // Where clocks skip the whole of the earlier window, its first second is left.
  return { since, until: Math.max(since, end - 1), zone, notes: [], laterUntil };
}

/**
 * A window as far as it can be compared: one that is not over ends with its last whole day, and
 * where it has none, with its last whole hour. A note says so.
 *
 * @param now the present, in unix seconds
 */
export function comparableWindow(window: Window, now: number): Window {
  const { since, until, zone } = window;
  if (now >= until || now < since) return window;

  const midnight = startOfDay(wallAt(now, zone).startOf('day'), zone);
  const end = midnight > since ? midnight - 1 : lastToCount(window, now);
  const lastPart = midnight > since ? formatDate(end, zone) : formatInstant(end, zone);
  const note = `${formatDate(now, zone)} is not over: for the comparison the report ends with ${lastPart}.`;
  return { ...window, until: end, plannedUntil: until, notes: [...window.notes, note] };
}

/** How many days of the calendar a window has; a day that it has a part of counts. */
export function calendarDays({ since, until, zone }: Omit<Window, 'notes'>): number {
  const firstDay = DateTime.fromISO(formatDate(since, zone), { zone: 'utc' });
  const lastDay = DateTime.fromISO(formatDate(until, zone), { zone: 'utc' });
  return lastDay.diff(firstDay).as('days') + 1;
}

/** The last instant that counts: of a window that is not over, the end of the last hour that is. */
function lastToCount({ since, until, plannedUntil, zone }: Window, now: number): number {
  if (plannedUntil !== undefined) return until;
  if (now >= until || now < since) return until;

  const hourOver = now - (wallAt(now, zone).toSeconds() % secondsPerHour);
  const firstHourOver = since + secondsPerHour;
  return Math.min(until, Math.max(hourOver, firstHourOver) - 1);
}

/** How far before a window the earlier one lies, by the calendar. */
function distanceTo(window: Window, which: ComparedWindow): Duration {
  const { since, until, plannedUntil = until, zone } = window;
  const first = wallOf(since, zone);
  const over = wallOf(plannedUntil + 1, zone);
  const units = unitsOf(window);

  if (which === 'last-year') {
    if (units?.unit !== 'week') return Duration.fromObject({ years: 1 });
    return first.diff(weekOfYearBefore(first), 'days');
  }
  if (units) return Duration.fromObject({ [units.unit]: units.count });

  const length = over.diff(first);
  const beginsWithDay = first.equals(first.startOf('day'));
  if (!beginsWithDay) return length;
  return Duration.fromObject({ days: Math.ceil(length.as('days')) });
}

/**
 * The longest calendar units that a window consists of; `undefined` where it does not run over
 * whole days.
 */
function unitsOf({ since, until, plannedUntil = until, zone }: Window): WholeUnits | undefined {
  const first = midnightAt(since, zone);
  const over = midnightAt(plannedUntil + 1, zone);
  if (!first || !over) return undefined;

  const unit = calendarUnits.find((each) => {
    return first.equals(first.startOf(each)) && over.equals(over.startOf(each));
  });
  if (!unit) return undefined;

  return { unit, count: Math.round(over.diff(first, unit).as(unit)) };
}

/**
 * The Monday of the same ISO week of the year before; of a week 53 that it lacks, of 52 weeks
 * before.
 */
function weekOfYearBefore(monday: DateTime): DateTime {
  const { weekYear, weekNumber } = monday;
  const sameNumber = DateTime.fromObject(
    { weekYear: weekYear - 1, weekNumber, weekday: 1 },
    { zone: 'utc' },
  );
  return sameNumber.isValid ? sameNumber : monday.minus({ weeks: 52 });
}

/**
 * The end of the earlier window of days, by the date of its last one: a year before 28 February
 * stands 28 February, and 29 February is another day.
 */
function endOfDayBefore(over: DateTime, distance: Duration): DateTime {
  return over.minus({ days: 1 }).minus(distance).plus({ days: 1 });
}

/**
 * The end of the earlier window. Where the month before is too short for its date (30 March, one
 * month before), it ends with that month.
 */
function endBefore(over: DateTime, distance: Duration): DateTime {
  const end = over.minus(distance);
  const isCut = !end.plus(distance).equals(over);
  return isCut ? end.startOf('day').plus({ days: 1 }) : end;
}

/**
 * What clocks show at an instant; at the first instant of a day, its midnight, which a clock change
 * may skip.
 */
function wallOf(instant: number, zone: string): DateTime {
  return midnightAt(instant, zone) ?? wallAt(instant, zone);
}

/** The midnight of the day that begins at an instant; `undefined` where none does. */
function midnightAt(instant: number, zone: string): DateTime | undefined {
  const midnight = wallAt(instant, zone).startOf('day');
  return startOfDay(midnight, zone) === instant ? midnight : undefined;
}

function instantOf(wall: DateTime, zone: string): number {
  const isMidnight = wall.equals(wall.startOf('day'));
  return isMidnight ? startOfDay(wall, zone) : instantsOf(wall, zone).first;
}
