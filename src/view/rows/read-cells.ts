import {
  type FieldType,
  fieldOfLabel,
  fieldTypeOf,
  isComputedMetric,
  readHeader,
} from '../../contract/columns.ts';
import { isMissingValue, toDecimalString } from '../../contract/values.ts';
import { UsageError } from '../../errors.ts';
import type { CellReader, CsvDialect, CsvReading } from '../../rows/csv-rows.ts';
import { quoted } from '../../text/printable.ts';

/** Reads the cells of a CSV as `run` writes them. Other cells stay strings. */
export class CellReading implements CsvReading {
  readonly #shown: string;

  /** Names of columns in the file, by field. */
  readonly #names = new Map<string, string>();

  /** @param shown file name for messages */
  constructor(shown: string) {
    this.#shown = shown;
  }

  nameOf(field: string): string {
    return this.#names.get(field) ?? field;
  }

  /** Throws `UsageError` if there is no header, or if two columns are the same. */
  readHeader(cells: readonly string[], form: CsvDialect): string[] {
    const names = isForExcel(form) ? cells.map(withoutGuard) : cells;
    const fields = readHeader(names).map((name) => {
      return fieldTypeOf(name) === undefined ? (fieldOfLabel(name) ?? name) : name;
    });
    const isHeader = fields.some((field) => fieldTypeOf(field) !== undefined);
    if (!isHeader && names.some((name) => /^\d/.test(name))) {
      throw new UsageError(`${this.#shown} has no header: its first line is a row.`, {
        hint: 'Add a line with the names of its columns.',
      });
    }
    requireDistinctColumns(fields, this.#shown, names);
    for (const [index, field] of fields.entries()) this.#names.set(field, names[index] ?? field);
    return fields;
  }

  cellReader(field: string, form: CsvDialect): CellReader {
    const type = isComputedMetric(field) ? 'money' : fieldTypeOf(field);
    if (type === 'integer' || type === 'money') {
      return (text) => readNumber(text, type, form) ?? JSON.stringify(text);
    }
    if (type === 'date' || type === 'hour') {
      return (text) => (isBlankCell(text) ? 'null' : JSON.stringify(text));
    }
    return isForExcel(form) ? (text) => JSON.stringify(withoutGuard(text)) : JSON.stringify;
  }
}

/**
 * Throws `UsageError` for columns that are the same, or differ only in case.
 *
 * @param names of the columns in the file
 */
export function requireDistinctColumns(
  fields: readonly string[],
  shown: string,
  names: readonly string[] = fields,
): void {
  const known = fields.map((field) => field.toLowerCase());
  const second = known.findIndex((field, index) => known.indexOf(field) < index);
  if (second < 0) return;
  const one = names[known.indexOf(known[second] ?? '')] ?? '';
  const both = `${quoted(one)} and ${quoted(names[second] ?? '')}`;
  throw new UsageError(`Columns ${both} of ${shown} seem to be the same column.`, {
    hint: 'Rename or remove one of them.',
  });
}

/** Returns true for a cell that means “no value”, such as `--`. */
export function isBlankCell(text: string): boolean {
  return isMissingValue(text) || text.trim() === '--';
}

/** Dialect of JSON and Parquet, in which a comma is that of the service's money. */
export const jsonForm: CsvDialect = { delimiter: ',', hasByteOrderMark: false };

const usualNumber = /^(?:0|[1-9]\d{0,14})(?:\.\d\d?)?$/;

/**
 * Returns a cell as a JSON number, `null` for no value, or money with a comma as a string, as the
 * service has it in JSON; `undefined` for any other cell, and for a fraction in a whole metric.
 */
export function readNumber(text: string, type: FieldType, form: CsvDialect): string | undefined {
  const isUsual = usualNumber.test(text);
  if (isUsual && (type !== 'integer' || !text.includes('.'))) return text;
  if (isBlankCell(text)) return 'null';

  const hasComma = text.includes(',');
  if (hasComma && type === 'integer') return undefined;

  // Three digits after a comma may be thousands, except in files of `--excel`.
  const isExcel = isForExcel(form);
  const digits = toDecimalString(isExcel ? text.replace(',', '.') : text);
  if (digits === undefined || (type === 'integer' && !isWhole(digits))) return undefined;
  return hasComma && !isExcel ? JSON.stringify(text.trim()) : digits;
}

/** Returns true for a whole number. A dot before three digits may separate thousands. */
function isWhole(digits: string): boolean {
  return Number.isInteger(Number(digits)) && !/\.\d{3}$/.test(digits);
}

/** Recognizes what `run --excel` writes. */
function isForExcel({ delimiter, hasByteOrderMark }: CsvDialect): boolean {
  return delimiter === ';' && hasByteOrderMark;
}

/** Removes the apostrophe that `--excel` writes before a formula. */
function withoutGuard(text: string): string {
  return text.replace(/^'(?=[=+\-@\t])/, '');
}
