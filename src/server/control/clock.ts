/** 9999-12-31T23:59:59Z: beyond it dates have no four-digit year. */
const latestMs = 253_402_300_799_000;

/** The server's time: the machine's, or a test's own, moved on by what tests advance it. */
export class ServerClock {
  readonly #base: () => number;
  #offsetMs = 0;

  /** @param base milliseconds since 1970 */
  constructor(base: () => number) {
    this.#base = base;
  }

  readonly now = (): number => this.#base() + this.#offsetMs;

  /** Moves it on; returns false, and stays, where that cannot be. */
  advance(durationMs: number): boolean {
    if (!(durationMs >= 0) || this.now() + durationMs > latestMs) return false;
    this.#offsetMs += durationMs;
    return true;
  }

  /** Takes back every advance. */
  reset(): void {
    this.#offsetMs = 0;
  }
}
