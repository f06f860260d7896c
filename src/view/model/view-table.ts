import type { Column } from '../../contract/columns.ts';
import type { RowBatch } from '../../rows/row-batch.ts';

/** A view in the form of a report of the service: columns, and rows. */
export interface ViewTable {
  readonly columns: readonly Column[];

  /** Fields of all rows. */
  readonly fields: readonly string[];

  /** As in `--by`, or those of the files. */
  readonly breakdowns: readonly string[];

  /** Fields to write; `undefined` for those that a format chooses. */
  readonly selected: readonly string[] | undefined;

  /** Sentence on what `--top` leaves out; absent if that is nothing. */
  readonly leftOut: string | undefined;

  /** @param withOthers adds a row for what `--top` leaves out */
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
