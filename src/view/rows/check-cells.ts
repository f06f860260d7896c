import { fieldTypeOf } from '../../contract/columns.ts';
import {
  isMissingValue,
  parseDay,
  parseTimestamp,
  toDecimalString,
} from '../../contract/values.ts';
import { UsageError } from '../../errors.ts';
import { notCents, readField, toCents } from '../../rows/column-values.ts';
import { type RowBatch, readJsonValues, type Value } from '../../rows/row-batch.ts';
import { quoted } from '../../text/printable.ts';
import { isTimeField } from '../../totals/group-keys.ts';
import type { OpenFile } from './open-files.ts';
import { isPlainNumber } from './read-cells.ts';
import type { UsedColumns } from './used-columns.ts';

/** IDs that consist of digits. */
const numericIds = ['campaignId', 'adId', 'creativeId'];

const plainFileHint = 'Use the file that was downloaded, or save it without formatting.';

/** A cell that cannot be used. */
interface RefusedCell {
  readonly field: string;

  /** Index in the batch. */
  readonly row: number;
  readonly text: string;

  /** Follows the cell in the message: `is not a date`. */
  readonly problem: string;
  readonly hint?: string;
}

/** Rejects ambiguous cells in the columns that a view uses. */
export class CellCheck {
  /** Dates and hours that are known to be valid. */
  readonly #times = new Set<Value | undefined>();
  #currency: string | undefined;

  /** Throws `UsageError` for the first ambiguous cell. */
  check(batch: RowBatch, { grouped, summed }: UsedColumns, file: OpenFile): void {
    for (const field of grouped) {
      const cell = isTimeField(field)
        ? this.#findBadTime(batch, field)
        : findRoundedId(batch, field);
      if (cell) throw cellError(batch, cell, file);
    }
    for (const field of summed) {
      const cell = findOddNumber(batch, field);
      if (cell) throw cellError(batch, cell, file);
    }
  }

  #findBadTime(batch: RowBatch, field: string): RefusedCell | undefined {
    const isHour = fieldTypeOf(field) === 'hour';
    for (const [row, value] of readField(batch, field).entries()) {
      if (this.#times.has(value)) continue;
      const text = typeof value === 'string' ? value : JSON.stringify(value ?? '');
      const isRead = isHour ? parseTimestamp(text) !== undefined : parseDay(text) !== undefined;
      if (!isRead && !isMissingValue(value)) return describeBadTime({ field, row, text }, isHour);
      this.#times.add(value);
    }
    return undefined;
  }

  /** Throws `UsageError` if money of two currencies is added up. */
  checkCurrency(
    batch: RowBatch,
    { currency: field }: UsedColumns,
    { file, rows }: { readonly file: OpenFile; readonly rows: readonly number[] },
  ): void {
    if (field === undefined) return;
    const values = readField(batch, field);
    for (const row of rows) {
      const text = String(values[row] ?? '');
      if (isMissingValue(text)) continue;
      this.#currency ??= text;
      if (text === this.#currency) continue;
      const problem = `is a different currency from ${quoted(this.#currency)}`;
      const hint = `Select one currency: --filter ${field}=${this.#currency}`;
      throw cellError(batch, { field, row, text, problem, hint }, file);
    }
  }
}

function describeBadTime(cell: Omit<RefusedCell, 'problem'>, isHour: boolean): RefusedCell {
  if (!isHour) return { ...cell, problem: 'is not a date' };
  const hasDay = /^\d{4}-\d\d-\d\d/.test(cell.text);
  const problem = hasDay ? 'is not an hour' : 'has no day';
  const hint = `${plainFileHint} An hour is written as 2026-08-01T09:00:00+0200.`;
  return { ...cell, problem, hint };
}

/** Other programs write long IDs as `1.2E+17`, or as floats above 2^53. */
function findRoundedId(batch: RowBatch, field: string): RefusedCell | undefined {
  if (!numericIds.includes(field)) return undefined;
  for (const [row, value] of readField(batch, field).entries()) {
    const text = String(value ?? '');
    const isRounded =
      /^\d+(?:[.,]\d+)?e\+?\d+$/i.test(text) ||
      (typeof value === 'number' && !Number.isSafeInteger(Math.trunc(value)));
    if (isRounded) return { field, row, text, problem: 'was rounded by another program' };
  }
  return undefined;
}

function findOddNumber(batch: RowBatch, field: string): RefusedCell | undefined {
  const type = fieldTypeOf(field) ?? 'money';
  let texts: readonly (string | undefined)[] | undefined;
  for (const [row, cents] of toCents(batch, field).entries()) {
    const isPlain = cents !== notCents && (type !== 'integer' || cents % 100 === 0);
    if (isPlain || Number.isNaN(cents)) continue;

    texts ??= readJsonValues(batch, field);
    const json = texts[row] ?? 'null';
    const text: string = json.startsWith('"') ? JSON.parse(json) : json;
    if (isPlainNumber(text, type)) continue;
    const isFraction = type === 'integer' && toDecimalString(text) !== undefined;
    const problem = isFraction ? 'is not a whole number' : 'is not a plain number';
    return { field, row, text, problem };
  }
  return undefined;
}

function cellError(
  { firstRow }: RowBatch,
  { field, row, text, problem, hint = plainFileHint }: RefusedCell,
  { source: { displayPath }, report, cells }: OpenFile,
): UsageError {
  const place = `${displayPath}, ${report.positionOf(firstRow + row + 1)}: ${cells.nameOf(field)}`;
  return new UsageError(`${place} ${quoted(text)} ${problem}.`, { code: 'UNREADABLE_CELL', hint });
}
