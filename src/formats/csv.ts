import { stringify } from 'csv-stringify/sync';
import { toDecimalString } from '../contract/values.ts';
import type { EncodeOptions, Encoder, Pieces } from '../output/encoder.ts';
import { ColumnPlan, isComputed, type PlannedColumn } from '../query/column-plan.ts';
import { RowCopier } from '../rows/copy-rows.ts';
import { type ReportTail, type RowBatch, toText, type Value } from '../rows/row-batch.ts';
import { printable } from '../text/printable.ts';
import { RowValues } from './row-values.ts';

/**
 * Writes CSV. By default, cells are copied as the service would write them (`decisions.md` 4). With
 * `--excel`, the layout suits spreadsheets in European locales: semicolons, decimal commas and a
 * byte order mark.
 */
export class CsvEncoder implements Encoder {
  readonly #plan: ColumnPlan;
  readonly #values: RowValues;
  readonly #options: EncodeOptions;

  /** Columns, once the header is written. */
  #columns: readonly PlannedColumn[] = [];

  readonly #copier = new RowCopier();
  #hasStarted = false;

  /** Fields whose bytes are copied, or `undefined` if cells are formatted instead. */
  #copiedFields: readonly string[] | undefined;

  constructor(options: EncodeOptions) {
    this.#plan = new ColumnPlan(options);
    this.#values = new RowValues(options);
    this.#options = options;
  }

  get endedRowCount(): number {
    return this.#values.endedRowCount;
  }

  encode(batch: RowBatch): Pieces {
    this.#plan.addBatch(batch);
    const header = this.#takeHeader();
    if (this.#copiedFields) return [header, this.#copier.copyToCsv(batch, this.#copiedFields)];

    const columns = this.#columns.map((column) => this.#values.read(batch, column));
    const rows: string[][] = [];
    for (let row = 0; row < batch.rowCount; row++) {
      rows.push(this.#formatRow(columns.map((values) => values[row])));
    }
    return [header, this.#encodeRows(rows)];
  }

  end(tail: ReportTail): Pieces {
    this.#plan.finish(tail.fields);
    const header = this.#takeHeader();
    const ended = this.#values
      .listEndedRows(this.#columns)
      .map((values) => this.#formatRow(values));
    return [header, this.#encodeRows(ended)];
  }

  /** Returns the header on the first call, and an empty buffer afterwards. */
  #takeHeader(): Buffer {
    if (this.#hasStarted) return Buffer.alloc(0);
    this.#hasStarted = true;

    const columns = this.#values.withEarlierColumns(this.#plan.columns);
    this.#columns = columns;
    const { excel, isForTerminal, normalize } = this.#options;
    const isFormatted = excel || isForTerminal || normalize || columns.some(isComputed);
    if (!isFormatted) this.#copiedFields = columns.map(({ field }) => field);

    const byteOrderMark = Buffer.from(excel ? '\ufeff' : '');
    if (columns.length === 0) return byteOrderMark;
    const names = columns.map(({ name }) => this.#formatString(name));
    return Buffer.concat([byteOrderMark, this.#encodeRows([names])]);
  }

  #encodeRows(rows: readonly string[][]): Buffer {
    const lines = stringify([...rows], {
      delimiter: this.#options.excel ? ';' : ',',
      record_delimiter: '\r\n',
      // Readers also accept a single CR or LF as the end of a row, and skip empty lines.
      quoted_match: /[\r\n]/,
      quoted_empty: this.#columns.length < 2,
    });
    return Buffer.from(lines);
  }

  #formatRow(values: readonly (Value | undefined)[]): string[] {
    return this.#columns.map(({ numeric }, i) => this.#formatCell(values[i], numeric));
  }

  /**
   * Formats a cell without quotes.
   * @param isNumeric whether strings in the column are numbers
   */
  #formatCell(value: Value | undefined, isNumeric: boolean): string {
    if (value === null || value === undefined) return '';

    const number = typeof value === 'number' || isNumeric ? toDecimalString(value) : undefined;
    if (number === undefined) return this.#formatString(toText(value));
    const { excel, normalize } = this.#options;
    if (excel) return withDecimalComma(number);
    return normalize ? number : String(value);
  }

  #formatString(value: string): string {
    const text = this.#options.isForTerminal ? printable(value) : value;
    return this.#options.excel ? text.replace(formulaStart, "'$&") : text;
  }
}

/**
 * Formats a number with a decimal comma. Exactly three decimals get a zero, because `1,125` could
 * be read as thousands.
 */
function withDecimalComma(number: string): string {
  const text = number.replace('.', ',');
  return /^-?[1-9]\d*,\d{3}$/.test(text) ? `${text}0` : text;
}

/** Matches the start of a cell that a spreadsheet would evaluate as a formula (CSV injection). */
const formulaStart = /^[=+\-@\t]/;
