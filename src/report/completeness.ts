import { type Column, metricOfField } from '../contract/columns.ts';
import { dayOf, momentOf, numberTextOf } from '../contract/values.ts';
import type { BreakdownName } from '../contract/vocabulary.ts';
import { IncompleteDataError } from '../errors.ts';
import { type ReportTail, type Row, type RowBatch, rowsOf } from '../rows/row-batch.ts';
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
  const checks: Check[] = [];
  const calendar = calendarOf(expectation);
  if (calendar) checks.push(new TimeCheck(calendar, expectation.isFiltered ?? false));
  if (canRepeatsBeTold(expectation)) checks.push(new RepeatCheck(expectation));
  checks.push(new TotalCheck(expectation));

  return {
    observe(batch) {
      for (const check of checks) check.observe(batch);
    },

    problems(tail) {
      const problems = [...windowProblems(expectation, tail), ...columnProblems(expectation, tail)];
      for (const check of checks) problems.push(...check.problems(tail));
      return problems;
    },
  };
}

/** The instants between which a report lies, both included, in seconds since 1970. */
interface Span {
  readonly since: number;
  readonly until: number;
}

/** Holds the window that the report's summary names against the one that was asked for. */
function windowProblems({ window }: Expectation, { summary, members }: ReportTail): string[] {
  const hasSummary = members.some(({ name }) => name === 'summary');
  if (!hasSummary) return [];

  const sinceMs = momentOf(summary?.since ?? '')?.instantMs;
  const untilMs = momentOf(summary?.until ?? '')?.instantMs;
  if (sinceMs === undefined || untilMs === undefined) {
    return ['The window of the report could not be checked: its summary does not tell it.'];
  }

  const actual: Span = { since: sinceMs / 1000, until: untilMs / 1000 };
  if (actual.since === window.since && actual.until === window.until) return [];

  const actualText = spanText(actual, window.zone);
  const wantedText = spanText(window, window.zone);
  const problem = `The report is of another window than asked for: ${actualText} instead of ${wantedText}.`;
  const advice = clockAdvice(actual, window);
  return [advice === undefined ? problem : `${problem} ${advice}`];
}

function spanText({ since, until }: Span, zone: string): string {
  return `${formatInstant(since, zone)} to ${formatInstant(until, zone)}`;
}

/** What to set where the service reads timestamps by another clock; `undefined` where the windows differ otherwise. */
function clockAdvice(actual: Span, { since, until, zone }: Window): string | undefined {
  const wallOf = (instant: number): number => instant + offsetAt(instant, zone);
  const isWall = wallOf(actual.since) === since && wallOf(actual.until) === until;
  const isInstant = actual.since === wallOf(since) && actual.until === wallOf(until);
  if (!isWall && !isInstant) return undefined;

  const meaning = isWall ? 'wall time' : 'instants';
  const setting = isWall ? 'wall' : 'instant';
  return (
    `It is shifted by the offset of ${zone}: the service reads timestamps as ${meaning}. ` +
    `Set windowClock: ${setting} in adreport.yaml or the account, or give --window-clock ${setting}.`
  );
}

/** Names the columns that were asked for and did not come. */
function columnProblems({ columns }: Expectation, { fields, rowCount }: ReportTail): string[] {
  const noRows = rowCount === 0 ? ['The report has no rows.'] : [];
  if (rowCount === 0 && fields.length === 0) return noRows;

  const names = new Set<string | undefined>(fields);
  for (const field of fields) names.add(metricOfField(field)?.name);
  const isMissing = ({ field, metric }: Column): boolean =>
    !names.has(field) && (metric === undefined || !names.has(metric));

  const asked = columns.filter((column) => column.metric ?? column.breakdown);
  const missing = asked.filter(isMissing);
  if (missing.length === 0) return noRows;
  if (missing.length === asked.length) throw noReport(fields);

  const noun = missing.length === 1 ? 'column' : 'columns';
  const missingNames = missing.map(({ field }) => field).join(', ');
  return [`The report lacks the ${noun} ${missingNames}, asked for.`, ...noRows];
}

function noReport(fields: readonly string[]): IncompleteDataError {
  const names = printable(fields.slice(0, 5).join(', ').slice(0, 150));
  return new IncompleteDataError(
    `This is no report: none of the columns that were asked for is in it. It has ${names}.`,
    {
      code: 'NO_HEADER',
      retryable: false,
      hint: 'Its first line may be data or an error text. Try the command again with --format json.',
    },
  );
}

/** The fields of the breakdowns that were asked for. */
function breakdownFields(columns: readonly Column[]): string[] {
  const fields: string[] = [];
  for (const { field, breakdown } of columns) {
    if (breakdown !== undefined) fields.push(field);
  }
  return fields;
}

/** Rows name these places without their ids, and two places may have one name: their rows are no repetition. */
const ambiguousBreakdowns: readonly BreakdownName[] = [
  'REGION',
  'DEPARTMENT',
  'CITY',
  'POSTALCODE',
];

function canRepeatsBeTold({ breakdowns }: Expectation): boolean {
  return !breakdowns.some((breakdown) => ambiguousBreakdowns.includes(breakdown));
}

/** Finds rows that have the breakdown values of an earlier one. */
class RepeatCheck implements Check {
  readonly #finder: RepeatFinder;

  constructor({ columns }: Expectation) {
    this.#finder = new RepeatFinder(breakdownFields(columns));
  }

  observe(batch: RowBatch): void {
    this.#finder.observe(batch);
  }

  problems(): string[] {
    const { count, firstRow } = this.#finder;
    if (count === 0) return [];

    const subject =
      count === 1 ? 'One row of the report repeats' : `${count} rows of the report repeat`;
    return [`${subject} the breakdown values of an earlier one; the first is row ${firstRow}.`];
  }
}

/** More times than this (eleven years of hours) are not kept. */
const timesAtMost = 100_000;

/** The days, hours or months of a window, by a number of each that grows with time. */
interface Calendar {
  readonly unit: 'hour' | 'day' | 'month';

  /** Those that have ended by now, of which each has rows. */
  readonly ended: ReadonlySet<number>;

  readonly first: number;

  readonly last: number;

  /** The number of what a row's text lies in; `undefined` for what is no time. */
  read(text: string): number | undefined;

  /** How a sentence calls the one with this number. */
  label(time: number): string;
}

/** Finds the times of a window that have no rows, and the rows that are of other times. */
class TimeCheck implements Check {
  readonly #calendar: Calendar;
  readonly #isFiltered: boolean;
  readonly #field: 'hour' | 'date';

  /** The times that have had no row so far. */
  readonly #missing: Set<number>;

  readonly #outside = new Set<number>();

  /** The times of the texts that came; rows of one time need not stand together. */
  readonly #timesByText = new Map<unknown, number>();

  /** The first row whose time cannot be read, and what it has instead. */
  #unreadable: string | undefined;

  constructor(calendar: Calendar, isFiltered: boolean) {
    this.#calendar = calendar;
    this.#isFiltered = isFiltered;
    this.#field = calendar.unit === 'hour' ? 'hour' : 'date';
    this.#missing = new Set(calendar.ended);
  }

  observe(batch: RowBatch): void {
    changesOf(batch, this.#field, (value, row) => {
      const time = this.#timeOf(value);
      if (time !== undefined) {
        this.#note(time);
        return;
      }
      const text = printable(JSON.stringify(value).slice(0, 50));
      this.#unreadable ??= `row ${batch.firstRow + row + 1} has ${text}`;
    });
  }

  problems({ rowCount }: ReportTail): string[] {
    const problems: string[] = [];
    if (this.#unreadable !== undefined) {
      problems.push(
        `The times of the rows could not all be checked: ${this.#unreadable} as its ${this.#field}.`,
      );
    } else if (rowCount > 0) {
      problems.push(...this.#missingProblems());
    }

    if (this.#outside.size > 0) {
      const count = formatPlural(this.#outside.size, this.#calendar.unit);
      const list = this.#listOf(this.#outside);
      problems.push(`The report has rows of ${count} outside its window: ${list}`);
    }
    return problems;
  }

  #missingProblems(): string[] {
    const { ended, unit } = this.#calendar;
    const canTell = ended.size <= timesAtMost && !this.#isFiltered;
    if (!canTell || this.#missing.size === 0) return [];

    const all = formatPlural(ended.size, unit);
    const list = this.#listOf(this.#missing);
    return [
      `The report has no rows for ${this.#missing.size} of the ${all} of its window: ${list}`,
    ];
  }

  #timeOf(value: unknown): number | undefined {
    const readBefore = this.#timesByText.get(value);
    if (readBefore !== undefined || typeof value !== 'string') return readBefore;

    const time = this.#calendar.read(value);
    if (time !== undefined && this.#timesByText.size < timesAtMost) {
      this.#timesByText.set(value, time);
    }
    return time;
  }

  #note(time: number): void {
    const { first, last } = this.#calendar;
    if (time >= first && time <= last) {
      this.#missing.delete(time);
    } else if (this.#outside.size < timesAtMost) {
      this.#outside.add(time);
    }
  }

  #listOf(times: ReadonlySet<number>): string {
    const first = [...times].slice(0, 5);
    const names = first.map((time) => this.#calendar.label(time)).join(', ');
    const more = times.size > 5 ? ` and ${times.size - 5} more` : '';
    return `${names}${more}.`;
  }
}

/** The calendar of what the rows are broken down by; `undefined` where their times are not told. */
function calendarOf({ window, breakdowns, nowMs }: Expectation): Calendar | undefined {
  const now = Math.floor(nowMs / 1_000);
  if (breakdowns.includes('HOURLY')) return hoursOf(window, now);
  if (breakdowns.includes('MONTHLY')) return datesOf(window, 'month', now);
  if (breakdowns.includes('DAILY')) return datesOf(window, 'day', now);
  if (breakdowns.includes('RANGE')) return firstDayOf(window);
  return undefined;
}

/** The calendar of a report without times, whose rows all have the date of the window's first day. */
function firstDayOf(window: Window): Calendar {
  const days = datesOf({ ...window, until: window.since }, 'day', 0);
  const firstDay = days.label(days.first);
  return { ...days, label: (day) => `${days.label(day)} instead of ${firstDay}` };
}

const secondsPerHour = 3_600;
const msPerDay = 86_400_000;

/** Days, or months by their first days, counted from 1970. What the window cuts to less than an hour may hold nothing. */
function datesOf(window: Window, unit: 'day' | 'month', now: number): Calendar {
  const read = (text: string): number | undefined => {
    const isDay = dayOf(text) !== undefined;
    if (!isDay) return undefined;
    return dayOf(unit === 'day' ? text : `${text.slice(0, 7)}-01`);
  };
  const timeAt = (instant: number): number => read(formatDate(instant, window.zone)) ?? 0;

  const ended = new Set<number>();
  const past = { ...window, until: Math.min(window.until, now) };
  for (const { since, until, unitOver } of splitWindow(past, unit)) {
    const isOver = until === Math.min(unitOver - 1, window.until);
    const isLong = until - since >= secondsPerHour - 1;
    if (isOver && isLong) ended.add(timeAt(since));
  }

  return {
    unit,
    ended,
    first: timeAt(window.since),
    last: timeAt(window.until),
    read,
    label(day) {
      const date = new Date(day * msPerDay).toISOString();
      return date.slice(0, unit === 'day' ? 10 : 7);
    },
  };
}

/** Local hours by the instants at which they begin. What the window leaves of an hour at its ends may hold nothing. */
function hoursOf({ since, until, zone }: Window, now: number): Calendar {
  const intoHour = (instant: number): number =>
    (instant + offsetAt(instant, zone)) % secondsPerHour;
  const first = since - intoHour(since);
  const over = Math.min(until, now);

  const ended = new Set<number>();
  let start = first;
  while (start + secondsPerHour - 1 <= over && ended.size <= timesAtMost) {
    if (start >= since) ended.add(start);
    start += secondsPerHour;
    // A clock change of thirty minutes (Lord Howe) leaves a part of an hour, which may hold nothing.
    start += (secondsPerHour - intoHour(start)) % secondsPerHour;
  }

  return {
    unit: 'hour',
    ended,
    first,
    last: until,
    read(text) {
      const moment = momentOf(text);
      if (!moment) return undefined;
      const instant = Math.floor(moment.instantMs / 1_000);
      return instant - intoHour(instant);
    },
    label: (hour) => formatInstant(hour, zone),
  };
}

/** The breakdowns whose fields are null in no row but a total (specification, Report data). */
const breakdownsNeverNull: readonly string[] = [
  'DAILY',
  'HOURLY',
  'MONTHLY',
  'RANGE',
  'ADNETWORK',
  'CAMPAIGN',
  'ADUNIT',
  'ADVERTISER',
  'CREATIVE',
  'PLATFORM',
];

/** A row that may be a total: its number, counted from 1, and the sum of its metrics. */
interface TotalCandidate {
  readonly row: number;
  readonly sum: number;
}

/**
 * Finds rows without a value in any of the breakdowns that always have one. Where all of the breakdowns may be null, a row
 * without them is a total if it holds the sum of the others.
 */
class TotalCheck implements Check {
  /** The fields of which a row that is no total has one at least. */
  readonly #fields: readonly string[];

  /** The metrics that are summed; none where a row without breakdowns is a total in any case. */
  readonly #metricFields: readonly string[];

  readonly #candidates: TotalCandidate[] = [];

  /** The sum of all metrics of all rows. */
  #sum = 0;

  constructor({ columns }: Expectation) {
    const neverNull = columns.filter(({ breakdown = '' }) =>
      breakdownsNeverNull.includes(breakdown),
    );
    const metrics = columns.filter(({ metric }) => metric !== undefined);
    const isSumNeeded = neverNull.length === 0;
    this.#fields = breakdownFields(isSumNeeded ? columns : neverNull);
    this.#metricFields = isSumNeeded ? metrics.map(({ field }) => field) : [];
  }

  observe(batch: RowBatch): void {
    const rows = this.#metricFields.length > 0 ? rowsOf(batch) : [];
    for (const row of rows) this.#sum += this.#sumOf(row);

    for (const index of emptyRowsOf(batch, this.#fields)) {
      if (this.#candidates.length >= timesAtMost) return;
      const sum = this.#sumOf(rows[index]);
      this.#candidates.push({ row: batch.firstRow + index + 1, sum });
    }
  }

  problems({ rowCount }: ReportTail): string[] {
    if (rowCount < 2 || this.#fields.length === 0) return [];

    const totals = this.#candidates.filter((candidate) => this.#isTotal(candidate));
    const [first] = totals;
    if (!first) return [];

    const subject =
      totals.length === 1
        ? `Row ${first.row} looks like a total`
        : `${totals.length} rows look like totals, the first is row ${first.row}`;
    return [`${subject}: it has no ${this.#fields.join(', no ')}.`];
  }

  /** The sum of all metrics of a row: any one of them may be zero in every row. */
  #sumOf(row: Row = {}): number {
    let sum = 0;
    for (const field of this.#metricFields) sum += Number(numberTextOf(row[field]) ?? 0);
    return sum;
  }

  #isTotal({ sum }: TotalCandidate): boolean {
    if (this.#metricFields.length === 0) return true;
    // A total is half of what all rows come to, itself included.
    return sum > 0 && Math.abs(2 * sum - this.#sum) < 1e-6 * sum;
  }
}
