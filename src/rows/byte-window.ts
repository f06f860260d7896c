import { viewOf } from './bytes.ts';

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
