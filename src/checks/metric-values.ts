import type { Column } from '../contract/columns.ts';
import { isMissingValue, numberTextOf } from '../contract/values.ts';
import { hundredthsOf, notHundredths, summarizeNumbers } from '../rows/column-values.ts';
import { type RowBatch, textsOf } from '../rows/row-batch.ts';
import { Decimal } from '../text/decimal.ts';
import { ExactSum } from './exact-sum.ts';

/** Rows with the same kind of unusual value. */
export interface OddRows {
  count: number;

  /** Counted from 1; 0 if there are no such rows. */
  firstRow: number;

  /** As JSON, from the first row. */
  firstValue: string;
}

/** Exact sum of one metric, and the rows without a value or a valid number. */
export class MetricValues {
  readonly column: Column;

  readonly sum = new ExactSum();

  numberCount = 0;

  /** Set if the rows have a field for the metric. */
  hasColumn = false;

  readonly withoutValue: OddRows = { count: 0, firstRow: 0, firstValue: '' };

  /** Rows with a boolean, a list, an object, or a string that is not a number. */
  readonly withOther: OddRows = { count: 0, firstRow: 0, firstValue: '' };

  /** Rows with a fraction in an integer metric. */
  readonly withFraction: OddRows = { count: 0, firstRow: 0, firstValue: '' };

  /** Rows whose value is the metric's own name. */
  readonly headers: OddRows = { count: 0, firstRow: 0, firstValue: '' };

  /** Values of the current batch as JSON, read on first use. */
  #texts: readonly (string | undefined)[] | undefined;

  constructor(column: Column) {
    this.column = column;
  }

  observe(batch: RowBatch): void {
    this.#texts = undefined;
    const { field, type } = this.column;
    this.hasColumn ||= batch.fields.includes(field);

    const { areAllWhole, exactHundredths } = summarizeNumbers(batch, field);
    const areUsual = type !== 'integer' || areAllWhole;
    if (areUsual && exactHundredths !== undefined) {
      this.sum.addHundredths(exactHundredths);
      this.numberCount += batch.rowCount;
      return;
    }

    const hundredths = hundredthsOf(batch, field);
    for (let row = 0; row < batch.rowCount; row++) {
      const value = hundredths[row] as number;
      if (Number.isNaN(value)) note(this.withoutValue, batch, row, 'null');
      else if (value === notHundredths || (type === 'integer' && value % 100 !== 0)) {
        this.#lookAt(batch, row);
      } else {
        this.sum.addHundredths(value);
        this.numberCount += 1;
      }
    }
  }

  /** Set even if no value is a number. */
  get hasValue(): boolean {
    return this.numberCount + this.withOther.count + this.headers.count > 0;
  }

  /** Reads a row of the batch observed last; `undefined` if it has no number. */
  numberAt(batch: RowBatch, row: number): Decimal | undefined {
    const value = hundredthsOf(batch, this.column.field)[row] as number;
    if (Number.isNaN(value)) return undefined;
    if (value !== notHundredths) return new Decimal(BigInt(value), 2);

    const text = numberTextIn(this.#textAt(batch, row));
    return text === undefined ? undefined : Decimal.parse(text);
  }

  /** Returns the absolute value of a row's number, as a double; 0 if the row has no number. */
  sizeAt(batch: RowBatch, row: number): number {
    const value = hundredthsOf(batch, this.column.field)[row] as number;
    if (Number.isNaN(value)) return 0;
    if (value !== notHundredths) return Math.abs(value) / 100;
    return Math.abs(Number(this.numberAt(batch, row) ?? 0));
  }

  #lookAt(batch: RowBatch, row: number): void {
    const json = this.#textAt(batch, row);
    const text = numberTextIn(json);
    const number = text === undefined ? undefined : Decimal.parse(text);
    if (number) {
      this.sum.add(number);
      this.numberCount += 1;
      const isFraction = this.column.type === 'integer' && number.toString().includes('.');
      if (isFraction) note(this.withFraction, batch, row, json);
      return;
    }

    const value = json.startsWith('"') ? String(JSON.parse(json)).trim() : undefined;
    if (value !== undefined && isMissingValue(value)) {
      note(this.withoutValue, batch, row, json);
    } else if (value?.toLowerCase() === this.column.field.toLowerCase()) {
      note(this.headers, batch, row, json);
    } else {
      note(this.withOther, batch, row, json);
    }
  }

  #textAt(batch: RowBatch, row: number): string {
    this.#texts ??= textsOf(batch, this.column.field);
    return this.#texts[row] ?? 'null';
  }
}

function note(rows: OddRows, batch: RowBatch, row: number, json: string): void {
  rows.count += 1;
  if (rows.firstRow !== 0) return;
  rows.firstRow = batch.firstRow + row + 1;
  rows.firstValue = json;
}

/** Returns the digits of a number, also of one in a string; `undefined` for any other value. */
function numberTextIn(json: string): string | undefined {
  // Parsing a JSON number would round long ones.
  return numberTextOf(json.startsWith('"') ? JSON.parse(json) : json);
}
