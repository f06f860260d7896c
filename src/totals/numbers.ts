import { toDecimalString } from '../contract/values.ts';
import { notCents, readField, toCents } from '../rows/column-values.ts';
import type { RowBatch, Value } from '../rows/row-batch.ts';
import { Decimal, maxNumberLength } from '../text/decimal.ts';

/**
 * Parses a number, or a string such as `"1234,50"`. Returns `null` for a missing value, and
 * `undefined` for anything that is not a number.
 */
export function parseNumber(value: Value | undefined): number | Decimal | null | undefined {
  if (typeof value === 'number') return value;
  if (value === null || value === undefined || value === '') return null;
  if (typeof value !== 'string' || value.length > maxNumberLength) return undefined;

  const text = toDecimalString(value);
  if (text === undefined) return undefined;

  // A double preserves every decimal number of up to 15 digits.
  return /^-?\d{1,13}(?:\.\d{1,2})?$/.test(text) ? Number(text) : Decimal.parse(text);
}

/** Returns the exact number in a field of a row, if any. */
export function numberAt(
  batch: RowBatch,
  field: string,
  row: number,
): number | Decimal | undefined {
  const cents = toCents(batch, field)[row] as number;
  if (Number.isNaN(cents)) return undefined;
  if (cents !== notCents) return cents / 100;
  return parseNumber(readField(batch, field)[row]) ?? undefined;
}

/** Adds thousands separators: `48,665.12`. */
export function addThousandsSeparators(number: string): string {
  const [integer = '', decimals] = number.split('.');
  const grouped = integer.replace(/(?<=\d)(?=(?:\d{3})+$)/g, ',');
  return decimals === undefined ? grouped : `${grouped}.${decimals}`;
}

/** Pads money to two decimals: `5` becomes `5.00`. */
export function padMoney(number: string): string {
  const [integer, decimals = ''] = number.split('.');
  return `${integer}.${decimals.padEnd(2, '0')}`;
}

/** Formats an hour without minutes and seconds, which are always zero: `2026-10-25 02:00+0200`. */
export function shortenHour(text: string): string {
  return text.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:00):00(?=[+-]\d{4}$)/, '$1 $2');
}
