import { Decimal } from './decimal.ts';

/** How numbers and times are written for people, the same whatever the reader's language. */

/** A number with its thousands apart: `48,665.12`. What is no number, or has hundreds of digits, stays as it is. */
export function groupedText(number: string): string {
  if (number.length > 400) return number;
  return number.replace(/^-?\d+(?=(\.\d+)?$)/, (digits) => digits.replace(/(?<=\d)(?=(?:\d{3})+$)/g, ','));
}

/** An amount of money with two decimals at least: `5` is `5.00`; no digit is taken away. */
export function moneyText(number: string): string {
  const text = /^-?\d+(?:\.\d+)?$/.test(number) ? number : Decimal.parse(number)?.toString();
  if (text === undefined) return number;
  const [integer, decimals = ''] = text.split('.');
  return `${integer}.${decimals.padEnd(2, '0')}`;
}

/** An amount of money with two decimals, rounded where it has more. */
export function roundedMoney(number: string): string {
  const text = moneyText(number);
  if (/^-?\d+\.\d\d$/.test(text)) return text;
  const value = text === '' ? Number.NaN : Number(text);
  return Number.isFinite(value) && Math.abs(value) < 1e21 ? value.toFixed(2) : text;
}

/** An hour without the minutes and seconds that it never has: `2026-10-25 02:00+0200`. */
export function hourText(text: string): string {
  return text.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:00):00(?=[+-]\d{4}$)/, '$1 $2');
}

const magnitudes = [
  [1e12, 'T'],
  [1e9, 'B'],
  [1e6, 'M'],
  [1e3, 'k'],
] as const;

/** A round number for an axis, in few characters: `250k`, `1.5M`, `0.05`. */
export function shortNumber(value: number): string {
  const [size, letter] = magnitudes.find(([least]) => Math.abs(value) >= least) ?? [1, ''];
  return Number((value / size).toPrecision(4)) + letter;
}
