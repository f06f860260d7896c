import { ReportCheck } from '../../checks/report-check.ts';
import { fieldTypeOf } from '../../contract/columns.ts';
import { IncompleteDataError } from '../../errors.ts';
import type { KeyColumn } from '../../query/file-columns.ts';
import { readField } from '../../rows/column-values.ts';
import { hasValue, type ReportTail, type RowBatch } from '../../rows/row-batch.ts';
import type { Context } from '../../run/context.ts';
import { printable } from '../../text/printable.ts';
import { dayIn, findTimeKeys } from '../../totals/group-keys.ts';
import { GroupedTotals } from '../../totals/grouped-totals.ts';
import { CellCheck } from '../rows/check-cells.ts';
import { closeFile, type OpenFile, openFiles } from '../rows/open-files.ts';
import { mayOverlap, OverlapCheck } from '../rows/overlap-check.ts';
import { type FileFields, requireSameBreakdowns } from '../rows/same-breakdowns.ts';
import {
  ColumnFinder,
  findDayField,
  type Question,
  type UsedColumns,
} from '../rows/used-columns.ts';
import type { SourceFile } from '../sources/open-paths.ts';
import type { DaySpan } from '../sources/period.ts';
import { KeptRows } from './kept-rows.ts';

/** Rows of a period, added up. */
export interface PeriodRows {
  /** Sums by the hours or days of rows. */
  readonly byTime: GroupedTotals;

  /** Sums by the columns of `--by`; one group without it. */
  readonly groups: GroupedTotals;

  /** Rows of a view without `--by`. */
  readonly rows: KeptRows | undefined;

  /** Number of rows before `--filter`. */
  rowCount: number;
}

/** The rows of all files. */
export interface ViewedRows {
  /** Rows of each span of the question; a single period without spans. */
  readonly periods: readonly PeriodRows[];

  /** Columns of `--by`. */
  readonly keys: readonly KeyColumn[];

  /** Columns of all files. */
  readonly fields: readonly string[];
  readonly files: readonly FileFields[];

  readonly sizeBytes: number;
}

/**
 * Reads files, each once and in constant memory, and adds up their rows. The caller ends what it
 * returns with `closeRows`.
 *
 * @throws UsageError for cells that may have two readings, columns that are not there, and files
 *   that are not one table; IncompleteDataError for a file that cannot be read
 */
export async function groupFiles(
  sources: readonly SourceFile[],
  question: Question,
  host: Context['host'],
): Promise<ViewedRows> {
  const grouping = new RowGrouping(sources, question, host);
  try {
    for await (const file of openFiles(sources, host)) {
      try {
        await grouping.read(file);
      } finally {
        await closeFile(file);
      }
    }
    return grouping.end();
  } catch (error) {
    await closeRows(grouping);
    throw error;
  }
}

/** Frees the disk space of kept rows. */
export async function closeRows({ periods }: Pick<ViewedRows, 'periods'>): Promise<void> {
  for (const { rows } of periods) await rows?.close();
}

/** Adds up one file after the other. */
class RowGrouping {
  /** Empty until a file has columns, by which rows are grouped. */
  periods: PeriodRows[] = [];

  readonly #question: Question;
  readonly #host: Context['host'];
  readonly #columns: ColumnFinder;
  readonly #cells = new CellCheck();
  readonly #overlap: OverlapCheck | undefined;
  readonly #files: FileFields[] = [];
  #sizeBytes = 0;

  constructor(sources: readonly SourceFile[], question: Question, host: Context['host']) {
    this.#question = question;
    this.#host = host;
    this.#columns = new ColumnFinder(question);
    this.#overlap = mayOverlap(sources) ? new OverlapCheck() : undefined;
  }

  async read(file: OpenFile): Promise<void> {
    const { source, report, first, shown } = file;
    const check = new ReportCheck({ nowMs: this.#host.wallClock() });
    const filled = new Set<string>();
    let fields: readonly string[] = [];
    let next = await first;
    for (; !next.done; next = await report.batches.next()) {
      this.#host.signal.throwIfAborted();
      const batch = next.value;
      const used = this.#columns.find(batch.fields, file);
      if (batch.firstRow === 0) this.#overlap?.begin(source);
      check.observe(batch);
      await this.#add(batch, used, file);
      for (const field of used.fields) {
        if (!filled.has(field) && hasValue(batch, field)) filled.add(field);
      }
    }

    const tail = next.value;
    requireReport(tail, shown);
    if (tail.fields.length > 0) {
      const used = this.#columns.find(tail.fields, file);
      fields = used.fields;
      if (used.dayOfFile !== undefined) filled.add('date');
      // A file without rows still has metrics.
      for (const { groups } of this.#startedPeriods()) groups.addFields(tail.fields);
    }
    const totals = check.close(tail).warnings.filter(({ kind }) => kind === 'total');
    const read = { source, tail, fields, filled, warnings: totals.map(({ message }) => message) };
    const [before] = this.#files;
    if (before) requireSameBreakdowns(before, read);
    this.#files.push(read);
    this.#sizeBytes += report.sizeBytes();
  }

  end(): ViewedRows {
    const { keys = [], fields } = this.#columns;
    const periods = this.#startedPeriods();
    for (const { rows } of periods) rows?.arrange(fields);
    return {
      periods,
      keys,
      fields,
      files: this.#files,
      sizeBytes: this.#sizeBytes,
    };
  }

  /** Adds rows to each period. */
  async #add(batch: RowBatch, used: UsedColumns, file: OpenFile): Promise<void> {
    const { dayOfFile: day, kept: columns } = used;
    const matching = this.#filter(batch, used);
    this.#cells.check(batch, used, { file, rows: matching });
    this.#overlap?.add(batch, used);
    for (const [index, period] of this.#startedPeriods().entries()) {
      const inPeriod = selectDays(batch, this.#question.spans[index], used);
      period.rowCount += inPeriod.length;
      const rows = matching ? inPeriod.filter((row) => matching.has(row)) : inPeriod;
      if (rows.length === 0) continue;
      period.byTime.observe(batch, { rows, day });
      period.groups.observe(batch, { rows, day });
      await period.rows?.add(batch, { rows, day, columns, fields: this.#columns.fields });
    }
  }

  /** Returns the rows that match every filter; `undefined` without filters. */
  #filter(batch: RowBatch, { filtered, dayOfFile }: UsedColumns): Set<number> | undefined {
    let matching: Set<number> | undefined;
    for (const [index, filter] of this.#question.filters.entries()) {
      const own = filter.select(batch, filtered[index] ?? [], dayOfFile);
      matching = new Set(matching ? [...matching].filter((row) => own.has(row)) : own);
    }
    return matching;
  }

  #startedPeriods(): readonly PeriodRows[] {
    const { spans } = this.#question;
    const count = Math.max(1, spans.length);
    for (let index = this.periods.length; index < count; index++) {
      this.periods.push(this.#newPeriod(index > 0));
    }
    return this.periods;
  }

  /** Weeks of the period before are kept by day, as `run` does. */
  #newPeriod(isEarlier: boolean): PeriodRows {
    const { rows } = this.#question;
    const { keys = [], summed } = this.#columns;
    const isSummed = (field: string): boolean => summed.has(field);
    const by = keys.map((key) => (isEarlier && key.unit === 'week' ? { field: key.field } : key));
    return {
      byTime: new GroupedTotals(findTimeKeys, isSummed),
      groups: new GroupedTotals(by, isSummed),
      rows: rows && new KeptRows(rows, isSummed),
      rowCount: 0,
    };
  }
}

/** Returns the rows of a batch in a span of days; all rows without one. */
function selectDays(
  batch: RowBatch,
  span: DaySpan | undefined,
  { fields, dayOfFile }: UsedColumns,
): readonly number[] {
  const all = Array.from({ length: batch.rowCount }, (_, row) => row);
  if (!span) return all;
  const times = dayOfFile === undefined ? readField(batch, findDayField(fields)) : [];
  return all.filter((row) => {
    const day = dayOfFile ?? dayIn(times[row]);
    return span.since <= day && day <= span.until;
  });
}

/** Throws `IncompleteDataError` for rows without any column of a report. */
function requireReport({ rowCount, fields }: ReportTail, shown: string): void {
  if (rowCount === 0 || fields.some((field) => fieldTypeOf(field) !== undefined)) return;
  const names = printable(fields.slice(0, 5).join(', ')) || 'none';
  throw new IncompleteDataError(
    `The rows of ${shown} have no report columns. Columns found: ${names}.`,
    { code: 'NO_DATA', retryable: false, hint: 'Use the file that was downloaded.' },
  );
}
