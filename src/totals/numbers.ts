import { fieldTypeOf } from '../contract/columns.ts';
import { numberTextOf } from '../contract/values.ts';
import { notCents, toCents, valuesOf } from '../rows/column-values.ts';
import type { RowBatch, Value } from '../rows/row-batch.ts';
import { Decimal, maxNumberLength } from '../text/decimal.ts';

/**
 * Reads the number in a row's value, also from text such as `"1234,50"`; `null` for no value,
 * `undefined` if the value is not a number.
 */
export function numberIn(value: Value | undefined): number | Decimal | null | undefined {
  if (typeof value === 'number') return value;
  if (value === null || value === undefined || value === '') return null;
  if (typeof value !== 'string' || value.length > maxNumberLength) return undefined;

  const text = numberTextOf(value);
  if (text === undefined) return undefined;

  // A double preserves every decimal number of up to 15 digits.
  return /^-?\d{1,13}(?:\.\d{1,2})?$/.test(text) ? Number(text) : Decimal.parse(text);
}

/** Returns the number of a field in a row of a batch, exactly; `undefined` if there is none. */
export function numberAt(
  batch: RowBatch,
  field: string,
  row: number,
): number | Decimal | undefined {
  const cents = toCents(batch, field)[row] as number;
  if (Number.isNaN(cents)) return undefined;
  if (cents !== notCents) return cents / 100;
  return numberIn(valuesOf(batch, field)[row]) ?? undefined;
}

/**
 * Adds thousands separators: `48,665.12`. Returns other text, and numbers of hundreds of digits,
 * unchanged.
 */
export function addThousandsSeparators(number: string): string {
  if (number.length > maxNumberLength) return number;

  return number.replace(/^-?\d+(?=(\.\d+)?$)/, (digits) =>
    digits.replace(/(?<=\d)(?=(?:\d{3})+$)/g, ','),
  );
}

/** Pads to at least two decimals: `5` becomes `5.00`; digits are never removed. */
export function moneyText(number: string): string {
  const text = /^-?\d+(?:\.\d+)?$/.test(number) ? number : Decimal.parse(number)?.toString();
  if (text === undefined) return number;

  const [integer, decimals = ''] = text.split('.');
  return `${integer}.${decimals.padEnd(2, '0')}`;
}

/** Adds thousands separators and rounds to two decimals; other text is returned unchanged. */
function roundedText(number: string): string {
  const decimal = Decimal.parse(number);
  return decimal
    ? addThousandsSeparators(moneyText(String(decimal.dividedBy(new Decimal(1n, 0), 2))))
    : number;
}

/** Formats a sum for readers: money with two decimals, counts with all digits. */
export function formatSum(metric: string, digits: string): string {
  return fieldTypeOf(metric) === 'money' ? roundedText(digits) : addThousandsSeparators(digits);
}

/** Removes minutes and seconds, which are always zero: `2026-10-25 02:00+0200`. */
export function hourText(text: string): string {
  return text.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:00):00(?=[+-]\d{4}$)/, '$1 $2');
}
