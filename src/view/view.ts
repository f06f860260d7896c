import type { GroupedTotals } from '../totals/grouped-totals.ts';
import type { ReportMetric } from '../totals/report-metrics.ts';
import type { Collected } from './rows/collect.ts';
import type { KeptRows } from './rows/kept-rows.ts';
import type { Sources } from './sources/find-sources.ts';
import type { ViewOptions } from './view-flags.ts';

export interface View {
  readonly paths: readonly string[];
  readonly options: ViewOptions;
  readonly sources: Sources;
  readonly collected: Collected;

  /** Groups of the requested window. */
  readonly groups: GroupedTotals;
  readonly byTime: GroupedTotals;

  /** Rows of the requested window, if they are shown ungrouped. */
  readonly rows: KeptRows | undefined;
  readonly figures: readonly ReportMetric[];

  /** Sentences on missing days and on values. */
  readonly warnings: readonly string[];
  readonly notes: readonly string[];
}
