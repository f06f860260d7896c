import { groupedText } from '../table/cell-texts.ts';

/** How numbers are written in a page: `1,234.50`, the same whatever the reader's language. */

/** A number of a metric as it is shown: money has two decimals, whatever else has its own; what is no number, as it is. */
export function showNumber(number: string, type: 'integer' | 'money'): string {
  if (type === 'integer') return /^-?\d+(?:\.\d+)?$/.test(number) ? groupedText(number) : number;
  const match = /^(-?\d+)(?:\.(\d{1,2}))?$/.exec(number);
  // To pad keeps the digits of amounts that are too long for a number.
  if (match) return groupedText(`${match[1]}.${(match[2] ?? '').padEnd(2, '0')}`);
  const value = number === '' ? Number.NaN : Number(number);
  return Number.isFinite(value) && Math.abs(value) < 1e21 ? groupedText(value.toFixed(2)) : number;
}

/** A count as it is shown. */
export function showCount(count: number): string {
  return groupedText(String(count));
}

const magnitudes = [
  [1e12, 'T'],
  [1e9, 'B'],
  [1e6, 'M'],
  [1e3, 'k'],
] as const;

/** A round number for an axis, in few characters: `250k`, `1.5M`, `0.05`. */
export function shortNumber(value: number): string {
  const [size, letter] = magnitudes.find(([size]) => Math.abs(value) >= size) ?? [1, ''];
  return Number((value / size).toPrecision(4)) + letter;
}
