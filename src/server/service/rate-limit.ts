import { ServiceError } from './service-error.ts';

/** At most so many calls in any second for each key; a key is an account or, without one, a peer. */
export class RateLimit {
  readonly #perSecond: number;
  readonly #recent = new Map<string, number[]>();

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  /** Counts a call. Throws 429 with `Retry-After` when it is one too many. */
  admit(key: string, nowMs: number): void {
    const recent = (this.#recent.get(key) ?? []).filter((time) => nowMs - time < 1_000);
    this.#recent.set(key, recent);
    if (recent.length >= this.#perSecond) {
      const seconds = Math.max(1, Math.ceil(((recent[0] ?? nowMs) + 1_000 - nowMs) / 1_000));
      throw new ServiceError('RATE_LIMITED', `At most ${this.#perSecond} calls a second are allowed.`, {
        headers: { 'retry-after': String(seconds) },
      });
    }
    recent.push(nowMs);
  }

  /** Forgets the calls so far. */
  reset(): void {
    this.#recent.clear();
  }
}
