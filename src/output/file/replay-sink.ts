import { createHash } from 'node:crypto';
import { IncompleteDataError } from '../../errors.ts';
import type { Sink } from '../encoder.ts';

/**
 * Lets a download restart although its target (stdout) cannot be rewound: bytes that were already
 * written are skipped, once they have been verified to be the same.
 */
export class ReplaySink implements Sink {
  readonly #target: Sink;

  /** Hash of the bytes written so far. */
  readonly #written = createHash('sha256');

  #again = createHash('sha256');

  #writtenBytes = 0;

  /** Written bytes that have not been repeated yet. */
  #awaitedBytes = 0;

  constructor(target: Sink) {
    this.#target = target;
  }

  /** Starts over: the following bytes are the same report from its first byte. */
  restart(): void {
    this.#again = createHash('sha256');
    this.#awaitedBytes = this.#writtenBytes;
  }

  /** Throws `IncompleteDataError` if the bytes differ from the first attempt. */
  async write(bytes: Uint8Array): Promise<void> {
    const repeated = bytes.subarray(0, this.#awaitedBytes);
    if (repeated.length > 0) this.#compare(repeated);

    const fresh = bytes.subarray(repeated.length);
    if (fresh.length === 0) return;

    this.#written.update(fresh);
    this.#writtenBytes += fresh.length;
    await this.#target.write(fresh);
  }

  /** Throws `IncompleteDataError` if the report is shorter than in the first attempt. */
  finish(): void {
    if (this.#awaitedBytes > 0) throw changedReport();
  }

  #compare(repeated: Uint8Array): void {
    this.#again.update(repeated);
    this.#awaitedBytes -= repeated.length;
    if (this.#awaitedBytes > 0) return;

    const isSame = this.#again.digest().equals(this.#written.copy().digest());
    if (!isSame) throw changedReport();
  }
}

function changedReport(): IncompleteDataError {
  return new IncompleteDataError(
    'The download was interrupted after part of it was written, and the second attempt returned different data.',
    {
      retryable: false,
      hint: 'Write to a file with -o instead of stdout: a file is never left incomplete.',
    },
  );
}
