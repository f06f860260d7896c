import { DateTime, IANAZone } from 'luxon';
import { dayOf } from '../contract/values.ts';
import { UsageError } from '../errors.ts';
import { formatDuration } from '../text/quantity.ts';

/**
 * Windows, and the arithmetic of clocks and calendars in a report's zone.
 *
 * Instants are unix seconds. Wall times are the local times of the zone, but stored as UTC, so that
 * calendar arithmetic is not affected by clock changes.
 */

/** First and last unix second of a report, inclusive (`decisions.md` 2). */
export interface Window {
  readonly since: number;
  readonly until: number;

  /** IANA name of the zone of days and wall times. */
  readonly zone: string;

  /** Requested last second, if the window ends earlier because that is not over. */
  readonly plannedUntil?: number;

  /** Sentences for the user on skipped or repeated wall times. */
  readonly notes: readonly string[];
}

const secondsPerDay = 86_400;

/**
 * Caches offsets by zone and instant. Without it, a run over ten years of days would spend a tenth
 * of a second in `Intl`.
 */
const offsetsByZone = new Map<string, Map<number, number>>();

/** A zone's cache is emptied when it is larger than this. */
const maxOffsets = 50_000;

/** Returns seconds from UTC. */
export function offsetAt(instant: number, zone: string): number {
  // No zone changes its clocks twice on a day.
  const day = Math.floor(instant / secondsPerDay) * secondsPerDay;
  const offset = readOffset(day, zone);
  const isSameAllDay = offset === readOffset(day + secondsPerDay, zone);
  return isSameAllDay ? offset : readOffset(instant, zone);
}

function readOffset(instant: number, zone: string): number {
  let offsets = offsetsByZone.get(zone);
  if (!offsets || offsets.size > maxOffsets) {
    offsets = new Map();
    offsetsByZone.set(zone, offsets);
  }

  const earlier = offsets.get(instant);
  if (earlier !== undefined) return earlier;

  const offset = Math.round(IANAZone.create(zone).offset(instant * 1_000) * 60);
  offsets.set(instant, offset);
  return offset;
}

/** Rejects offsets (`+02:00`), although Node accepts them. */
export function isZoneName(name: string): boolean {
  return /^[a-z]/i.test(name) && IANAZone.create(name).isValid;
}

export function wallAt(instant: number, zone: string): DateTime {
  return DateTime.fromSeconds(instant + offsetAt(instant, zone), { zone: 'utc' });
}

export interface WallInstants {
  /** They differ if a clock change repeats the time. */
  readonly first: number;
  readonly last: number;

  /** Set if a clock change skips the time. Both instants are then the first one after it. */
  readonly isSkipped: boolean;
}

export function instantsOf(wall: DateTime, zone: string): WallInstants {
  const wallSeconds = wall.toSeconds();
  const before = offsetAt(wallSeconds - secondsPerDay, zone);
  const after = offsetAt(wallSeconds + secondsPerDay, zone);
  const instants: number[] = [];
  for (const offset of new Set([before, after])) {
    const instant = wallSeconds - offset;
    if (instant + offsetAt(instant, zone) === wallSeconds) instants.push(instant);
  }

  const [first, last = first] = instants;
  if (first !== undefined && last !== undefined) return { first, last, isSkipped: false };

  // With the offset before the change, the time is after it. Clocks change at whole minutes.
  let instant = wall.startOf('minute').toSeconds() - before;
  const offset = offsetAt(instant, zone);
  while (offsetAt(instant - 60, zone) === offset) instant -= 60;
  return { first: instant, last: instant, isSkipped: true };
}

/** Like `instantsOf`, for a wall time in milliseconds since 1970, as if it were UTC. */
export function instantsAt(wallMs: number, zone: string): WallInstants {
  return instantsOf(DateTime.fromMillis(wallMs, { zone: 'utc' }), zone);
}

/** Returns the first instant of a day, given its midnight. */
export function startOfDay(midnight: DateTime, zone: string): number {
  const { first, last } = instantsOf(midnight, zone);
  // If clocks go back across midnight (St John's until 2010), the first midnight is followed by an
  // hour of the previous day.
  return wallAt(last - 1, zone) < midnight ? last : first;
}

/** Formats an instant as in a report's summary: `2026-10-25T02:00:00+0200`. */
export function formatInstant(instant: number, zone: string): string {
  return DateTime.fromSeconds(instant, { zone }).toFormat("yyyy-MM-dd'T'HH:mm:ssZZZ");
}

/** Formats an instant as in RFC 3339: `2026-10-25T02:00:00+02:00`. */
export function formatTime(instant: number, zone: string): string {
  return DateTime.fromSeconds(instant, { zone }).toFormat("yyyy-MM-dd'T'HH:mm:ssZZ");
}

/** Formats the local date of an instant: `2026-10-25`. */
export function formatDate(instant: number, zone: string): string {
  const wall = new Date((instant + offsetAt(instant, zone)) * 1_000);
  return wall.toISOString().slice(0, -'T00:00:00.000Z'.length);
}

/** Returns the length of a window in wall time, in days. */
function daysIn({ since, until, zone }: Window): number {
  return wallAt(until + 1, zone)
    .diff(wallAt(since, zone))
    .as('days');
}

/** In the zone of the window. */
export interface WindowDescription {
  /** First and last second, `2026-10-25T02:00:00+02:00`. */
  readonly since: string;
  readonly until: string;

  /** For example `7 days` or `25 h: clock change`. */
  readonly length: string;
}

export function describeWindow(window: Window): WindowDescription {
  const { since, until, zone } = window;
  const days = daysIn(window);
  const seconds = until + 1 - since;
  const isWholeDays = Number.isInteger(days) && days > 1;
  const length = isWholeDays ? `${days} days` : formatDuration(seconds * 1_000);
  const hasChange = Math.round(days * secondsPerDay) !== seconds;
  return {
    since: formatTime(since, zone),
    until: formatTime(until, zone),
    length: hasChange ? `${length}: clock change` : length,
  };
}

/**
 * Throws `UsageError` for a window that has not begun.
 *
 * @param now in unix seconds
 * @param flag sets the beginning of the window
 */
export function requireBegun({ since, zone }: Window, now: number, flag = '--since'): void {
  if (since <= now) return;

  const begin = formatInstant(since, zone);
  throw new UsageError(`The period has not begun: it begins at ${begin}.`, {
    about: { flag },
    hint: 'Choose an earlier period, for example --period yesterday.',
  });
}

/**
 * Returns notes for the user: how wall times were resolved, and that the window is not over.
 *
 * @param now in unix seconds
 */
export function notesOf(window: Window, now: number): string[] {
  const { until, zone, notes } = window;
  if (until <= now) return [...notes];

  const end = formatInstant(until, zone);
  const note = `The period ends in the future (${end}): the report covers only the time until now.`;
  return [...notes, note];
}

/** Weeks are ISO 8601 weeks. */
export const splitUnits = ['day', 'week', 'month'] as const;
export type SplitUnit = (typeof splitUnits)[number];

/** Local to a zone. */
export interface CalendarUnit {
  /** First and last local day, `2026-11-01`. */
  readonly since: string;
  readonly until: string;

  /** First second, and first second after it, in unix seconds. */
  readonly start: number;
  readonly over: number;
}

/** Parses `2026-11-01`; `undefined` for an invalid day. */
function midnightOf(text: string): DateTime | undefined {
  const day = dayOf(text);
  if (day === undefined) return undefined;
  return DateTime.fromSeconds(day * secondsPerDay, { zone: 'utc' });
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
  const wall = midnightOf(day)?.startOf(unit);
  if (!wall) return undefined;

  const end = wall.plus({ [unit]: 1 });
  const last = end.minus({ day: 1 });
  return {
    since: wall.toFormat('yyyy-MM-dd'),
    until: last.toFormat('yyyy-MM-dd'),
    start: startOfDay(wall, zone),
    over: startOfDay(end, zone),
  };
}

/** Returns the instant at which `count` more units after a given one are over. */
export function endAfterUnits(
  { until }: Pick<CalendarUnit, 'until'>,
  count: number,
  { unit, zone }: { readonly unit: SplitUnit; readonly zone: string },
): number {
  const last = midnightOf(until);
  if (!last) throw new Error(`${until} is not a day.`);
  return startOfDay(last.plus({ day: 1 }).plus({ [unit]: count }), zone);
}

/** Part of a window in one calendar unit, with the first second of the unit and after it. */
export interface UnitWindow extends Window {
  readonly unitSince: number;
  readonly unitOver: number;
}

/** Parts of a run: half a century of days. More is probably a typo. */
export const maxParts = 20_000;

const daysPerUnit = { day: 1, week: 7 } as const;

/** Faster than Luxon: in wall time, all days have the same length. */
function daysLater(wall: DateTime, days: number): DateTime {
  return DateTime.fromSeconds(wall.toSeconds() + days * secondsPerDay, { zone: 'utc' });
}

/**
 * Splits a window at the calendar units of its zone. The parts cover it without gaps, in time
 * order; the first and the last may be cut. Throws `UsageError` for more than 20,000 parts.
 */
export function splitWindow(window: Window, unit: SplitUnit): UnitWindow[] {
  const parts: UnitWindow[] = [];
  for (const part of unitWindows(window, unit)) {
    if (parts.length === maxParts) {
      throw new UsageError(
        `--split ${unit} would request more than 20,000 reports for this period.`,
        {
          about: { flag: '--split' },
          hint: 'Use a shorter period, or a longer --split.',
        },
      );
    }
    parts.push(part);
  }
  return parts;
}

function* unitWindows(window: Window, unit: SplitUnit): Generator<UnitWindow> {
  const { zone } = window;
  let { since } = window;
  let wall = wallAt(since, zone).startOf(unit);
  let unitSince = startOfDay(wall, zone);
  while (since <= window.until) {
    wall = unit === 'month' ? wall.plus({ month: 1 }) : daysLater(wall, daysPerUnit[unit]);
    const unitOver = startOfDay(wall, zone);
    // A day that the calendar skipped has no seconds.
    if (unitOver <= since) continue;

    const until = Math.min(unitOver - 1, window.until);
    yield { since, until, zone, notes: [], unitSince, unitOver };
    since = unitOver;
    unitSince = unitOver;
  }
}

/** Yields the calendar units that overlap a window, as whole units, in time order. */
export function* calendarUnitsIn(
  window: Pick<Window, 'since' | 'until' | 'zone'>,
  unit: SplitUnit,
): Generator<CalendarUnit> {
  const { zone } = window;
  for (const { unitSince, unitOver } of unitWindows({ ...window, notes: [] }, unit)) {
    const since = formatDate(unitSince, zone);
    const until = unit === 'day' ? since : formatDate(unitOver - 1, zone);
    yield { since, until, start: unitSince, over: unitOver };
  }
}

/** Returns the instant, in unix seconds, with the same wall time one unit earlier. */
export function oneUnitBefore(instant: number, unit: SplitUnit, zone: string): number {
  return instantsOf(wallAt(instant, zone).minus({ [unit]: 1 }), zone).first;
}
