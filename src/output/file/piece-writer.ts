import { createHash, type Hash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';

const pieceBytes = 256 * 1024;

/**
 * Writes large pieces: while the system takes one, the next is filled. A Node stream takes a third
 * longer for NDJSON.
 */
export class PieceWriter {
  readonly #file: FileHandle;

  #filling = Buffer.allocUnsafe(pieceBytes);

  #filledBytes = 0;

  /** The piece that the system takes now, or that is to be filled next. */
  #other = Buffer.allocUnsafe(pieceBytes);

  #writing = Promise.resolve();

  readonly #hash: Hash | undefined;

  #writtenBytes = 0;

  /** @param options whether the hash of what is written is computed */
  constructor(file: FileHandle, { hashes }: { readonly hashes: boolean }) {
    this.#file = file;
    this.#hash = hashes ? createHash('sha256') : undefined;
  }

  /** What was written; asked for once, after the end. */
  facts(): { readonly sizeBytes: number; readonly sha256?: string } {
    const sizeBytes = this.#writtenBytes;
    return this.#hash ? { sizeBytes, sha256: this.#hash.digest('hex') } : { sizeBytes };
  }

  /**
   * Takes bytes, which may be used again. Gives a promise only where a piece is full: most batches
   * of rows need not wait.
   */
  write(bytes: Uint8Array): Promise<void> | undefined {
    const part = bytes.subarray(0, pieceBytes - this.#filledBytes);
    this.#filling.set(part, this.#filledBytes);
    this.#filledBytes += part.length;
    if (this.#filledBytes < pieceBytes) return undefined;

    return this.#begin().then(() => this.write(bytes.subarray(part.length)));
  }

  /** Writes what is left. */
  async end(): Promise<void> {
    await this.#begin();
    await this.#writing;
  }

  /** Gives the filled piece to the system, once that has taken the one before. */
  async #begin(): Promise<void> {
    await this.#writing;
    const piece = this.#filling.subarray(0, this.#filledBytes);
    this.#writing = this.#file.writeFile(piece);
    this.#writtenBytes += piece.length;
    this.#hash?.update(piece);

    // An error is for whoever awaits it next; until then it must not count as unhandled.
    this.#writing.catch(() => {});

    [this.#filling, this.#other] = [this.#other, this.#filling];
    this.#filledBytes = 0;
  }
}
