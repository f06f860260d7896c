import { nearest } from '../../text/nearest.ts';
import { didYouMean, type FlagValue, refuse } from '../mistakes.ts';
import { type Days, dayNames, parseDays } from './dates.ts';
import { type Span, startOfUnit, type ZoneClock } from './window.ts';

const accepted =
  'Give today, yesterday, last-7d, last-24h, last-2w, this-week or last-week (also -month, -quarter, -year), 2026, ' +
  '2026-Q3, 2026-10, 2026-W45, 2026-11-01, or a range such as 2026-11-01..2026-11-15.';

/**
 * The value of `--period` (`cli.md`, Flags of `report create` and `run`): whole days of the zone, except `last-24h`,
 * which are the 24 hours that end now. `now` is in unix seconds.
 * Throws `UsageError`, which names what is wrong and the nearest valid value.
 */
export function parsePeriod(value: FlagValue, clock: ZoneClock, now: number): Span {
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
  throw refuse(value, problem, suggestion(text));
}

function suggestion(text: string): string {
  const ago = /^-?(\d+[dhw])$/i.exec(text);
  if (ago?.[1]) return didYouMean(`last-${ago[1].toLowerCase()}`);
  const name = nearest(text, ['last-7d', 'last-24h', ...dayNames]);
  return name === undefined ? accepted : didYouMean(name);
}
