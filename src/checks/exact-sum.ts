import { Decimal } from '../text/decimal.ts';

/** Half of the range in which a double is exact, so that one more addition never leaves it. */
const maxCents = 2 ** 52;

export class ExactSum {
  #cents = 0;
  #rest = new Decimal(0n, 0);

  /** Adds whole cents, at most 10¹⁵. */
  addCents(cents: number): void {
    this.#cents += cents;
    if (Math.abs(this.#cents) > maxCents) this.#carry();
  }

  add(number: Decimal): void {
    this.#rest = this.#rest.plus(number);
  }

  get value(): Decimal {
    this.#carry();
    return this.#rest;
  }

  #carry(): void {
    if (this.#cents === 0) return;
    this.#rest = this.#rest.plus(new Decimal(BigInt(this.#cents), 2));
    this.#cents = 0;
  }
}
