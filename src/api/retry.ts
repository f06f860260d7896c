/** Clocks and timers; all times are milliseconds. */
export interface CallHost {
  /** Returns the time since 1970. */
  readonly wallClock: () => number;

  /** Returns monotonic time. */
  readonly stopwatch: () => number;
  readonly sleep: (durationMs: number, signal?: AbortSignal) => Promise<void>;
  readonly random: () => number;
  readonly signal: AbortSignal;
}

/** A longer `Retry-After` is an error, so that a cron job does not sleep for hours. */
export const maxRetryAfterMs = 15 * 60_000;

/**
 * Returns the pause before the next attempt, in milliseconds. The pause starts at half a second and
 * doubles with each failed attempt, up to half a minute. A random jitter of up to half is
 * subtracted, so that clients do not return together. `Retry-After` can only lengthen the pause.
 */
export function retryPauseMs(tries: number, retryAfterMs: number, random: () => number): number {
  const maxPauseMs = Math.min(30_000, 500 * 2 ** (tries - 1));
  const pauseMs = Math.round(maxPauseMs * (0.5 + random() / 2));
  return Math.max(pauseMs, retryAfterMs);
}

const yearMs = 365 * 86_400_000;

/**
 * Parses `Retry-After` (RFC 9110, 10.2.3) into milliseconds from now, at most a year. Returns
 * `undefined` if the value is invalid.
 */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | undefined {
  const text = value?.trim() ?? '';
  const isSeconds = /^\d+(\.\d+)?$/.test(text);
  const waitMs = isSeconds ? Math.round(Number(text) * 1_000) : Date.parse(text) - nowMs;
  if (Number.isNaN(waitMs)) return undefined;
  return Math.min(Math.max(0, waitMs), yearMs);
}

type ThrottleHost = Pick<CallHost, 'stopwatch' | 'sleep' | 'signal'>;

/**
 * Throttles all calls of a client. A 429 pauses all of them and doubles the spacing between calls;
 * each success reduces it by a tenth. The calls settle near the permitted rate.
 */
export class Throttle {
  readonly #host: ThrottleHost;
  #spacingMs = 0;
  #freeAtMs = Number.NEGATIVE_INFINITY;
  #last = Promise.resolve();

  constructor(host: ThrottleHost) {
    this.#host = host;
  }

  /** Resolves when the next call may be made. Callers are served in order. */
  acquire(): Promise<void> {
    this.#last = this.#last.then(() => this.#passNext());
    return this.#last;
  }

  async #passNext(): Promise<void> {
    const { stopwatch, sleep, signal } = this.#host;
    while (this.#freeAtMs > stopwatch()) await sleep(this.#freeAtMs - stopwatch(), signal);
    this.#freeAtMs = stopwatch() + this.#spacingMs;
  }

  backOff(pauseMs: number): void {
    this.#freeAtMs = Math.max(this.#freeAtMs, this.#host.stopwatch() + pauseMs);
    this.#spacingMs = Math.min(5_000, Math.max(50, this.#spacingMs * 2));
  }

  recover(): void {
    this.#spacingMs = this.#spacingMs < 6 ? 0 : this.#spacingMs * 0.9;
  }
}
