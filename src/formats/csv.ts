import { stringify } from 'csv-stringify/sync';
import { numberTextOf } from '../contract/values.ts';
import { UsageError } from '../errors.ts';
import { ColumnPlan, columnValues, isComputed, type PlannedColumn } from '../output/column-plan.ts';
import { ComparedColumns } from '../output/compared-columns.ts';
import type { CsvDialect, EncodeOptions, Encoder, Pieces } from '../output/encoder.ts';
import { RowCopier } from '../rows/copy-rows.ts';
import type { ReportTail, RowBatch, Value } from '../rows/row-batch.ts';
import { printable } from '../text/printable.ts';

/**
 * Writes CSV in the service's own layout (`decisions.md` 4) by copying bytes, or in another
 * dialect.
 */
export class CsvEncoder implements Encoder {
  readonly #plan: ColumnPlan;
  readonly #compared: ComparedColumns;

  /** Decided with the header. */
  #columns: readonly PlannedColumn[] = [];

  readonly #dialect: CsvDialect;
  readonly #delimiter: string;

  /** Positions in a text that need an apostrophe; `undefined` if formulas are not escaped. */
  readonly #formulaPlaces: RegExp | undefined;

  readonly #copier = new RowCopier();

  /** Set for the dialect of `--excel`. */
  readonly #isForExcel: boolean;
  readonly #note: EncodeOptions['note'];
  #hasNoted = false;
  #hasStarted = false;

  /** Copied as bytes; `undefined` if rows are formatted instead. */
  #copiedFields: readonly string[] | undefined;

  constructor(options: EncodeOptions) {
    const { normalize = false, csv = {} } = options;
    this.#plan = new ColumnPlan(options);
    this.#compared = new ComparedColumns(options);
    this.#dialect = normalize ? { ...csv, decimal: csv.decimal ?? '.' } : csv;
    this.#delimiter = csv.delimiter ?? ',';
    this.#isForExcel = csv.delimiter === ';' && csv.decimal === ',' && csv.bom === true;
    this.#note = options.note;
    this.#formulaPlaces = csv.escapeFormulas ? formulaPlaces(this.#delimiter) : undefined;
  }

  encode(batch: RowBatch): Pieces {
    this.#plan.follow(batch);
    const header = this.#begin();
    if (this.#copiedFields) return [header, this.#copier.copyToCsv(batch, this.#copiedFields)];

    const columns = this.#columns.map((column) => columnValues(batch, column));
    const rows: string[][] = [];
    for (let row = 0; row < batch.rowCount; row++) {
      rows.push(this.#cellsOf(columns.map((values) => values[row])));
    }
    return [header, Buffer.from(linesOf(rows, this.#delimiter))];
  }

  end(tail: ReportTail): Pieces {
    this.#plan.settle(tail.fields);
    const header = this.#begin();
    const ended = this.#compared.endedRows(this.#columns).map((values) => this.#cellsOf(values));
    return [header, Buffer.from(linesOf(ended, this.#delimiter))];
  }

  /** Returns the header once the columns are decided; empty if it has been written. */
  #begin(): Buffer {
    if (this.#hasStarted) return Buffer.alloc(0);
    this.#hasStarted = true;

    const columns = this.#compared.addTo(this.#plan.columns);
    this.#columns = columns;
    const isCopied = isServiceLayout(this.#dialect) && !columns.some(isComputed);
    if (isCopied) this.#copiedFields = columns.map(({ field }) => field);

    const mark = this.#dialect.bom ? '\ufeff' : '';
    const hasHeader = (this.#dialect.header ?? true) && columns.length > 0;
    if (!hasHeader) return Buffer.from(mark);
    const names = columns.map(({ name }) => this.#textCell(name));
    return Buffer.from(mark + linesOf([names], this.#delimiter));
  }

  #cellsOf(values: readonly (Value | undefined)[]): string[] {
    return this.#columns.map((column, i) => {
      const value = values[i];
      if (this.#isForExcel && column.type === 'id' && isLongId(value))
        this.#noteLongId(column.name);
      return this.#cell(value, column.numeric);
    });
  }

  #noteLongId(column: string): void {
    if (!this.#hasNoted) {
      this.#note?.(
        `Note: when Excel opens a CSV it changes IDs with 16 digits or more, or with leading zeros (${column}). -o report.xlsx keeps them.`,
      );
    }
    this.#hasNoted = true;
  }

  /**
   * Returns a cell before quoting.
   * @param isNumber set if a text may contain a number
   */
  #cell(value: Value | undefined, isNumber: boolean): string {
    if (value === null || value === undefined) return '';

    const number = typeof value === 'number' || isNumber ? numberTextOf(value) : undefined;
    if (number !== undefined) {
      const { decimal } = this.#dialect;
      if (decimal === ',') return withDecimalComma(number);
      return decimal === '.' ? number : String(value);
    }
    return this.#textCell(typeof value === 'object' ? JSON.stringify(value) : String(value));
  }

  #textCell(value: string): string {
    const text = this.#dialect.shown ? printable(value) : value;
    return this.#formulaPlaces ? text.replace(this.#formulaPlaces, "'") : text;
  }
}

/** Adds a zero after exactly three decimals: `1,125` might be read as thousands. */
function withDecimalComma(number: string): string {
  const text = number.replace('.', ',');
  return /^-?[1-9]\d*,\d{3}$/.test(text) ? `${text}0` : text;
}

/** Matches ids that Excel would round or strip of leading zeros. */
function isLongId(value: Value | undefined): boolean {
  return typeof value === 'string' && /^(?:0\d+|\d{16,})$/.test(value);
}

/** Compares values only; the byte order mark and the header may differ. */
function isServiceLayout(dialect: CsvDialect): boolean {
  const { delimiter = ',', decimal, escapeFormulas, shown } = dialect;
  return delimiter === ',' && decimal === undefined && !escapeFormulas && !shown;
}

/** Start a formula at the beginning of a cell (OWASP, CSV injection), including full-width ones. */
const formulaSigns = '[=+\\-@＝＋－＠]';

/** Matches the positions where a spreadsheet could see the beginning of a formula. */
function formulaPlaces(delimiter: string): RegExp {
  // A spreadsheet may expect another delimiter and split the text there, or misread quotes and
  // split it at a line break.
  const separators = [',', ';', '；', '\t', '\r', '\n'].filter((mark) => mark !== delimiter);
  const atStart = `^(?=${formulaSigns}|[\\t\\r\\n])`;
  const afterSeparator = `(?<=[${separators.join('')}])(?=${formulaSigns})`;
  return new RegExp(`${atStart}|${afterSeparator}`, 'g');
}

/**
 * Formats rows as lines. A row whose cells need no quotes is joined directly, in a third of the
 * time that csv-stringify needs.
 */
function linesOf(rows: readonly string[][], delimiter: string): string {
  const width = rows[0]?.length ?? 0;
  // Readers also accept a single CR or LF as the end of a row, and skip empty lines.
  const options = {
    delimiter,
    record_delimiter: '\r\n',
    quoted_match: /[\r\n]/,
    quoted_empty: width < 2,
  };

  let lines = '';
  for (const cells of rows) {
    const line = cells.join(delimiter);
    const isPlain = line !== '' && !/["\r\n]/.test(line) && line.split(delimiter).length === width;
    lines += isPlain ? `${line}\r\n` : stringify([cells], options);
  }
  return lines;
}

export type CsvFlags = { readonly [Name in 'delimiter' | 'decimal']?: string } & {
  readonly [Name in 'bom' | 'excel' | 'escapeFormulas' | 'header']?: boolean;
};

/**
 * `--excel` is for Excel in European locales: semicolons, decimal commas and a byte order mark,
 * each of which another flag can override. `\t` and `tab` mean a tab. Throws `UsageError`.
 */
export function csvDialectOf(flags: CsvFlags, usualDelimiter = ','): CsvDialect {
  const { excel = false, escapeFormulas = false, header = true } = flags;
  const delimiter = delimiterOf(flags.delimiter ?? (excel ? ';' : usualDelimiter));
  const decimal = flags.decimal ?? (excel ? ',' : undefined);
  if (decimal !== undefined && decimal !== ',' && decimal !== '.') {
    throw new UsageError('--decimal takes "," or ".".', { about: { flag: '--decimal' } });
  }
  if (decimal === ',' && delimiter === ',') {
    throw new UsageError('Decimals and columns cannot both have commas.', {
      hint: 'Add --delimiter ";" for semicolons between columns.',
      about: { flag: '--decimal' },
    });
  }

  return {
    delimiter,
    ...(decimal && { decimal }),
    bom: flags.bom ?? excel,
    escapeFormulas,
    header,
  };
}

function delimiterOf(flag: string): string {
  const isTab = flag === '\\t' || flag.toLowerCase() === 'tab';
  const delimiter = isTab ? '\t' : flag;
  const isOneCharacter = /^[\t\x20-\x7e]$/.test(delimiter);
  if (isOneCharacter && !/["'\w.+-]/.test(delimiter)) return delimiter;

  throw new UsageError(
    '--delimiter takes one character other than a letter, digit, quote, dot or sign.',
    {
      hint: 'For example: --delimiter ";" or --delimiter tab.',
      about: { flag: '--delimiter' },
    },
  );
}
