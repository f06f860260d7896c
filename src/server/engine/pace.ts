import { setImmediate } from 'node:timers/promises';

const busyMs = 20;

/** Keeps a long computation from starving the event loop: whenever it has run for 20 ms, others get their turn. */
export class Pace {
  readonly #signal: AbortSignal | undefined;
  #resumedMs = performance.now();

  constructor(signal?: AbortSignal) {
    this.#signal = signal;
  }

  /** Whether it is time to await `rest`. */
  get due(): boolean {
    return performance.now() - this.#resumedMs >= busyMs;
  }

  /** @throws the signal's reason, once it is aborted. */
  async rest(): Promise<void> {
    await setImmediate();
    this.#signal?.throwIfAborted();
    this.#resumedMs = performance.now();
  }
}
