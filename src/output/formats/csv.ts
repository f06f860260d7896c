import { stringify } from 'csv-stringify/sync';
import { numberTextOf } from '../../contract/values.ts';
import { UsageError } from '../../errors.ts';
import { RowCopier } from '../../rows/copy-rows.ts';
import { rowsOf } from '../../rows/row-batch.ts';
import { printable } from '../../text/printable.ts';
import { ColumnPlan, valueIn } from '../columns.ts';
import type { CsvDialect, EncodeOptions, Encoder } from '../encoder.ts';

/** Reports as CSV in the service's own layout (`decisions.md` 4), copied from their bytes, or in another dialect. */
export function createCsvEncoder(options: EncodeOptions): Encoder {
  const { normalize = false, csv = {} } = options;
  const dialect: CsvDialect = normalize ? { ...csv, decimal: csv.decimal ?? '.' } : csv;
  const { delimiter = ',', decimal, escapeFormulas, shown } = dialect;
  const isPlain = delimiter === ',' && decimal === undefined && !escapeFormulas && !shown;
  const plan = new ColumnPlan(options);
  const copier = new RowCopier();
  let isBegun = false;

  function begin(): Buffer {
    if (isBegun) return Buffer.alloc(0);
    isBegun = true;
    const names = plan.columns.map(({ name }) => cellText(name, dialect, false));
    const header = (dialect.header ?? true) && names.length > 0 ? linesOf([names], delimiter) : '';
    return Buffer.from(`${dialect.bom ? '\ufeff' : ''}${header}`);
  }

  return {
    encode(batch) {
      plan.follow(batch);
      const { columns, indexes } = plan;
      if (isPlain && columns.every(({ figure }) => !figure?.derived))
        return [begin(), copier.toCsv(batch, indexes)];
      const rows = rowsOf(batch).map((row) =>
        columns.map((column) => cellText(valueIn(row, column), dialect, column.numeric)),
      );
      return [begin(), Buffer.from(linesOf(rows, delimiter))];
    },
    end(tail) {
      plan.settle(tail.fields);
      return [begin()];
    },
  };
}

/** What a spreadsheet runs as a formula (OWASP, CSV injection). */
const formulaStart = /^[=+\-@\t\r]/;

/** A value as the text of its cell, before quotes. @param isNumber whether a text may hold a number */
function cellText(
  value: unknown,
  { decimal, escapeFormulas, shown }: CsvDialect,
  isNumber: boolean,
): string {
  if (value === null || value === undefined) return '';
  const number = typeof value === 'number' || isNumber ? numberTextOf(value) : undefined;
  if (number !== undefined && decimal !== undefined)
    return decimal === ',' ? number.replace('.', ',') : number;
  if (number !== undefined) return String(value);
  if (typeof value === 'object') return JSON.stringify(value);
  const text = shown ? printable(String(value)) : String(value);
  return escapeFormulas && formulaStart.test(text) ? `'${text}` : text;
}

/**
 * Rows as lines. A row without a quote, a line break or a delimiter in its cells is joined as it is, which takes a third
 * of the time; csv-stringify writes the others.
 */
function linesOf(rows: readonly string[][], delimiter: string): string {
  const width = rows[0]?.length ?? 0;
  // Readers take either half of a line break alone for the end of a row too, and skip a line with nothing on it.
  const options = {
    delimiter,
    record_delimiter: '\r\n',
    quoted_match: /[\r\n]/,
    quoted_empty: width < 2,
  };
  const lines = rows.map((cells) => {
    const line = cells.join(delimiter);
    const isPlain = line !== '' && !/["\r\n]/.test(line) && line.split(delimiter).length === width;
    return isPlain ? `${line}\r\n` : stringify([cells], options);
  });
  return lines.join('');
}

/** The CSV flags as the command line gives them. */
export type CsvFlags = { readonly [Name in 'delimiter' | 'decimal']?: string } & {
  readonly [Name in 'bom' | 'excel' | 'escapeFormulas' | 'header']?: boolean;
};

/**
 * The dialect that the flags describe. `--excel` is what a European Excel opens: semicolons, decimal commas, a byte
 * order mark; a flag beside it overrides its part. `\t` and `tab` mean the tab. Throws `UsageError`.
 */
export function csvDialectOf(flags: CsvFlags): CsvDialect {
  const { excel = false, escapeFormulas = false, header = true } = flags;
  const given = flags.delimiter ?? (excel ? ';' : ',');
  const delimiter = given === '\\t' || given.toLowerCase() === 'tab' ? '\t' : given;
  if (!/^[\t\x20-\x7e]$/.test(delimiter) || /["'\w.+-]/.test(delimiter)) {
    throw new UsageError(
      '--delimiter takes one character that is no letter, digit, quote, dot or sign.',
      {
        hint: 'For example: --delimiter ";" or --delimiter tab.',
      },
    );
  }
  const decimal = flags.decimal ?? (excel ? ',' : undefined);
  if (decimal !== undefined && decimal !== ',' && decimal !== '.')
    throw new UsageError('--decimal takes "," or ".".');
  return {
    delimiter,
    ...(decimal && { decimal }),
    bom: flags.bom ?? excel,
    escapeFormulas,
    header,
  };
}
