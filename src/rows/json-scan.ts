import {
  backslash,
  carriageReturn,
  closeBrace,
  closeBracket,
  colon,
  comma,
  dot,
  letterE,
  letterF,
  letterN,
  letterT,
  letterU,
  lineFeed,
  minus,
  nine,
  openBrace,
  openBracket,
  plus,
  quote,
  space,
  tab,
  zero,
} from './ascii.ts';
import { controlBytes, firstMarked, repeated, zeroBytes } from './words.ts';

/**
 * Finds where JSON tokens end, and that they are well-formed (RFC 8259), without decoding them.
 *
 * Every function takes bytes, the index to begin at and the index `end` of the first byte that has not arrived; the
 * byte there must be 0, so that loops need no bound, and more must follow, so that words can be read. They return the
 * index after the token, or `cut` where the bytes end inside it, and throw `MalformedJson`. UTF-8 is not looked at here:
 * `isUtf8` of node:buffer does whole batches.
 */

/** The bytes end before the token does. */
export const cut = -1;

/** How deep objects and arrays may nest in one value. */
const maxDepth = 256;

/** The text is not JSON: at index `at`, something else was `expected`. */
export class MalformedJson extends Error {
  readonly at: number;
  readonly expected: string;
  constructor(at: number, expected: string) {
    super(`expected ${expected} at index ${at}`);
    this.at = at;
    this.expected = expected;
  }
}

/** 1 for the bytes that end a run of plain characters in a string: the quote, the backslash, control characters. */
const stopsString = new Uint8Array(256);
stopsString.fill(1, 0, 0x20);
stopsString[quote] = 1;
stopsString[backslash] = 1;

const simpleEscapes = new Uint8Array(256);
for (const character of '"\\/bfnrt') simpleEscapes[character.charCodeAt(0)] = 1;

const hexDigits = new Uint8Array(256);
for (const character of '0123456789abcdefABCDEF') hexDigits[character.charCodeAt(0)] = 1;

/** The index of the first byte at or after `at` that is no JSON blank. */
export function skipBlanks(bytes: Uint8Array, at: number): number {
  let p = at;
  for (;;) {
    const byte = bytes[p];
    if (byte !== space && byte !== lineFeed && byte !== carriageReturn && byte !== tab) return p;
    p++;
  }
}

const quotes = repeated(quote);
const backslashes = repeated(backslash);

/** As `scanString`, faster where the string is short and holds no escape, as most do. */
export function scanPlainString(bytes: Uint8Array, view: DataView, at: number, end: number): number {
  let p = at;
  for (;;) {
    const word = view.getInt32(p, true);
    const marks = zeroBytes(word ^ quotes) | zeroBytes(word ^ backslashes) | controlBytes(word);
    if (marks !== 0) {
      p += firstMarked(marks);
      return bytes[p] === quote ? p + 1 : scanString(bytes, p, end);
    }
    p += 4;
  }
}

/** A string; `at` is the index after its opening quote, or any index in it at which no escape is under way. */
export function scanString(bytes: Uint8Array, at: number, end: number): number {
  let p = at;
  for (;;) {
    while (stopsString[bytes[p] as number] === 0) p++;
    const byte = bytes[p];
    if (byte === quote) return p + 1;
    if (p >= end) return cut;
    if (byte !== backslash) throw new MalformedJson(p, 'no bare control character in a string');
    p = scanEscape(bytes, p, end);
    if (p === cut) return cut;
  }
}

function scanEscape(bytes: Uint8Array, at: number, end: number): number {
  const letter = bytes[at + 1] as number;
  if (simpleEscapes[letter] === 1) return at + 2;
  if (at + 1 >= end) return cut;
  if (letter !== letterU) throw new MalformedJson(at, 'an escape that JSON knows');
  for (let p = at + 2; p < at + 6; p++) {
    if (p >= end) return cut;
    if (hexDigits[bytes[p] as number] === 0) throw new MalformedJson(p, 'four hexadecimal digits');
  }
  return at + 6;
}

function isDigit(byte: number): boolean {
  return byte >= zero && byte <= nine;
}

function skipDigits(bytes: Uint8Array, at: number): number {
  let p = at;
  while (isDigit(bytes[p] as number)) p++;
  return p;
}

/** The index after the JSON number at `at`; where there is none, `-2 - p` with `p` the byte that is wrong. */
function numberEnd(bytes: Uint8Array, at: number): number {
  let p = bytes[at] === minus ? at + 1 : at;
  const integer = p;
  p = skipDigits(bytes, p);
  if (p === integer) return -2 - p;
  if (bytes[integer] === zero && p > integer + 1) return -2 - (integer + 1);
  if (bytes[p] === dot) {
    const fraction = p + 1;
    p = skipDigits(bytes, fraction);
    if (p === fraction) return -2 - p;
  }
  // Lower case and upper case differ in one bit.
  if (((bytes[p] as number) | 0x20) === letterE) {
    const sign = bytes[p + 1];
    const exponent = sign === plus || sign === minus ? p + 2 : p + 1;
    p = skipDigits(bytes, exponent);
    if (p === exponent) return -2 - p;
  }
  return p;
}

/** As `scanNumber`, faster for a member's value that has no exponent and no blank after it, as most do. */
export function scanPlainNumber(bytes: Uint8Array, at: number, end: number): number {
  const integer = bytes[at] === minus ? at + 1 : at;
  let p = skipDigits(bytes, integer);
  const isInteger = p > integer && (bytes[integer] !== zero || p === integer + 1);
  if (isInteger && bytes[p] === dot && isDigit(bytes[p + 1] as number)) p = skipDigits(bytes, p + 1);
  return isInteger && (bytes[p] === comma || bytes[p] === closeBrace) ? p : scanNumber(bytes, at, end);
}

/** A number; the byte after it must be here too, since it might be another digit. */
function scanNumber(bytes: Uint8Array, at: number, end: number): number {
  const p = numberEnd(bytes, at);
  if (p >= 0) return p >= end ? cut : p;
  if (-2 - p >= end) return cut;
  throw new MalformedJson(-2 - p, 'a number as JSON writes it');
}

/** Whether the bytes from `start` to `end` are one JSON number and nothing else; the byte at `end` is no digit. */
export function isNumber(bytes: Uint8Array, start: number, end: number): boolean {
  return end > start && numberEnd(bytes, start) === end;
}

const literals: Readonly<Record<number, Buffer>> = {
  [letterN]: Buffer.from('null'),
  [letterT]: Buffer.from('true'),
  [letterF]: Buffer.from('false'),
};

function scanLiteral(bytes: Uint8Array, at: number, end: number): number {
  const literal = literals[bytes[at] as number];
  if (!literal) throw new MalformedJson(at, 'a JSON value');
  for (let i = 1; i < literal.length; i++) {
    if (at + i >= end) return cut;
    if (bytes[at + i] !== literal[i]) throw new MalformedJson(at, literal.toString());
  }
  return at + literal.length;
}

/** Any JSON value; `depth` counts the objects and arrays around it. */
export function scanValue(bytes: Uint8Array, at: number, end: number, depth: number): number {
  const byte = bytes[at] as number;
  if (byte === quote) return scanString(bytes, at + 1, end);
  if (isDigit(byte) || byte === minus) return scanNumber(bytes, at, end);
  if (byte === openBrace || byte === openBracket) {
    if (depth >= maxDepth) throw new MalformedJson(at, `at most ${maxDepth} levels of nesting`);
    return byte === openBrace ? scanObject(bytes, at, end, depth + 1) : scanArray(bytes, at, end, depth + 1);
  }
  return at >= end ? cut : scanLiteral(bytes, at, end);
}

function scanObject(bytes: Uint8Array, at: number, end: number, depth: number): number {
  let p = skipBlanks(bytes, at + 1);
  if (bytes[p] === closeBrace) return p + 1;
  for (;;) {
    p = scanKey(bytes, p, end);
    if (p === cut) return cut;
    p = scanValue(bytes, skipBlanks(bytes, p), end, depth);
    if (p === cut) return cut;
    p = skipBlanks(bytes, p);
    if (bytes[p] === closeBrace) return p + 1;
    if (p >= end) return cut;
    if (bytes[p] !== comma) throw new MalformedJson(p, '"," or "}"');
    p = skipBlanks(bytes, p + 1);
  }
}

/** A member's key and the colon after it. */
function scanKey(bytes: Uint8Array, at: number, end: number): number {
  if (at >= end) return cut;
  if (bytes[at] !== quote) throw new MalformedJson(at, 'a key in quotes');
  const keyEnd = scanString(bytes, at + 1, end);
  return keyEnd === cut ? cut : scanColon(bytes, keyEnd, end);
}

/** The blanks after a key and its colon. */
export function scanColon(bytes: Uint8Array, at: number, end: number): number {
  const p = skipBlanks(bytes, at);
  if (bytes[p] === colon) return p + 1;
  if (p >= end) return cut;
  throw new MalformedJson(p, '":"');
}

function scanArray(bytes: Uint8Array, at: number, end: number, depth: number): number {
  let p = skipBlanks(bytes, at + 1);
  if (bytes[p] === closeBracket) return p + 1;
  for (;;) {
    p = scanValue(bytes, p, end, depth);
    if (p === cut) return cut;
    p = skipBlanks(bytes, p);
    if (bytes[p] === closeBracket) return p + 1;
    if (p >= end) return cut;
    if (bytes[p] !== comma) throw new MalformedJson(p, '"," or "]"');
    p = skipBlanks(bytes, p + 1);
  }
}
