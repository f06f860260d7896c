import { backslash, comma, dot, letterU, minus, nine, quote, space, zero } from '../../rows/ascii.ts';

/**
 * Well-formed JSON turned into other bytes, without making strings of it. Each function writes to `out` from `at` on,
 * where the caller has made room, and returns the index after what it wrote.
 */

const unescaped = new Uint8Array(256);
for (const [letter, text] of ['""', '\\\\', '//', 'b\b', 'f\f', 'n\n', 'r\r', 't\t'].map((pair) => [...pair])) {
  unescaped[String(letter).charCodeAt(0)] = String(text).charCodeAt(0);
}

/** What a string holds, as UTF-8; `start` and `end` are those of what is between its quotes. Never longer than that. */
export function unescapeText(out: Buffer, at: number, bytes: Buffer, start: number, end: number): number {
  let o = at;
  let p = start;
  while (p < end) {
    const byte = bytes[p] as number;
    if (byte !== backslash) {
      out[o++] = byte;
      p++;
    } else if (bytes[p + 1] !== letterU) {
      out[o++] = unescaped[bytes[p + 1] as number] as number;
      p += 2;
    } else {
      let unit = hex4(bytes, p + 2);
      p += 6;
      if (unit >= 0xd800 && unit < 0xdc00 && p < end && bytes[p] === backslash && bytes[p + 1] === letterU) {
        const low = hex4(bytes, p + 2);
        if (low >= 0xdc00 && low < 0xe000) {
          unit = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
          p += 6;
        }
      }
      o = writeUtf8(out, o, unit);
    }
  }
  return o;
}

function hex4(bytes: Buffer, at: number): number {
  let value = 0;
  for (let p = at; p < at + 4; p++) {
    const byte = bytes[p] as number;
    value = value * 16 + (byte <= nine ? byte - zero : (byte | 0x20) - 0x57);
  }
  return value;
}

/** A lone surrogate becomes U+FFFD, as wherever UTF-16 is made into UTF-8. */
function writeUtf8(out: Buffer, at: number, codePoint: number): number {
  const code = codePoint >= 0xd800 && codePoint < 0xe000 ? 0xfffd : codePoint;
  if (code < 0x80) {
    out[at] = code;
    return at + 1;
  }
  if (code < 0x800) {
    out[at] = 0xc0 | (code >> 6);
    out[at + 1] = 0x80 | (code & 0x3f);
    return at + 2;
  }
  if (code < 0x10000) {
    out[at] = 0xe0 | (code >> 12);
    out[at + 1] = 0x80 | ((code >> 6) & 0x3f);
    out[at + 2] = 0x80 | (code & 0x3f);
    return at + 3;
  }
  out[at] = 0xf0 | (code >> 18);
  out[at + 1] = 0x80 | ((code >> 12) & 0x3f);
  out[at + 2] = 0x80 | ((code >> 6) & 0x3f);
  out[at + 3] = 0x80 | (code & 0x3f);
  return at + 4;
}

/** A value without the blanks between its tokens. */
export function compact(out: Buffer, at: number, bytes: Buffer, start: number, end: number): number {
  let o = at;
  let inString = false;
  for (let p = start; p < end; p++) {
    const byte = bytes[p] as number;
    if (inString && byte === backslash) out[o++] = bytes[p++] as number;
    else if (byte === quote) inString = !inString;
    else if (!inString && byte <= space) continue;
    out[o++] = bytes[p] as number;
  }
  return o;
}

/**
 * The number that a value is, or that a string such as `"1234,50"` holds, with the given decimal mark. Digits stay.
 * @returns the index after it, or -1 where the value is no number
 */
export function writeNumber(
  out: Buffer,
  at: number,
  bytes: Buffer,
  start: number,
  end: number,
  decimalMark: number,
): number {
  const isString = bytes[start] === quote;
  if (isString && !holdsNumber(bytes, start + 1, end - 1)) return -1;
  const first = bytes[start] as number;
  if (!isString && first !== minus && !(first >= zero && first <= nine)) return -1;
  let o = at;
  for (let p = isString ? start + 1 : start; p < (isString ? end - 1 : end); p++) {
    const byte = bytes[p] as number;
    out[o++] = byte === dot || byte === comma ? decimalMark : byte;
  }
  return o;
}

/** `12`, `-1234,50`, `0.5`: what JSON would take as a number, were the comma a dot. */
function holdsNumber(bytes: Buffer, start: number, end: number): boolean {
  const integer = bytes[start] === minus ? start + 1 : start;
  let p = skipDigits(bytes, integer, end);
  if (p === integer || (bytes[integer] === zero && p > integer + 1)) return false;
  if (p < end && (bytes[p] === dot || bytes[p] === comma)) {
    const fraction = p + 1;
    p = skipDigits(bytes, fraction, end);
    if (p === fraction) return false;
  }
  return p === end;
}

function skipDigits(bytes: Buffer, start: number, end: number): number {
  let p = start;
  while (p < end && (bytes[p] as number) >= zero && (bytes[p] as number) <= nine) p++;
  return p;
}
