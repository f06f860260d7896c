import type { DaySpan } from '../sources/period.ts';
import type { ViewOptions } from '../view-flags.ts';
import type { RowFilter } from './row-filter.ts';

/** What is asked of the rows of all files. */
export interface Question extends Pick<ViewOptions, 'by' | 'metrics' | 'sort'> {
  readonly filters: readonly RowFilter[];

  /** True for `--chart line`, which groups by time without `--by`. */
  readonly followsTime: boolean;

  /** Which rows are kept without `--by`; `undefined` if only sums are shown. */
  readonly rows: RowChoice | undefined;

  /** Days to add up separately: those of the period, and of `--compare`; empty for all rows. */
  readonly spans: readonly DaySpan[];
}

/** By default all rows, as they come. */
export interface RowChoice {
  readonly sort?: string | undefined;
  readonly top?: number | undefined;
}
