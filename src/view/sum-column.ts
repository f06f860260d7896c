import { comma, dot, letterN, minus, nine, quote, zero } from '../rows/ascii.ts';
import { DecimalSum } from './decimal-sum.ts';

/** Numbers with more decimals are added digit by digit: money has two, and a rate six. */
const decimalsAtMost = 6;

const powers = [1, 10, 100, 1e3, 1e4, 1e5, 1e6];

/** So many digits make a safe integer, whatever they are. */
const digitsAtMost = 15;

/**
 * The sums of one metric, one a group, exact to the last digit. All are kept as whole units of one size, such as cents,
 * in eight bytes a group; what does not fit goes into a `DecimalSum` beside them.
 */
export class SumColumn {
  /** How many values were there that are no numbers; they are passed over. */
  strangeCount = 0;
  /** NaN where the group has had no number yet. */
  #sums = new Float64Array(16).fill(Number.NaN);
  /** How many decimals the units have. */
  #scale = 0;
  /** The number read last, in units of as many decimals as it had. */
  #units = 0;
  readonly #beside = new Map<number, DecimalSum>();

  /**
   * Adds a JSON value to a group's sum: a number, or a string that holds one, such as `"1234,50"`.
   * `null` and `""` are nothing.
   */
  add(group: number, bytes: Buffer, start: number, end: number): void {
    const first = bytes[start] as number;
    if (first === letterN) return;
    const isString = first === quote;
    if (isString && end - start === 2) return;
    const decimals = isString ? this.#read(bytes, start + 1, end - 1) : this.#read(bytes, start, end);
    const isPlain = decimals >= 0 && (decimals <= this.#scale || this.#rescale(decimals));
    const units = isPlain ? this.#units * (powers[this.#scale - decimals] as number) : Number.NaN;
    if (Number.isSafeInteger(units)) this.#addUnits(group, units);
    else this.#addText(group, bytes, start, end);
  }

  /** The sum of a group; `undefined` where it has had no number. */
  at(group: number): DecimalSum | undefined {
    const beside = this.#beside.get(group);
    const units = group < this.#sums.length ? (this.#sums[group] as number) : Number.NaN;
    if (Number.isNaN(units) && beside === undefined) return undefined;
    const sum = new DecimalSum();
    sum.addUnits(Number.isNaN(units) ? 0 : units, this.#scale);
    if (beside) sum.addSum(beside);
    return sum;
  }

  /** Reads a plain number of few digits into `#units`; returns how many decimals it has, or -1 where it is none. */
  #read(bytes: Buffer, start: number, end: number): number {
    const isNegative = bytes[start] === minus;
    const from = isNegative ? start + 1 : start;
    if (end - from > digitsAtMost) return -1;
    let units = 0;
    let decimalsFrom = end;
    for (let p = from; p < end; p++) {
      const byte = bytes[p] as number;
      if (byte >= zero && byte <= nine) units = units * 10 + (byte - zero);
      else if ((byte === dot || byte === comma) && decimalsFrom === end && p > from && p < end - 1)
        decimalsFrom = p + 1;
      else return -1;
    }
    this.#units = isNegative ? -units : units;
    return from === end ? -1 : end - decimalsFrom;
  }

  #addUnits(group: number, units: number): void {
    if (group >= this.#sums.length) this.#grow(group);
    const before = this.#sums[group] as number;
    const sum = Number.isNaN(before) ? units : before + units;
    if (Number.isSafeInteger(sum)) {
      this.#sums[group] = sum;
      return;
    }
    this.#sums[group] = 0;
    const beside = this.#besideOf(group);
    for (const part of [before, units]) if (!Number.isNaN(part)) beside.addUnits(part, this.#scale);
  }

  /** Adds a value that is not a plain number of few digits. */
  #addText(group: number, bytes: Buffer, start: number, end: number): void {
    const json = bytes.toString('utf8', start, end);
    const number = bytes[start] === quote ? numberIn(json) : json;
    const sum = new DecimalSum();
    if (number === undefined || !sum.add(number)) this.strangeCount++;
    else this.#besideOf(group).addSum(sum);
  }

  #besideOf(group: number): DecimalSum {
    let sum = this.#beside.get(group);
    if (!sum) {
      sum = new DecimalSum();
      this.#beside.set(group, sum);
    }
    return sum;
  }

  /** Makes the units smaller; `false` where they would be too small. */
  #rescale(decimals: number): boolean {
    if (decimals > decimalsAtMost) return false;
    const factor = powers[decimals - this.#scale] as number;
    for (const [group, units] of this.#sums.entries()) {
      const smaller = units * factor;
      if (Number.isNaN(units) || Number.isSafeInteger(smaller)) {
        this.#sums[group] = smaller;
      } else {
        this.#besideOf(group).addUnits(units, this.#scale);
        this.#sums[group] = 0;
      }
    }
    this.#scale = decimals;
    return true;
  }

  #grow(group: number): void {
    const larger = new Float64Array(Math.max(group + 1, Math.ceil(1.5 * this.#sums.length))).fill(Number.NaN);
    larger.set(this.#sums);
    this.#sums = larger;
  }
}

/** The number that a JSON string holds, with a dot for its decimal comma. */
function numberIn(json: string): string | undefined {
  const text: string = JSON.parse(json);
  return /^-?\d+(?:[.,]\d+)?$/.test(text) ? text.replace(',', '.') : undefined;
}
