import { DateTime, type DateTimeUnit, IANAZone } from 'luxon';
import { UsageError } from '../errors.ts';
import { didYouMean, nearest } from '../text/nearest.ts';
import { formatInstant, instantsOf, startOfDay, type Window, wallAt } from './window.ts';

export interface WindowFlags {
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly period?: string | undefined;
  /** Zone that days and wall times are of: the report's, never the machine's. */
  readonly zone: string;
  /** The present, in milliseconds since 1970. */
  readonly nowMs: number;
}

/** A value of a flag as the user wrote it, with the flag's name (`--since`) for the messages about it. */
interface FlagValue {
  readonly flag: string;
  readonly text: string;
}

/** Text of the user as it stands in a message: bare where nothing can be misread, else quoted; cut when long. */
export function quoteIfNeeded(text: string): string {
  const cut = text.length > 60 ? `${text.slice(0, 60)}…` : text;
  return /^[\w+.:/@…-]+$/.test(cut) ? cut : JSON.stringify(cut);
}

/** The error for a flag's value; `problem` has no full stop: `--period soon: this is no period.` */
function refuse({ flag, text }: FlagValue, problem: string, hint: string): UsageError {
  return new UsageError(`${flag} ${quoteIfNeeded(text)}: ${problem}.`, { hint });
}

/** The zone name in its usual case (`europe/paris` → `Europe/Paris`); an alias stays itself (`Asia/Kolkata`). */
function checkZoneName(text: string): string {
  const name = text.trim();
  // Offsets (`+02:00`) are zones of Node, and no names.
  if (!/^[a-z]/i.test(name) || !IANAZone.isValidZone(name)) {
    const zones = Intl.supportedValuesOf('timeZone');
    const city = `/${name.replaceAll(' ', '_')}`.toLowerCase();
    const meant = nearest(name, zones) ?? zones.find((zone) => zone.toLowerCase().endsWith(city));
    const otherwise =
      'Give a name of the TZ database, e.g. Europe/Paris, America/New_York, Asia/Kolkata or UTC.';
    throw refuse(
      { flag: '--timezone', text },
      'there is no such time zone',
      didYouMean(meant, otherwise),
    );
  }
  const canonical = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  return canonical.toLowerCase() === name.toLowerCase() ? canonical : name;
}

/**
 * The window that `--since` and `--until`, or `--period`, name in a zone (`cli.md`, Flags of `report create` and
 * `run`). Throws `UsageError` for a value that is no date, and for a window that is missing, double, reversed or
 * before 1970.
 */
export function resolveWindow({ since, until, period, ...flags }: WindowFlags): Window {
  if (period !== undefined && (since ?? until) !== undefined) {
    const hint = 'Give --period, or --since and --until.';
    throw new UsageError(
      `--period and ${since === undefined ? '--until' : '--since'} both name a window.`,
      { hint },
    );
  }
  const zone = checkZoneName(flags.zone);
  const now = Math.floor(flags.nowMs / 1_000);
  const window =
    period === undefined
      ? parseEnds(since, until, zone, now)
      : parsePeriod(period.trim(), zone, now);
  if (window.since >= 0) return window;
  const hint = 'Choose a later day.';
  throw new UsageError("The window begins before 1970, where the service's time begins.", { hint });
}

function parseEnds(
  since: string | undefined,
  until: string | undefined,
  zone: string,
  now: number,
): Window {
  if (since === undefined) {
    const hint =
      'For example: --period yesterday, --period 2026-10, or --since 2026-11-01 --until 2026-11-15.';
    throw new UsageError(
      until === undefined ? 'The report has no window.' : '--until needs --since.',
      { hint },
    );
  }
  const notes: string[] = [];
  const first = parseInstant({ flag: '--since', text: since.trim() }, zone, now, notes);
  const last = parseInstant({ flag: '--until', text: (until ?? 'now').trim() }, zone, now, notes);
  if (first <= last) return { since: first, until: last, zone, notes };
  const [from, to] = [formatInstant(first, zone), formatInstant(last, zone)];
  const hint = 'The window runs from --since to --until (by default now).';
  throw new UsageError(
    `--since ${from} is after --until ${to}: the window would end before it begins.`,
    { hint },
  );
}

/** The days that have a name of their own: a calendar unit, and how many of them ago. */
const namedDays = new Map<string, readonly [unit: DateTimeUnit, ago: number]>([
  ['today', ['day', 0]],
  ['yesterday', ['day', 1]],
  ...(['week', 'month', 'quarter', 'year'] as const).flatMap((unit) => [
    [`this-${unit}`, [unit, 0]] as const,
    [`last-${unit}`, [unit, 1]] as const,
  ]),
]);

/** The names of days, as users write them: `today`, `last-month`. */
export const dayNames = [...namedDays.keys()];

/** How days of the calendar are written, in Luxon's tokens. */
const calendarForms = [
  ['yyyy', 'year'],
  ["yyyy-'q'q", 'quarter'],
  ['yyyy-M', 'month'],
  ["kkkk-'w'W", 'week'],
  ['yyyy-M-d', 'day'],
] as const;

/**
 * The days that a text names in any case: `today`, `last-month`, `last-7d` (seven whole days before today), `2026`,
 * `2026-Q3`, `2026-10`, `2026-W45`, `2026-11-01`, as the midnights at which they start and are over; `undefined` for
 * another text.
 */
function parseDays(text: string, now: DateTime): { start: DateTime; end: DateTime } | undefined {
  const name = text.toLowerCase();
  const [, count, letter] = /^last-([1-9]\d{0,4})([dw])$/.exec(name) ?? [];
  const relative = letter
    ? ([letter === 'd' ? 'day' : 'week', Number(count)] as const)
    : namedDays.get(name);
  if (relative) {
    const [unit, ago] = relative;
    const start = now.startOf(unit).minus({ [unit]: ago });
    return { start, end: start.plus({ [unit]: Math.max(1, ago) }) };
  }
  for (const [form, length] of calendarForms) {
    const start = DateTime.fromFormat(name, form, { zone: 'utc', locale: 'en' });
    if (start.isValid) return { start, end: start.plus({ [length]: 1 }) };
  }
  return undefined;
}

/** What is wrong with a text that is written as a date but is none, such as 2026-02-30, or with another one. */
function problemWith(text: string, otherwise: string): string {
  return /^\d{4}-/.test(text) ? `the calendar has no ${quoteIfNeeded(text)}` : otherwise;
}

const acceptedPeriods =
  'Give today, yesterday, last-7d, last-24h, last-2w, this-week or last-week (also -month, -quarter, -year), 2026, ' +
  '2026-Q3, 2026-10, 2026-W45, 2026-11-01, or a range such as 2026-11-01..2026-11-15.';

/** The value of `--period`: whole days of the zone, except `last-24h`, which are the 24 hours that end now. */
function parsePeriod(text: string, zone: string, now: number): Window {
  const value = { flag: '--period', text };
  const hours = /^last-([1-9]\d{0,5})h$/i.exec(text)?.[1];
  if (hours) return { since: now - Number(hours) * 3_600 + 1, until: now, zone, notes: [] };
  const daysOf = (name: string) => {
    const days = parseDays(name, wallAt(now, zone));
    if (days) return days;
    const problem =
      name === text ? 'this is no period' : `${quoteIfNeeded(name)} is no day, week, month or year`;
    const meant = nearest(name, ['last-7d', 'last-24h', ...dayNames]);
    throw refuse(value, problemWith(name, problem), didYouMean(meant, acceptedPeriods));
  };
  const [from = '', ...others] = text.split('..');
  const first = daysOf(from);
  const last = others.length === 0 ? first : daysOf(others.join('..'));
  if (last.start < first.start)
    throw refuse(value, 'the range ends before it begins', 'Write it as FIRST..LAST.');
  const window = {
    since: startOfDay(first.start, zone),
    until: startOfDay(last.end, zone) - 1,
    zone,
    notes: [],
  };
  if (window.since <= window.until) return window;
  throw refuse(
    value,
    `this day does not exist in ${zone}, where the calendar skipped it`,
    'Choose another day.',
  );
}

const acceptedInstants =
  'Give a day (2026-11-01, today, yesterday), a date-time (2026-11-01T14:30, with Z or +01:00 if it is not of the ' +
  "report's zone), unix seconds, now, or a time ago (-36h, -7d, -2w).";

/** The first second of what the text names for `--since`, the last for `--until`, in unix seconds. */
function parseInstant(value: FlagValue, zone: string, now: number, notes: string[]): number {
  const isSince = value.flag === '--since';
  const text = value.text.toUpperCase();
  if (text === 'NOW') return now;
  // A year, a date without its hyphens, or milliseconds would be another time than was meant.
  if (/^(0|\d{5,7}|\d{9,10})$/.test(text)) return Number(text);
  if (/^[+-]?\d+([.,]\d+)?$/.test(text)) {
    throw refuse(value, 'unix seconds have five to ten digits, but not eight', acceptedInstants);
  }

  const [, count, unit] = /^-(\d{1,6})([HDW])$/.exec(text) ?? [];
  if (unit === 'H') return now - Number(count) * 3_600;
  const ago = { [unit === 'W' ? 'weeks' : 'days']: Number(count) };
  if (unit) return settle(wallAt(now, zone).minus(ago), value, zone, notes);

  const iso = text.replace(' ', 'T').replace(' ', '');
  const form = /^\d{4}-[\dW-]+T[\d:.,]+(Z|[+-][\d:]+)?$/.exec(iso);
  const moment = form && DateTime.fromISO(iso, { zone: 'utc' });
  if (moment?.isValid) {
    const whole = moment.plus({ milliseconds: isSince ? 999 : 0 }).startOf('second');
    return form?.[1] === undefined ? settle(whole, value, zone, notes) : whole.toSeconds();
  }

  const days = parseDays(text, wallAt(now, zone));
  if (days) return isSince ? startOfDay(days.start, zone) : startOfDay(days.end, zone) - 1;
  const meant = nearest(text, ['now', ...dayNames]);
  throw refuse(
    value,
    problemWith(text, 'this is no day and no time'),
    didYouMean(meant, acceptedInstants),
  );
}

/** The instant of a wall time: of one that is skipped or doubled, the first for `since`, the last for `until`, with a note. */
function settle(wall: DateTime, { flag, text }: FlagValue, zone: string, notes: string[]): number {
  const { first, last, isSkipped } = instantsOf(wall, zone);
  const instant = flag === '--since' ? first : isSkipped ? last - 1 : last;
  if (isSkipped || first !== last) {
    const problem = `${isSkipped ? 'does not exist' : 'happens twice'} in ${zone}, where the clocks change`;
    notes.push(
      `${flag} ${quoteIfNeeded(text)} ${problem}: ${formatInstant(instant, zone)} is taken.`,
    );
  }
  return instant;
}
