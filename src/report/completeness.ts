import { type Column, metricOfField } from '../contract/columns.ts';
import { dayOf, momentOf, numberTextOf } from '../contract/values.ts';
import type { BreakdownName } from '../contract/vocabulary.ts';
import { IncompleteDataError } from '../errors.ts';
import type { ReportTail, RowBatch } from '../rows/row-batch.ts';
import { rowsOf } from '../rows/row-batch.ts';
import { changesOf, emptyRowsOf, RowKeys } from '../rows/row-keys.ts';
import { printable } from '../text/printable.ts';
import { splitWindow } from './parts.ts';
import { formatInstant, type Window, ZoneClock } from './window.ts';

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
  const times = timesOf(expectation);
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
  const member = members.find(({ name }) => name === 'summary');
  if (summary === undefined && member === undefined) return [];
  const [from, to] = [summary?.since, summary?.until].map((text) => momentOf(text ?? '')?.instantMs);
  if (from === undefined || to === undefined)
    return ['The window of the report could not be checked: its summary does not tell it.'];
  const [gotSince, gotUntil] = [from / 1000, to / 1000];
  if (gotSince === since && gotUntil === until) return [];
  const asked = `${formatInstant(since, zone)} to ${formatInstant(until, zone)}`;
  const got = `${formatInstant(gotSince, zone)} to ${formatInstant(gotUntil, zone)}`;
  const clock = new ZoneClock(zone);
  const isWall = clock.wallAt(gotSince) === since && clock.wallAt(gotUntil) === until;
  const isInstant = gotSince === clock.wallAt(since) && gotUntil === clock.wallAt(until);
  const shift =
    isWall || isInstant
      ? ` It is shifted by the offset of ${zone}: the service reads timestamps as ${isWall ? 'wall time' : 'instants'}. Set windowClock: ${isWall ? 'wall' : 'instant'} in adreport.yaml or the account, or give --window-clock ${isWall ? 'wall' : 'instant'}.`
      : '';
  return [`The report is of another window than asked for: ${got} instead of ${asked}.${shift}`];
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

const namedAtMost = 5;

function listed(labels: readonly string[]): string {
  const more = labels.length > namedAtMost ? ` and ${labels.length - namedAtMost} more` : '';
  return `${labels.slice(0, namedAtMost).join(', ')}${more}`;
}

function repeatedRows({ repeatedCount, firstRepeated }: RowKeys): string[] {
  if (repeatedCount === 0) return [];
  const what = repeatedCount === 1 ? 'One row of the report repeats' : `${repeatedCount} rows of the report repeat`;
  return [`${what} the breakdown values of an earlier one; the first is row ${firstRepeated}.`];
}

/** The days, hours or months of a window, by a key of each. */
interface Times {
  readonly unit: 'day' | 'hour' | 'month';
  /** The row field that tells a row's time. */
  readonly field: 'date' | 'hour';
  /** Those that have ended by now, of which each has rows. */
  readonly ended: ReadonlySet<string>;
  readonly isInside: (key: string) => boolean;
  /** The key of what a row's text lies in; `undefined` for what is no time. */
  readonly read: (text: string) => string | undefined;
  /** What people call it. */
  readonly label: (key: string) => string;
}

/** More than this (eleven years of hours) are not kept. */
const keysAtMost = 100_000;

/** The check of the rows' times; `undefined` where the request has no time breakdown. */
function timesOf({ window, breakdowns, nowMs }: Expectation): TimeCheck | undefined {
  const now = Math.floor(nowMs / 1_000);
  if (breakdowns.includes('HOURLY')) return new TimeCheck(hoursOf(window, now));
  if (breakdowns.includes('MONTHLY')) return new TimeCheck(datesOf(window, 'month', now));
  if (breakdowns.includes('DAILY')) return new TimeCheck(datesOf(window, 'day', now));
  if (!breakdowns.includes('RANGE')) return undefined;
  // The date of every row is the window's first day.
  const firstDay = datesOf({ ...window, until: window.since }, 'day', 0);
  const first = new ZoneClock(window.zone).dateAt(window.since);
  return new TimeCheck({ ...firstDay, label: (key) => `${key} instead of ${first}` });
}

/** The window's days or months by their local dates. What the window cuts to less than an hour may hold nothing. */
function datesOf(window: Window, unit: 'day' | 'month', now: number): Times {
  const read = (text: string) => (dayOf(text) === undefined ? undefined : text.slice(0, unit === 'day' ? 10 : 7));
  const clock = new ZoneClock(window.zone);
  const keyAt = (instant: number): string => read(clock.dateAt(instant)) ?? '';
  const [first, last] = [keyAt(window.since), keyAt(window.until)];
  const begun = splitWindow({ ...window, until: Math.min(window.until, now) }, unit);
  const isOver = ({ since, until, unitOver }: (typeof begun)[number]) =>
    until === Math.min(unitOver - 1, window.until) && until - since >= secondsPerHour - 1;
  const ended = new Set(begun.filter(isOver).map(({ since }) => keyAt(since)));
  const isInside = (key: string): boolean => key >= first && key <= last;
  return { unit, field: 'date', ended, isInside, read, label: (key) => key };
}

const secondsPerHour = 3_600;

/**
 * The window's local hours by the instants at which they begin. What the window, or a change of thirty minutes (Lord
 * Howe), leaves of an hour may hold nothing, and is not expected: `last-24h` begins and ends within hours.
 */
function hoursOf({ since, until, zone }: Window, now: number): Times {
  const clock = new ZoneClock(zone);
  const intoHour = (instant: number): number => clock.wallAt(instant) % secondsPerHour;
  const first = since - intoHour(since);
  const ended = new Set<string>();
  for (let start = first; start <= Math.min(until, now) && ended.size <= keysAtMost; ) {
    const end = start + secondsPerHour;
    if (start >= since && end - 1 <= Math.min(until, now)) ended.add(String(start));
    start = intoHour(end) === 0 ? end : end + secondsPerHour - intoHour(end);
  }
  const read = (text: string): string | undefined => {
    const instantMs = momentOf(text)?.instantMs;
    if (instantMs === undefined) return undefined;
    const instant = Math.floor(instantMs / 1_000);
    return String(instant - intoHour(instant));
  };
  const isInside = (key: string): boolean => Number(key) >= first && Number(key) <= until;
  return { unit: 'hour', field: 'hour', ended, isInside, read, label: (key) => formatInstant(Number(key), zone) };
}

/** Which times of the window the rows have shown, which lie outside of it, and which cannot be read. */
class TimeCheck {
  readonly #times: Times;
  readonly #missing: Set<string>;
  readonly #outside = new Set<string>();
  #unreadable: { readonly value: unknown; readonly row: number } | undefined;

  constructor(times: Times) {
    this.#times = times;
    this.#missing = new Set(times.ended);
  }

  observe(batch: RowBatch): void {
    const { field, isInside, read } = this.#times;
    changesOf(batch, field, (value, row) => {
      const key = typeof value === 'string' ? read(value) : undefined;
      if (key === undefined) this.#unreadable ??= { value, row: batch.firstRow + row + 1 };
      else if (isInside(key)) this.#missing.delete(key);
      else if (this.#outside.size < keysAtMost) this.#outside.add(key);
    });
  }

  /** @param isFiltered whether a time may have no rows */
  problems(isFiltered: boolean): string[] {
    const { unit, field, ended, label } = this.#times;
    const found: string[] = [];
    const [missing, outside] = [[...this.#missing].map(label), [...this.#outside].map(label)];
    if (this.#unreadable) {
      const { value, row } = this.#unreadable;
      const shown = printable(JSON.stringify(value).slice(0, 50));
      found.push(`The times of the rows could not all be checked: row ${row} has ${shown} as its ${field}.`);
    } else if (missing.length > 0 && ended.size <= keysAtMost && !isFiltered) {
      const all = `${ended.size} ${unit}${ended.size === 1 ? '' : 's'}`;
      found.push(`The report has no rows for ${missing.length} of the ${all} of its window: ${listed(missing)}.`);
    }
    if (outside.length > 0) {
      const what = outside.length === 1 ? `one ${unit}` : `${outside.length} ${unit}s`;
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
