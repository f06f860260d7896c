import { createHash } from 'node:crypto';
import { IncompleteDataError } from '../../errors.ts';
import type { Sink } from '../encoder.ts';

/**
 * A place that cannot take back what it was given (stdout), made fit for a download that starts
 * again: what was already written is passed over the second time, once it has been proved to be the
 * same bytes.
 */
export class ReplaySink implements Sink {
  readonly #target: Sink;

  /** What was written so far, and of the bytes that come again those that have come. */
  readonly #written = createHash('sha256');

  #again = createHash('sha256');

  #writtenBytes = 0;

  /** How many of the written bytes have yet to come again. */
  #awaitedBytes = 0;

  constructor(target: Sink) {
    this.#target = target;
  }

  /** Begins anew: what follows is the same report, from its first byte. */
  restart(): void {
    this.#again = createHash('sha256');
    this.#awaitedBytes = this.#writtenBytes;
  }

  /** Throws `IncompleteDataError` when the bytes are not those of the first time. */
  async write(bytes: Uint8Array): Promise<void> {
    const repeated = bytes.subarray(0, this.#awaitedBytes);
    if (repeated.length > 0) this.#compare(repeated);

    const fresh = bytes.subarray(repeated.length);
    if (fresh.length === 0) return;

    this.#written.update(fresh);
    this.#writtenBytes += fresh.length;
    await this.#target.write(fresh);
  }

  /** Throws `IncompleteDataError` when fewer bytes came than the first time. */
  finish(): void {
    if (this.#awaitedBytes > 0) throw changed();
  }

  #compare(repeated: Uint8Array): void {
    this.#again.update(repeated);
    this.#awaitedBytes -= repeated.length;
    if (this.#awaitedBytes > 0) return;

    const isSame = this.#again.digest().equals(this.#written.copy().digest());
    if (!isSame) throw changed();
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
