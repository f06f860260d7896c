import { numberTextOf } from '../contract/values.ts';
import type { Value } from '../rows/row-batch.ts';
import { Decimal, longestNumber } from '../text/decimal.ts';

/**
 * The number that a row's value is or that its text `"1234,50"` holds; `null` for nothing,
 * `undefined` for no number.
 */
export function numberIn(value: Value | undefined): number | Decimal | null | undefined {
  if (typeof value === 'number') return value;
  if (value === null || value === undefined || value === '') return null;
  if (typeof value !== 'string' || value.length > longestNumber) return undefined;

  const text = numberTextOf(value);
  if (text === undefined) return undefined;

  // A double holds every decimal number of 15 digits, and gives them back.
  return /^-?\d{1,13}(?:\.\d{1,2})?$/.test(text) ? Number(text) : Decimal.parse(text);
}

/** A number as a decimal one; `undefined` for what is not finite. */
export function decimalOf(number: number | Decimal): Decimal | undefined {
  return typeof number === 'number' ? Decimal.parse(String(number)) : number;
}

/**
 * A number with its thousands apart: `48,665.12`. What is no number, or has hundreds of digits,
 * stays as it is.
 */
export function groupedText(number: string): string {
  if (number.length > longestNumber) return number;

  return number.replace(/^-?\d+(?=(\.\d+)?$)/, (digits) =>
    digits.replace(/(?<=\d)(?=(?:\d{3})+$)/g, ','),
  );
}

/** An amount of money with two decimals at least: `5` is `5.00`; no digit is taken away. */
export function moneyText(number: string): string {
  const text = /^-?\d+(?:\.\d+)?$/.test(number) ? number : Decimal.parse(number)?.toString();
  if (text === undefined) return number;

  const [integer, decimals = ''] = text.split('.');
  return `${integer}.${decimals.padEnd(2, '0')}`;
}

/** Made when it is first needed: that takes 15 ms, for which every command would wait. */
let cents: Intl.NumberFormat | undefined;

/**
 * A number with its thousands apart and two decimals, rounded where it has more; what is no number
 * stays.
 */
export function roundedText(number: string): string {
  if (!Decimal.parse(number)) return number;

  cents ??= new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  return cents.format(number as `${number}`);
}

/** An hour without the minutes and seconds that it never has: `2026-10-25 02:00+0200`. */
export function hourText(text: string): string {
  return text.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:00):00(?=[+-]\d{4}$)/, '$1 $2');
}
