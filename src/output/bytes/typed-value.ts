import { comma, dot, minus, nine, quote, zero } from '../../rows/ascii.ts';
import { writeNumber } from './json-bytes.ts';

// They have moved; whoever still looks for them here is to be pointed to their place.
export { dayOf, exactDouble, exactInteger, type Moment, momentOf, wallTimeOf } from '../../contract/values.ts';

const powersOfTen = Float64Array.from({ length: 16 }, (_, exponent) => 10 ** exponent);

/** A double holds every decimal number of so many digits, and gives them back. */
const safeDigits = 15;

/**
 * The number that a JSON value is, or that its string such as `"1234,50"` holds, where it has at most 15 digits and no
 * exponent; else `NaN`, and the functions below decide.
 */
export function plainNumber(bytes: Buffer, start: number, end: number): number {
  const isString = bytes[start] === quote;
  const stop = isString ? end - 1 : end;
  let p = isString ? start + 1 : start;
  const negative = bytes[p] === minus;
  if (negative) p++;
  const first = p;
  let value = 0;
  let scale = -1;
  for (; p < stop; p++) {
    const byte = bytes[p] as number;
    if (byte >= zero && byte <= nine) {
      value = value * 10 + (byte - zero);
      if (scale >= 0) scale++;
    } else if ((byte === dot || byte === comma) && scale < 0 && p > first) scale = 0;
    else return Number.NaN;
  }
  const digits = p - first - (scale >= 0 ? 1 : 0);
  if (digits === 0 || digits > safeDigits || scale === 0) return Number.NaN;
  if (bytes[first] === zero && digits > 1 && scale !== digits - 1) return Number.NaN;
  const number = scale > 0 ? value / (powersOfTen[scale] as number) : value;
  return negative ? -number : number;
}

/** The text of the number that a value is or holds, with a decimal point; `undefined` where it is none. */
export function numberText(bytes: Buffer, start: number, end: number): string | undefined {
  const out = Buffer.allocUnsafe(end - start);
  const length = writeNumber(out, 0, bytes, start, end, dot);
  return length < 0 ? undefined : out.toString('latin1', 0, length);
}
