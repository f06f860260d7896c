import { DateTime, Duration } from 'luxon';
import {
  formatDate,
  formatInstant,
  instantsOf,
  startOfDay,
  type Window,
  wallAt,
} from './window.ts';

export const comparedWindows = ['previous', 'last-year'] as const;
export type ComparedWindow = (typeof comparedWindows)[number];

export interface EarlierWindow extends Window {
  /** Last second of the later window that is compared; earlier than its end if not over. */
  readonly laterUntil: number;
}

/** Units that are compared as a whole, longest first. Weeks are ISO 8601 weeks. */
const calendarUnits = ['year', 'quarter', 'month', 'week', 'day'] as const;

const secondsPerHour = 3_600;

/**
 * Finds the window to compare with (`cli.md`, Comparisons): the preceding calendar units, the same
 * number of days before, or the same dates or ISO weeks of the year before. If the window is not
 * over, both are compared up to the last full hour.
 *
 * @param now in unix seconds
 */
export function earlierWindow(window: Window, which: ComparedWindow, now: number): EarlierWindow {
  const { zone } = window;
  const first = wallOf(window.since, zone);
  const laterUntil = lastComparable(window, now);
  const over = wallOf(laterUntil + 1, zone);
  const distance = distanceTo(window, which);

  const since = instantOf(first.minus(distance), zone);
  const consistsOfDays = unitsOf(window)?.unit === 'day';
  const endsWithDay = consistsOfDays && over.equals(over.startOf('day'));
  const before = endsWithDay ? endOfDayBefore(over, distance) : endBefore(over, distance);
  const end = instantOf(before, zone);
  // If a clock change skips the whole earlier window, one second remains.
  return { since, until: Math.max(since, end - 1), zone, notes: [], laterUntil };
}

/**
 * Limits a window to the part that can be compared. A window that is not over ends with its last
 * whole day, or with its last whole hour if it has no whole day, and gets a note.
 *
 * @param now in unix seconds
 */
export function comparableWindow(window: Window, now: number): Window {
  const { since, until, zone } = window;
  if (now >= until || now < since) return window;

  const midnight = startOfDay(wallAt(now, zone).startOf('day'), zone);
  const end = midnight > since ? midnight - 1 : lastComparable(window, now);
  const lastPart = midnight > since ? formatDate(end, zone) : formatInstant(end, zone);
  const note = `${formatDate(now, zone)} is not over. To keep the comparison fair, the report ends with ${lastPart}.`;
  return { ...window, until: end, plannedUntil: until, notes: [...window.notes, note] };
}

/** Partial days count. */
export function calendarDays({ since, until, zone }: Omit<Window, 'notes'>): number {
  const firstDay = DateTime.fromISO(formatDate(since, zone), { zone: 'utc' });
  const lastDay = DateTime.fromISO(formatDate(until, zone), { zone: 'utc' });
  return lastDay.diff(firstDay).as('days') + 1;
}

/** Returns the last second to compare: the end of the window, or of the last full hour so far. */
function lastComparable({ since, until, plannedUntil, zone }: Window, now: number): number {
  if (plannedUntil !== undefined) return until;
  if (now >= until || now < since) return until;

  const hourOver = now - (wallAt(now, zone).toSeconds() % secondsPerHour);
  const firstHourOver = since + secondsPerHour;
  return Math.min(until, Math.max(hourOver, firstHourOver) - 1);
}

/** Returns the calendar distance from a window to the earlier one. */
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
 * Returns the longest calendar units that a window consists of; `undefined` if it has partial days.
 */
function unitsOf({ since, until, plannedUntil = until, zone }: Window) {
  const first = midnightAt(since, zone);
  const over = midnightAt(plannedUntil + 1, zone);
  if (!first || !over) return undefined;

  const unit = calendarUnits.find((candidate) => {
    return first.equals(first.startOf(candidate)) && over.equals(over.startOf(candidate));
  });
  if (!unit) return undefined;

  return { unit, count: Math.round(over.diff(first, unit).as(unit)) };
}

/**
 * Returns the Monday of the same ISO week a year before; 52 weeks before if there was no week 53.
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
 * Ends an earlier window of days. Computed from its last day, so that a window that ends on 28
 * February also ends on 28 February a year before, even in a leap year.
 */
function endOfDayBefore(over: DateTime, distance: Duration): DateTime {
  return over.minus({ days: 1 }).minus(distance).plus({ days: 1 });
}

/**
 * Ends the earlier window, at the end of the month if that is too short (one month before 30
 * March).
 */
function endBefore(over: DateTime, distance: Duration): DateTime {
  const end = over.minus(distance);
  const isCut = !end.plus(distance).equals(over);
  return isCut ? end.startOf('day').plus({ days: 1 }) : end;
}

/**
 * Returns the wall time of an instant; midnight for the first instant of a day, even if skipped.
 */
function wallOf(instant: number, zone: string): DateTime {
  return midnightAt(instant, zone) ?? wallAt(instant, zone);
}

/** Returns the midnight of the day that begins at an instant; `undefined` if none does. */
function midnightAt(instant: number, zone: string): DateTime | undefined {
  const midnight = wallAt(instant, zone).startOf('day');
  return startOfDay(midnight, zone) === instant ? midnight : undefined;
}

function instantOf(wall: DateTime, zone: string): number {
  const isMidnight = wall.equals(wall.startOf('day'));
  return isMidnight ? startOfDay(wall, zone) : instantsOf(wall, zone).first;
}
