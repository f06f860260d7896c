import { Decimal } from '../text/decimal.ts';

/** Half of the range in which a double is exact, so that one more addition never leaves it. */
const maxHundredths = 2 ** 52;

export class ExactSum {
  #hundredths = 0;
  #rest = new Decimal(0n, 0);

  /** Adds whole hundredths, at most 10¹⁵. */
  addHundredths(hundredths: number): void {
    this.#hundredths += hundredths;
    if (Math.abs(this.#hundredths) > maxHundredths) this.#carry();
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
