import { ReportCheck } from '../../checks/report-check.ts';
import { fieldTypeOf } from '../../contract/columns.ts';
import { IncompleteDataError } from '../../errors.ts';
import type { KeyColumn } from '../../query/file-columns.ts';
import { readField } from '../../rows/column-values.ts';
import { hasValue, type ReportTail, type RowBatch } from '../../rows/row-batch.ts';
import type { Context } from '../../run/context.ts';
import { printable } from '../../text/printable.ts';
import { findTimeKeys, readDay } from '../../totals/group-keys.ts';
import { GroupedTotals, listRows } from '../../totals/grouped-totals.ts';
import { CellCheck } from '../rows/check-cells.ts';
import { type OpenFile, openFiles } from '../rows/open-files.ts';
import { mayOverlap, OverlapCheck } from '../rows/overlap-check.ts';
import { type FileFields, requireSameBreakdowns } from '../rows/same-breakdowns.ts';
import {
  ColumnFinder,
  findDayField,
  type UsedColumns,
  type ViewQuery,
} from '../rows/used-columns.ts';
import type { SourceFile } from '../sources/open-paths.ts';
import type { DaySpan } from '../sources/period.ts';
import { KeptRows } from './kept-rows.ts';

/** Rows of a period, added up. */
export interface PeriodRows {
  /** Sums by hour, or by day if the rows have no hours. */
  readonly byTime: GroupedTotals;

  /** Sums by the columns of `--by`. Without `--by`, a single group. */
  readonly groups: GroupedTotals;

  /** Rows to show, if the view has no `--by`. */
  readonly rows: KeptRows | undefined;

  /** Number of rows before `--filter` is applied. */
  rowCount: number;
}

/**
 * Reads each file once, in constant memory, and adds up the rows. The caller closes the result.
 *
 * @throws UsageError for ambiguous cells, missing columns, and files that do not form one table
 * @throws IncompleteDataError for a file that cannot be read
 */
export async function groupFiles(
  sources: readonly SourceFile[],
  query: ViewQuery,
  host: Context['host'],
): Promise<ViewedRows> {
  const rows = new ViewedRows(sources, query, host);
  try {
    for await (const file of openFiles(sources, host)) {
      await rows.read(file);
    }
    return rows;
  } catch (error) {
    await rows.close();
    throw error;
  }
}

/** Reads the files one after the other, and adds up their rows. */
export class ViewedRows {
  /** One entry per span of days, or a single entry for all rows. */
  readonly periods: readonly PeriodRows[];
  readonly files: FileFields[] = [];
  sizeBytes = 0;

  readonly #query: ViewQuery;
  readonly #host: Context['host'];
  readonly #columns: ColumnFinder;
  readonly #cells = new CellCheck();
  readonly #overlap: OverlapCheck | undefined;

  constructor(sources: readonly SourceFile[], query: ViewQuery, host: Context['host']) {
    this.#query = query;
    this.#host = host;
    this.#columns = new ColumnFinder(query);
    this.#overlap = mayOverlap(sources) ? new OverlapCheck() : undefined;
    const [, ...earlier] = query.spans;
    this.periods = [this.#newPeriod(), ...earlier.map(() => this.#newPeriod({ isEarlier: true }))];
  }

  /** Columns of `--by`. */
  get keys(): readonly KeyColumn[] {
    return this.#columns.keys ?? [];
  }

  /** Columns of all files. */
  get fields(): readonly string[] {
    return this.#columns.fields;
  }

  /** Frees the disk space of kept rows. */
  async close(): Promise<void> {
    for (const { rows } of this.periods) await rows?.close();
  }

  async read(file: OpenFile): Promise<void> {
    const { source, report, first } = file;
    const check = new ReportCheck({ nowMs: this.#host.wallClock() });
    const filled = new Set<string>();
    let next = await first;
    for (; !next.done; next = await report.batches.next()) {
      this.#host.signal.throwIfAborted();
      const used = this.#columns.find(next.value.fields, file);
      const batch = { ...next.value, day: used.day };
      check.observe(batch);
      await this.#add(batch, used, file);
      for (const field of used.fields) {
        if (!filled.has(field) && hasValue(batch, field)) filled.add(field);
      }
    }

    const tail = next.value;
    requireReport(tail, source.displayPath);
    this.#overlap?.end(tail, source);
    const hasColumns = tail.fields.length > 0;
    const { fields } = hasColumns ? this.#columns.find(tail.fields, file) : tail;
    // A file without rows still has metrics.
    for (const { groups } of hasColumns ? this.periods : []) groups.addFields(tail.fields);
    const totals = check.close(tail).warnings.filter(({ kind }) => kind === 'total');
    const read = { source, tail, fields, filled, warnings: totals.map(({ message }) => message) };
    const [before] = this.files;
    if (before) requireSameBreakdowns(before, read);
    this.files.push(read);
    this.sizeBytes += report.sizeBytes();
  }

  /** Adds rows to each period. */
  async #add(batch: RowBatch, used: UsedColumns, file: OpenFile): Promise<void> {
    this.#cells.check(batch, used, file);
    this.#overlap?.add(batch, file.source);
    for (const [index, period] of this.periods.entries()) {
      const inPeriod = selectDays(batch, this.#query.spans[index], used);
      period.rowCount += inPeriod.length;
      const rows = this.#filter(batch, used, inPeriod);
      if (rows.length === 0) continue;
      this.#cells.checkCurrency(batch, used, { file, rows });
      period.byTime.observe(batch, rows);
      period.groups.observe(batch, rows);
      await period.rows?.add(batch, rows, used.kept);
    }
  }

  /** Returns the rows that match every filter. */
  #filter(
    batch: RowBatch,
    { filtered }: UsedColumns,
    inPeriod: readonly number[],
  ): readonly number[] {
    let rows = inPeriod;
    for (const [index, filter] of this.#query.filters.entries()) {
      rows = filter.select(batch, filtered[index] ?? [], rows);
    }
    return rows;
  }

  /** Groups the earlier period by day instead of by week, as `run` does. */
  #newPeriod({ isEarlier = false } = {}): PeriodRows {
    const isSummed = (field: string): boolean => this.#columns.summed.has(field);
    const findKeys = (): readonly KeyColumn[] => {
      if (!isEarlier) return this.keys;
      return this.keys.map((key) => (key.unit === 'week' ? { field: key.field } : key));
    };
    return {
      byTime: new GroupedTotals(() => findTimeKeys(this.fields), isSummed),
      groups: new GroupedTotals(findKeys, isSummed),
      rows: this.#query.hasRows ? new KeptRows(this.#query) : undefined,
      rowCount: 0,
    };
  }
}

/** Returns the rows of a batch that are in a span of days, or all rows if there is no span. */
function selectDays(
  batch: RowBatch,
  span: DaySpan | undefined,
  { fields }: UsedColumns,
): readonly number[] {
  const all = listRows(batch);
  if (!span) return all;
  const times = readField(batch, findDayField(fields));
  return all.filter((row) => {
    const day = readDay(times[row]);
    return span.since <= day && day <= span.until;
  });
}

/** Throws `IncompleteDataError` if no column of the rows is a report's. */
function requireReport({ rowCount, fields }: ReportTail, displayPath: string): void {
  if (rowCount === 0 || fields.some((field) => fieldTypeOf(field) !== undefined)) return;
  const names = printable(fields.slice(0, 5).join(', ')) || 'none';
  throw new IncompleteDataError(
    `The rows of ${displayPath} have no report columns. Columns found: ${names}.`,
    { code: 'NO_DATA', retryable: false, hint: 'Use the file that was downloaded.' },
  );
}
