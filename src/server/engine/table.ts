import type { Column } from '../../contract/columns.ts';
import type { ReportSummary } from '../../contract/messages.ts';
import type { DimensionName, MetricName, Profile } from '../../contract/vocabulary.ts';
import type { Member } from '../fixtures/facts.ts';
import type { GroupedRows } from './grouping.ts';

/** The rows of one stretch of time: an hour, a day, a month, or the whole window. */
export interface RowBatch extends GroupedRows {
  /** The values of the time breakdown's row fields, the same for every row here. */
  readonly time: readonly string[];
}

/** A dimension that the report is broken down by; a batch's ranks are positions in `members`. */
export interface TableDimension {
  readonly name: DimensionName;
  readonly members: readonly Member[];
}

/** A report, ready to be written: its rows come grouped and sorted, a batch at a time, and without their text. */
export interface ReportTable {
  readonly profile: Profile;
  readonly columns: readonly Column[];
  readonly summary: ReportSummary;
  readonly dimensions: readonly TableDimension[];
  readonly metrics: readonly MetricName[];
  /** Computes the rows, in order; may be called any number of times. */
  batches(): AsyncGenerator<RowBatch>;
}
