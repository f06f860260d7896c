import { UsageError } from '../errors.ts';
import { nearest } from '../text/nearest.ts';
import { didYouMean, type FlagValue, quoteIfNeeded, refuse } from './mistakes.ts';
import {
  type CalendarUnit,
  checkZoneName,
  formatInstant,
  plusUnits,
  type Span,
  startOfUnit,
  type Window,
  wallOf,
  ZoneClock,
} from './window.ts';

/** The flags of a window, as the user wrote them. */
export interface WindowFlags {
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly period?: string | undefined;
  /** Zone that days and wall times are of: the report's, never the machine's. */
  readonly zone: string;
  /** The present, in milliseconds since 1970. */
  readonly nowMs: number;
}

const examples =
  'For example: --period yesterday, --period last-7d, --period 2026-10, or --since 2026-11-01 --until 2026-11-15.';

/**
 * The window that `--since` and `--until`, or `--period`, name in a zone (`cli.md`, Flags of `report create` and
 * `run`). Throws `UsageError` for a value that is no date, and for a window that is missing, double, reversed or
 * before 1970.
 */
export function resolveWindow(flags: WindowFlags): Window {
  const clock = new ZoneClock(checkZoneName({ flag: '--timezone', text: flags.zone }));
  const zone = clock.name;
  const now = Math.floor(flags.nowMs / 1_000);
  const { since, until, period } = flags;
  if (period !== undefined) {
    if (since !== undefined || until !== undefined) {
      const other = since === undefined ? '--until' : '--since';
      const hint = 'Give --period, or --since and --until.';
      throw new UsageError(`--period and ${other} both name a window.`, { hint });
    }
    const value = { flag: '--period', text: period.trim() };
    return checkAge({ ...parsePeriod(value, clock, now), zone, notes: [] }, value);
  }
  if (since === undefined) {
    const problem = until === undefined ? 'The report has no window.' : '--until needs --since.';
    throw new UsageError(problem, { hint: examples });
  }
  const first = parseInstant({ flag: '--since', text: since.trim() }, { isSince: true, clock, now });
  const last = parseInstant({ flag: '--until', text: (until ?? 'now').trim() }, { isSince: false, clock, now });
  if (first.instant > last.instant) {
    const [from, to] = [first, last].map(({ instant }) => formatInstant(instant, zone));
    throw new UsageError(`--since ${from} is after --until ${to}: the window would end before it begins.`, {
      hint: 'The window runs from --since to --until (by default now).',
    });
  }
  const notes = [first, last].flatMap(({ note }) => note ?? []);
  return checkAge({ since: first.instant, until: last.instant, zone, notes }, { flag: '--since', text: since });
}

/** The service counts in unix seconds, from 1970 on (specification, Report request parameters). */
function checkAge(window: Window, value: FlagValue): Window {
  if (window.since >= 0) return window;
  throw refuse(value, "the service's time begins with 1970-01-01T00:00:00Z");
}

const acceptedPeriods =
  'Give today, yesterday, last-7d, last-24h, last-2w, this-week or last-week (also -month, -quarter, -year), 2026, ' +
  '2026-Q3, 2026-10, 2026-W45, 2026-11-01, or a range such as 2026-11-01..2026-11-15.';

/** The value of `--period`: whole days of the zone, except `last-24h`, which are the 24 hours that end now. */
function parsePeriod(value: FlagValue, clock: ZoneClock, now: number): Span {
  const hours = /^last-([1-9]\d{0,5})h$/i.exec(value.text);
  if (hours) return { since: now - Number(hours[1]) * 3_600 + 1, until: now };
  const { start, end } = parseRange(value, startOfUnit(clock.wallAt(now), 'day'));
  const span = { since: clock.startOfDay(start), until: clock.startOfDay(end) - 1 };
  if (span.since <= span.until) return span;
  throw refuse(value, `this day does not exist in ${clock.name}, where the calendar skipped it`);
}

/** `A..B`: from the first day of A to the last of B; or the days of a single name. */
function parseRange(value: FlagValue, today: number): Days {
  const daysOf = (text: string): Days => {
    const days = parseDays({ flag: value.flag, text }, today);
    if (days) return days;
    const ago = /^-?(\d+[dhw])$/i.exec(text)?.[1]?.toLowerCase();
    const meant = ago === undefined ? nearest(text, ['last-7d', 'last-24h', ...dayNames]) : `last-${ago}`;
    const problem = text === value.text ? 'this is no period' : `${text} is no day, week, month, quarter or year`;
    throw refuse(value, problem, meant === undefined ? acceptedPeriods : didYouMean(meant));
  };
  const [from, to, ...more] = value.text.split('..');
  if (from === undefined || to === undefined) return daysOf(value.text);
  if (from === '' || to === '' || more.length > 0) {
    throw refuse(value, 'a range is FIRST..LAST', 'For example 2026-11-01..2026-11-15, or 2026-01..2026-03.');
  }
  const [first, last] = [daysOf(from), daysOf(to)];
  if (last.start < first.start) throw refuse(value, 'the range ends before it begins', didYouMean(`${to}..${from}`));
  return { start: first.start, end: last.end };
}

/** What `--since` or `--until` comes to, with a sentence where a clock change skips or doubles the wall time named. */
interface ResolvedInstant {
  /** Unix seconds. */
  readonly instant: number;
  readonly note?: string;
}

interface InstantContext {
  /** Whether the first second of what the text names is meant, or the last. */
  readonly isSince: boolean;
  readonly clock: ZoneClock;
  /** Unix seconds. */
  readonly now: number;
}

const acceptedInstants =
  'Give a day (2026-11-01, today, yesterday), a date-time (2026-11-01T14:30, with Z or +01:00 if it is not of the ' +
  "report's zone), unix seconds, now, or a time ago (-36h, -7d, -2w).";

function parseInstant(value: FlagValue, context: InstantContext): ResolvedInstant {
  const { isSince, clock, now } = context;
  const { text } = value;
  if (text.toLowerCase() === 'now') return { instant: now };
  if (/^[+-]?\d+([.,]\d+)?$/.test(text)) return { instant: unixSeconds(value, clock) };
  const found = timeAgo(value, context) ?? dateTime(value, context);
  if (found) return found;
  const days = parseDays(value, startOfUnit(clock.wallAt(now), 'day'));
  if (days) return { instant: isSince ? clock.startOfDay(days.start) : clock.startOfDay(days.end) - 1 };
  const [, year, month, day] = /^(\d{4})[/.](\d{1,2})[/.](\d{1,2})$/.exec(text) ?? [];
  const ago = /^(?:last-)?(\d+[dhw])$/i.exec(text)?.[1]?.toLowerCase();
  const slashed = year && `${year}-${twoDigits(Number(month))}-${twoDigits(Number(day))}`;
  const meant = slashed ?? (ago === undefined ? nearest(text, ['now', ...dayNames]) : `-${ago}`);
  throw refuse(value, 'this is no day and no time', meant === undefined ? acceptedInstants : didYouMean(meant));
}

/** The last second of the year 9999. */
const lastInstant = 253_402_300_799;

function unixSeconds(value: FlagValue, clock: ZoneClock): number {
  const { text } = value;
  if (!/^\d+$/.test(text)) {
    const hint = /^-\d+$/.test(text) ? `Did you mean ${text}d or ${text}h?` : undefined;
    throw refuse(value, 'unix seconds are a whole number, 0 or more', hint);
  }
  const [date, year, month = '01', day = '01'] = /^((?:19|20)\d\d)(?:(0[1-9]|1[0-2])([0-3]\d)?)?$/.exec(text) ?? [];
  if (date) throw refuse(value, 'this could be a date or unix seconds', didYouMean(`${year}-${month}-${day}`));
  if (Number(text) <= lastInstant) return Number(text);
  // Clocks of other languages count in thousandths, millionths or billionths: 13, 16 or 19 digits for this century.
  const finer = { 13: 'milliseconds', 16: 'microseconds', 19: 'nanoseconds' }[text.length];
  if (finer === undefined) throw refuse(value, 'this is beyond the year 9999');
  const seconds = text.slice(0, 10);
  const meant = `${seconds} (${formatInstant(Number(seconds), clock.name)})`;
  throw refuse(value, `these look like ${finer}, and the service takes seconds`, didYouMean(meant));
}

/** `-36h` is that many hours ago; `-7d` and `-2w` are the same time of day so many days ago. */
function timeAgo(value: FlagValue, context: InstantContext): ResolvedInstant | undefined {
  const match = /^-(\d{1,6})([a-z]+)$/i.exec(value.text);
  if (!match) return undefined;
  const count = Number(match[1]);
  const unit = match[2]?.toLowerCase();
  if (unit === 'h') return { instant: context.now - count * 3_600 };
  if (unit === 'd' || unit === 'w') {
    return settle(plusUnits(context.clock.wallAt(context.now), -count, unit === 'd' ? 'day' : 'week'), value, context);
  }
  const hint = 'The units are h (hours), d (days) and w (weeks): -36h, -7d, -2w.';
  throw refuse(value, `${unit} is no unit of time here`, hint);
}

const dateTimeForm =
  /^(\d{4})-(\d{2})-(\d{2})[T ](\d{2})(?::(\d{2})(?::(\d{2})(?:[.,](\d+))?)?)? ?(?:(Z)|([+-]\d{2}):?(\d{2})?)?$/i;

/** An ISO 8601 date-time. Its parts of a second are rounded into the window: up for `since`, down for `until`. */
function dateTime(value: FlagValue, context: InstantContext): ResolvedInstant | undefined {
  const match = dateTimeForm.exec(value.text);
  if (!match) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, fraction = 0] = match
    .slice(1, 8)
    .map((part) => Number(part ?? 0));
  const midnight = dateWall(year, month, day, value);
  const parts = { hour: [hour, 23], minute: [minute, 59], second: [second, 59] } as const;
  for (const [name, [number, last]] of Object.entries(parts)) {
    if (number > last) throw refuse(value, `there is no ${name} ${number}`, `The last ${name} is ${last}.`);
  }
  const roundedUp = context.isSince && fraction > 0 ? 1 : 0;
  const wall = midnight + hour * 3_600 + minute * 60 + second + roundedUp;
  const [utc, hours, minutes = '00'] = match.slice(8);
  if (utc) return { instant: wall };
  if (hours === undefined) return settle(wall, value, context);
  if (Math.abs(Number(hours)) > 14 || Number(minutes) > 59) {
    throw refuse(value, `there is no offset ${hours}:${minutes}`, 'Offsets are -14:00 to +14:00, or Z.');
  }
  const offset = Math.abs(Number(hours)) * 3_600 + Number(minutes) * 60;
  return { instant: hours.startsWith('-') ? wall + offset : wall - offset };
}

/** The instant of a wall time: of one that a clock change skips or doubles, the first for `since`, the last for `until`. */
function settle(wall: number, { flag, text }: FlagValue, { isSince, clock }: InstantContext): ResolvedInstant {
  const [first, second] = clock.instantsOf(wall);
  if (first !== undefined && second === undefined) return { instant: first };
  const isDoubled = first !== undefined && second !== undefined;
  const gapEnd = isDoubled ? 0 : clock.instantAfterGap(wall);
  const instant = isDoubled ? (isSince ? first : second) : isSince ? gapEnd : gapEnd - 1;
  const [what, which] = isDoubled
    ? ['happens twice in ZONE, where the clocks go back', isSince ? 'first' : 'second']
    : ['does not exist in ZONE, where the clocks go forward', isSince ? 'first instant after' : 'last instant before'];
  const problem = `${flag} ${quoteIfNeeded(text)} ${what.replace('ZONE', clock.name)}`;
  return { instant, note: `${problem}: the ${which} is taken, ${formatInstant(instant, clock.name)}.` };
}

/** A run of whole calendar days: midnights as wall times, of the first day and of the day after the last. */
export interface Days {
  readonly start: number;
  readonly end: number;
}

const units: readonly CalendarUnit[] = ['week', 'month', 'quarter', 'year'];

/** The days that have a name of their own, as users write it: `today`, `last-month`. */
export const dayNames = ['today', 'yesterday', ...units.flatMap((unit) => [`this-${unit}`, `last-${unit}`])];

/**
 * The days that a text names: `today`, `last-month`, `last-7d`, `2026`, `2026-Q3`, `2026-10`, `2026-W45`, `2026-11-01`
 * (`cli.md`, Flags of `report create` and `run`). Case does not matter; `undefined` where the text has no such form.
 * `today` is the wall time of its midnight. Throws `UsageError` where a date has the form but does not exist.
 */
export function parseDays(value: FlagValue, today: number): Days | undefined {
  const text = value.text.toLowerCase();
  return relativeDays(text, today) ?? calendarDays(text, value);
}

/** `today`, `this-week`; `last-7d` are whole days before today, `last-2w` whole weeks before this one. */
function relativeDays(text: string, today: number): Days | undefined {
  const daysOf = (unit: CalendarUnit, back: number, count = 1): Days => {
    const start = plusUnits(startOfUnit(today, unit), -back, unit);
    return { start, end: plusUnits(start, count, unit) };
  };
  if (text === 'today') return daysOf('day', 0);
  if (text === 'yesterday') return daysOf('day', 1);
  const unit = units.find((candidate) => text === `this-${candidate}` || text === `last-${candidate}`);
  if (unit) return daysOf(unit, text.startsWith('this-') ? 0 : 1);
  const [, count, letter] = /^last-([1-9]\d{0,4})([dw])$/.exec(text) ?? [];
  return (count && daysOf(letter === 'd' ? 'day' : 'week', Number(count), Number(count))) || undefined;
}

function calendarDays(text: string, value: FlagValue): Days | undefined {
  const match = /^(\d{4})(?:-(?:q(\d+)|w(\d{1,2})|(\d{1,2})(?:-(\d{1,2}))?))?$/.exec(text);
  if (!match) return undefined;
  const [year = 0, quarter, week, month, day] = match
    .slice(1)
    .map((part) => (part === undefined ? part : Number(part)));
  const daysFrom = (start: number | undefined, unit: CalendarUnit): Days | undefined =>
    start === undefined ? undefined : { start, end: plusUnits(start, 1, unit) };
  if (quarter !== undefined) {
    const days = daysFrom(wallOf({ year, month: 3 * quarter - 2 }), 'quarter');
    if (!days) throw refuse(value, 'a year has the quarters Q1 to Q4');
    return days;
  }
  if (week !== undefined) {
    const days = daysFrom(wallOf({ weekYear: year, weekNumber: week }), 'week');
    if (days) return days;
    const last = wallOf({ weekYear: year, weekNumber: 53 }) === undefined ? 52 : 53;
    throw refuse(value, `${year} has the weeks W01 to W${last}`, didYouMean(`${year}-W${week < 1 ? '01' : last}`));
  }
  if (month === undefined) return daysFrom(wallOf({ year }), 'year');
  return daysFrom(dateWall(year, month, day ?? 1, value), day === undefined ? 'month' : 'day');
}

/** Midnight of a date as a wall time. Throws `UsageError` where the calendar has no such date. */
export function dateWall(year: number, month: number, day: number, value: FlagValue): number {
  const monthStart = wallOf({ year, month });
  if (monthStart === undefined) {
    throw refuse(value, `there is no month ${twoDigits(month)}`, 'Months are 01 to 12, and stand after the year.');
  }
  const wall = wallOf({ year, month, day });
  if (wall !== undefined) return wall;
  const last = new Date(plusUnits(plusUnits(monthStart, 1, 'month'), -1, 'day') * 1_000).getUTCDate();
  const monthText = `${year}-${twoDigits(month)}`;
  throw refuse(value, `${monthText} has ${last} days`, didYouMean(`${monthText}-${day < 1 ? '01' : last}`));
}

/** `7` as `07`, as in dates. */
export function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}
