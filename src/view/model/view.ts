import type { Column } from '../../contract/columns.ts';
import type { Window } from '../../query/calendar.ts';
import type { ReportMetric } from '../../query/metrics.ts';
import type { RowBatch } from '../../rows/row-batch.ts';
import type { PeriodRows, ViewedRows } from '../groups/group-files.ts';
import type { Sources } from '../sources/find-sources.ts';
import type { ViewOptions } from '../view-flags.ts';

/** Rows of a period, with the metrics and messages to show. */
export interface View extends PeriodRows {
  readonly options: ViewOptions;
  readonly sources: Sources;
  readonly read: ViewedRows;

  /** Period of the rows, or `undefined` if it is not known. */
  readonly window: Window | undefined;

  /** Rows of the period of `--compare`. */
  readonly before: PeriodRows | undefined;
  readonly metrics: readonly ReportMetric[];

  /** Warnings about missing days and about values. */
  readonly warnings: readonly string[];
  readonly notes: readonly string[];
}

/** A view in the form of a report, with columns and rows. */
export interface ViewTable extends TableRows {
  /** Fields of all rows. */
  readonly fields: readonly string[];

  /** Breakdowns of `--by`, or else of the files. */
  readonly breakdowns: readonly string[];

  /** Fields to write, or `undefined` if the format chooses them. */
  readonly selected: readonly string[] | undefined;

  /** Note about the rows that `--top` omits, if there are any. */
  readonly omittedNote: string | undefined;

  /** Rows of the period of `--compare`. */
  readonly before: TableRows | undefined;
}

interface TableRows {
  readonly columns: readonly Column[];

  /** @param withOthers adds a row with the sums of the rows that `--top` omits */
  batches(withOthers: boolean): AsyncIterable<RowBatch> | Iterable<RowBatch>;
}
