import { dayOf, isNoValue } from '../../contract/values.ts';
import { UsageError } from '../../errors.ts';
import { Grouping, isTime, type KeyColumn } from '../../figures/grouping.ts';
import { resolveKeys } from '../../figures/ranked-groups.ts';
import { ColumnPlan } from '../../output/column-plan.ts';
import type { TableLook } from '../../output/encoder.ts';
import { TerminalTable } from '../../present/terminal/terminal-table.ts';
import { valuesOf } from '../../rows/column-values.ts';
import { type ReportTail, type Row, type RowBatch, rowsOf } from '../../rows/row-batch.ts';
import { quoted } from '../../text/printable.ts';
import type { SourceFile } from '../sources/source-file.ts';
import type { ReadFile, RowTaker } from './read-file.ts';
import type { ReportSource } from './report-source.ts';
import type { RowFilter } from './row-filter.ts';

/** Days from the first to the last, `2026-11-01`. */
export interface DaySpan {
  readonly since: string;
  readonly until: string;
}

/** The requested sums, the same for every file. */
export interface RowRequest {
  readonly by: readonly string[] | undefined;
  readonly filters: readonly RowFilter[];

  /** True for `--chart line`, which groups by time without `--by`. */
  readonly followsTime: boolean;

  /** The number of rows for a preview; 0 for none. */
  readonly previewRows: number;
  readonly look: TableLook;

  /** The days to add up separately: the requested ones, and those of `--compare`. */
  readonly spans: readonly DaySpan[];
}

/** The days of one file. */
export interface FileDays {
  /** The `date` of rows that have none. */
  readonly day: string | undefined;

  /** The span of the whole file; absent if it depends on the dates of the rows. */
  readonly span?: number | undefined;

  /** The name of the file in messages. */
  readonly shown: string;

  /** True to collect the days of the rows. */
  readonly remembersDays: boolean;
}

/** The sums of the rows of one span. */
export interface SpanSums {
  readonly byTime: Grouping;

  /** Grouped by the columns of `--by`; one group without it. */
  readonly groups: Grouping;
}

/** Adds up the rows of one file while they pass. */
export class FileTaker implements RowTaker {
  readonly #request: RowRequest;
  readonly #file: FileDays;
  readonly #plan = new ColumnPlan({});
  readonly #table: TerminalTable;

  /** The sums of each span, as soon as the columns are known. */
  sums: readonly SpanSums[] = [];
  readonly previewLines: string[] = [];

  /** The days of the rows, if collected. */
  readonly days = new Set<string>();

  /** The number of all rows, including those left out. */
  rowCount = 0;

  /** The rows of each span, before `--filter`. */
  readonly spanRowCounts: number[];

  /** The dates and hours that were read. */
  readonly #readDates = new Set<unknown>();
  #firstUnreadable: UsageError | undefined;

  #fields: readonly string[] | undefined;
  #day: string | undefined;
  #keys: readonly KeyColumn[] | undefined;
  #tests: readonly ((row: Row) => boolean)[] = [];

  constructor(request: RowRequest, file: FileDays) {
    this.#request = request;
    this.#file = file;
    this.spanRowCounts = Array.from({ length: Math.max(1, request.spans.length) }, () => 0);
    this.#table = new TerminalTable(this.#plan, { table: { ...request.look, totals: false } });
  }

  get needsDates(): boolean {
    const { followsTime, spans } = this.#request;
    const asksForTime = (this.#keys ?? []).some(({ field }) => isTime(field));
    return followsTime || spans.length > 0 || asksForTime;
  }

  /** The columns of the rows, with the date of the file if they have none. */
  get fields(): readonly string[] {
    return this.#fields ?? [];
  }

  /** The keys of `--by`; `undefined` without it, or without columns. */
  get keys(): readonly KeyColumn[] | undefined {
    return this.#keys;
  }

  /** Throws `UsageError` if a flag names a column that the file does not have. */
  observe(batch: RowBatch): void {
    this.#settle(batch.fields);
    this.rowCount += batch.rowCount;
    if (this.#file.remembersDays) this.#rememberDays(batch);
    if (this.needsDates) this.#lookAtDates(batch);
    if (this.#plan.columns.length === 0) this.#plan.follow(batch);

    const rowsLeft = this.#request.previewRows - this.#previewed;
    const isWhole = this.#file.span !== undefined || this.#request.spans.length === 0;
    const needsRows = this.#tests.length > 0 || rowsLeft > 0 || !isWhole;
    if (!needsRows) {
      const span = this.#file.span ?? 0;
      const { byTime, groups } = this.#sumsAt(span);
      this.#countRows(span, batch.rowCount);
      byTime.observeBatch(batch);
      groups.observeBatch(batch);
      return;
    }

    this.#observeRows(rowsOf(batch), rowsLeft);
  }

  /**
   * Ends the file. Throws as `observe`, for a report without rows that has columns; and
   * `UsageError` for a row without a date, if what is asked for needs the dates.
   */
  end(tail: ReportTail): void {
    if (this.#firstUnreadable) throw this.#firstUnreadable;
    if (tail.fields.length > 0) {
      this.#settle(tail.fields);
      // A file without rows still has figures.
      this.#observeRows([], 0);
    }
    this.#plan.settle(tail.fields);
    if (this.#request.previewRows > 0) this.previewLines.push(...this.#table.end());
  }

  get #previewed(): number {
    return this.sums[0]?.byTime.rowCount ?? 0;
  }

  #observeRows(given: readonly Row[], rowsLeft: number): void {
    const day = this.#day;
    const dated = day === undefined ? given : given.map((row) => ({ date: day, ...row }));
    for (const row of dated) this.#countRows(this.#spanOf(row), 1);
    // Every filter sees every row, so that it knows the values of all.
    const rows = dated.filter((row) => this.#tests.map((matches) => matches(row)).every(Boolean));
    for (const [index, { byTime, groups }] of this.sums.entries()) {
      const own = rows.filter((row) => this.#spanOf(row) === index);
      if (index === 0 && rowsLeft > 0) {
        this.previewLines.push(...this.#table.add(own.slice(0, rowsLeft), this.fields));
      }
      byTime.observe(own, this.fields);
      groups.observe(own, this.fields);
    }
  }

  /** @param span -1 for rows outside of all */
  #countRows(span: number, count: number): void {
    const known = this.spanRowCounts[span];
    if (known !== undefined) this.spanRowCounts[span] = known + count;
  }

  /** The index of the span that a row is in; -1 for none. */
  #spanOf(row: Row): number {
    const { spans } = this.#request;
    if (this.#file.span !== undefined || spans.length === 0) return this.#file.span ?? 0;
    const day = String(row.date ?? row.hour ?? '').slice(0, 10);
    return spans.findIndex(({ since, until }) => since <= day && day <= until);
  }

  #lookAtDates(batch: RowBatch): void {
    for (const field of ['date', 'hour']) {
      if (!batch.fields.includes(field)) continue;
      for (const [index, value] of valuesOf(batch, field).entries()) {
        if (this.#readDates.has(value)) continue;
        if (isReadable(field, value)) this.#readDates.add(value);
        else {
          this.#firstUnreadable ??= notADay(field, String(value), batch.firstRow + index + 1);
        }
      }
    }
  }

  #rememberDays(batch: RowBatch): void {
    const field = batch.fields.includes('date') ? 'date' : 'hour';
    if (!batch.fields.includes(field)) return;
    let last: unknown;
    for (const value of valuesOf(batch, field)) {
      if (value === last) continue;
      last = value;
      this.days.add(String(value ?? '').slice(0, 10));
    }
  }

  #sumsAt(span: number): SpanSums {
    const sums = this.sums[span];
    if (!sums) throw new Error('The columns of a file are known before its rows.');
    return sums;
  }

  /** Resolves `--by` and `--filter` with the columns of the first rows, once. */
  #settle(fields: readonly string[]): void {
    if (this.#fields) return;
    const { by, filters, spans } = this.#request;
    const hasTime = fields.includes('date') || fields.includes('hour');
    this.#day = hasTime ? undefined : this.#file.day;
    this.#fields = this.#day === undefined ? fields : ['date', ...fields];

    const isWhole = spans.length === 0 || this.#file.span !== undefined;
    if (!isWhole && !hasTime) throw hasNoDates(this.#file.shown);
    this.#keys = by && resolveKeys(by, this.#fields).map((key) => this.#withDay(key));
    this.#tests = filters.map((filter) => filter.testFor(this.#fields ?? []));
    this.sums = Array.from({ length: Math.max(1, spans.length) }, (_, index) => {
      return { byTime: this.#groupingByTime(), groups: this.#groupingByKeys(index > 0) };
    });
  }

  #withDay(key: KeyColumn): KeyColumn {
    return this.#day !== undefined && key.field === 'date' ? { ...key, value: this.#day } : key;
  }

  #groupingByTime(): Grouping {
    return this.#day === undefined
      ? new Grouping('time')
      : new Grouping([this.#withDay({ field: 'date' })]);
  }

  /**
   * @param isEarlier true for the earlier span, whose weeks are kept by day, as `run` orders them
   */
  #groupingByKeys(isEarlier: boolean): Grouping {
    if (this.#keys) {
      return new Grouping(
        this.#keys.map((key) =>
          isEarlier && key.unit === 'week' ? { ...key, unit: undefined } : key,
        ),
      );
    }
    return this.#request.followsTime ? this.#groupingByTime() : new Grouping();
  }
}

/** True for a day, an hour of a day, and no value. */
function isReadable(field: string, value: unknown): boolean {
  if (isNoValue(value)) return true;
  if (typeof value !== 'string') return false;
  const isOtherHour = field === 'hour' && !/^\d{4}-\d\d-\d\d/.test(value);
  return isOtherHour || dayOf(value.slice(0, 10)) !== undefined;
}

function notADay(field: string, text: string, row: number): UsageError {
  return new UsageError(`The ${field} of row ${row}, ${quoted(text)}, is not a date.`, {
    hint: 'Write the dates as 2026-08-01, or leave out what needs them.',
  });
}

function hasNoDates(shown: string): UsageError {
  return new UsageError(`The rows of ${shown} have no dates to choose from.`, {
    about: { flag: '--period' },
    hint: 'Leave out --period, --since and --until, or view the folder filled by run.',
  });
}

/** A file that was read. */
export interface TakenFile {
  readonly file: SourceFile;
  readonly source: ReportSource;
  readonly read: ReadFile<FileTaker>;
}
