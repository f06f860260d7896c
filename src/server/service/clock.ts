/** The server's time: the machine's, or a test's own, moved on by what tests advance it. */
export class ServerClock {
  readonly #base: () => number;
  #offsetMs = 0;

  /** @param base milliseconds since 1970 */
  constructor(base: () => number) {
    this.#base = base;
  }

  now(): number {
    return this.#base() + this.#offsetMs;
  }

  advance(durationMs: number): void {
    this.#offsetMs += durationMs;
  }

  /** Takes back every advance. */
  reset(): void {
    this.#offsetMs = 0;
  }
}
