/** Adds decimal numbers exactly, whatever their length: money is never rounded on the way. */
export class DecimalSum {
  #units = 0n;
  /** How many decimals `#units` has. */
  #scale = 0;
  /** What is still to be added to `#units`: exact as long as it is a safe integer. */
  #pending = 0;

  /**
   * Adds a number such as `12`, `-0.50`, `1e5`.
   * @returns whether it is one; else it is passed over
   */
  add(text: string): boolean {
    const dot = text.indexOf('.');
    const scale = dot < 0 ? 0 : text.length - dot - 1;
    if (scale !== this.#scale || text.length > 15 || !/^-?\d+(?:\.\d+)?$/.test(text)) return this.#addExactly(text);
    const units = Number(dot < 0 ? text : text.slice(0, dot) + text.slice(dot + 1));
    if (!Number.isSafeInteger(this.#pending + units)) this.#settle();
    this.#pending += units;
    return true;
  }

  /** Adds so many units of `scale` decimals each: `addUnits(1250, 2)` adds 12.50. They are a safe integer. */
  addUnits(units: number, scale: number): void {
    if (scale === this.#scale && Number.isSafeInteger(this.#pending + units)) this.#pending += units;
    else this.#addBig(BigInt(units), scale);
  }

  /** Adds another sum. */
  addSum(other: DecimalSum): void {
    other.#settle();
    this.#addBig(other.#units, other.#scale);
  }

  /** Takes another sum away. */
  subtractSum(other: DecimalSum): void {
    other.#settle();
    this.#addBig(-other.#units, other.#scale);
  }

  /** The sum as the number nearest to it. */
  toNumber(): number {
    return Number(this.toString());
  }

  /** The sum with as many decimals as the longest number that was added. */
  toString(): string {
    this.#settle();
    const negative = this.#units < 0n;
    const digits = String(negative ? -this.#units : this.#units).padStart(this.#scale + 1, '0');
    const integer = digits.slice(0, digits.length - this.#scale);
    return `${negative ? '-' : ''}${integer}${this.#scale > 0 ? `.${digits.slice(-this.#scale)}` : ''}`;
  }

  /** Adds a number of any form. */
  #addExactly(text: string): boolean {
    const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/.exec(text);
    if (!match) return false;
    const [, sign, integer = '', fraction = '', exponent = '0'] = match;
    const shift = Number(exponent) - fraction.length;
    const scale = Math.max(0, -shift);
    const digits = BigInt(integer + fraction) * 10n ** BigInt(Math.max(0, shift));
    this.#addBig(sign === '-' ? -digits : digits, scale);
    return true;
  }

  #addBig(units: bigint, scale: number): void {
    this.#settle();
    if (scale > this.#scale) {
      this.#units *= 10n ** BigInt(scale - this.#scale);
      this.#scale = scale;
    }
    this.#units += units * 10n ** BigInt(this.#scale - scale);
  }

  #settle(): void {
    this.#units += BigInt(this.#pending);
    this.#pending = 0;
  }
}
