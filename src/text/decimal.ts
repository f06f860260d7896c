/** Longer numbers are treated as strings, because adding them is slow. */
export const maxNumberLength = 400;

/** An exact decimal number: `new Decimal(1250n, 2)` is 12.50. */
export class Decimal {
  readonly #units: bigint;

  readonly #scale: number;

  constructor(units: bigint, scale: number) {
    this.#units = units;
    this.#scale = scale;
  }

  /** Parses `12`, `-0.50` or `1e5`. Returns `undefined` for any other string. */
  static parse(text: string): Decimal | undefined {
    if (text.length > maxNumberLength) return undefined;

    const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/.exec(text);
    if (!match) return undefined;

    const [, sign, integer = '', fraction = '', exponent = '0'] = match;
    const shift = Number(exponent) - fraction.length;
    const digits = BigInt(integer + fraction) * 10n ** BigInt(Math.max(0, shift));
    return new Decimal(sign === '-' ? -digits : digits, Math.max(0, -shift));
  }

  plus(other: Decimal): Decimal {
    const scale = Math.max(this.#scale, other.#scale);
    return new Decimal(this.#unitsAt(scale) + other.#unitsAt(scale), scale);
  }

  minus(other: Decimal): Decimal {
    return this.plus(new Decimal(-other.#units, other.#scale));
  }

  times(other: Decimal): Decimal {
    return new Decimal(this.#units * other.#units, this.#scale + other.#scale);
  }

  /** Returns -1, 0 or 1. */
  get sign(): number {
    if (this.#units === 0n) return 0;
    return this.#units < 0n ? -1 : 1;
  }

  /** Rounds half away from zero. `other` must not be 0. */
  dividedBy(other: Decimal, decimals: number): Decimal {
    const scale = Math.max(this.#scale, other.#scale);
    const dividend = this.#unitsAt(scale) * 10n ** BigInt(decimals);
    const divisor = other.#unitsAt(scale);

    const isNegative = dividend < 0n !== divisor < 0n;
    const size = dividend < 0n ? -dividend : dividend;
    const divisorSize = divisor < 0n ? -divisor : divisor;
    const quotient = (2n * size + divisorSize) / (2n * divisorSize);
    return new Decimal(isNegative ? -quotient : quotient, decimals);
  }

  /** Formats all digits, without trailing zeros after the decimal point. */
  toString(): string {
    const negative = this.#units < 0n;
    const digits = String(negative ? -this.#units : this.#units).padStart(this.#scale + 1, '0');
    const integer = digits.slice(0, digits.length - this.#scale);
    const decimals = this.#scale > 0 ? digits.slice(-this.#scale).replace(/0+$/, '') : '';

    const sign = negative ? '-' : '';
    return decimals === '' ? sign + integer : `${sign}${integer}.${decimals}`;
  }

  /** Returns `undefined` for a number that is not whole. */
  toInteger(): bigint | undefined {
    const unit = 10n ** BigInt(this.#scale);
    return this.#units % unit === 0n ? this.#units / unit : undefined;
  }

  #unitsAt(scale: number): bigint {
    return this.#units * 10n ** BigInt(scale - this.#scale);
  }
}

/** Parses a number as a double. Returns `undefined` if a double would change it. */
export function exactDouble(text: string): number | undefined {
  const number = Number(text);
  // A double preserves every decimal number of 15 digits.
  if (/^[-.\d]{1,15}$/.test(text) && !Number.isNaN(number)) return number;

  const exact = Decimal.parse(text);
  const stored = Decimal.parse(String(number));
  return exact && stored && exact.minus(stored).sign === 0 ? number : undefined;
}

/** Parses a 64-bit integer. Returns `undefined` for any other string. */
export function exactInteger(text: string): bigint | undefined {
  const integer = Decimal.parse(text)?.toInteger();
  return integer !== undefined && BigInt.asIntN(64, integer) === integer ? integer : undefined;
}
