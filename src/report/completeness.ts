import { type Column, metricOfField } from '../contract/columns.ts';
import { dayOf, momentOf, numberTextOf } from '../contract/values.ts';
import type { BreakdownName } from '../contract/vocabulary.ts';
import { IncompleteDataError } from '../errors.ts';
import type { ReportTail, RowBatch } from '../rows/row-batch.ts';
import { rowsOf } from '../rows/row-batch.ts';
import { changesOf, emptyRowsOf, RowKeys } from '../rows/row-keys.ts';
import { printable } from '../text/printable.ts';
import { formatPlural } from '../text/quantity.ts';
import { formatDate, formatInstant, offsetAt, splitWindow, type Window } from './window.ts';

/** What a report should hold, as far as its request tells. */
export interface Expectation {
  readonly window: Window;
  readonly breakdowns: readonly BreakdownName[];
  /** The columns that were asked for (`askedColumns`). */
  readonly columns: readonly Column[];
  /** Whether filters were given: then a day may have no rows. */
  readonly isFiltered?: boolean;
  /** Milliseconds since 1970: what has not ended by now may be missing. */
  readonly nowMs: number;
}

/** Looks at a report's rows on their way to the output. */
export interface CompletenessCheck {
  /** To be called with every batch, in order. */
  observe(batch: RowBatch): void;
  /**
   * One sentence for each thing in which the report differs from its request; none where all is well.
   * @throws IncompleteDataError where it has none of the columns that were asked for
   */
  problems(tail: ReportTail): string[];
}

/**
 * Compares a report with its request, as it passes: its window, its columns, the days (hours, months) of its rows, rows
 * that repeat, rows that look like totals. Memory is bounded: by the window's length, and by the first million rows.
 */
export function checkCompleteness(expectation: Expectation): CompletenessCheck {
  const { breakdowns, columns } = expectation;
  const fields = columns.filter(({ breakdown }) => breakdown !== undefined).map(({ field }) => field);
  const expected = timesOf(expectation);
  const times = expected && new TimeCheck(expected);
  const keys = breakdowns.some(isAmbiguous) ? undefined : new RowKeys(fields);
  const totals = new Totals(columns);
  return {
    observe(batch) {
      times?.observe(batch);
      keys?.observe(batch);
      totals.observe(batch);
    },
    problems: (tail) => [
      ...windowProblems(expectation.window, tail),
      ...columnProblems(columns, tail),
      ...(tail.rowCount === 0 ? ['The report has no rows.'] : (times?.problems(expectation.isFiltered ?? false) ?? [])),
      ...(keys ? repeatedRows(keys) : []),
      ...totals.problems(tail),
    ],
  };
}

/** Rows name these places without their ids, and two places may have one name: their rows are no repetition. */
function isAmbiguous(breakdown: BreakdownName): boolean {
  return ['REGION', 'DEPARTMENT', 'CITY', 'POSTALCODE'].includes(breakdown);
}

function windowProblems({ since, until, zone }: Window, { summary, members }: ReportTail): string[] {
  if (!members.some(({ name }) => name === 'summary')) return [];
  const [gotSince, gotUntil] = [summary?.since, summary?.until].map((text) => secondsOf(text ?? ''));
  if (gotSince === undefined || gotUntil === undefined)
    return ['The window of the report could not be checked: its summary does not tell it.'];
  if (gotSince === since && gotUntil === until) return [];
  const said = (from: number, to: number): string => `${formatInstant(from, zone)} to ${formatInstant(to, zone)}`;
  const wallOf = (instant: number): number => instant + offsetAt(instant, zone);
  const isWall = wallOf(gotSince) === since && wallOf(gotUntil) === until;
  const isInstant = gotSince === wallOf(since) && gotUntil === wallOf(until);
  const [clock, read] = isWall ? ['wall', 'wall time'] : ['instant', 'instants'];
  const shift = ` It is shifted by the offset of ${zone}: the service reads timestamps as ${read}. Set windowClock: ${clock} in adreport.yaml or the account, or give --window-clock ${clock}.`;
  const found = `The report is of another window than asked for: ${said(gotSince, gotUntil)} instead of ${said(since, until)}.`;
  return [found + (isWall || isInstant ? shift : '')];
}

/** Unix seconds of a date-time with an offset; `undefined` for any other text. */
function secondsOf(text: string): number | undefined {
  const moment = momentOf(text);
  return moment && moment.instantMs / 1_000;
}

function columnProblems(columns: readonly Column[], { fields, rowCount }: ReportTail): string[] {
  // A report without rows shows no fields, so none can be missing.
  if (rowCount === 0 && fields.length === 0) return [];
  const asked = columns.filter(({ metric, breakdown }) => metric !== undefined || breakdown !== undefined);
  const isThere = ({ field, metric }: Column): boolean =>
    fields.includes(field) || (metric !== undefined && fields.some((other) => metricOfField(other)?.name === metric));
  const missing = asked.filter((column) => !isThere(column)).map(({ field }) => field);
  if (missing.length === 0) return [];
  if (missing.length === asked.length) {
    const named = printable(fields.slice(0, 5).join(', ').slice(0, 150));
    throw new IncompleteDataError(
      `This is no report: none of the columns that were asked for is in it. It has ${named}.`,
      {
        code: 'NO_HEADER',
        retryable: false,
        hint: 'Its first line may be data or an error text. Try the command again with --format json.',
      },
    );
  }
  return [`The report lacks ${missing.length === 1 ? 'the column' : 'the columns'} ${missing.join(', ')}, asked for.`];
}

function listed(labels: readonly string[]): string {
  const more = labels.length > 5 ? ` and ${labels.length - 5} more` : '';
  return `${labels.slice(0, 5).join(', ')}${more}`;
}

function repeatedRows({ repeatedCount, firstRepeated }: RowKeys): string[] {
  if (repeatedCount === 0) return [];
  const what = repeatedCount === 1 ? 'One row of the report repeats' : `${repeatedCount} rows of the report repeat`;
  return [`${what} the breakdown values of an earlier one; the first is row ${firstRepeated}.`];
}

/** The days, hours or months of a window, by a number of each that grows with time. */
interface Times {
  readonly unit: 'day' | 'hour' | 'month';
  /** Those that have ended by now, of which each has rows. */
  readonly ended: ReadonlySet<number>;
  readonly first: number;
  readonly last: number;
  /** The number of what a row's text lies in; `undefined` for what is no time. */
  readonly read: (text: string) => number | undefined;
  /** What people call it. */
  readonly label: (time: number) => string;
}

/** More than this (eleven years of hours) are not kept. */
const timesAtMost = 100_000;
const secondsPerHour = 3_600;

/** `undefined` where the request has no time breakdown. */
function timesOf({ window, breakdowns, nowMs }: Expectation): Times | undefined {
  const now = Math.floor(nowMs / 1_000);
  if (breakdowns.includes('HOURLY')) return hoursOf(window, now);
  if (breakdowns.includes('MONTHLY')) return datesOf(window, 'month', now);
  if (breakdowns.includes('DAILY')) return datesOf(window, 'day', now);
  if (!breakdowns.includes('RANGE')) return undefined;
  // The date of every row is the window's first day.
  const firstDay = datesOf({ ...window, until: window.since }, 'day', 0);
  return { ...firstDay, label: (day) => `${firstDay.label(day)} instead of ${formatDate(window.since, window.zone)}` };
}

/** Days, or months by their first days, counted from 1970. What the window cuts to less than an hour may hold nothing. */
function datesOf(window: Window, unit: 'day' | 'month', now: number): Times {
  const { since, until, zone } = window;
  const read = (text: string) =>
    unit === 'day' || dayOf(text) === undefined ? dayOf(text) : dayOf(`${text.slice(0, 7)}-01`);
  const timeAt = (instant: number): number => read(formatDate(instant, zone)) ?? 0;
  const begun = splitWindow({ ...window, until: Math.min(until, now) }, unit);
  const over = begun.filter(
    (part) => part.until === Math.min(part.unitOver - 1, until) && part.until - part.since >= secondsPerHour - 1,
  );
  return {
    unit,
    ended: new Set(over.map((part) => timeAt(part.since))),
    first: timeAt(since),
    last: timeAt(until),
    read,
    label: (day) => new Date(day * 86_400_000).toISOString().slice(0, unit === 'day' ? 10 : 7),
  };
}

/** Local hours by the instants at which they begin. The parts of hours at the window's ends may hold nothing. */
function hoursOf({ since, until, zone }: Window, now: number): Times {
  const intoHour = (instant: number): number => (instant + offsetAt(instant, zone)) % secondsPerHour;
  const first = since - intoHour(since);
  const ended = new Set<number>();
  for (let start = first; start + secondsPerHour - 1 <= Math.min(until, now) && ended.size <= timesAtMost; ) {
    if (start >= since) ended.add(start);
    start += secondsPerHour;
    // A clock change of thirty minutes (Lord Howe) leaves a part of an hour, which may hold nothing.
    if (intoHour(start) > 0) start += secondsPerHour - intoHour(start);
  }
  const read = (text: string): number | undefined => {
    const instant = secondsOf(text);
    return instant === undefined ? undefined : Math.floor(instant) - intoHour(Math.floor(instant));
  };
  return { unit: 'hour', ended, first, last: until, read, label: (start) => formatInstant(start, zone) };
}

/** Which times of the window the rows have shown, which lie outside of it, and which cannot be read. */
class TimeCheck {
  readonly #times: Times;
  readonly #field: 'date' | 'hour';
  readonly #missing: Set<number>;
  readonly #outside = new Set<number>();
  /** The times of texts: rows of one time need not stand together. */
  readonly #read = new Map<unknown, number>();
  #unreadable: { readonly value: unknown; readonly row: number } | undefined;

  constructor(times: Times) {
    this.#times = times;
    this.#field = times.unit === 'hour' ? 'hour' : 'date';
    this.#missing = new Set(times.ended);
  }

  observe(batch: RowBatch): void {
    const { first, last, read } = this.#times;
    changesOf(batch, this.#field, (value, row) => {
      const time = this.#read.get(value) ?? (typeof value === 'string' ? read(value) : undefined);
      if (time === undefined) {
        this.#unreadable ??= { value, row: batch.firstRow + row + 1 };
        return;
      }
      if (this.#read.size < timesAtMost) this.#read.set(value, time);
      if (time >= first && time <= last) this.#missing.delete(time);
      else if (this.#outside.size < timesAtMost) this.#outside.add(time);
    });
  }

  /** @param isFiltered whether a time may have no rows */
  problems(isFiltered: boolean): string[] {
    const { unit, ended, label } = this.#times;
    const found: string[] = [];
    const [missing, outside] = [[...this.#missing].map(label), [...this.#outside].map(label)];
    if (this.#unreadable) {
      const { value, row } = this.#unreadable;
      const shown = printable(JSON.stringify(value).slice(0, 50));
      found.push(`The times of the rows could not all be checked: row ${row} has ${shown} as its ${this.#field}.`);
    } else if (missing.length > 0 && ended.size <= timesAtMost && !isFiltered) {
      const all = formatPlural(ended.size, unit);
      found.push(`The report has no rows for ${missing.length} of the ${all} of its window: ${listed(missing)}.`);
    }
    if (outside.length > 0) {
      const what = formatPlural(outside.length, unit);
      found.push(`The report has rows of ${what} outside its window: ${listed(outside)}.`);
    }
    return found;
  }
}

/** Fields of breakdowns that may be null in rows that are no totals (specification, Report data). */
const nullable = new Set(
  'country city postalcode subpublisherId os adminLevel1 adminLevel2 deviceBrand deviceModel deviceType bundleId format publisherId carrier'.split(
    ' ',
  ),
);

/**
 * Rows without a value in any of the breakdowns that always have one. Where all of them may be null, a row without them
 * is a total if it holds the sum of the others.
 */
class Totals {
  readonly #fields: readonly string[];
  readonly #metrics: readonly string[];
  #count = 0;
  #first = 0;
  #candidates: { readonly row: number; readonly value: number }[] = [];
  #sum = 0;

  constructor(columns: readonly Column[]) {
    const own = columns.filter(({ breakdown }) => breakdown !== undefined).map(({ field }) => field);
    const always = own.filter((field) => !nullable.has(field));
    this.#fields = always.length > 0 ? always : own;
    const metrics = columns.filter(({ metric }) => metric !== undefined).map(({ field }) => field);
    this.#metrics = always.length > 0 ? [] : metrics;
  }

  observe(batch: RowBatch): void {
    const empty = emptyRowsOf(batch, this.#fields);
    if (this.#metrics.length > 0) this.#add(batch, new Set(empty));
    else {
      this.#count += empty.length;
      if (empty[0] !== undefined) this.#first ||= batch.firstRow + empty[0] + 1;
    }
  }

  /** All metrics of a row together: any one of them may be zero in every row. */
  #add(batch: RowBatch, empty: ReadonlySet<number>): void {
    for (const [index, row] of rowsOf(batch).entries()) {
      const value = this.#metrics.reduce((sum, metric) => sum + Number(numberTextOf(row[metric]) ?? 0), 0);
      this.#sum += value;
      if (empty.has(index)) this.#candidates.push({ row: batch.firstRow + index + 1, value });
    }
  }

  problems({ rowCount }: ReportTail): string[] {
    const sums = this.#candidates.filter(({ value }) => value > 0 && Math.abs(2 * value - this.#sum) < 1e-6 * value);
    const [count, first] = sums[0] ? [sums.length, sums[0].row] : [this.#count, this.#first];
    if (count === 0 || rowCount < 2 || this.#fields.length === 0) return [];
    const what =
      count === 1 ? `Row ${first} looks like a total` : `${count} rows look like totals, the first is row ${first}`;
    return [`${what}: it has no ${this.#fields.join(', no ')}.`];
  }
}
