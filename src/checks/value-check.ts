import type { Column } from '../contract/columns.ts';
import { isMissingValue, numberTextOf } from '../contract/values.ts';
import { notCents, summarizeNumbers, toCents } from '../rows/column-values.ts';
import { type ReportTail, type RowBatch, textsOf } from '../rows/row-batch.ts';
import { Decimal } from '../text/decimal.ts';
import { printable } from '../text/printable.ts';
import { ExactSum } from '../totals/exact-sum.ts';
import { type Check, type CheckMessages, formatRows } from './check.ts';

/**
 * Finds values of one metric that are not numbers, and fractions in an integer metric; notes a
 * metric without any number. Adds the metric up.
 */
export class ValueCheck implements Check {
  readonly column: Column;

  readonly sum = new ExactSum();

  numberCount = 0;

  /** First row that has the metric's own name for a number, counted from 1; 0 if none has. */
  headerRow = 0;

  /** Rows whose value is not a number of the metric's type. */
  #wrongCount = 0;
  #firstWrongRow = 0;

  /** As JSON. */
  #firstWrongValue = '';

  #hasColumn = false;

  /** Values of the current batch as JSON, read on first use. */
  #texts: readonly (string | undefined)[] | undefined;

  constructor(column: Column) {
    this.column = column;
  }

  observe(batch: RowBatch): void {
    this.#texts = undefined;
    const { field, type } = this.column;
    this.#hasColumn ||= batch.fields.includes(field);

    const { areAllWhole, exactCents } = summarizeNumbers(batch, field);
    const areUsual = type !== 'integer' || areAllWhole;
    if (areUsual && exactCents !== undefined) {
      this.sum.addCents(exactCents);
      this.numberCount += batch.rowCount;
      return;
    }

    const cents = toCents(batch, field);
    for (let row = 0; row < batch.rowCount; row++) {
      const value = cents[row] as number;
      if (Number.isNaN(value)) continue;

      const isUnusual = value === notCents || (type === 'integer' && value % 100 !== 0);
      if (isUnusual) {
        this.#lookAt(batch, row);
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

  /** Reads a row of the batch observed last; `undefined` if it has no number. */
  numberAt(batch: RowBatch, row: number): Decimal | undefined {
    const value = toCents(batch, this.column.field)[row] as number;
    if (Number.isNaN(value)) return undefined;
    if (value !== notCents) return new Decimal(BigInt(value), 2);

    const text = numberTextIn(this.#textAt(batch, row));
    return text === undefined ? undefined : Decimal.parse(text);
  }

  #lookAt(batch: RowBatch, row: number): void {
    const json = this.#textAt(batch, row);
    const text = numberTextIn(json);
    const number = text === undefined ? undefined : Decimal.parse(text);
    if (number) {
      this.sum.add(number);
      this.numberCount += 1;
      const isFraction = this.column.type === 'integer' && number.toString().includes('.');
      if (isFraction) this.#addWrong(batch, row, json);
      return;
    }

    const value: unknown = JSON.parse(json);
    if (isMissingValue(value)) return;
    const isHeader = String(value).trim().toLowerCase() === this.column.field.toLowerCase();
    if (isHeader) this.headerRow ||= batch.firstRow + row + 1;
    else this.#addWrong(batch, row, json);
  }

  #addWrong(batch: RowBatch, row: number, json: string): void {
    this.#wrongCount += 1;
    if (this.#firstWrongRow !== 0) return;
    this.#firstWrongRow = batch.firstRow + row + 1;
    this.#firstWrongValue = json;
  }

  #textAt(batch: RowBatch, row: number): string {
    this.#texts ??= textsOf(batch, this.column.field);
    return this.#texts[row] ?? 'null';
  }
}

/** Returns the digits of a number, also of one in a string; `undefined` for any other value. */
function numberTextIn(json: string): string | undefined {
  // Parsing a JSON number would round long ones.
  return numberTextOf(json.startsWith('"') ? JSON.parse(json) : json);
}
