import * as ascii from './bytes.ts';

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
const maxDepth = 255;

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
stopsString[ascii.quote] = 1;
stopsString[ascii.backslash] = 1;

const simpleEscapes = new Uint8Array(256);
for (const character of '"\\/bfnrt') simpleEscapes[character.charCodeAt(0)] = 1;

const hexDigits = new Uint8Array(256);
for (const character of '0123456789abcdefABCDEF') hexDigits[character.charCodeAt(0)] = 1;

/** The index of the first byte at or after `at` that is no JSON blank. */
export function skipBlanks(bytes: Uint8Array, at: number): number {
  let p = at;
  for (;;) {
    const byte = bytes[p];
    if (byte !== ascii.space && byte !== ascii.lineFeed && byte !== ascii.carriageReturn && byte !== ascii.tab)
      return p;
    p++;
  }
}

const quotes = ascii.repeated(ascii.quote);
const backslashes = ascii.repeated(ascii.backslash);

/** As `scanString`, faster where the string is short and holds no escape, as most do. */
export function scanPlainString(bytes: Uint8Array, view: DataView, at: number, end: number): number {
  let p = at;
  for (;;) {
    const word = view.getInt32(p, true);
    const marks = ascii.zeroBytes(word ^ quotes) | ascii.zeroBytes(word ^ backslashes) | ascii.controlBytes(word);
    if (marks !== 0) {
      p += ascii.firstMarked(marks);
      return bytes[p] === ascii.quote ? p + 1 : scanString(bytes, p, end);
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
    if (byte === ascii.quote) return p + 1;
    if (p >= end) return cut;
    if (byte !== ascii.backslash) throw new MalformedJson(p, 'no bare control character in a string');
    p = scanEscape(bytes, p, end);
    if (p === cut) return cut;
  }
}

function scanEscape(bytes: Uint8Array, at: number, end: number): number {
  const letter = bytes[at + 1] as number;
  if (simpleEscapes[letter] === 1) return at + 2;
  if (at + 1 >= end) return cut;
  if (letter !== ascii.letterU) throw new MalformedJson(at, 'an escape that JSON knows');
  for (let p = at + 2; p < at + 6; p++) {
    if (p >= end) return cut;
    if (hexDigits[bytes[p] as number] === 0) throw new MalformedJson(p, 'four hexadecimal digits');
  }
  return at + 6;
}

function isDigit(byte: number): boolean {
  return byte >= ascii.zero && byte <= ascii.nine;
}

function skipDigits(bytes: Uint8Array, at: number): number {
  let p = at;
  while (isDigit(bytes[p] as number)) p++;
  return p;
}

/** The index after the JSON number at `at`; where there is none, `-2 - p` with `p` the byte that is wrong. */
function numberEnd(bytes: Uint8Array, at: number): number {
  const integer = bytes[at] === ascii.minus ? at + 1 : at;
  let p = skipDigits(bytes, integer);
  if (p === integer) return -2 - p;
  if (bytes[integer] === ascii.zero && p > integer + 1) return -2 - (integer + 1);
  if (bytes[p] === ascii.dot) {
    const fraction = p + 1;
    p = skipDigits(bytes, fraction);
    if (p === fraction) return -2 - p;
  }
  // Lower case and upper case differ in one bit.
  if (((bytes[p] as number) | 0x20) === ascii.letterE) {
    const sign = bytes[p + 1];
    const exponent = sign === ascii.plus || sign === ascii.minus ? p + 2 : p + 1;
    p = skipDigits(bytes, exponent);
    if (p === exponent) return -2 - p;
  }
  return p;
}

/** A number; the byte after it must be here too, since it might be another digit. */
export function scanNumber(bytes: Uint8Array, at: number, end: number): number {
  const p = numberEnd(bytes, at);
  if (p >= 0) return p >= end ? cut : p;
  if (-2 - p >= end) return cut;
  throw new MalformedJson(-2 - p, 'a number as JSON writes it');
}

/** Whether the bytes from `start` to `end` are one JSON number and nothing else; the byte at `end` is no digit. */
export function isNumber(bytes: Uint8Array, start: number, end: number): boolean {
  return end > start && numberEnd(bytes, start) === end;
}

const literals = ['null', 'true', 'false'].map((text) => Buffer.from(text));

function scanLiteral(bytes: Uint8Array, at: number, end: number): number {
  const literal = literals.find((text) => text[0] === bytes[at]);
  if (!literal) throw new MalformedJson(at, 'a JSON value');
  for (let i = 1; i < literal.length; i++) {
    if (at + i >= end) return cut;
    if (bytes[at + i] !== literal[i]) throw new MalformedJson(at, literal.toString());
  }
  return at + literal.length;
}

/** Any JSON value. */
export function scanValue(bytes: Buffer, at: number, end: number): number {
  const byte = bytes[at] as number;
  if (byte === ascii.quote) return scanString(bytes, at + 1, end);
  if (isDigit(byte) || byte === ascii.minus) return scanNumber(bytes, at, end);
  if (byte === ascii.openBrace || byte === ascii.openBracket) return scanNested(bytes, at, end);
  return at >= end ? cut : scanLiteral(bytes, at, end);
}

/** An object or an array: its end is found by counting, and what is in it is for `JSON.parse` to judge. */
function scanNested(bytes: Buffer, at: number, end: number): number {
  let depth = 0;
  for (let p = at; ; p++) {
    const byte = bytes[p];
    if (byte === ascii.quote) {
      p = scanString(bytes, p + 1, end) - 1;
      if (p < at) return cut;
    } else if (byte === ascii.openBrace || byte === ascii.openBracket) {
      if (++depth > maxDepth) throw new MalformedJson(p, 'at most 256 levels of nesting');
    } else if (byte === ascii.closeBrace || byte === ascii.closeBracket) {
      if (--depth > 0) continue;
      if (!isJson(bytes.toString('utf8', at, p + 1))) throw new MalformedJson(at, 'a well-formed value');
      return p + 1;
    } else if (p >= end) return cut;
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The blanks after a key and its colon. */
export function scanColon(bytes: Uint8Array, at: number, end: number): number {
  const p = skipBlanks(bytes, at);
  if (bytes[p] === ascii.colon) return p + 1;
  if (p >= end) return cut;
  throw new MalformedJson(p, '":"');
}
