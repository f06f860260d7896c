import { maxExactCents } from '../rows/column-values.ts';
import { Decimal } from '../text/decimal.ts';

/**
 * Exact sums of decimal numbers, one per group. Groups are numbered from 0. Whole cents are added
 * up as doubles, which are exact up to 2⁵³; all other numbers as decimals.
 */
export class ExactSum {
  /** Cents by group; NaN marks a group without numbers. */
  readonly #cents: number[] = [];

  /** Other numbers by group. */
  readonly #rest = new Map<number, Decimal>();

  get isEmpty(): boolean {
    return this.#cents.length === 0;
  }

  /** Adds whole cents, at most 10¹⁵. */
  addCents(cents: number, group = 0): void {
    const before = this.#begin(group);
    const sum = before + cents;
    this.#cents[group] = sum;
    if (Math.abs(sum) < maxExactCents) return;

    this.#addRest(new Decimal(BigInt(sum), 2), group);
    this.#cents[group] = 0;
  }

  /** Adds any number. A number that is not finite counts as 0. */
  add(number: number | Decimal, group = 0): void {
    const cents = typeof number === 'number' ? Math.round(number * 100) : Number.NaN;
    const areWhole = cents / 100 === number && Math.abs(cents) < maxExactCents;
    if (areWhole) {
      this.addCents(cents, group);
      return;
    }

    this.#cents[group] = this.#begin(group);
    const decimal = toDecimal(number);
    if (decimal) this.#addRest(decimal, group);
  }

  /** Returns the sum of a group, or `undefined` if it has no numbers. */
  get(group = 0): Decimal | number | undefined {
    const cents = this.#cents[group] ?? Number.NaN;
    if (Number.isNaN(cents)) return undefined;

    const rest = this.#rest.get(group);
    return rest ? rest.plus(new Decimal(BigInt(cents), 2)) : cents / 100;
  }

  /** Returns the cents of a group so far. */
  #begin(group: number): number {
    while (this.#cents.length <= group) this.#cents.push(Number.NaN);
    const cents = this.#cents[group] as number;
    return Number.isNaN(cents) ? 0 : cents;
  }

  #addRest(number: Decimal, group: number): void {
    this.#rest.set(group, this.#rest.get(group)?.plus(number) ?? number);
  }
}

/** Returns `undefined` if there is no number, or if it is not finite. */
export function toDecimal(number: number | Decimal | undefined): Decimal | undefined {
  if (number === undefined) return undefined;
  return typeof number === 'number' ? Decimal.parse(String(number)) : number;
}
