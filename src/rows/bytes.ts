import { IncompleteDataError } from '../errors.ts';
import { formatCount, formatPlural } from '../text/quantity.ts';

// Bytes of JSON and CSV syntax.

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
export const openBracket = 0x5b;
export const backslash = 0x5c;
export const closeBracket = 0x5d;
export const letterE = 0x65;
export const letterN = 0x6e;
export const openBrace = 0x7b;
export const closeBrace = 0x7d;

// A word is a little-endian 32-bit integer of four bytes.

/** Returns a view of the same bytes, not a copy. */
export function toBuffer({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length);
}

/** Returns a view that reads words at any position: `getInt32(at, true)`. */
export function toDataView(bytes: Buffer): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Builds a word of four equal bytes. */
export function repeatByte(byte: number): number {
  return Math.imul(byte, 0x01010101);
}

/**
 * Marks the zero bytes of a word (Mycroft). Returns 0 if there is none. The lowest set bit is the
 * top bit of the first zero byte, and higher bits may be wrong.
 */
export function markZeroBytes(word: number): number {
  return (word - 0x01010101) & ~word & 0x80808080;
}

/** Marks the bytes of a word that are below 0x20, as `markZeroBytes` does. */
export function markControlBytes(word: number): number {
  return (word - 0x20202020) & ~word & 0x80808080;
}

/**
 * Returns the index (0 to 3) of the first byte that one of the functions above has marked. `marks`
 * must not be zero.
 */
export function findFirstMark(marks: number): number {
  return (31 - Math.clz32(marks & -marks)) >> 3;
}

/** Maximum length of a row: 8 MB. */
export const maxRowBytes = 8 * 1024 * 1024;

/** Zero bytes after the last byte. They end scans, and words can be read at any position. */
const slack = 16;

/** Bytes that were received and not yet consumed. `bytes[end]` is 0, which ends any JSON token. */
export class ByteWindow {
  bytes: Buffer;

  /** View of the same bytes, for words. */
  view: DataView;

  /** Index of the first byte to consume. The consumer moves it. */
  start = 0;

  /** Index after the last received byte. */
  end = 0;

  readonly pieceBytes: number;

  /** Position of `bytes[0]` in the body. */
  #offset = 0;
  readonly #chunks: AsyncIterator<Uint8Array>;

  /** Rest of the last chunk. */
  #chunk: Uint8Array;

  /**
   * @param head first bytes, before the chunks
   * @param pieceBytes number of bytes to gather before scanning
   */
  constructor(head: Uint8Array, chunks: AsyncIterator<Uint8Array>, pieceBytes: number) {
    this.pieceBytes = pieceBytes;
    this.#chunk = head;
    this.#chunks = chunks;
    this.bytes = Buffer.alloc(pieceBytes + slack);
    this.view = toDataView(this.bytes);
  }

  get receivedBytes(): number {
    return this.positionOf(this.end);
  }

  /** Returns the position of `bytes[at]` in the body. */
  positionOf(at: number): number {
    return this.#offset + at;
  }

  /**
   * Gathers the next piece. Indexes of `bytes` are then no longer valid. Resolves to false at the
   * end. A piece at least doubles the bytes that were not consumed, so a long token is not scanned
   * often.
   */
  async readMore(): Promise<boolean> {
    const goal = Math.max(this.pieceBytes, 2 * (this.end - this.start));
    const before = this.receivedBytes;
    while (this.end - this.start < goal) {
      if (this.#chunk.length === 0) {
        const next = await this.#chunks.next();
        if (next.done) break;
        this.#chunk = next.value;
      }
      const taken = this.#chunk.subarray(0, goal - (this.end - this.start));
      this.#makeRoom(taken.length, goal);
      this.bytes.set(taken, this.end);
      this.end += taken.length;
      this.#chunk = this.#chunk.subarray(taken.length);
    }
    this.bytes.fill(0, this.end, this.end + slack);
    return this.receivedBytes > before;
  }

  #makeRoom(count: number, goal: number): void {
    if (this.end + count + slack <= this.bytes.length) return;
    const remaining = this.bytes.subarray(this.start, this.end);
    if (goal + slack > this.bytes.length) {
      this.bytes = Buffer.alloc(goal + slack);
      this.view = toDataView(this.bytes);
    }
    this.bytes.set(remaining, 0);
    this.#offset += this.start;
    this.end -= this.start;
    this.start = 0;
  }
}

export function truncatedError(rowCount: number, receivedBytes: number): IncompleteDataError {
  const message = `The report ends early, after ${formatPlural(rowCount, 'row')} (byte ${formatCount(receivedBytes)}).`;
  return new IncompleteDataError(message, {
    code: 'TRUNCATED',
    retryable: true,
    hint: 'Download it again.',
  });
}

/** @param problem sentence without a full stop */
export function malformedError(problem: string, positionBytes?: number): IncompleteDataError {
  const position = positionBytes === undefined ? '' : ` (byte ${formatCount(positionBytes)})`;
  return new IncompleteDataError(`${problem}${position}.`, {
    code: 'MALFORMED',
    hint: 'The service sent a malformed report. Request it again.',
  });
}
