import { createHash, type Hash } from 'node:crypto';
import { IncompleteDataError } from '../../errors.ts';
import type { Sink } from '../encoder.ts';

/**
 * A place that cannot take back what it was given (stdout), made fit for a download that starts again: what was already
 * written is passed over the second time, once it has been proved to be the same bytes.
 */
export class ReplaySink implements Sink {
  readonly #target: Sink;
  #written = createHash('sha256');
  #writtenBytes = 0;
  #replay: { readonly hash: Hash; bytes: number } | undefined;

  constructor(target: Sink) {
    this.#target = target;
  }

  /** Begins the output anew, from its first byte. */
  restart(): void {
    this.#replay = this.#writtenBytes > 0 ? { hash: createHash('sha256'), bytes: 0 } : undefined;
  }

  /** Throws `IncompleteDataError` when the bytes are not those of the first time. */
  async write(bytes: Uint8Array): Promise<void> {
    const fresh = this.#replay ? this.#passOver(this.#replay, bytes) : bytes;
    if (fresh.length === 0) return;
    this.#written.update(fresh);
    this.#writtenBytes += fresh.length;
    await this.#target.write(fresh);
  }

  /** Throws `IncompleteDataError` when the output ended before what was already written. */
  finish(): void {
    if (this.#replay) throw changed();
  }

  /** What of the bytes goes beyond those of the first time. */
  #passOver(replay: { readonly hash: Hash; bytes: number }, bytes: Uint8Array): Uint8Array {
    const known = bytes.subarray(0, this.#writtenBytes - replay.bytes);
    replay.hash.update(known);
    replay.bytes += known.length;
    if (replay.bytes === this.#writtenBytes) {
      if (!replay.hash.digest().equals(this.#written.copy().digest())) throw changed();
      this.#replay = undefined;
    }
    return bytes.subarray(known.length);
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
