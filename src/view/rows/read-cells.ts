import {
  type FieldType,
  fieldOfLabel,
  fieldTypeOf,
  isComputedMetric,
  parseHeader,
} from '../../contract/columns.ts';
import { isMissingValue, toDecimalString } from '../../contract/values.ts';
import { UsageError } from '../../errors.ts';
import type { CellReader, CsvDialect, CsvReading } from '../../rows/csv-rows.ts';
import { quoted } from '../../text/printable.ts';

/** Reads the cells of a CSV as `run` writes them. Other cells stay strings. */
export class CellReading implements CsvReading {
  readonly #displayPath: string;

  /** Names of columns in the file, by field. */
  readonly #names = new Map<string, string>();

  /** @param displayPath file name for messages */
  constructor(displayPath: string) {
    this.#displayPath = displayPath;
  }

  nameOf(field: string): string {
    return this.#names.get(field) ?? field;
  }

  /** Throws `UsageError` if there is no header, or if two columns are the same. */
  parseHeader(cells: readonly string[], form: CsvDialect): string[] {
    const names = isForExcel(form) ? cells.map(withoutGuard) : cells;
    const fields = parseHeader(names).map((name) => {
      return fieldTypeOf(name) === undefined ? (fieldOfLabel(name) ?? name) : name;
    });
    const isHeader = fields.some((field) => fieldTypeOf(field) !== undefined);
    if (!isHeader && names.some((name) => /^\d/.test(name))) {
      throw new UsageError(`${this.#displayPath} has no header: its first line is a row.`, {
        hint: 'Add a header line.',
      });
    }
    requireDistinctColumns(fields, this.#displayPath, names);
    for (const [index, field] of fields.entries()) this.#names.set(field, names[index] ?? field);
    return fields;
  }

  cellReader(field: string, form: CsvDialect): CellReader {
    const type = isComputedMetric(field) ? 'money' : fieldTypeOf(field);
    const isExcel = isForExcel(form);
    if (type === 'integer' || type === 'money') {
      return (text) => readNumber(text, isExcel && type === 'money');
    }
    if (type === 'date' || type === 'hour') return readValue;
    return isExcel ? (text) => JSON.stringify(withoutGuard(text)) : JSON.stringify;
  }
}

/**
 * Throws `UsageError` if two columns are the same or differ only in case.
 *
 * @param names columns as named in the file
 */
export function requireDistinctColumns(
  fields: readonly string[],
  displayPath: string,
  names: readonly string[] = fields,
): void {
  const known = fields.map((field) => field.toLowerCase());
  const second = known.findIndex((field, index) => known.indexOf(field) < index);
  if (second < 0) return;
  const one = names[known.indexOf(known[second] ?? '')] ?? '';
  const both = `${quoted(one)} and ${quoted(names[second] ?? '')}`;
  throw new UsageError(`Columns ${both} of ${displayPath} seem to be the same column.`, {
    hint: 'Rename or remove one of them.',
  });
}

function readValue(text: string): string {
  return isMissingValue(text) ? 'null' : JSON.stringify(text);
}

const plainNumber = /^(?:0|[1-9]\d{0,14})(?:\.\d\d?)?$/;

/**
 * Returns a number as JSON. Any other cell stays a string, including a DSP's money: `1234,50`.
 *
 * @param hasComma whether a comma is the decimal separator. Otherwise, three digits after a comma
 * may be thousands
 */
function readNumber(text: string, hasComma: boolean): string {
  if (plainNumber.test(text)) return text;
  if (!hasComma && text.includes(',')) return readValue(text);
  return toDecimalString(text.replace(',', '.')) ?? readValue(text);
}

/** Whether a value is missing, or a number without formatting. */
export function isPlainNumber(text: string, type: FieldType): boolean {
  if (isMissingValue(text)) return true;
  const digits = toDecimalString(text);
  if (type !== 'integer') return digits !== undefined;
  // A dot or comma before three digits may separate thousands.
  return Number.isInteger(Number(digits)) && !/,|\.\d{3}$/.test(text);
}

/** Recognizes the CSV that `run --excel` writes. */
function isForExcel({ delimiter, hasByteOrderMark }: CsvDialect): boolean {
  return delimiter === ';' && hasByteOrderMark;
}

/** Removes the apostrophe that `--excel` writes before a formula. */
function withoutGuard(text: string): string {
  return text.replace(/^'(?=[=+\-@\t])/, '');
}
