import { Decimal } from '../text/decimal.ts';

/**
 * A double holds whole numbers exactly up to twice as much, and no number that is added has more.
 */
const hundredthsAtMost = 2 ** 52;

/** Adds numbers up to their last digit. */
export class ExactSum {
  #hundredths = 0;
  #rest = new Decimal(0n, 0);

  /** Adds whole hundredths, of which there are at most 10¹⁵. */
  addHundredths(hundredths: number): void {
    this.#hundredths += hundredths;
    if (Math.abs(this.#hundredths) > hundredthsAtMost) this.#carry();
  }

  add(number: Decimal): void {
    this.#rest = this.#rest.plus(number);
  }

  get value(): Decimal {
    this.#carry();
    return this.#rest;
  }

  #carry(): void {
    if (this.#hundredths === 0) return;
    this.#rest = this.#rest.plus(new Decimal(BigInt(this.#hundredths), 2));
    this.#hundredths = 0;
  }
}
