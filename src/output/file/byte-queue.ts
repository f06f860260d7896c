import type { FileHandle } from 'node:fs/promises';

const pieceBytes = 256 * 1024;

/**
 * Writes bytes to a file from two buffers in turn: while the system takes one, the other is filled. The caller's bytes
 * are copied, so it may use them again at once.
 */
export class ByteQueue {
  readonly #file: FileHandle;
  #filling: Buffer = Buffer.allocUnsafe(pieceBytes);
  #other: Buffer = Buffer.allocUnsafe(pieceBytes);
  #filled = 0;
  #writing: Promise<void> = Promise.resolve();

  constructor(file: FileHandle) {
    this.#file = file;
  }

  /**
   * Takes the bytes. Returns a promise only where it must wait for the system; it rejects with what the system said of
   * these bytes or of those before.
   */
  write(bytes: Uint8Array): void | Promise<void> {
    if (this.#filled + bytes.length > pieceBytes) return this.#writeInParts(bytes);
    this.#filling.set(bytes, this.#filled);
    this.#filled += bytes.length;
  }

  async #writeInParts(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      const part = bytes.subarray(at, at + pieceBytes - this.#filled);
      this.#filling.set(part, this.#filled);
      this.#filled += part.length;
      at += part.length;
      if (this.#filled === pieceBytes) await this.#swap();
    }
  }

  /** Hands the filled buffer to the system, once it has taken the one before. */
  async #swap(): Promise<void> {
    await this.#writing;
    const piece = this.#filling.subarray(0, this.#filled);
    [this.#filling, this.#other] = [this.#other, this.#filling];
    this.#filled = 0;
    this.#writing = writeAll(this.#file, piece);
    // An error is for whoever awaits it next; until then it must not count as unhandled.
    this.#writing.catch(() => {});
  }

  /** Resolves once the system has taken everything; rejects with what it says. The file is not synced to the disk. */
  async flush(): Promise<void> {
    await this.#swap();
    await this.#writing;
  }
}

async function writeAll(file: FileHandle, bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    at += (await file.write(bytes, at)).bytesWritten;
  }
}
