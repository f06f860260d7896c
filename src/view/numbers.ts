import { numberTextOf } from '../contract/values.ts';
import type { Value } from '../rows/row-batch.ts';

/** Numbers with more characters than this are taken for text: nobody counts that far, and to add them takes long. */
const longestNumber = 400;

/** A decimal number, exact to its last digit: money is never rounded on the way. `new Decimal(1250n, 2)` is 12.50. */
export class Decimal {
  readonly #units: bigint;

  readonly #scale: number;

  constructor(units: bigint, scale: number) {
    this.#units = units;
    this.#scale = scale;
  }

  /** Reads `12`, `-0.50` or `1e5`; `undefined` for any other text. */
  static parse(text: string): Decimal | undefined {
    if (text.length > longestNumber) return undefined;

    const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/.exec(text);
    if (!match) return undefined;

    const [, sign, integer = '', fraction = '', exponent = '0'] = match;
    const shift = Number(exponent) - fraction.length;
    const digits = BigInt(integer + fraction) * 10n ** BigInt(Math.max(0, shift));
    return new Decimal(sign === '-' ? -digits : digits, Math.max(0, -shift));
  }

  plus(other: Decimal): Decimal {
    const scale = Math.max(this.#scale, other.#scale);
    return new Decimal(this.#at(scale) + other.#at(scale), scale);
  }

  /** All its digits, without zeros at the end of its decimals. */
  toString(): string {
    const negative = this.#units < 0n;
    const digits = String(negative ? -this.#units : this.#units).padStart(this.#scale + 1, '0');
    const integer = digits.slice(0, digits.length - this.#scale);
    const decimals = this.#scale > 0 ? digits.slice(-this.#scale).replace(/0+$/, '') : '';

    const sign = negative ? '-' : '';
    return decimals === '' ? sign + integer : `${sign}${integer}.${decimals}`;
  }

  #at(scale: number): bigint {
    return this.#units * 10n ** BigInt(scale - this.#scale);
  }
}

/** The number that a row's value is or that its text `"1234,50"` holds; `null` for nothing, `undefined` for no number. */
export function numberIn(value: Value | undefined): number | Decimal | null | undefined {
  if (typeof value === 'number') return value;
  if (value === null || value === undefined || value === '') return null;
  if (typeof value !== 'string' || value.length > longestNumber) return undefined;

  const text = numberTextOf(value);
  if (text === undefined) return undefined;

  // A double holds every decimal number of 15 digits, and gives them back.
  return /^-?\d{1,13}(?:\.\d{1,2})?$/.test(text) ? Number(text) : Decimal.parse(text);
}

/** A number with its thousands apart: `48,665.12`. What is no number, or has hundreds of digits, stays as it is. */
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

/** An hour without the minutes and seconds that it never has: `2026-10-25 02:00+0200`. */
export function hourText(text: string): string {
  return text.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:00):00(?=[+-]\d{4}$)/, '$1 $2');
}
