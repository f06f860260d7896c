import { createHash, type Hash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';

const pieceBytes = 256 * 1024;

export interface CompleteFile {
  readonly sizeBytes: number;

  /** Hexadecimal hash. Only set if the writer computes it. */
  readonly sha256?: string;
}

/**
 * Writes a file in large pieces. While the system writes a piece, another is filled. A Node stream
 * takes a third longer for NDJSON.
 */
export class PieceWriter {
  readonly #file: FileHandle;

  #filling = Buffer.allocUnsafe(pieceBytes);

  #filledBytes = 0;

  /** The other piece, which is being written or unused. */
  #other = Buffer.allocUnsafe(pieceBytes);

  #writing = Promise.resolve();

  readonly #hash: Hash | undefined;

  #writtenBytes = 0;

  constructor(file: FileHandle, { computeHash }: { readonly computeHash: boolean }) {
    this.#file = file;
    this.#hash = computeHash ? createHash('sha256') : undefined;
  }

  /** Copies bytes. Returns a promise only if a piece is full, so most calls need not be awaited. */
  write(bytes: Uint8Array): Promise<void> | undefined {
    const part = bytes.subarray(0, pieceBytes - this.#filledBytes);
    this.#filling.set(part, this.#filledBytes);
    this.#filledBytes += part.length;
    if (this.#filledBytes < pieceBytes) return undefined;

    return this.#startWriting().then(() => this.write(bytes.subarray(part.length)));
  }

  /** Writes the remaining bytes. */
  async end(): Promise<CompleteFile> {
    await this.#startWriting();
    await this.#writing;
    const sizeBytes = this.#writtenBytes;
    return this.#hash ? { sizeBytes, sha256: this.#hash.digest('hex') } : { sizeBytes };
  }

  /** Starts to write the filled piece as soon as the other is written. */
  async #startWriting(): Promise<void> {
    await this.#writing;
    const piece = this.#filling.subarray(0, this.#filledBytes);
    this.#writing = this.#file.writeFile(piece);
    this.#writtenBytes += piece.length;
    this.#hash?.update(piece);

    // The next call throws the error, which must not count as unhandled until then.
    this.#writing.catch(() => {});

    [this.#filling, this.#other] = [this.#other, this.#filling];
    this.#filledBytes = 0;
  }
}
