import type { Column } from '../../contract/columns.ts';
import type { Window } from '../../query/calendar.ts';
import type { ReportMetric } from '../../query/metrics.ts';
import type { RowBatch } from '../../rows/row-batch.ts';
import type { GroupedTotals } from '../../totals/grouped-totals.ts';
import type { PeriodRows, ViewedRows } from '../groups/group-files.ts';
import type { KeptRows } from '../groups/kept-rows.ts';
import type { Sources } from '../sources/find-sources.ts';
import type { ViewOptions } from '../view-flags.ts';

/** Everything that is shown of some files. */
export interface View {
  readonly options: ViewOptions;
  readonly sources: Sources;
  readonly read: ViewedRows;

  /** Period of the rows; `undefined` if it is not known. */
  readonly window: Window | undefined;

  /** Groups of the period, and its rows over time. */
  readonly groups: GroupedTotals;
  readonly byTime: GroupedTotals;

  /** Rows of the period, if they are shown ungrouped. */
  readonly rows: KeptRows | undefined;

  /** The period of `--compare`. */
  readonly before: PeriodRows | undefined;
  readonly metrics: readonly ReportMetric[];

  /** Warnings about missing days and about values. */
  readonly warnings: readonly string[];
  readonly notes: readonly string[];
}

/** A view in the form of a report of the service: columns, and rows. */
export interface ViewTable {
  readonly columns: readonly Column[];

  /** Fields of all rows. */
  readonly fields: readonly string[];

  /** Breakdowns of `--by`, or those of the files. */
  readonly breakdowns: readonly string[];

  /** Fields to write; `undefined` for those that a format chooses. */
  readonly selected: readonly string[] | undefined;

  /** Note on the rows that `--top` omits; absent if there are none. */
  readonly leftOut: string | undefined;

  /** @param withOthers adds a row for the rows that `--top` omits */
  batches(withOthers: boolean): RowSource;

  /** Rows of the period of `--compare`, and their columns; absent without it. */
  readonly before: TableBefore | undefined;
}

type RowSource = AsyncIterable<RowBatch> | Iterable<RowBatch>;

/** The period before, in the form of the table. */
export interface TableBefore {
  readonly columns: readonly Column[];
  batches(): RowSource;
}
