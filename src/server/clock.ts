/**
 * The server's clock, in milliseconds since 1970. It goes as the machine's does, and tests move it: tokens, reports and
 * restated days grow older without anybody waiting.
 */
export class ServerClock {
  readonly #machineMs: () => number;
  readonly #startMs: number | undefined;
  /** How far it is ahead of the machine's clock. */
  #aheadMs = 0;
  /** Where it stands still. */
  #frozenMs: number | undefined;

  /**
   * @param machineMs the clock that it follows
   * @param startMs where it starts; with the other clock where absent
   */
  constructor(machineMs: () => number, startMs?: number) {
    this.#machineMs = machineMs;
    this.#startMs = startMs;
    this.reset();
  }

  get isFrozen(): boolean {
    return this.#frozenMs !== undefined;
  }

  now(): number {
    return this.#frozenMs ?? this.#machineMs() + this.#aheadMs;
  }

  /** Moves it on; one that stands still stands still there. */
  advance(durationMs: number): void {
    this.set(this.now() + durationMs, this.isFrozen);
  }

  /** Sets it to a moment, from where it goes on or, frozen, stands still. */
  set(nowMs: number, isFrozen: boolean): void {
    this.#aheadMs = nowMs - this.#machineMs();
    this.#frozenMs = isFrozen ? nowMs : undefined;
  }

  /** Back to where it started. */
  reset(): void {
    this.#frozenMs = undefined;
    this.#aheadMs = this.#startMs === undefined ? 0 : this.#startMs - this.#machineMs();
  }
}
