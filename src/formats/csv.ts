import { stringify } from 'csv-stringify/sync';
import { numberTextOf } from '../contract/values.ts';
import { UsageError } from '../errors.ts';
import { ColumnPlan, isDerived, valueIn } from '../output/columns.ts';
import type { CsvDialect, EncodeOptions, Encoder, Pieces } from '../output/encoder.ts';
import { RowCopier } from '../rows/copy-rows.ts';
import { type ReportTail, type Row, type RowBatch, rowsOf, type Value } from '../rows/row-batch.ts';
import { printable } from '../text/printable.ts';

/**
 * Reports as CSV in the service's own layout (`decisions.md` 4), copied from their bytes, or in
 * another dialect.
 */
export class CsvEncoder implements Encoder {
  readonly #plan: ColumnPlan;
  readonly #dialect: CsvDialect;
  readonly #delimiter: string;

  /** Where texts get an apostrophe; `undefined` where formulas are not escaped. */
  readonly #formulaPlaces: RegExp | undefined;

  readonly #copier = new RowCopier();

  /** True in the dialect of `--excel`. */
  readonly #isForExcel: boolean;
  readonly #note: EncodeOptions['note'];
  #hasNoted = false;
  #isBegun = false;

  /**
   * The fields of the columns where rows are copied from their bytes; `undefined` where they are
   * written anew.
   */
  #copiedFields: readonly string[] | undefined;

  constructor(options: EncodeOptions) {
    const { normalize = false, csv = {} } = options;
    this.#plan = new ColumnPlan(options);
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

    const rows = rowsOf(batch).map((row) => this.#cellsOf(row));
    return [header, Buffer.from(linesOf(rows, this.#delimiter))];
  }

  end(tail: ReportTail): Pieces {
    this.#plan.settle(tail.fields);
    return [this.#begin()];
  }

  /** The header, once the columns are decided; nothing where it has been written. */
  #begin(): Buffer {
    if (this.#isBegun) return Buffer.alloc(0);
    this.#isBegun = true;

    const { columns } = this.#plan;
    const isCopied = isServiceLayout(this.#dialect) && !columns.some(isDerived);
    if (isCopied) this.#copiedFields = columns.map(({ field }) => field);

    const mark = this.#dialect.bom ? '\ufeff' : '';
    const hasHeader = (this.#dialect.header ?? true) && columns.length > 0;
    if (!hasHeader) return Buffer.from(mark);
    const names = columns.map(({ name }) => this.#textCell(name));
    return Buffer.from(mark + linesOf([names], this.#delimiter));
  }

  #cellsOf(row: Row): string[] {
    return this.#plan.columns.map((column) => {
      const value = valueIn(row, column);
      if (this.#isForExcel && column.type === 'id' && isLongId(value))
        this.#noteLongId(column.name);
      return this.#cell(value, column.numeric);
    });
  }

  #noteLongId(column: string): void {
    if (!this.#hasNoted) {
      this.#note?.(
        `Note: Excel changes ids of 16 digits or more, and zeros in front, when it opens a CSV (${column}). -o report.xlsx keeps them.`,
      );
    }
    this.#hasNoted = true;
  }

  /**
   * A value as the text of its cell, before quotes. @param isNumber whether a text may hold a
   * number
   */
  #cell(value: Value | undefined, isNumber: boolean): string {
    if (value === null || value === undefined) return '';

    const number = typeof value === 'number' || isNumber ? numberTextOf(value) : undefined;
    if (number !== undefined) {
      const { decimal } = this.#dialect;
      if (decimal === ',') return number.replace('.', ',');
      return decimal === '.' ? number : String(value);
    }
    return this.#textCell(typeof value === 'object' ? JSON.stringify(value) : String(value));
  }

  #textCell(value: string): string {
    const text = this.#dialect.shown ? printable(value) : value;
    return this.#formulaPlaces ? text.replace(this.#formulaPlaces, "'") : text;
  }
}

/** True for an id that Excel rounds or strips of its zeros. */
function isLongId(value: Value | undefined): boolean {
  return typeof value === 'string' && /^(?:0\d+|\d{16,})$/.test(value);
}

/**
 * Whether values are written as the service would have, apart from a byte order mark and the
 * header.
 */
function isServiceLayout(dialect: CsvDialect): boolean {
  const { delimiter = ',', decimal, escapeFormulas, shown } = dialect;
  return delimiter === ',' && decimal === undefined && !escapeFormulas && !shown;
}

/**
 * What a spreadsheet runs as a formula where a cell begins with it (OWASP, CSV injection);
 * full-width signs in Asia.
 */
const formulaSigns = '[=+\\-@＝＋－＠]';

/** The places of a text where a spreadsheet could begin a cell with a formula. */
function formulaPlaces(delimiter: string): RegExp {
  // A spreadsheet that expects another delimiter splits a text there, and one that misreads the
  // quotes at a line break.
  const separators = [',', ';', '；', '\t', '\r', '\n'].filter((each) => each !== delimiter);
  const atStart = `^(?=${formulaSigns}|[\\t\\r\\n])`;
  const afterSeparator = `(?<=[${separators.join('')}])(?=${formulaSigns})`;
  return new RegExp(`${atStart}|${afterSeparator}`, 'g');
}

/**
 * Rows as lines. A row without a quote, a line break or a delimiter in its cells is joined as it
 * is, which takes a third of the time; csv-stringify writes the others.
 */
function linesOf(rows: readonly string[][], delimiter: string): string {
  const width = rows[0]?.length ?? 0;
  // Readers take either half of a line break alone for the end of a row too, and skip a line with
  // nothing on it.
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

/** The CSV flags as the command line gives them. */
export type CsvFlags = { readonly [Name in 'delimiter' | 'decimal']?: string } & {
  readonly [Name in 'bom' | 'excel' | 'escapeFormulas' | 'header']?: boolean;
};

/**
 * The dialect that the flags describe. `--excel` is what a European Excel opens: semicolons,
 * decimal commas, a byte order mark; a flag beside it overrides its part. `\t` and `tab` mean the
 * tab. Throws `UsageError`.
 */
export function csvDialectOf(flags: CsvFlags): CsvDialect {
  const { excel = false, escapeFormulas = false, header = true } = flags;
  const delimiter = delimiterOf(flags.delimiter ?? (excel ? ';' : ','));
  const decimal = flags.decimal ?? (excel ? ',' : undefined);
  if (decimal !== undefined && decimal !== ',' && decimal !== '.') {
    throw new UsageError('--decimal takes "," or ".".', { about: { flag: '--decimal' } });
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
    '--delimiter takes one character that is no letter, digit, quote, dot or sign.',
    {
      hint: 'For example: --delimiter ";" or --delimiter tab.',
      about: { flag: '--delimiter' },
    },
  );
}
