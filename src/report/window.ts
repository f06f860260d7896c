import { DateTime, IANAZone } from 'luxon';
import { dayOf } from '../contract/values.ts';
import { UsageError } from '../errors.ts';
import { formatDuration } from '../text/quantity.ts';

/**
 * Stretches of time in a report's zone, and the arithmetic of its clocks and calendar.
 *
 * An instant is in unix seconds. A wall time is what the clocks of the zone show, as a time in UTC:
 * so the calendar's arithmetic knows no clock changes.
 */

/** The window of a report: its first and its last second, in unix seconds (`decisions.md` 2). */
export interface Window {
  readonly since: number;
  readonly until: number;

  /** IANA name of the zone that days and wall times are of. */
  readonly zone: string;

  /**
   * The last second that was asked for, where the window ends earlier because that time is not
   * over.
   */
  readonly plannedUntil?: number;

  /** What the user should be told: how a skipped or doubled wall time was resolved. */
  readonly notes: readonly string[];
}

const secondsPerDay = 86_400;

/**
 * The offsets of a zone by instant. `Intl` takes some microseconds for each, and the calendar asks
 * for those of neighbouring days several times: a run over ten years of days would spend a tenth of
 * a second on them.
 */
const offsetsByZone = new Map<string, Map<number, number>>();

/** Of more instants the offsets are looked up anew. */
const offsetsAtMost = 50_000;

/** Seconds by which the clocks of a zone are ahead of UTC at an instant. */
export function offsetAt(instant: number, zone: string): number {
  let offsets = offsetsByZone.get(zone);
  if (!offsets || offsets.size > offsetsAtMost) {
    offsets = new Map();
    offsetsByZone.set(zone, offsets);
  }

  const earlier = offsets.get(instant);
  if (earlier !== undefined) return earlier;

  const offset = Math.round(IANAZone.create(zone).offset(instant * 1_000) * 60);
  offsets.set(instant, offset);
  return offset;
}

/** Whether there is a zone of that name. An offset (`+02:00`) is none, though Node takes it. */
export function isZoneName(name: string): boolean {
  return /^[a-z]/i.test(name) && IANAZone.isValidZone(name);
}

/** What the clocks of a zone show at an instant. */
export function wallAt(instant: number, zone: string): DateTime {
  return DateTime.fromSeconds(instant + offsetAt(instant, zone), { zone: 'utc' });
}

/** The instants at which clocks show a wall time. */
export interface WallInstants {
  /** They differ where a clock change doubles the time. */
  readonly first: number;
  readonly last: number;

  /** Whether a clock change skips the time: both instants are the first one after it. */
  readonly isSkipped: boolean;
}

/** The first and the last instant at which the clocks of a zone show a wall time. */
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

  // Read by the clock of before the change, the time lies after it. Clocks change at whole minutes.
  let instant = wall.startOf('minute').toSeconds() - before;
  const offset = offsetAt(instant, zone);
  while (offsetAt(instant - 60, zone) === offset) instant -= 60;
  return { first: instant, last: instant, isSkipped: true };
}

/** As `instantsOf`, of a wall time in milliseconds since 1970, as if it were UTC. */
export function instantsAt(wallMs: number, zone: string): WallInstants {
  return instantsOf(DateTime.fromMillis(wallMs, { zone: 'utc' }), zone);
}

/** The first instant of a day, which is given as its midnight. */
export function startOfDay(midnight: DateTime, zone: string): number {
  const { first, last } = instantsOf(midnight, zone);
  // Where clocks go back over midnight (St John's until 2010), an hour of the day before follows
  // the first midnight.
  return wallAt(last - 1, zone) < midnight ? last : first;
}

/** An instant as the service writes it in a report's summary: `2026-10-25T02:00:00+0200`. */
export function formatInstant(instant: number, zone: string): string {
  return DateTime.fromSeconds(instant, { zone }).toFormat("yyyy-MM-dd'T'HH:mm:ssZZZ");
}

/** The local date of an instant, `2026-10-25`. */
export function formatDate(instant: number, zone: string): string {
  const wall = new Date((instant + offsetAt(instant, zone)) * 1_000);
  return wall.toISOString().slice(0, -'T00:00:00.000Z'.length);
}

/** How long a window is by the clock on the wall, in days. */
function daysIn({ since, until, zone }: Window): number {
  return wallAt(until + 1, zone)
    .diff(wallAt(since, zone))
    .as('days');
}

/** How a window reads in its zone. */
export interface WindowDescription {
  /** Its first and its last second. */
  readonly since: string;
  readonly until: string;

  /** Such as `7 days`, `25 h: clock change`. */
  readonly length: string;
}

/** Describes a window as people read it. */
export function describeWindow(window: Window): WindowDescription {
  const { since, until, zone } = window;
  const days = daysIn(window);
  const seconds = until + 1 - since;
  const isWholeDays = Number.isInteger(days) && days > 1;
  const length = isWholeDays ? `${days} days` : formatDuration(seconds * 1_000);
  const hasChange = Math.round(days * secondsPerDay) !== seconds;
  return {
    since: formatInstant(since, zone),
    until: formatInstant(until, zone),
    length: hasChange ? `${length}: clock change` : length,
  };
}

/**
 * Throws `UsageError` for a window that has not begun.
 *
 * @param now the present, in unix seconds
 * @param flag the flag that names its beginning
 */
export function expectBegun({ since, zone }: Window, now: number, flag = '--since'): void {
  if (since <= now) return;

  const begin = formatInstant(since, zone);
  throw new UsageError(`The window has not begun: it begins at ${begin}.`, {
    about: { flag },
    hint: 'Choose an earlier one, e.g. --period yesterday.',
  });
}

/**
 * What the user should be told of a window: how wall times were resolved, and that it is not over.
 *
 * @param now the present, in unix seconds
 */
export function notesOf(window: Window, now: number): string[] {
  const { until, zone, notes } = window;
  if (until <= now) return [...notes];

  const end = formatInstant(until, zone);
  const present = formatInstant(now, zone);
  const note = `The window is not over: it ends at ${end}, and it is ${present} now.`;
  return [...notes, note];
}

/** The values of `--split`; weeks are those of ISO 8601. */
export const splitUnits = ['day', 'week', 'month'] as const;
export type SplitUnit = (typeof splitUnits)[number];

/** A day, a week or a month of the calendar of a zone. */
export interface CalendarUnit {
  /** Its first and its last local day, `2026-11-01`. */
  readonly since: string;
  readonly until: string;

  /** Its first second, and the first after it, in unix seconds. */
  readonly start: number;
  readonly over: number;
}

/** The midnight of `2026-11-01`; `undefined` for what is no day. */
function midnightOf(text: string): DateTime | undefined {
  const day = dayOf(text);
  if (day === undefined) return undefined;
  return DateTime.fromSeconds(day * secondsPerDay, { zone: 'utc' });
}

/**
 * The calendar unit that holds a day.
 *
 * @param day as `2026-11-01`
 * @returns `undefined` for what is no day
 */
export function unitHolding(day: string, unit: SplitUnit, zone: string): CalendarUnit | undefined {
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

/** The instant at which so many units more are over than the one that ends with a day. */
export function overAfter(
  { until }: Pick<CalendarUnit, 'until'>,
  count: number,
  { unit, zone }: { readonly unit: SplitUnit; readonly zone: string },
): number {
  const last = midnightOf(until);
  if (!last) throw new Error(`${until} is no day.`);
  return startOfDay(last.plus({ day: 1 }).plus({ [unit]: count }), zone);
}

/** A part of a window within one calendar unit: the unit's first second, and the first after it. */
export interface UnitWindow extends Window {
  readonly unitSince: number;
  readonly unitOver: number;
}

/**
 * Half a century of days: more is a slip of the pen, and each part is a report. It holds for a run
 * too.
 */
export const partsAtMost = 20_000;

const daysPerUnit = { day: 1, week: 7 } as const;

/** A wall time so many days later: there every day is as long. */
function later(wall: DateTime, days: number): DateTime {
  return DateTime.fromSeconds(wall.toSeconds() + days * secondsPerDay, { zone: 'utc' });
}

/**
 * The window in parts, one a calendar unit of its zone, in time order. The parts tile it: each
 * begins one second after the one before ends; the first and the last are cut where the window is.
 * Throws `UsageError` for more than 20,000.
 */
export function splitWindow(window: Window, unit: SplitUnit): UnitWindow[] {
  const parts: UnitWindow[] = [];
  for (const part of unitWindows(window, unit)) {
    if (parts.length === partsAtMost) {
      throw new UsageError(`--split ${unit} would make more than 20,000 parts of this window.`, {
        about: { flag: '--split' },
        hint: 'Choose a shorter window, or longer parts.',
      });
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
    wall = unit === 'month' ? wall.plus({ month: 1 }) : later(wall, daysPerUnit[unit]);
    const unitOver = startOfDay(wall, zone);
    // A day that the calendar skipped has no seconds.
    if (unitOver <= since) continue;

    const until = Math.min(unitOver - 1, window.until);
    yield { since, until, zone, notes: [], unitSince, unitOver };
    since = unitOver;
    unitSince = unitOver;
  }
}

/** The calendar units that have a second in a window, in time order; whole also at its ends. */
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

/** The instant, in unix seconds, at which clocks showed the same time one unit before. */
export function oneUnitBefore(instant: number, unit: SplitUnit, zone: string): number {
  return instantsOf(wallAt(instant, zone).minus({ [unit]: 1 }), zone).first;
}
