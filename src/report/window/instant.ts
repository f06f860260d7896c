import { nearest } from '../../text/nearest.ts';
import { didYouMean, type FlagValue, quoteIfNeeded, refuse } from '../mistakes.ts';
import { dateWall, dayNames, parseDays, twoDigits } from './dates.ts';
import { formatInstant, plusUnits, startOfUnit, type ZoneClock } from './window.ts';

/** Which end of a window is meant: `since` is the first second of what the text names, `until` the last. */
type Edge = 'since' | 'until';

/** What a text comes to. */
export interface ResolvedInstant {
  /** Unix seconds. */
  readonly instant: number;
  /** A sentence for the user, where a clock change skips or doubles the wall time that was named. */
  readonly note?: string;
}

/** What an instant is reckoned with. */
export interface InstantContext {
  readonly edge: Edge;
  readonly clock: ZoneClock;
  /** Unix seconds. */
  readonly now: number;
}

const accepted =
  'Give a day (2026-11-01, today, yesterday), a date-time (2026-11-01T14:30, with Z or +01:00 if it is not of the ' +
  "report's zone), unix seconds, now, or a time ago (-36h, -7d, -2w).";

/**
 * The value of `--since` or `--until` (`cli.md`, Flags of `report create` and `run`); days, weeks, months, quarters
 * stand for their first or last second. Throws `UsageError`, which names what is wrong and the nearest valid value.
 */
export function parseInstant(value: FlagValue, context: InstantContext): ResolvedInstant {
  const trimmed = { flag: value.flag, text: value.text.trim() };
  const { edge, clock, now } = context;
  if (trimmed.text.toLowerCase() === 'now') return { instant: now };
  if (/^[+-]?\d+([.,]\d+)?$/.test(trimmed.text)) return { instant: unixSeconds(trimmed, clock) };
  const ago = timeAgo(trimmed, context) ?? dateTime(trimmed, context);
  if (ago) return ago;
  const days = parseDays(trimmed, startOfUnit(clock.wallAt(now), 'day'));
  if (!days) throw refuse(trimmed, 'this is no day and no time', suggestion(trimmed.text));
  return { instant: edge === 'since' ? clock.startOfDay(days.start) : clock.startOfDay(days.end) - 1 };
}

function suggestion(text: string): string {
  const slashed = /^(\d{4})[/.](\d{1,2})[/.](\d{1,2})$/.exec(text);
  if (slashed) return didYouMean(`${slashed[1]}-${twoDigits(Number(slashed[2]))}-${twoDigits(Number(slashed[3]))}`);
  if (/^last-\d+[dhw]$|^\d+[dhw]$/i.test(text)) return didYouMean(`-${text.replace(/^last-/i, '').toLowerCase()}`);
  const name = nearest(text, ['now', ...dayNames]);
  return name === undefined ? accepted : didYouMean(name);
}

/** The last second of the year 9999. */
const lastInstant = 253_402_300_799;

function unixSeconds(value: FlagValue, clock: ZoneClock): number {
  const { text } = value;
  if (!/^\d+$/.test(text)) {
    const hint = /^-\d+$/.test(text) ? `Did you mean ${text}d or ${text}h?` : undefined;
    throw refuse(value, 'unix seconds are a whole number, 0 or more', hint);
  }
  const date = /^((?:19|20)\d\d)(?:(0[1-9]|1[0-2])([0-3]\d)?)?$/.exec(text);
  if (date) {
    const [, year, month = '01', day = '01'] = date;
    throw refuse(value, 'this could be a date or unix seconds', didYouMean(`${year}-${month}-${day}`));
  }
  const instant = Number(text);
  if (instant > lastInstant) throw refuse(value, ...finerThanSeconds(text, clock));
  return instant;
}

/** Clocks of other languages count in thousandths, millionths or billionths: 13, 16 or 19 digits for this century. */
function finerThanSeconds(text: string, clock: ZoneClock): [problem: string, hint?: string] {
  const unit = { 13: 'milliseconds', 16: 'microseconds', 19: 'nanoseconds' }[text.length];
  if (unit === undefined) return ['this is beyond the year 9999'];
  const seconds = text.slice(0, 10);
  const meant = `${seconds} (${formatInstant(Number(seconds), clock.name)})`;
  return [`these look like ${unit}, and the service takes seconds`, didYouMean(meant)];
}

/** `-36h` is that many hours ago; `-7d` and `-2w` are the same time of day so many days ago. */
function timeAgo(value: FlagValue, context: InstantContext): ResolvedInstant | undefined {
  const match = /^-(\d{1,6})([a-z]+)$/i.exec(value.text);
  if (!match) return undefined;
  const count = Number(match[1]);
  const unit = match[2]?.toLowerCase();
  if (unit === 'h') return { instant: context.now - count * 3_600 };
  if (unit === 'd' || unit === 'w') {
    const wall = plusUnits(context.clock.wallAt(context.now), -count, unit === 'd' ? 'day' : 'week');
    return settle(wall, value, context);
  }
  throw refuse(
    value,
    `${unit} is no unit of time here`,
    'The units are h (hours), d (days) and w (weeks): -36h, -7d, -2w.',
  );
}

const dateTimeForm =
  /^(\d{4})-(\d{2})-(\d{2})[T ](\d{2})(?::(\d{2})(?::(\d{2})(?:[.,](\d+))?)?)? ?(Z|[+-]\d{2}(?::?\d{2})?)?$/i;

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
  const roundedUp = context.edge === 'since' && fraction > 0 ? 1 : 0;
  const wall = midnight + hour * 3_600 + minute * 60 + second + roundedUp;
  const offset = match[8];
  return offset === undefined ? settle(wall, value, context) : { instant: wall - offsetSeconds(offset, value) };
}

function offsetSeconds(text: string, value: FlagValue): number {
  if (/^z$/i.test(text)) return 0;
  const hours = Number(text.slice(1, 3));
  const minutes = Number(text.slice(3).replace(':', ''));
  if (hours > 14 || minutes > 59) {
    throw refuse(value, `there is no offset ${text}`, 'Offsets are -14:00 to +14:00, or Z.');
  }
  return (text.startsWith('-') ? -1 : 1) * (hours * 3_600 + minutes * 60);
}

/** The instant of a wall time: of one that a clock change skips or doubles, the first for `since`, the last for `until`. */
function settle(wall: number, { flag, text }: FlagValue, { edge, clock }: InstantContext): ResolvedInstant {
  const [first, second] = clock.instantsOf(wall);
  if (first !== undefined && second === undefined) return { instant: first };
  const isSince = edge === 'since';
  const tell = (instant: number, what: string, which: string): ResolvedInstant => ({
    instant,
    note: `${flag} ${quoteIfNeeded(text)} ${what}: the ${which} is taken, ${formatInstant(instant, clock.name)}.`,
  });
  if (first !== undefined && second !== undefined) {
    const what = `happens twice in ${clock.name}, where the clocks go back`;
    return isSince ? tell(first, what, 'first') : tell(second, what, 'second');
  }
  const afterGap = clock.instantAfterGap(wall);
  const what = `does not exist in ${clock.name}, where the clocks go forward`;
  return isSince ? tell(afterGap, what, 'first instant after') : tell(afterGap - 1, what, 'last instant before');
}
