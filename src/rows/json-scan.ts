import { isJson } from '../text/json-object.ts';
import * as ascii from './bytes.ts';

/**
 * These functions find the ends of JSON tokens, and check that the tokens are well-formed (RFC
 * 8259), without decoding them.
 *
 * Each function takes the bytes, the index `at` of the token, and the index `end` of the first byte
 * that has not arrived. The byte there must be 0, so that loops need no bounds, and more must
 * follow, so that words can be read. The result is the index after the token, or `cut` if the bytes
 * end inside the token. The functions throw `MalformedJsonError`. UTF-8 is checked for whole
 * batches.
 */

/** Returned if the bytes end inside the token. */
export const cut = -1;

/** Maximum nesting of objects and arrays in a value. */
const maxDepth = 255;

export class MalformedJsonError extends Error {
  readonly at: number;

  /** Reason to show in messages: `expected a digit`. */
  readonly problem: string;
  constructor(at: number, problem: string) {
    super(`${problem} at index ${at}`);
    this.at = at;
    this.problem = problem;
  }
}

/** Returns the index of the first byte at or after `at` that is not JSON whitespace. */
export function skipBlanks(bytes: Uint8Array, at: number): number {
  let p = at;
  for (;;) {
    const byte = bytes[p];
    if (
      byte !== ascii.space &&
      byte !== ascii.lineFeed &&
      byte !== ascii.carriageReturn &&
      byte !== ascii.tab
    )
      return p;
    p++;
  }
}

const quotes = ascii.repeatByte(ascii.quote);
const backslashes = ascii.repeatByte(ascii.backslash);

/** Scans a string. `at` is the index after its opening quote. */
export function scanString(bytes: Buffer, view: DataView, at: number, end: number): number {
  let p = at;
  for (;;) {
    const word = view.getInt32(p, true);
    const marks =
      ascii.markZeroBytes(word ^ quotes) |
      ascii.markZeroBytes(word ^ backslashes) |
      ascii.markControlBytes(word);
    if (marks !== 0) {
      p += ascii.findFirstMark(marks);
      return bytes[p] === ascii.quote ? p + 1 : scanEscapedString(bytes, p, end);
    }
    p += 4;
  }
}

const simpleEscapes = Buffer.from('"\\/bfnrt');

/** Scans a string from its first escape on. */
function scanEscapedString(bytes: Buffer, at: number, end: number): number {
  let isPlain = true;
  let p = at;
  for (; bytes[p] !== ascii.quote; p++) {
    if (bytes[p] === ascii.backslash) {
      p++;
      isPlain = isPlain && simpleEscapes.includes(bytes[p] as number);
    } else if ((bytes[p] as number) < ascii.space && p < end)
      throw new MalformedJsonError(p, 'unexpected control character');
    if (p >= end) return cut;
  }
  // `JSON.parse` checks all escapes other than `\n` and the like.
  if (!isPlain && !isJson(`"${bytes.toString('utf8', at, p)}"`))
    throw new MalformedJsonError(at, 'invalid escape');
  return p + 1;
}

function scanDigits(bytes: Uint8Array, at: number, end: number): number {
  let p = at;
  while ((bytes[p] as number) >= ascii.zero && (bytes[p] as number) <= ascii.nine) p++;
  if (p < end && p === at) throw new MalformedJsonError(p, 'expected a digit');
  return p;
}

/** Scans a number. The byte after it must have arrived, because it could be another digit. */
export function scanNumber(bytes: Uint8Array, at: number, end: number): number {
  let p = bytes[at] === ascii.minus ? at + 1 : at;
  p = bytes[p] === ascii.zero ? p + 1 : scanDigits(bytes, p, end);
  if (bytes[p] === ascii.dot) p = scanDigits(bytes, p + 1, end);
  // Lower case and upper case differ in one bit.
  if (((bytes[p] as number) | 0x20) === ascii.letterE) {
    const sign = bytes[p + 1];
    p = scanDigits(bytes, sign === ascii.plus || sign === ascii.minus ? p + 2 : p + 1, end);
  }
  return p >= end ? cut : p;
}

function scanLiteral(bytes: Buffer, at: number, end: number): number {
  const literal = ['null', 'true', 'false'].find((text) => text.charCodeAt(0) === bytes[at]);
  if (literal === undefined) throw new MalformedJsonError(at, 'expected a JSON value');
  const to = at + literal.length;
  if (to > end) return cut;
  if (bytes.toString('latin1', at, to) !== literal)
    throw new MalformedJsonError(at, `expected ${literal}`);
  return to;
}

export function scanValue(bytes: Buffer, view: DataView, at: number, end: number): number {
  const byte = bytes[at] as number;
  if (byte === ascii.quote) return scanString(bytes, view, at + 1, end);
  if ((byte >= ascii.zero && byte <= ascii.nine) || byte === ascii.minus)
    return scanNumber(bytes, at, end);
  if (byte === ascii.openBrace || byte === ascii.openBracket)
    return scanNested(bytes, view, at, end);
  return at >= end ? cut : scanLiteral(bytes, at, end);
}

/** Finds the end of an object or array by its brackets. `JSON.parse` checks the content. */
function scanNested(bytes: Buffer, view: DataView, at: number, end: number): number {
  let depth = 0;
  for (let p = at; ; p++) {
    const byte = bytes[p];
    if (byte === ascii.quote) {
      p = scanString(bytes, view, p + 1, end) - 1;
      if (p < at) return cut;
    } else if (byte === ascii.openBrace || byte === ascii.openBracket) {
      if (++depth > maxDepth) throw new MalformedJsonError(p, 'more than 256 levels of nesting');
    } else if (byte === ascii.closeBrace || byte === ascii.closeBracket) {
      if (--depth > 0) continue;
      if (!isJson(bytes.toString('utf8', at, p + 1)))
        throw new MalformedJsonError(at, 'expected a well-formed value');
      return p + 1;
    } else if (p >= end) return cut;
  }
}

/**
 * Scans a key with its colon and the whitespace after it. `at` is the index of its opening quote.
 */
export function scanKey(
  bytes: Buffer,
  view: DataView,
  at: number,
  end: number,
): { name: string; end: number } | undefined {
  if (bytes[at] !== ascii.quote) throw new MalformedJsonError(at, 'expected a key in quotes');
  const keyEnd = scanString(bytes, view, at + 1, end);
  if (keyEnd === cut) return undefined;
  const colonAt = skipBlanks(bytes, keyEnd);
  if (colonAt >= end) return undefined;
  if (bytes[colonAt] !== ascii.colon) throw new MalformedJsonError(colonAt, 'expected ":"');
  return {
    name: JSON.parse(bytes.toString('utf8', at, keyEnd)),
    end: skipBlanks(bytes, colonAt + 1),
  };
}
