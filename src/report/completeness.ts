import { type Column, metricOfField } from '../contract/columns.ts';
import { dayOf, momentOf, numberTextOf } from '../contract/values.ts';
import type { BreakdownName } from '../contract/vocabulary.ts';
import { IncompleteDataError } from '../errors.ts';
import { type ReportTail, type RowBatch, rowsOf } from '../rows/row-batch.ts';
import { changesOf, emptyRowsOf, RepeatFinder } from '../rows/row-keys.ts';
import { printable } from '../text/printable.ts';
import { formatPlural } from '../text/quantity.ts';
import { formatDate, formatInstant, offsetAt, splitWindow, type Window } from './window.ts';

/** What a report should hold, as far as its request tells. */
export interface Expectation {
  readonly window: Window;
  readonly breakdowns: readonly BreakdownName[];
  readonly columns: readonly Column[];
  /** Whether filters were given: then a day may have no rows. */
  readonly isFiltered?: boolean;
  /** Milliseconds since 1970: what has not ended by now may be missing. */
  readonly nowMs: number;
}

/** Looks at a report's rows on their way to the output; a problem is a sentence on what differs from the request. */
interface Check {
  observe(batch: RowBatch): void;
  problems(tail: ReportTail): string[];
}

/**
 * Compares a report with its request, as it passes: its window, its columns, the days (hours, months) of its rows, rows
 * that repeat, rows that look like totals. Memory is bounded: by the window's length, and by the first million rows.
 * `problems` throws `IncompleteDataError` where the report has none of the columns that were asked for.
 */
export function checkCompleteness(expectation: Expectation): Check {
  const checks = [checkTimes, checkRepeats, checkTotals].flatMap(
    (check) => check(expectation) ?? [],
  );
  return {
    observe(batch) {
      for (const check of checks) check.observe(batch);
    },
    problems: (tail) => [
      ...windowProblems(expectation, tail),
      ...columnProblems(expectation, tail),
      ...checks.flatMap((check) => check.problems(tail)),
    ],
  };
}

function windowProblems(
  { window: { since, until, zone } }: Expectation,
  { summary, members }: ReportTail,
): string[] {
  if (!members.some(({ name }) => name === 'summary')) return [];
  const [from, to] = [summary?.since, summary?.until].map(
    (text) => momentOf(text ?? '')?.instantMs,
  );
  const unread = 'The window of the report could not be checked: its summary does not tell it.';
  if (from === undefined || to === undefined) return [unread];
  const got = { since: from / 1000, until: to / 1000 };
  if (got.since === since && got.until === until) return [];
  const textOf = (each: typeof got) =>
    `${formatInstant(each.since, zone)} to ${formatInstant(each.until, zone)}`;
  const wallOf = (instant: number): number => instant + offsetAt(instant, zone);
  const isWall = wallOf(got.since) === since && wallOf(got.until) === until;
  const isInstant = got.since === wallOf(since) && got.until === wallOf(until);
  const [means, setting] = isWall ? ['wall time', 'wall'] : ['instants', 'instant'];
  const shift = `It is shifted by the offset of ${zone}: the service reads timestamps as ${means}. Set windowClock: ${setting} in adreport.yaml or the account, or give --window-clock ${setting}.`;
  const problem = `The report is of another window than asked for: ${textOf(got)} instead of ${textOf({ since, until })}.`;
  return [isWall || isInstant ? `${problem} ${shift}` : problem];
}

function columnProblems({ columns }: Expectation, { fields, rowCount }: ReportTail): string[] {
  const none = rowCount === 0 ? ['The report has no rows.'] : [];
  if (rowCount === 0 && fields.length === 0) return none;
  const found = [...fields, ...fields.map((field) => metricOfField(field)?.name)];
  const asked = columns.filter(
    ({ metric, breakdown }) => metric !== undefined || breakdown !== undefined,
  );
  const missing = asked.filter(
    ({ field, metric = field }) => !found.includes(field) && !found.includes(metric),
  );
  if (missing.length === 0) return none;
  if (missing.length === asked.length) {
    const named = printable(fields.slice(0, 5).join(', ').slice(0, 150));
    const message = `This is no report: none of the columns that were asked for is in it. It has ${named}.`;
    const hint =
      'Its first line may be data or an error text. Try the command again with --format json.';
    throw new IncompleteDataError(message, { code: 'NO_HEADER', retryable: false, hint });
  }
  const names = missing.map(({ field }) => field).join(', ');
  return [
    `The report lacks the column${missing.length === 1 ? '' : 's'} ${names}, asked for.`,
    ...none,
  ];
}

/** Rows name these places without their ids, and two places may have one name: their rows are no repetition. */
const ambiguous: readonly BreakdownName[] = ['REGION', 'DEPARTMENT', 'CITY', 'POSTALCODE'];

function checkRepeats({ breakdowns, columns }: Expectation): Check | undefined {
  if (breakdowns.some((breakdown) => ambiguous.includes(breakdown))) return undefined;
  const own = columns.filter(({ breakdown }) => breakdown !== undefined).map(({ field }) => field);
  const finder = new RepeatFinder(own);
  const problems = (): string[] => {
    const { count, firstRow } = finder;
    const what =
      count === 1 ? 'One row of the report repeats' : `${count} rows of the report repeat`;
    return count === 0
      ? []
      : [`${what} the breakdown values of an earlier one; the first is row ${firstRow}.`];
  };
  return { observe: (batch) => finder.observe(batch), problems };
}

/** More than this (eleven years of hours) are not kept. */
const timesAtMost = 100_000;

function checkTimes(expectation: Expectation): Check | undefined {
  const times = timesOf(expectation);
  if (!times) return undefined;
  const { unit, ended, first, last, read, label } = times;
  const field = unit === 'hour' ? 'hour' : 'date';
  const missing = new Set(ended);
  const outside = new Set<number>();
  // Rows of one time need not stand together.
  const timeOf = new Map<unknown, number>();
  let unreadable: string | undefined;
  const observe = (batch: RowBatch): void =>
    changesOf(batch, field, (value, row) => {
      const time = timeOf.get(value) ?? (typeof value === 'string' ? read(value) : undefined);
      if (time === undefined) {
        unreadable ??= `row ${batch.firstRow + row + 1} has ${printable(JSON.stringify(value).slice(0, 50))}`;
        return;
      }
      if (timeOf.size < timesAtMost) timeOf.set(value, time);
      if (time >= first && time <= last) missing.delete(time);
      else if (outside.size < timesAtMost) outside.add(time);
    });
  const listed = (some: ReadonlySet<number>): string => {
    const more = some.size > 5 ? ` and ${some.size - 5} more` : '';
    return `${[...some].slice(0, 5).map(label).join(', ')}${more}.`;
  };
  const problems = ({ rowCount }: ReportTail): string[] => {
    const found: string[] = [];
    if (unreadable !== undefined) {
      found.push(`The times of the rows could not all be checked: ${unreadable} as its ${field}.`);
    } else if (
      missing.size > 0 &&
      rowCount > 0 &&
      ended.size <= timesAtMost &&
      !expectation.isFiltered
    ) {
      const all = formatPlural(ended.size, unit);
      found.push(
        `The report has no rows for ${missing.size} of the ${all} of its window: ${listed(missing)}`,
      );
    }
    const others = formatPlural(outside.size, unit);
    if (outside.size > 0)
      found.push(`The report has rows of ${others} outside its window: ${listed(outside)}`);
    return found;
  };
  return { observe, problems };
}

/**
 * The days, hours or months of a window, by a number of each that grows with time; `ended` are those that have ended by
 * now, of which each has rows. `read` gives the number of what a row's text lies in, `undefined` for what is no time.
 */
function timesOf({ window, breakdowns, nowMs }: Expectation) {
  const now = Math.floor(nowMs / 1_000);
  if (breakdowns.includes('HOURLY')) return hoursOf(window, now);
  if (breakdowns.includes('MONTHLY')) return datesOf(window, 'month', now);
  if (breakdowns.includes('DAILY')) return datesOf(window, 'day', now);
  if (!breakdowns.includes('RANGE')) return undefined;
  // The date of every row is the window's first day.
  const firstDay = datesOf({ ...window, until: window.since }, 'day', 0);
  const label = (day: number): string =>
    `${firstDay.label(day)} instead of ${firstDay.label(firstDay.first)}`;
  return { ...firstDay, label };
}

const secondsPerHour = 3_600;

/** Days, or months by their first days, counted from 1970. What the window cuts to less than an hour may hold nothing. */
function datesOf(window: Window, unit: 'day' | 'month', now: number) {
  const read = (text: string) =>
    dayOf(text) && dayOf(unit === 'day' ? text : `${text.slice(0, 7)}-01`);
  const timeAt = (instant: number): number => read(formatDate(instant, window.zone)) ?? 0;
  const ended = splitWindow({ ...window, until: Math.min(window.until, now) }, unit).filter(
    ({ since, until, unitOver }) =>
      until === Math.min(unitOver - 1, window.until) && until - since >= secondsPerHour - 1,
  );
  return {
    unit,
    ended: new Set(ended.map(({ since }) => timeAt(since))),
    first: timeAt(window.since),
    last: timeAt(window.until),
    read,
    label: (day: number): string =>
      new Date(day * 86_400_000).toISOString().slice(0, unit === 'day' ? 10 : 7),
  };
}

/** Local hours by the instants at which they begin. What the window leaves of an hour at its ends may hold nothing. */
function hoursOf({ since, until, zone }: Window, now: number) {
  const intoHour = (instant: number): number =>
    (instant + offsetAt(instant, zone)) % secondsPerHour;
  const first = since - intoHour(since);
  const ended = new Set<number>();
  for (
    let start = first;
    start + secondsPerHour - 1 <= Math.min(until, now) && ended.size <= timesAtMost;
  ) {
    if (start >= since) ended.add(start);
    start += secondsPerHour;
    // A clock change of thirty minutes (Lord Howe) leaves a part of an hour, which may hold nothing.
    start += (secondsPerHour - intoHour(start)) % secondsPerHour;
  }
  const read = (text: string): number | undefined => {
    const instant = Math.floor((momentOf(text)?.instantMs ?? Number.NaN) / 1_000);
    return Number.isNaN(instant) ? undefined : instant - intoHour(instant);
  };
  const label = (start: number): string => formatInstant(start, zone);
  return { unit: 'hour' as const, ended, first, last: until, read, label };
}

/** The breakdowns whose fields are null in no row but a total (specification, Report data). */
const neverNull =
  'DAILY HOURLY MONTHLY RANGE ADNETWORK CAMPAIGN ADUNIT ADVERTISER CREATIVE PLATFORM'.split(' ');

/**
 * Rows without a value in any of the breakdowns that always have one. Where all of them may be null, a row without them
 * is a total if it holds the sum of the others.
 */
function checkTotals({ columns }: Expectation): Check {
  const own = columns.filter(({ breakdown }) => breakdown !== undefined);
  const always = own.filter(({ breakdown = '' }) => neverNull.includes(breakdown));
  const fields = (always.length > 0 ? always : own).map(({ field }) => field);
  const metrics = columns.filter(({ metric }) => metric !== undefined && always.length === 0);
  const candidates: { readonly row: number; readonly value: number }[] = [];
  let sum = 0;
  const observe = (batch: RowBatch): void => {
    const rows = metrics.length > 0 ? rowsOf(batch) : [];
    // All metrics of a row together: any one of them may be zero in every row.
    const sumOf = (row: number): number =>
      metrics.reduce(
        (total, { field }) => total + Number(numberTextOf(rows[row]?.[field]) ?? 0),
        0,
      );
    for (const index of rows.keys()) sum += sumOf(index);
    for (const index of emptyRowsOf(batch, fields)) {
      if (candidates.length < timesAtMost)
        candidates.push({ row: batch.firstRow + index + 1, value: sumOf(index) });
    }
  };
  const problems = ({ rowCount }: ReportTail): string[] => {
    const isSum = ({ value }: { readonly value: number }) =>
      value > 0 && Math.abs(2 * value - sum) < 1e-6 * value;
    const [first, ...others] = metrics.length > 0 ? candidates.filter(isSum) : candidates;
    if (first === undefined || rowCount < 2 || fields.length === 0) return [];
    const many = `${others.length + 1} rows look like totals, the first is row ${first.row}`;
    return [
      `${others.length > 0 ? many : `Row ${first.row} looks like a total`}: it has no ${fields.join(', no ')}.`,
    ];
  };
  return { observe, problems };
}
