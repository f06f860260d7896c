import type { Column } from '../../contract/columns.ts';
import type { ReportRequest } from '../../contract/messages.ts';
import type { BreakdownName } from '../../contract/vocabulary.ts';
import type { NumberFacts } from '../../rows/column-values.ts';
import type { ReportTail, RowBatch } from '../../rows/row-batch.ts';
import type { Window } from '../window.ts';

/** What a report should hold, as far as its request tells. */
export interface Expectation {
  readonly window: Window;

  readonly breakdowns: readonly BreakdownName[];

  readonly columns: readonly Column[];

  /** The filters of the request. With any of them a day may have no rows. */
  readonly filters?: ReportRequest['filters'];

  /** Whether the report is one part of several, and filters may have left nothing of it. */
  readonly mayBeEmpty?: boolean;

  /** Milliseconds since 1970: what has not ended by now may be missing. */
  readonly nowMs: number;
}

/** The numbers of the metrics in a batch. */
export interface MetricNumbers {
  /** The numbers of a metric by its field, one a row; NaN for what is no number. */
  get(field: string): Float64Array;

  /** What they come to: most checks need no more, and it is known without a look at each. */
  factsOf(field: string): NumberFacts;
}

/** Looks at a report's rows on their way to the output; a finding is a sentence on what differs from the request. */
export interface Check {
  observe(batch: RowBatch, numbers: MetricNumbers): void;

  findings(tail: ReportTail): string[];
}

/** The fields of the breakdowns that were asked for. */
export function breakdownFields(columns: readonly Column[]): string[] {
  const fields: string[] = [];
  for (const { field, breakdown } of columns) {
    if (breakdown !== undefined) fields.push(field);
  }
  return fields;
}

/** Of each breakdown the one column that tells its values apart: ids before names, and hours before their dates. */
export function keyColumns(columns: readonly Column[]): Column[] {
  const keys: Column[] = [];
  const seen = new Set<string>();
  for (const column of columns) {
    const { breakdown } = column;
    if (breakdown === undefined || seen.has(breakdown)) continue;
    if (breakdown === 'HOURLY' && column.type !== 'hour') continue;
    seen.add(breakdown);
    keys.push(column);
  }
  return keys;
}

/** How many rows, and the first of them: `3 rows, the first is row 5`, `row 5`. */
export function rowsText(count: number, firstRow: number): string {
  return count === 1 ? `row ${firstRow}` : `${count} rows, the first of which is row ${firstRow}`;
}
