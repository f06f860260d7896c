import { createHash, type Hash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';

const pieceBytes = 256 * 1024;

/**
 * Writes large pieces. One piece is filled while the system writes the other. A Node stream takes a
 * third longer for NDJSON.
 */
export class PieceWriter {
  readonly #file: FileHandle;

  #filling = Buffer.allocUnsafe(pieceBytes);

  #filledBytes = 0;

  /** Piece that is being written, or that is filled next. */
  #other = Buffer.allocUnsafe(pieceBytes);

  #writing = Promise.resolve();

  readonly #hash: Hash | undefined;

  #writtenBytes = 0;

  constructor(file: FileHandle, { hashes }: { readonly hashes: boolean }) {
    this.#file = file;
    this.#hash = hashes ? createHash('sha256') : undefined;
  }

  /** Returns the size and the hash of the output. Called once, at the end. */
  facts(): { readonly sizeBytes: number; readonly sha256?: string } {
    const sizeBytes = this.#writtenBytes;
    return this.#hash ? { sizeBytes, sha256: this.#hash.digest('hex') } : { sizeBytes };
  }

  /**
   * Copies bytes. Returns a promise only if a piece is full, so that most batches need not wait.
   */
  write(bytes: Uint8Array): Promise<void> | undefined {
    const part = bytes.subarray(0, pieceBytes - this.#filledBytes);
    this.#filling.set(part, this.#filledBytes);
    this.#filledBytes += part.length;
    if (this.#filledBytes < pieceBytes) return undefined;

    return this.#begin().then(() => this.write(bytes.subarray(part.length)));
  }

  /** Writes the remaining bytes. */
  async end(): Promise<void> {
    await this.#begin();
    await this.#writing;
  }

  /** Starts writing the filled piece once the previous one is written. */
  async #begin(): Promise<void> {
    await this.#writing;
    const piece = this.#filling.subarray(0, this.#filledBytes);
    this.#writing = this.#file.writeFile(piece);
    this.#writtenBytes += piece.length;
    this.#hash?.update(piece);

    // The next caller that awaits gets the error. Until then, it must not count as unhandled.
    this.#writing.catch(() => {});

    [this.#filling, this.#other] = [this.#other, this.#filling];
    this.#filledBytes = 0;
  }
}
