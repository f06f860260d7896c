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

  minus(other: Decimal): Decimal {
    return this.plus(new Decimal(-other.#units, other.#scale));
  }

  times(other: Decimal): Decimal {
    return new Decimal(this.#units * other.#units, this.#scale + other.#scale);
  }

  /** -1, 0 or 1. */
  get sign(): number {
    if (this.#units === 0n) return 0;
    return this.#units < 0n ? -1 : 1;
  }

  /** This number divided by another one that is not 0, rounded to so many decimals, a half away from zero. */
  dividedBy(other: Decimal, decimals: number): Decimal {
    const scale = Math.max(this.#scale, other.#scale);
    const over = this.#at(scale) * 10n ** BigInt(decimals);
    const under = other.#at(scale);

    const isNegative = over < 0n !== under < 0n;
    const overSize = over < 0n ? -over : over;
    const underSize = under < 0n ? -under : under;
    const quotient = (2n * overSize + underSize) / (2n * underSize);
    return new Decimal(isNegative ? -quotient : quotient, decimals);
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

/** A number as a decimal one; `undefined` for what is not finite. */
export function decimalOf(number: number | Decimal): Decimal | undefined {
  return typeof number === 'number' ? Decimal.parse(String(number)) : number;
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
