import type { UsageError } from '../errors.ts';
import { joinWords } from '../text/quantity.ts';
import {
  type CalendarUnit,
  comparableWindow,
  countDays,
  earlierWindow,
  formatDate,
  formatInstant,
  type SplitUnit,
  unitContaining,
  unitNumber,
  unitsIn,
  type Window,
} from './calendar.ts';
import { hasTimePlaceholder } from './file-name.ts';
import { flagError } from './flag-error.ts';
import type { Shard } from './flags/read-value.ts';
import { laterMs, resolvePeriod, tryResolve } from './period.ts';
import type { Part, Query } from './query.ts';

/** Maximum number of parts in a run: half a century of days. More would probably be a typo. */
const maxParts = 20_000;

/** Returns the unit of each report, or `undefined` for a single report. */
export function findPartUnit({ split, breakdowns }: Query): SplitUnit | undefined {
  return breakdowns.includes('WEEKLY') ? 'week' : split;
}

export function hasFilePerPart(query: Query): boolean {
  const [{ path }] = query.outputs;
  return findPartUnit(query) !== undefined && hasTimePlaceholder(path);
}

/** Whether the parts are merged into one output. */
export function mergesParts(query: Query): boolean {
  return findPartUnit(query) !== undefined && !hasFilePerPart(query);
}

/** Whether a query fills a folder (`cli.md`, Folders). */
export function fillsFolder(query: Query): boolean {
  return query.split !== undefined && hasFilePerPart(query);
}

/**
 * Returns the whole period of a query as one part. With `--compare`, the part ends where the
 * comparison must end. Throws `UsageError` if the period is invalid now or has not begun.
 *
 * @param nowMs milliseconds since 1970
 */
export function toWholePart(query: Query, nowMs: number): Part {
  const now = Math.floor(nowMs / 1_000);
  const window = resolveWindow(query, nowMs);
  if (window.since > now) {
    const begin = formatInstant(window.since, window.zone);
    throw flagError(
      query.period === undefined ? '--since' : '--period',
      `The period has not begun: it begins at ${begin}.`,
      'Choose an earlier period, for example --period yesterday.',
    );
  }
  return toPart(query, query.compare ? comparableWindow(window, now) : window);
}

/** Resolved period of a query. */
interface QueryWindow extends Window {
  /** Whether the period has begun, but its first day has not ended. The window then ends now. */
  readonly isStillEmpty: boolean;
}

/**
 * Resolves the period of a query. Only the period of a folder may have no complete day yet, such as
 * `2027-01..yesterday` on 1 January. Throws `UsageError` if the period is invalid.
 *
 * @param nowMs milliseconds since 1970
 */
export function resolveWindow(query: Query, nowMs: number): QueryWindow {
  const options = { zone: query.timezone, nowMs, unit: findPartUnit(query) };
  try {
    return { ...resolvePeriod(query, options), isStillEmpty: false };
  } catch (error) {
    const now = Math.floor(nowMs / 1_000);
    const later = tryResolve(query, { ...options, nowMs: nowMs + laterMs });
    const hasBegun = later !== undefined && later.since <= now;
    if (!hasBegun || !fillsFolder(query)) throw error;
    return { ...later, until: now, end: now + 1, isStillEmpty: true };
  }
}

/**
 * Splits a query into the reports to request, in time order. There is one report for each day, week
 * or month, or a single report. A folder without `--until` ends with the last complete part.
 *
 * @param nowMs milliseconds since 1970
 * @throws UsageError as for `toWholePart`, and if the period contains a partial unit or more than
 * 20,000 parts
 */
export function planParts(query: Query, nowMs: number): Part[] {
  const whole = toWholePart(query, nowMs);
  const unit = findPartUnit(query);
  if (unit === undefined) return [whole];

  const now = Math.floor(nowMs / 1_000);
  const subject = query.split === undefined ? '--by WEEKLY' : `--split ${unit}`;
  requireWholeUnits(whole, unit, { now, subject });
  const hasEnd = query.until !== undefined || query.period !== undefined;
  const { isStillEmpty } = resolveWindow(query, nowMs);
  const isOpen = fillsFolder(query) && (!hasEnd || isStillEmpty);
  const lastEnd = isOpen ? now : Number.POSITIVE_INFINITY;

  const parts: Part[] = [];
  for (const found of unitsIn(whole, unit)) {
    if (found.since > now || found.end > lastEnd) break;
    if (parts.length === maxParts) throw tooManyPartsError(unit);
    // The file is named after the whole unit, even if the unit has not ended.
    const { firstDay, lastDay } = found;
    parts.push({ ...cutToUnit(whole, found), firstDay, lastDay });
  }
  return parts;
}

/** Limits a part to a unit. */
function cutToUnit(part: Part, unit: CalendarUnit): Part {
  const since = Math.max(unit.since, part.since);
  const until = Math.min(unit.end - 1, part.until);
  return toPart(part.query, { since, until, end: unit.end, zone: part.zone });
}

function tooManyPartsError(unit: SplitUnit): UsageError {
  const message = `--split ${unit} would request more than 20,000 reports for this period.`;
  return flagError('--split', message, 'Use a shorter period, or a longer --split.');
}

/** Maximum number of days to split into days. Longer reports are split into weeks. */
const maxDailyParts = 14;

/**
 * Splits a failed report into months, weeks or days, so that merging the parts gives the same rows.
 * The first and last part may be shorter. Returns no parts if there is no such split.
 */
export function splitToRetry(part: Part): Part[] {
  const { breakdowns } = part.query;
  const isDaily = breakdowns.includes('DAILY') || breakdowns.includes('HOURLY');
  if (!isDaily && !breakdowns.includes('MONTHLY')) return [];

  const days = countDays(part) > maxDailyParts ? 'week' : 'day';
  return [...unitsIn(part, isDaily ? days : 'month')].map((unit) => cutToUnit(part, unit));
}

/**
 * Returns a copy of a part whose rows are merged with others, so that it has no output of its own.
 */
export function withoutOutput(part: Part): Part {
  const { split: _split, compare: _compare, ...query } = part.query;
  const [{ format }] = query.outputs;
  return { ...part, query: { ...query, outputs: [{ path: '-', format }] } };
}

/** Returns the part to compare with, in the previous period or a year earlier. */
export function earlierPart(part: Part): Part {
  const { compare = 'previous' } = part.query;
  const { query } = withoutOutput(part);
  // A single report covers all earlier weeks, by day. The days are added up.
  const breakdowns = query.breakdowns.map((name) => (name === 'WEEKLY' ? 'DAILY' : name));
  return toPart({ ...query, breakdowns }, earlierWindow(part, compare));
}

function toPart(query: Query, window: Window): Part {
  const { since, until, end, zone } = window;
  return {
    ...{ query, since, until, end, zone },
    firstDay: formatDate(since, zone),
    lastDay: formatDate(until, zone),
  };
}

interface UnitCheck {
  /** Current time in unix seconds. */
  readonly now: number;

  /** Flag or period that needs whole units, as the subject of a message: `--split week`. */
  readonly subject: string;
  readonly flag?: string;
}

/**
 * Throws `UsageError` if a period contains a partial unit. Only the last unit may be partial, while
 * it is still running.
 */
export function requireWholeUnits(
  { since, end, zone }: Window,
  unit: SplitUnit,
  { now, subject, flag = '--split' }: UnitCheck,
): void {
  const first = unitContaining(formatDate(since, zone), unit, zone);
  const last = unitContaining(formatDate(end - 1, zone), unit, zone);
  if (!first || !last) return;

  const beginsLate = since > first.since;
  const endsEarly = end < last.end && end <= now;
  if (!beginsLate && !endsEarly) return;

  // A partial day needs a time of day in the message.
  const format = unit === 'day' ? formatInstant : formatDate;
  const period = `${format(since, zone)} to ${format(end - 1, zone)}`;
  const nearest = formatNearestWhole({ since, end, zone }, first, last);
  throw flagError(
    flag,
    `${subject} needs full ${unit}s, but the period ${period} includes a partial ${unit}.`,
    `The nearest full period is --period ${nearest}. Only the current ${unit} may be incomplete.`,
  );
}

/** Formats the whole units nearest to a period, for `--period`. */
function formatNearestWhole(
  { since, end, zone }: Omit<Window, 'until'>,
  first: CalendarUnit,
  last: CalendarUnit,
): string {
  const begin = findNearestEdge(first, since);
  const over = findNearestEdge(last, end);
  const [from, to] = begin < over ? [begin, over] : [first.since, last.end];
  return `${formatDate(from, zone)}..${formatDate(to - 1, zone)}`;
}

function findNearestEdge({ since, end }: CalendarUnit, instant: number): number {
  return instant - since <= end - instant ? since : end;
}

/** Throws `UsageError` if the rows of several parts would have to be added up. */
export function requireMergeable(query: Query, unit: SplitUnit): void {
  const finest = unit === 'month' ? ['DAILY', 'HOURLY', 'MONTHLY'] : ['DAILY', 'HOURLY'];
  // RANGE and WEEKLY give each row the first day of its part as its date.
  const mergeable: readonly string[] = [...finest, 'RANGE', 'WEEKLY'];
  if (query.breakdowns.some((name) => mergeable.includes(name))) return;

  const why = query.breakdowns.includes('MONTHLY')
    ? `MONTHLY rows span several ${unit}s`
    : 'the rows have no date';
  throw flagError(
    '--split',
    `--split ${unit}: the reports cannot be merged into one output, because ${why}.`,
    `Add ${joinWords(finest, 'or')} to --by, or write one file per ${unit} with {date}, {since} or {until} in -o.`,
  );
}

/**
 * Selects the parts of one machine. Parts are numbered from 1970, so that every run agrees on the
 * numbers.
 */
export function selectShard(parts: readonly Part[], { index, count }: Shard): Part[] {
  return parts.filter(({ firstDay, query }) => {
    return (
      unitNumber(firstDay, findPartUnit(query) ?? 'day') % count === (index + count - 1) % count
    );
  });
}
