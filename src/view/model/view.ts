import type { Window } from '../../query/calendar.ts';
import type { GroupedTotals } from '../../totals/grouped-totals.ts';
import type { ReportMetric } from '../../totals/report-metrics.ts';
import type { PeriodRows, ViewedRows } from '../groups/group-files.ts';
import type { KeptRows } from '../groups/kept-rows.ts';
import type { Sources } from '../sources/find-sources.ts';
import type { ViewOptions } from '../view-flags.ts';

/** What is shown of files. */
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

  /** Sentences on missing days and on values. */
  readonly warnings: readonly string[];
  readonly notes: readonly string[];
}
