/** How numbers are written in a page: `1,234.50`, the same whatever the reader's language. */

/** A decimal number such as `-1234.5`, its thousands parted by commas; other text stays as it is. */
export function groupDigits(number: string): string {
  const match = /^(-?)(\d+)(\.\d+)?$/.exec(number);
  if (!match) return number;
  const [, sign = '', integer = '', fraction = ''] = match;
  return sign + integer.replace(/\B(?=(?:\d{3})+$)/g, ',') + fraction;
}

/** A number of a metric as it is shown: money has two decimals, whatever else has its own. */
export function showNumber(number: string, type: 'integer' | 'money'): string {
  if (type === 'integer') return groupDigits(number);
  const match = /^(-?\d+)(?:\.(\d{1,2}))?$/.exec(number);
  // To pad keeps the digits of amounts that are too long for a number.
  if (match) return groupDigits(`${match[1]}.${(match[2] ?? '').padEnd(2, '0')}`);
  const value = Number(number);
  return Number.isFinite(value) && Math.abs(value) < 1e21 ? groupDigits(value.toFixed(2)) : number;
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
