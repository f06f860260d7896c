import { UsageError } from '../errors.ts';
import { nearest } from '../text/nearest.ts';
import { didYouMean, type FlagValue, quoteIfNeeded, refuse } from './mistakes.ts';
import {
  type CalendarUnit,
  checkZoneName,
  formatInstant,
  plusUnits,
  secondsOfIso,
  startOfUnit,
  type Window,
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
export function resolveWindow({ since, until, period, zone, nowMs }: WindowFlags): Window {
  const clock = new ZoneClock(checkZoneName({ flag: '--timezone', text: zone }));
  const now = Math.floor(nowMs / 1_000);
  if (period !== undefined && (since ?? until) !== undefined) {
    const other = since === undefined ? '--until' : '--since';
    const hint = 'Give --period, or --since and --until.';
    throw new UsageError(`--period and ${other} both name a window.`, { hint });
  }
  if (period === undefined && since === undefined) {
    throw new UsageError(until === undefined ? 'The report has no window.' : '--until needs --since.', {
      hint: examples,
    });
  }
  const window =
    since === undefined
      ? parsePeriod({ flag: '--period', text: (period ?? '').trim() }, clock, now)
      : windowOf(since.trim(), (until ?? 'now').trim(), clock, now);
  if (window.since >= 0) return window;
  const value = since === undefined ? { flag: '--period', text: period ?? '' } : { flag: '--since', text: since };
  throw refuse(value, "the service's time begins with 1970-01-01T00:00:00Z");
}

/** A run of whole calendar days: midnights as wall times, of the first day and of the day after the last. */
interface Days {
  readonly start: number;
  readonly end: number;
}

const units: readonly CalendarUnit[] = ['week', 'month', 'quarter', 'year'];

/** The days that have a name of their own, as users write it: `today`, `last-month`. */
export const dayNames = ['today', 'yesterday', ...units.flatMap((unit) => [`this-${unit}`, `last-${unit}`])];

const calendarForms: readonly (readonly [CalendarUnit, RegExp])[] = [
  ['year', /^\d{4}$/],
  ['month', /^\d{4}-\d\d$/],
  ['week', /^\d{4}-w\d\d$/],
  ['day', /^\d{4}-\d\d-\d\d$/],
];

/**
 * The days that a text names: `today`, `last-month`, `last-7d` (whole days before today), `last-2w` (whole weeks before
 * this one), `2026`, `2026-Q3`, `2026-10`, `2026-W45`, `2026-11-01`, in any case; `undefined` where it has no such form.
 * @param today the wall time of its midnight
 */
function parseDays(value: FlagValue, today: number): Days | undefined {
  const text = value.text.toLowerCase();
  const daysFrom = (start: number, unit: CalendarUnit, count = 1): Days => {
    return { start, end: plusUnits(start, count, unit) };
  };
  const daysAgo = (unit: CalendarUnit, back: number, count = 1): Days =>
    daysFrom(plusUnits(startOfUnit(today, unit), -back, unit), unit, count);
  if (text === 'today') return daysAgo('day', 0);
  if (text === 'yesterday') return daysAgo('day', 1);
  const named = units.find((unit) => text === `this-${unit}` || text === `last-${unit}`);
  if (named) return daysAgo(named, text.startsWith('this-') ? 0 : 1);
  const [, count = '', letter] = /^last-([1-9]\d{0,4})([dw])$/.exec(text) ?? [];
  if (letter) return daysAgo(letter === 'd' ? 'day' : 'week', Number(count), Number(count));
  const [, year, quarter] = /^(\d{4})-q([1-4])$/.exec(text) ?? [];
  if (quarter)
    return daysFrom(secondsOfIso(value, `${year}-${String(3 * Number(quarter) - 2).padStart(2, '0')}`), 'quarter');
  const form = calendarForms.find(([, pattern]) => pattern.test(text));
  return form && daysFrom(secondsOfIso(value, text.toUpperCase()), form[0]);
}

const acceptedPeriods =
  'Give today, yesterday, last-7d, last-24h, last-2w, this-week or last-week (also -month, -quarter, -year), 2026, ' +
  '2026-Q3, 2026-10, 2026-W45, 2026-11-01, or a range such as 2026-11-01..2026-11-15.';

/**
 * The value of `--period`: whole days of the zone, `A..B` from the first day of A to the last of B; or `last-24h`, which
 * are the 24 hours that end now.
 */
function parsePeriod(value: FlagValue, clock: ZoneClock, now: number): Window {
  const zone = { zone: clock.name, notes: [] };
  const hours = /^last-([1-9]\d{0,5})h$/i.exec(value.text);
  if (hours) return { since: now - Number(hours[1]) * 3_600 + 1, until: now, ...zone };
  const today = startOfUnit(clock.wallAt(now), 'day');
  const [first, last, ...more] = value.text.split('..').map((text) => parseDays({ flag: value.flag, text }, today));
  const { start, end } = { start: first?.start, end: (value.text.includes('..') ? last : first)?.end };
  if (start === undefined || end === undefined || more.length > 0) {
    const meant = nearest(value.text, ['last-7d', 'last-24h', ...dayNames]);
    throw refuse(value, 'this is no period', didYouMean(meant, acceptedPeriods));
  }
  if (end <= start) throw refuse(value, 'the range ends before it begins');
  const [since, until] = [clock.startOfDay(start), clock.startOfDay(end) - 1];
  if (since <= until) return { since, until, ...zone };
  throw refuse(value, `this day does not exist in ${clock.name}, where the calendar skipped it`);
}

/** What `--since` or `--until` comes to, with a sentence where a clock change skips or doubles the wall time named. */
interface End {
  /** Unix seconds. */
  readonly instant: number;
  readonly note?: string;
}

const acceptedInstants =
  'Give a day (2026-11-01, today, yesterday), a date-time (2026-11-01T14:30, with Z or +01:00 if it is not of the ' +
  "report's zone), unix seconds, now, or a time ago (-36h, -7d, -2w).";

function windowOf(since: string, until: string, clock: ZoneClock, now: number): Window {
  const first = parseEnd({ flag: '--since', text: since }, clock, now);
  const last = parseEnd({ flag: '--until', text: until }, clock, now);
  if (first.instant > last.instant) {
    const [from, to] = [first, last].map(({ instant }) => formatInstant(instant, clock.name));
    throw new UsageError(`--since ${from} is after --until ${to}: the window would end before it begins.`, {
      hint: 'The window runs from --since to --until (by default now).',
    });
  }
  const notes = [first, last].flatMap(({ note }) => note ?? []);
  return { since: first.instant, until: last.instant, zone: clock.name, notes };
}

/** `--since` means the first second of what its text names, `--until` the last. */
function parseEnd(value: FlagValue, clock: ZoneClock, now: number): End {
  const { flag, text } = value;
  const isSince = flag === '--since';
  if (text.toLowerCase() === 'now') return { instant: now };
  if (/^\d+$/.test(text)) return { instant: unixSeconds(value) };
  const [, count, letter] = /^-(\d{1,6})([hdw])$/i.exec(text) ?? [];
  if (letter?.toLowerCase() === 'h') return { instant: now - Number(count) * 3_600 };
  const unit = letter?.toLowerCase() === 'd' ? 'day' : 'week';
  // The same time of day so many days ago.
  if (letter) return settle(plusUnits(clock.wallAt(now), -Number(count), unit), value, clock);
  const [isTime, offset] = /^\d{4}-\d\d-\d\d[T ]\d[\d:.,]*( ?Z| ?[+-]\d\d(?::?\d\d)?)?$/i.exec(text) ?? [];
  if (isTime) {
    const seconds = secondsOfIso(value, text.replace(' ', 'T').replace(' ', ''));
    const whole = isSince ? Math.ceil(seconds) : Math.floor(seconds);
    return offset ? { instant: whole } : settle(whole, value, clock);
  }
  const days = parseDays(value, startOfUnit(clock.wallAt(now), 'day'));
  if (days) return { instant: isSince ? clock.startOfDay(days.start) : clock.startOfDay(days.end) - 1 };
  const meant = nearest(text, ['now', ...dayNames]);
  throw refuse(value, 'this is no day and no time', didYouMean(meant, acceptedInstants));
}

/** The last second of the year 9999. */
const lastInstant = 253_402_300_799;

function unixSeconds(value: FlagValue): number {
  const { text } = value;
  const [isDate, year, month = '01', day = '01'] = /^((?:19|20)\d\d)(?:(0[1-9]|1[0-2])([0-3]\d)?)?$/.exec(text) ?? [];
  if (isDate) throw refuse(value, 'this could be a date or unix seconds', didYouMean(`${year}-${month}-${day}`));
  if (Number(text) <= lastInstant) return Number(text);
  // Clocks of other languages count in thousandths, millionths or billionths.
  throw refuse(value, 'this looks like milliseconds, and the service takes seconds', didYouMean(text.slice(0, 10)));
}

/** The instant of a wall time: of one that a clock change skips or doubles, the first for `since`, the last for `until`. */
function settle(wall: number, { flag, text }: FlagValue, clock: ZoneClock): End {
  const isSince = flag === '--since';
  const [first, second] = clock.instantsOf(wall);
  if (first !== undefined && second === undefined) return { instant: first };
  const isDoubled = first !== undefined && second !== undefined;
  const gapEnd = isDoubled ? 0 : clock.instantAfterGap(wall);
  const instant = isDoubled ? (isSince ? first : second) : isSince ? gapEnd : gapEnd - 1;
  const what = isDoubled
    ? `happens twice in ${clock.name}, where the clocks go back: the ${isSince ? 'first' : 'second'}`
    : `does not exist in ${clock.name}, where the clocks go forward: the ${isSince ? 'first instant after' : 'last instant before'}`;
  return { instant, note: `${flag} ${quoteIfNeeded(text)} ${what} is taken, ${formatInstant(instant, clock.name)}.` };
}
