import { stringify } from 'csv-stringify/sync';
import { toDecimalString } from '../contract/values.ts';
import type { EncodeOptions, Encoder, Pieces } from '../output/encoder.ts';
import { ColumnPlan, isComputed, type PlannedColumn } from '../query/column-plan.ts';
import { RowCopier } from '../rows/copy-rows.ts';
import { type ReportTail, type RowBatch, toText, type Value } from '../rows/row-batch.ts';
import { printable } from '../text/printable.ts';
import { RowValues } from './row-values.ts';

/**
 * Writes CSV. Normally the bytes are copied in the service's own layout (`decisions.md` 4). With
 * `--excel`, the layout suits spreadsheets in European locales: semicolons, decimal commas and a
 * byte order mark.
 */
export class CsvEncoder implements Encoder {
  readonly #plan: ColumnPlan;
  readonly #values: RowValues;
  readonly #options: EncodeOptions;

  /** Columns, which are chosen when the header is written. */
  #columns: readonly PlannedColumn[] = [];

  readonly #copier = new RowCopier();
  #hasStarted = false;

  /** Fields whose bytes are copied; `undefined` if the rows are formatted instead. */
  #copiedFields: readonly string[] | undefined;

  constructor(options: EncodeOptions) {
    this.#plan = new ColumnPlan(options);
    this.#values = new RowValues(options);
    this.#options = options;
  }

  get endedRows(): number {
    return this.#values.endedCount;
  }

  encode(batch: RowBatch): Pieces {
    this.#plan.follow(batch);
    const header = this.#begin();
    if (this.#copiedFields) return [header, this.#copier.copyToCsv(batch, this.#copiedFields)];

    const columns = this.#columns.map((column) => this.#values.read(batch, column));
    const rows: string[][] = [];
    for (let row = 0; row < batch.rowCount; row++) {
      rows.push(this.#cellsOf(columns.map((values) => values[row])));
    }
    return [header, this.#lines(rows)];
  }

  end(tail: ReportTail): Pieces {
    this.#plan.settle(tail.fields);
    const header = this.#begin();
    const ended = this.#values.endedRows(this.#columns).map((values) => this.#cellsOf(values));
    return [header, this.#lines(ended)];
  }

  /** Returns the header once the columns are chosen; empty if it was already returned. */
  #begin(): Buffer {
    if (this.#hasStarted) return Buffer.alloc(0);
    this.#hasStarted = true;

    const columns = this.#values.withEarlier(this.#plan.columns);
    this.#columns = columns;
    const { excel, isShown, normalize } = this.#options;
    const isFormatted = excel || isShown || normalize || columns.some(isComputed);
    if (!isFormatted) this.#copiedFields = columns.map(({ field }) => field);

    const mark = Buffer.from(excel ? '\ufeff' : '');
    if (columns.length === 0) return mark;
    const names = columns.map(({ name }) => this.#textCell(name));
    return Buffer.concat([mark, this.#lines([names])]);
  }

  #lines(rows: readonly string[][]): Buffer {
    const lines = stringify([...rows], {
      delimiter: this.#options.excel ? ';' : ',',
      record_delimiter: '\r\n',
      // Readers also accept a single CR or LF as the end of a row, and skip empty lines.
      quoted_match: /[\r\n]/,
      quoted_empty: this.#columns.length < 2,
    });
    return Buffer.from(lines);
  }

  #cellsOf(values: readonly (Value | undefined)[]): string[] {
    return this.#columns.map(({ numeric }, i) => this.#cell(values[i], numeric));
  }

  /**
   * Returns a cell before quoting.
   * @param isNumber true if a text may contain a number
   */
  #cell(value: Value | undefined, isNumber: boolean): string {
    if (value === null || value === undefined) return '';

    const number = typeof value === 'number' || isNumber ? toDecimalString(value) : undefined;
    if (number === undefined) return this.#textCell(toText(value));
    const { excel, normalize } = this.#options;
    if (excel) return withDecimalComma(number);
    return normalize ? number : String(value);
  }

  #textCell(value: string): string {
    const text = this.#options.isShown ? printable(value) : value;
    return this.#options.excel ? text.replace(formulaStart, "'$&") : text;
  }
}

/**
 * Formats a number with a decimal comma. A zero follows exactly three decimals, because `1,125`
 * might be read as thousands.
 */
function withDecimalComma(number: string): string {
  const text = number.replace('.', ',');
  return /^-?[1-9]\d*,\d{3}$/.test(text) ? `${text}0` : text;
}

/**
 * Matches the beginning of a cell that a spreadsheet would run as a formula (OWASP, CSV injection).
 */
const formulaStart = /^[=+\-@\t]/;
