import { type Column, fieldOfColumn } from '../contract/columns.ts';
import { hasNonZero } from '../rows/column-values.ts';
import type { RowBatch } from '../rows/row-batch.ts';

/**
 * Watches the rows of a report for a number other than 0 in a requested metric. It looks at rows
 * instead of sums, because positive and negative values may cancel out.
 */
export class NonZeroDetector {
  readonly #metrics: readonly Column[];

  hasNumbers = false;

  /** @param columns requested columns */
  constructor(columns: readonly Column[]) {
    this.#metrics = columns.filter(({ metric }) => metric !== undefined);
  }

  observe(batch: RowBatch): void {
    this.hasNumbers ||= this.#metrics.some((column) => {
      return hasNonZero(batch, fieldOfColumn(column, batch.fields));
    });
  }
}
