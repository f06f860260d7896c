import { type Column, fieldOfColumn } from '../contract/columns.ts';
import { hasNonZero } from '../rows/column-values.ts';
import type { RowBatch } from '../rows/row-batch.ts';

/**
 * Detects whether any requested metric has a number other than 0. Sums are not enough, because
 * positive and negative numbers may cancel out.
 */
export class NonZeroDetector {
  readonly #metrics: readonly Column[];

  hasNumbers = false;

  /** @param columns */
  constructor(columns: readonly Column[]) {
    this.#metrics = columns.filter(({ metric }) => metric !== undefined);
  }

  observe(batch: RowBatch): void {
    this.hasNumbers ||= this.#metrics.some((column) => {
      return hasNonZero(batch, fieldOfColumn(column, batch.fields));
    });
  }
}
