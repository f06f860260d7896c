import { UsageError } from '../../errors.ts';
import { nearest } from '../../text/nearest.ts';
import { didYouMean, type FlagValue, refuse } from '../mistakes.ts';
import { type Days, dayNames, parseDays } from './dates.ts';
import { parseInstant, type ResolvedInstant } from './instant.ts';
import { checkZoneName, formatInstant, type Span, startOfUnit, type Window, ZoneClock } from './window.ts';

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
  const zone = checkZoneName({ flag: '--timezone', text: flags.zone });
  const clock = new ZoneClock(zone);
  const now = Math.floor(flags.nowMs / 1_000);
  const { since, until, period } = flags;
  if (period !== undefined) {
    if (since !== undefined || until !== undefined) {
      const other = since === undefined ? '--until' : '--since';
      throw new UsageError(`--period and ${other} both name a window.`, {
        hint: 'Give --period, or --since and --until.',
      });
    }
    const value = { flag: '--period', text: period };
    return checkAge({ ...parsePeriod(value, clock, now), zone, notes: [] }, value);
  }
  if (since === undefined) {
    const problem = until === undefined ? 'The report has no window.' : '--until needs --since.';
    throw new UsageError(problem, { hint: examples });
  }
  return windowBetween({ flag: '--since', text: since }, { flag: '--until', text: until ?? 'now' }, clock, now);
}

function windowBetween(since: FlagValue, until: FlagValue, clock: ZoneClock, now: number): Window {
  const first = parseInstant(since, { edge: 'since', clock, now });
  const last = parseInstant(until, { edge: 'until', clock, now });
  if (first.instant > last.instant) {
    const [from, to] = [first, last].map(({ instant }) => formatInstant(instant, clock.name));
    throw new UsageError(`--since ${from} is after --until ${to}: the window would end before it begins.`, {
      hint: 'The window runs from --since to --until (by default now).',
    });
  }
  const window = { since: first.instant, until: last.instant, zone: clock.name, notes: notesOf(first, last) };
  return checkAge(window, since);
}

function notesOf(...instants: readonly ResolvedInstant[]): string[] {
  return instants.flatMap(({ note }) => (note === undefined ? [] : [note]));
}

/** The service counts in unix seconds, from 1970 on (specification, Report request parameters). */
function checkAge(window: Window, value: FlagValue): Window {
  if (window.since >= 0) return window;
  throw refuse(value, "the service's time begins with 1970-01-01T00:00:00Z");
}

const acceptedPeriods =
  'Give today, yesterday, last-7d, last-24h, last-2w, this-week or last-week (also -month, -quarter, -year), 2026, ' +
  '2026-Q3, 2026-10, 2026-W45, 2026-11-01, or a range such as 2026-11-01..2026-11-15.';

/**
 * The value of `--period` (`cli.md`, Flags of `report create` and `run`): whole days of the zone, except `last-24h`,
 * which are the 24 hours that end now. `now` is in unix seconds.
 * Throws `UsageError`, which names what is wrong and the nearest valid value.
 */
function parsePeriod(value: FlagValue, clock: ZoneClock, now: number): Span {
  const trimmed = { flag: value.flag, text: value.text.trim() };
  const hours = /^last-([1-9]\d{0,5})h$/i.exec(trimmed.text);
  if (hours) return { since: now - Number(hours[1]) * 3_600 + 1, until: now };
  const { start, end } = parseRange(trimmed, startOfUnit(clock.wallAt(now), 'day'));
  const span = { since: clock.startOfDay(start), until: clock.startOfDay(end) - 1 };
  if (span.since > span.until) {
    throw refuse(trimmed, `this day does not exist in ${clock.name}, where the calendar skipped it`);
  }
  return span;
}

/** `A..B`: from the first day of A to the last of B; or the days of a single name. */
function parseRange(value: FlagValue, today: number): Days {
  const [from, to, ...more] = value.text.split('..');
  if (from === undefined || to === undefined) return requireDays(value, value.text, today);
  if (from === '' || to === '' || more.length > 0) {
    throw refuse(value, 'a range is FIRST..LAST', 'For example 2026-11-01..2026-11-15, or 2026-01..2026-03.');
  }
  const first = requireDays(value, from, today);
  const last = requireDays(value, to, today);
  if (last.start < first.start) throw refuse(value, 'the range ends before it begins', didYouMean(`${to}..${from}`));
  return { start: first.start, end: last.end };
}

function requireDays(value: FlagValue, text: string, today: number): Days {
  const days = parseDays({ flag: value.flag, text }, today);
  if (days) return days;
  const problem = text === value.text ? 'this is no period' : `${text} is no day, week, month, quarter or year`;
  throw refuse(value, problem, suggestPeriod(text));
}

function suggestPeriod(text: string): string {
  const ago = /^-?(\d+[dhw])$/i.exec(text);
  if (ago?.[1]) return didYouMean(`last-${ago[1].toLowerCase()}`);
  const name = nearest(text, ['last-7d', 'last-24h', ...dayNames]);
  return name === undefined ? acceptedPeriods : didYouMean(name);
}
