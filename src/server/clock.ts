import { parseTimestamp } from '../contract/values.ts';

/** 9999-12-31T23:59:59Z, the last second with a four-digit year. */
export const latestSecond = 253_402_300_799;

/**
 * A clock that tests can set, so that tokens, reports and restated days age without waiting. It
 * runs at the speed of the machine's clock.
 */
export class ServerClock {
  readonly #machineMs: () => number;
  readonly #setStartMs: number | undefined;

  readonly startMs: number;

  /** Difference from the machine's clock, positive if this clock is ahead. */
  #aheadMs = 0;

  /** Time at which the clock is frozen, in milliseconds since 1970. */
  #frozenMs: number | undefined;

  /**
   * @param machineMs the clock to follow
   * @param setStartMs milliseconds since 1970 (default: the machine's time)
   */
  constructor(machineMs: () => number, setStartMs?: number) {
    this.#machineMs = machineMs;
    this.#setStartMs = setStartMs;
    this.startMs = setStartMs ?? machineMs();
    this.reset();
  }

  get isFrozen(): boolean {
    return this.#frozenMs !== undefined;
  }

  now(): number {
    return this.#frozenMs ?? this.#machineMs() + this.#aheadMs;
  }

  /** Moves the clock forward. A frozen clock stays frozen. */
  advance(durationMs: number): void {
    this.set(this.now() + durationMs, this.isFrozen);
  }

  set(nowMs: number, isFrozen: boolean): void {
    this.#aheadMs = nowMs - this.#machineMs();
    this.#frozenMs = isFrozen ? nowMs : undefined;
  }

  /** Restores the initial time, and unfreezes the clock. */
  reset(): void {
    this.#frozenMs = undefined;
    const setStartMs = this.#setStartMs;
    this.#aheadMs = setStartMs === undefined ? 0 : setStartMs - this.#machineMs();
  }
}

/** Accepts milliseconds from 1970 to 9999. */
export function isClockTime(timeMs: number): boolean {
  return timeMs >= 0 && timeMs <= latestSecond * 1_000;
}

export const clockTimeAdvice =
  'Use a time with an offset, such as 2026-11-01T09:00:00Z, from 1970 to 9999.';

/** Matches milliseconds from 1970 to 1973, which are more likely current times in seconds. */
function looksLikeSeconds(time: number | string): boolean {
  return typeof time === 'number' && time > 0 && time < 100_000_000_000;
}

/**
 * Converts a time to milliseconds since 1970, or returns `undefined` if it is invalid.
 *
 * @param time milliseconds, or ISO 8601 with an offset
 */
export function parseClockTime(time: number | string): number | undefined {
  const timeMs = typeof time === 'number' ? time : parseTimestamp(time)?.instantMs;
  if (timeMs === undefined || !isClockTime(timeMs) || looksLikeSeconds(time)) return undefined;
  return timeMs;
}
