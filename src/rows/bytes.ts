import { IncompleteDataError } from '../errors.ts';
import { formatCount } from '../text/quantity.ts';
/** The bytes that JSON and CSV are made of, by name. */

export const tab = 0x09;
export const lineFeed = 0x0a;
export const carriageReturn = 0x0d;
export const space = 0x20;
export const quote = 0x22;
export const plus = 0x2b;
export const comma = 0x2c;
export const minus = 0x2d;
export const dot = 0x2e;
export const zero = 0x30;
export const nine = 0x39;
export const colon = 0x3a;
export const semicolon = 0x3b;
export const less = 0x3c;
export const openBracket = 0x5b;
export const backslash = 0x5c;
export const closeBracket = 0x5d;
export const letterE = 0x65;
export const letterN = 0x6e;
export const letterU = 0x75;
export const openBrace = 0x7b;
export const closeBrace = 0x7d;

/*
 * Four bytes at a time: a word is a 32-bit integer whose lowest byte comes first. Report values are short runs of bytes,
 * and looking at each byte by itself costs more than anything else that is done with them.
 */

/** The words of a buffer: `getInt32(at, true)` reads the one that begins at any byte. */
export function viewOf(bytes: Buffer): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** A word whose four bytes are this one. */
export function repeated(byte: number): number {
  return Math.imul(byte, 0x01010101);
}

/**
 * Nonzero where a byte of the word is zero; the lowest bit that is set is the top bit of the first such byte (Mycroft).
 * Only a zero byte borrows into its own empty top bit; what is set above the first may be wrong.
 */
export function zeroBytes(word: number): number {
  return (word - 0x01010101) & ~word & 0x80808080;
}

/** Nonzero where a byte of the word is below 0x20, with the same meaning as in `zeroBytes`. */
export function controlBytes(word: number): number {
  return (word - 0x20202020) & ~word & 0x80808080;
}

/** The index, 0 to 3, of the first byte that is marked in a result of the functions above, which must not be zero. */
export function firstMarked(marks: number): number {
  return (31 - Math.clz32(marks & -marks)) >> 3;
}

/** A longer copy: at least `length` long, and at least twice as long as before, so that growing stays cheap. */
export function growArray(array: Int32Array, length: number): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(Math.max(length, 2 * array.length));
  larger.set(array);
  return larger;
}

/** 8 MB: how long a row may be. */
export const maxRowBytes = 8 * 1024 * 1024;

/** Zero bytes kept after the last one, so that a scan stops there and a word can be read from any position. */
const slack = 16;

/**
 * The bytes received and not yet consumed, in one buffer that is used throughout.
 *
 * It is filled up to a goal that depends on the document alone, never on how the network cut it: so the same document
 * gives the same batches. `bytes[end]` is always 0, which no JSON or CSV token contains.
 */
export class ByteWindow {
  bytes: Buffer;
  /** The same bytes, for reading words. */
  view: DataView;
  /** The first byte that has not been consumed; whoever consumes moves it. */
  start = 0;
  /** One after the last byte received. */
  end = 0;
  /** How many bytes of the body came before `bytes[0]`. */
  #offset = 0;
  #goalBytes: number;
  readonly #pieceBytes: number;

  /** @param pieceBytes how many bytes to gather before they are looked at */
  constructor(pieceBytes: number) {
    this.#pieceBytes = pieceBytes;
    this.#goalBytes = pieceBytes;
    this.bytes = Buffer.alloc(pieceBytes + slack);
    this.view = viewOf(this.bytes);
  }

  /** Whether enough bytes are here to look at them. */
  get isFull(): boolean {
    return this.end - this.start >= this.#goalBytes;
  }

  /** How many bytes of the body have come in all. */
  get receivedBytes(): number {
    return this.#offset + this.end;
  }

  /** The position in the body of index `at` of `bytes`. */
  positionOf(at: number): number {
    return this.#offset + at;
  }

  /** Takes bytes of a chunk, from index `from`, until the goal is reached; returns how many. */
  fill(chunk: Uint8Array, from: number): number {
    const count = Math.min(this.#goalBytes - (this.end - this.start), chunk.length - from);
    this.#makeRoom(count);
    this.bytes.set(count === chunk.length ? chunk : chunk.subarray(from, from + count), this.end);
    this.end += count;
    this.bytes.fill(0, this.end, this.end + slack);
    return count;
  }

  /**
   * Sets the next goal after a look at the bytes: at least as many new ones as are left over from before, so that
   * a token longer than a piece is scanned again only each time it has doubled.
   */
  settle(): void {
    this.#goalBytes = Math.max(this.#pieceBytes, 2 * (this.end - this.start));
  }

  #makeRoom(count: number): void {
    if (this.end + count + slack <= this.bytes.length) return;
    const remaining = this.bytes.subarray(this.start, this.end);
    const needed = remaining.length + count + slack;
    if (needed > this.bytes.length) {
      this.bytes = Buffer.alloc(Math.max(needed, this.#goalBytes + slack));
      this.view = viewOf(this.bytes);
    }
    this.bytes.set(remaining, 0);
    this.#offset += this.start;
    this.end -= this.start;
    this.start = 0;
  }
}

/** The body ended too early; `where` completes "The report ends …". */
export function endsEarly(where: string, receivedBytes: number): IncompleteDataError {
  return new IncompleteDataError(`The report ends ${where} (byte ${formatCount(receivedBytes)}).`, {
    code: 'TRUNCATED',
    hint: 'Download it again.',
  });
}

/** The body is not what it should be; `what` is a sentence without its full stop. */
export function malformed(what: string, positionBytes: number): IncompleteDataError {
  return new IncompleteDataError(`${what} (byte ${formatCount(positionBytes)}).`, {
    code: 'MALFORMED',
    hint: 'Download it again; if it stays so, the service sends a malformed report.',
  });
}
