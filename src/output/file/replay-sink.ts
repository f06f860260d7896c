import { createHash } from 'node:crypto';
import { IncompleteDataError } from '../../errors.ts';
import type { Sink } from '../encoder.ts';

/**
 * A place that cannot take back what it was given (stdout), made fit for a download that starts again: what was already
 * written is passed over the second time, once it has been proved to be the same bytes.
 */
export class ReplaySink implements Sink {
  readonly #target: Sink;
  readonly #written = createHash('sha256');
  #writtenBytes = 0;
  #again = createHash('sha256');
  /** How many of the written bytes have yet to come again. */
  #awaitedBytes = 0;

  constructor(target: Sink) {
    this.#target = target;
  }

  restart(): void {
    this.#again = createHash('sha256');
    this.#awaitedBytes = this.#writtenBytes;
  }

  /** Throws `IncompleteDataError` when the bytes are not those of the first time. */
  async write(bytes: Uint8Array): Promise<void> {
    const known = bytes.subarray(0, this.#awaitedBytes);
    if (known.length > 0) {
      this.#again.update(known);
      this.#awaitedBytes -= known.length;
      const isWhole = this.#awaitedBytes === 0;
      if (isWhole && !this.#again.digest().equals(this.#written.copy().digest())) throw changed();
    }
    const fresh = bytes.subarray(known.length);
    if (fresh.length === 0) return;
    this.#written.update(fresh);
    this.#writtenBytes += fresh.length;
    await this.#target.write(fresh);
  }

  finish(): void {
    if (this.#awaitedBytes > 0) throw changed();
  }
}

function changed(): IncompleteDataError {
  return new IncompleteDataError(
    'The report broke off, and came differently the second time, after part of it was written.',
    {
      retryable: false,
      hint: 'Write to a file (-o), which is whole or not there, instead of to stdout.',
    },
  );
}
