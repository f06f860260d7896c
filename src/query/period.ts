import { UsageError } from '../errors.ts';
import { didYouMean, findNearest } from '../text/nearest.ts';
import { printable, quoted } from '../text/printable.ts';
import {
  type Days,
  findAcceptedForm,
  findInstants,
  isZoneName,
  readDays,
  readWallTime,
  type SplitUnit,
  startOfDay,
  type WallTime,
  type Window,
  wallAt,
} from './calendar.ts';
import { flagError } from './flag-error.ts';

/** A period as the user entered it: `period`, or `since` and perhaps `until`. */
export interface PeriodInput {
  readonly period?: string;
  readonly since?: string;
  readonly until?: string;
}

interface PeriodOptions {
  /** Zone of the report, not of the machine. */
  readonly zone: string;

  /** Milliseconds since 1970. */
  readonly nowMs: number;

  /** Unit of `--split`, to whose start `-7d` and `-36h` are rounded down. */
  readonly unit?: SplitUnit | undefined;
}

const acceptedPeriods =
  'Use today, yesterday, last-7d, last-24h, last-2w, this-week or last-week (also -month, -quarter, -year), 2026, ' +
  '2026-Q3, 2026-10, 2026-W45, 2026-11-01, or a range such as 2026-11-01..2026-11-15.';

const acceptedTimes =
  'Use a day (2026-11-01, today, yesterday), a date-time (2026-11-01T14:30; add Z or +01:00 for another time ' +
  'zone), unix seconds, now, or a relative time (-36h, -7d). Other periods, such as last-week, need --period.';

/** Maximum length of a period, in characters. */
const maxLength = 100;

/**
 * Resolves a period (`cli.md`, Choosing a report). Throws `UsageError` for an unknown form, and for
 * a period that is missing, given twice, reversed or before 1970.
 */
export function resolvePeriod(input: PeriodInput, options: PeriodOptions): Window {
  const { period, since, until } = input;
  if (period !== undefined && (since ?? until) !== undefined) {
    const otherFlag = since === undefined ? '--until' : '--since';
    throw flagError(
      '--period',
      `--period cannot be used with ${otherFlag}.`,
      'Use either --period, or --since and --until.',
    );
  }

  const zone = parseZone(options.zone);
  const now = Math.floor(options.nowMs / 1_000);
  const clock = { zone, now, wallNow: wallAt(now, zone), unit: options.unit };
  const seconds =
    period === undefined ? parseEnds({ since, until }, clock) : parsePeriod(period.trim(), clock);
  if (seconds.since < 0) {
    throw flagError(
      period === undefined ? '--since' : '--period',
      'The period begins before 1970, which the service does not support.',
      'Choose a later day.',
    );
  }
  return { ...seconds, end: seconds.until + 1, zone };
}

/** Longer than any relative period, in milliseconds. */
export const laterMs = 800 * 86_400_000;

/** Resolves a period, or returns `undefined` if it is invalid at that time. */
export function tryResolve(input: PeriodInput, options: PeriodOptions): Window | undefined {
  try {
    return resolvePeriod(input, options);
  } catch (error) {
    if (error instanceof UsageError) return undefined;
    throw error;
  }
}

/**
 * Corrects the case of a zone name (`europe/paris` → `Europe/Paris`). Aliases (`Asia/Kolkata`) are
 * kept. Throws `UsageError` for an unknown name.
 */
export function parseZone(text: string): string {
  const name = text.trim();
  if (!isZoneName(name)) {
    const suggestion = findNearest(name, Intl.supportedValuesOf('timeZone'));
    throw flagError(
      '--timezone',
      `Unknown time zone ${quoted(text)}.`,
      didYouMean(suggestion, 'Use a name such as Europe/Paris, America/New_York or UTC.'),
    );
  }
  const canonical = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  return canonical.toLowerCase() === name.toLowerCase() ? canonical : name;
}

type End = 'since' | 'until';

/** Matches single days, as opposed to longer periods. */
const dayName = /^(today|yesterday|\d{4}-\d\d-\d\d)$/i;

/** Current time, from which relative periods are resolved. */
interface Clock {
  readonly zone: string;

  /** Current time, in unix seconds and as a date in the zone. */
  readonly now: number;
  readonly wallNow: WallTime;

  /** As in `PeriodOptions`. */
  readonly unit: SplitUnit | undefined;
}

/** First and last second. */
type Seconds = Pick<Window, End>;

function parseEnds({ since: first, until: last }: PeriodInput, clock: Clock): Seconds {
  if (first === undefined) {
    throw new UsageError('No period given.', {
      hint: 'Add, for example, --period yesterday, --period 2026-10, or --since 2026-11-01 --until 2026-11-15.',
    });
  }

  const since = readTime('since', first.trim(), clock);
  const until = readTime('until', last?.trim() ?? 'now', clock);
  if (since <= until) return { since, until };

  const message =
    last === undefined
      ? `--since (${printable(first)}) is in the future.`
      : `--since (${printable(first)}) is after --until (${printable(last)}).`;
  throw flagError('--since', message, 'Choose an earlier --since, or a later --until.');
}

/** Parses whole days, or `last-24h`, the 24 hours until now. */
function parsePeriod(text: string, clock: Clock): Seconds {
  const { zone, now } = clock;
  const hours = /^last-([1-9]\d{0,5})h$/i.exec(text)?.[1];
  if (hours) return { since: now - Number(hours) * 3_600 + 1, until: now };

  const days = parseRange(text, clock);
  const since = firstOrLastSecond('since', days, zone);
  const until = firstOrLastSecond('until', days, zone);
  if (since > until) throw unknownPeriodError(text, `It does not exist in ${zone}.`);
  return { since, until };
}

/** Parses a name or a range: `2026-11-01..today`. */
function parseRange(text: string, { wallNow }: Clock): Days {
  const [from = '', to = from, ...more] = text.split('..');
  const first = parseDays(from, wallNow);
  const last = parseDays(to, wallNow);
  if (!first || !last || more.length > 0) {
    const suggestion = suggestRange(text) ?? suggestForm(text, periodNames);
    if (suggestion === undefined) requireDates('--period', text, acceptedPeriods);
    throw unknownPeriodError(text, didYouMean(suggestion, acceptedPeriods));
  }
  if (last.start < first.start) {
    const message = `The period ${printable(text)} ends before it begins.`;
    throw flagError('--period', message, 'Write the earlier day first: FIRST..LAST.');
  }
  return { start: first.start, end: last.end };
}

function unknownPeriodError(text: string, hint: string): UsageError {
  return flagError('--period', `Unknown period ${quoted(text)}.`, hint);
}

/**
 * Parses named days, ignoring case: `today`, `last-month`, `last-7d` (seven whole days before
 * today), `2026`, `2026-Q3`, `2026-10`, `2026-W45`, `2026-11-01`. Returns `undefined` for any other
 * string.
 */
function parseDays(text: string, wallNow: WallTime): Days | undefined {
  if (text.length > maxLength) return undefined;
  const name = text.toLowerCase();
  const relative = parseRelativeDays(name);
  if (!relative) return readDays(name);

  const { unit, ago } = relative;
  const start = wallNow.startOf(unit).minus({ [unit]: ago });
  return { start, end: start.plus({ [unit]: Math.max(1, ago) }) };
}

/** Returns the first second of a range of days for `since`, and the last second for `until`. */
function firstOrLastSecond(end: End, days: Days, zone: string): number {
  return end === 'since' ? startOfDay(days.start, zone) : startOfDay(days.end, zone) - 1;
}

/** Returns the first second of a named time for `since`, and the last second for `until`. */
function readTime(end: End, text: string, clock: Clock): number {
  const { zone, wallNow } = clock;
  const instant = parseInstant(end, text.toUpperCase(), clock);
  if (instant !== undefined) return instant;

  const days = dayName.test(text) ? parseDays(text, wallNow) : undefined;
  if (days) return firstOrLastSecond(end, days, zone);

  const suggestion = suggestForm(text, ['now', 'today', 'yesterday']);
  const flag = `--${end}`;
  if (suggestion === undefined) requireDates(flag, text, acceptedTimes);
  throw flagError(flag, `Unknown time ${quoted(text)}.`, didYouMean(suggestion, acceptedTimes));
}

/**
 * Parses `now`, unix seconds, `-36h`, `-7d` and ISO date-times, in any case, or returns
 * `undefined`.
 */
function parseInstant(end: End, text: string, clock: Clock): number | undefined {
  const { zone, now, wallNow, unit } = clock;
  if (text === 'NOW') return now;
  if (/^\d{9,10}$/.test(text)) return Number(text);

  const [, count, step] = /^-(\d{1,6})([HD])$/.exec(text) ?? [];
  if (count === undefined) return parseDateTime(end, text, zone);
  const ago = step === 'H' ? { hours: Number(count) } : { days: Number(count) };
  if (unit !== undefined) {
    const start = wallNow.minus(ago).startOf(unit);
    return firstOrLastSecond(end, { start, end: start.plus({ [unit]: 1 }) }, zone);
  }
  return step === 'H' ? now - Number(count) * 3_600 : chooseInstant(end, wallNow.minus(ago), zone);
}

/** Parses an ISO 8601 date-time, which is in the report's zone if it has no offset. */
function parseDateTime(end: End, text: string, zone: string): number | undefined {
  const wallTime = readWallTime(text);
  if (!wallTime) return undefined;

  const milliseconds = end === 'since' ? 999 : 0;
  const wall = wallTime.wall.plus({ milliseconds }).startOf('second');
  return wallTime.hasOffset ? wall.toSeconds() : chooseInstant(end, wall, zone);
}

/**
 * Finds the instant of a wall time. For a repeated wall time, returns the first instant for `since`
 * and the last for `until`. For a skipped wall time, returns the time of the clock change.
 */
function chooseInstant(end: End, wall: WallTime, zone: string): number {
  const { first, last, isSkipped } = findInstants(wall, zone);
  if (end === 'since') return first;
  return isSkipped ? last - 1 : last;
}

type RelativeUnit = SplitUnit | 'quarter' | 'year';

/**
 * Parses `yesterday`, `this-week`, `last-7d` and `last-2w`. `ago` is 0 for the current unit,
 * otherwise the number of whole units before it. Returns `undefined` for any other string.
 */
function parseRelativeDays(name: string): { unit: RelativeUnit; ago: number } | undefined {
  if (name === 'today') return { unit: 'day', ago: 0 };
  if (name === 'yesterday') return { unit: 'day', ago: 1 };

  const [, which, unit] = /^(this|last)-(week|month|quarter|year)$/.exec(name) ?? [];
  if (unit !== undefined) return { unit: unit as RelativeUnit, ago: which === 'last' ? 1 : 0 };

  const match = /^last-([1-9]\d{0,4})([dw])$/.exec(name);
  if (!match) return undefined;
  return { unit: match[2] === 'd' ? 'day' : 'week', ago: Number(match[1]) };
}

/** Throws `UsageError` for a date that does not exist (2026-02-30). */
function requireDates(flag: string, period: string, hint: string): void {
  const dates = period.split('..').filter((name) => /^\d{4}-[\dqw][^.]*$/i.test(name));
  const wrong = dates.find((name) => readDays(name.toLowerCase()) === undefined);
  if (wrong !== undefined) throw flagError(flag, `Invalid date ${quoted(wrong)}.`, hint);
}

/** Names of periods, such as `today` and `last-month`. */
export const periodNames = [
  'today',
  'yesterday',
  ...['week', 'month', 'quarter', 'year'].flatMap((unit) => [`this-${unit}`, `last-${unit}`]),
];

/** Suggests `2026-10-01..2026-10-31` for two days, and `last-30d` for `last-30`. */
function suggestRange(text: string): string | undefined {
  const twoDays = /^(\d{4}-\d\d-\d\d)\s*(?:[-–:/,\s]|to|\.\.\.)\s*(\d{4}-\d\d-\d\d)$/i.exec(text);
  if (twoDays) return `${twoDays[1]}..${twoDays[2]}`;
  const [, count, unit = 'd'] =
    /^last[-_ ]?([1-9]\d{0,3})[-_ ]?(d|h|w|days?|hours?|weeks?)?$/i.exec(text) ?? [];
  return count === undefined ? undefined : `last-${count}${unit.charAt(0).toLowerCase()}`;
}

const weekday = /^(mon|tues|wednes|thurs|fri|satur|sun)day$/i;

/** Suggests the accepted form of a date, or the closest name. */
function suggestForm(input: string, names: readonly string[]): string | undefined {
  const text = input.trim();
  // Names of weekdays resemble `today`.
  if (weekday.test(text)) return undefined;
  return findAcceptedForm(text) ?? findNearest(text.replaceAll(/[\s_]+/g, '-'), names);
}
