import type { Column } from '../../contract/columns.ts';
import { hundredthsOf, lookCloser } from '../../rows/column-values.ts';
import { jsonTextsOf, type RowBatch } from '../../rows/row-batch.ts';
import { printable } from '../../text/printable.ts';
import { type Check, type MetricNumbers, rowsText } from './check.ts';

/** The rows of one metric that have no number, or none that the metric can be. */
interface OddValues {
  readonly column: Column;
  readonly firstRow: number;
  /** What the first of them has, as JSON; `undefined` for nothing at all. */
  readonly firstValue: string | undefined;
  count: number;
}

/** A whole number has no decimals: a mark before its last three digits stands for thousands. */
const thousandsForm = /^"?-?[1-9]\d{0,2}[.,]\d{3}"?$/;

/** Finds metrics without a number, and whole metrics that have a fraction or a thousands mark: one finding a column. */
export class ValueCheck implements Check {
  readonly #metrics: readonly Column[];
  readonly #oddValues = new Map<string, OddValues>();

  /** The first row that has the names of the columns for values. */
  #headerRow: number | undefined;

  constructor(metrics: readonly Column[]) {
    this.#metrics = metrics;
  }

  observe(batch: RowBatch, numbers: MetricNumbers): void {
    for (const column of this.#metrics) {
      const facts = numbers.factsOf(column.field);
      const areUsual = column.type === 'integer' ? facts.areAllWhole : facts.areAllNumbers;
      if (areUsual) continue;

      // A column that no row has is a finding of its own.
      if (!batch.fields.includes(column.field)) continue;

      const values = numbers.get(column.field);
      if (column.type === 'integer') this.#observeWhole(column, batch, values);
      else this.#observeAny(column, batch, values);
    }
  }

  #observeAny(column: Column, batch: RowBatch, values: Float64Array): void {
    for (let row = 0; row < values.length; row++) {
      if (Number.isNaN(values[row])) this.#note(column, batch, row);
    }
  }

  #observeWhole(column: Column, batch: RowBatch, values: Float64Array): void {
    const hundredths = hundredthsOf(batch, column.field);
    let texts: readonly (string | undefined)[] | undefined;

    for (let row = 0; row < values.length; row++) {
      const isWhole = (values[row] as number) % 1 === 0;
      if (isWhole && hundredths[row] !== lookCloser) continue;

      texts ??= jsonTextsOf(batch, column.field);
      if (!isWhole || thousandsForm.test(texts[row] ?? '')) this.#note(column, batch, row);
    }
  }

  #note(column: Column, batch: RowBatch, row: number): void {
    const odd = this.#oddValues.get(column.field);
    if (odd) {
      odd.count += 1;
      return;
    }
    const firstRow = batch.firstRow + row + 1;
    const firstValue = jsonTextsOf(batch, column.field)[row];
    this.#oddValues.set(column.field, { column, firstRow, firstValue, count: 1 });
    if (firstValue === JSON.stringify(column.field)) this.#headerRow ??= firstRow;
  }

  findings(): string[] {
    const findings: string[] = [];
    if (this.#headerRow !== undefined) {
      findings.push(`Row ${this.#headerRow} of the report is its header again.`);
    }

    for (const { column, firstRow, firstValue, count } of this.#oddValues.values()) {
      const kind = column.type === 'integer' ? 'whole number' : 'number';
      const value = firstValue === undefined ? 'nothing' : printable(firstValue.slice(0, 50));
      const rows = rowsText(count, firstRow);
      findings.push(`The metric ${column.field} is no ${kind} in ${rows}: it has ${value}.`);
    }
    return findings;
  }
}
