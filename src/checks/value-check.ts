import type { Column } from '../contract/columns.ts';
import { isMissingValue } from '../contract/values.ts';
import { notCents, readField, summarizeNumbers, toCents } from '../rows/column-values.ts';
import { type ReportTail, type RowBatch, readJsonValues } from '../rows/row-batch.ts';
import type { Decimal } from '../text/decimal.ts';
import { printable } from '../text/printable.ts';
import { ExactSum } from '../totals/exact-sum.ts';
import { parseNumber } from '../totals/numbers.ts';
import { type Check, type CheckMessages, formatRows } from './check.ts';

/**
 * Adds up a metric. Finds values that are not numbers, and fractions in an integer metric. Adds a
 * note if the metric has no numbers at all.
 */
export class ValueCheck implements Check {
  readonly column: Column;

  readonly sum = new ExactSum();

  numberCount = 0;

  /**
   * 1-based index of the first row with the metric's name instead of a number, or 0 if there is
   * none.
   */
  headerRow = 0;

  /** Number of values that do not have the metric's type. */
  #wrongCount = 0;
  #firstWrongRow = 0;

  /** First of these values, as JSON. */
  #firstWrongValue = '';

  #hasColumn = false;

  constructor(column: Column) {
    this.column = column;
  }

  observe(batch: RowBatch): void {
    const { field, type } = this.column;
    this.#hasColumn ||= batch.fields.includes(field);

    const { areAllWhole, exactCents } = summarizeNumbers(batch, field);
    const allPlain = type !== 'integer' || areAllWhole;
    if (allPlain && exactCents !== undefined) {
      this.sum.addCents(exactCents);
      this.numberCount += batch.rowCount;
      return;
    }

    const cents = toCents(batch, field);
    for (let row = 0; row < batch.rowCount; row++) {
      const value = cents[row] as number;
      if (Number.isNaN(value)) continue;

      const isOdd = value === notCents || (type === 'integer' && value % 100 !== 0);
      if (isOdd) {
        this.#inspect(batch, row);
        continue;
      }
      this.sum.addCents(value);
      this.numberCount += 1;
    }
  }

  close({ rowCount }: ReportTail, messages: CheckMessages): void {
    const { field, type } = this.column;
    if (this.#wrongCount > 0) {
      const kind = type === 'integer' ? 'whole number' : 'number';
      const rows = formatRows(this.#wrongCount, this.#firstWrongRow);
      const value = printable(this.#firstWrongValue.slice(0, 50));
      const message = `The metric ${field} is not a ${kind} in ${rows}: ${value}.`;
      messages.addWarning('values', message, { about: field });
    } else if (this.#hasColumn && rowCount > 0 && this.numberCount === 0) {
      messages.addNote('values', `The metric ${field} has no number in any row.`);
    }
  }

  #inspect(batch: RowBatch, row: number): void {
    const { field, type } = this.column;
    const value = readField(batch, field)[row];
    const number = parseNumber(value);
    if (number !== undefined && number !== null) {
      this.sum.add(number);
      this.numberCount += 1;
      if (type === 'integer' && !isWhole(number)) this.#addWrong(batch, row);
      return;
    }

    if (isMissingValue(value)) return;
    const isHeader = String(value).trim().toLowerCase() === field.toLowerCase();
    if (isHeader) this.headerRow ||= batch.firstRow + row + 1;
    else this.#addWrong(batch, row);
  }

  #addWrong(batch: RowBatch, row: number): void {
    this.#wrongCount += 1;
    if (this.#firstWrongRow !== 0) return;
    this.#firstWrongRow = batch.firstRow + row + 1;
    this.#firstWrongValue = readJsonValues(batch, this.column.field)[row] ?? '';
  }
}

function isWhole(number: number | Decimal): boolean {
  return typeof number === 'number' ? Number.isInteger(number) : number.toInteger() !== undefined;
}
