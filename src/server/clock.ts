import { momentOf } from '../contract/values.ts';
import { UsageError } from '../errors.ts';

/** 9999-12-31T23:59:59Z: beyond it dates have no four-digit year. */
export const latestSecond = 253_402_300_799;

/**
 * The server's clock, in milliseconds since 1970. It goes as the machine's does, and tests move it:
 * tokens, reports and restated days grow older without anybody waiting.
 */
export class ServerClock {
  readonly #machineMs: () => number;
  readonly #setStartMs: number | undefined;

  /** The time at which it started, and starts again. */
  readonly startMs: number;

  /** How far it is ahead of the machine's clock. */
  #aheadMs = 0;

  /** Where it stands still. */
  #frozenMs: number | undefined;

  /**
   * Throws `UsageError` for a start that is no time.
   *
   * @param machineMs the clock that it follows
   * @param start where it starts, as `readClockTime` takes it; with the other clock where absent
   */
  constructor(machineMs: () => number, start?: number | string) {
    this.#machineMs = machineMs;
    this.#setStartMs = start === undefined ? undefined : readClockTime(start);
    this.startMs = this.#setStartMs ?? machineMs();
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
    const setStartMs = this.#setStartMs;
    this.#aheadMs = setStartMs === undefined ? 0 : setStartMs - this.#machineMs();
  }
}

/** Whether a clock can show a time, in milliseconds since 1970. */
export function isClockTime(timeMs: number): boolean {
  return timeMs >= 0 && timeMs <= latestSecond * 1_000;
}

/** A number between 1970 and 1973 in milliseconds is a time of our days in seconds. */
function looksLikeSeconds(time: number | string): boolean {
  return typeof time === 'number' && time > 0 && time < 100_000_000_000;
}

/**
 * A time that a clock is set to, in milliseconds since 1970.
 * Throws `UsageError` for what is no time, or none that a clock can show.
 * @param time the milliseconds, or ISO 8601 with an offset
 */
export function readClockTime(time: number | string): number {
  const timeMs = typeof time === 'number' ? time : momentOf(time)?.instantMs;
  if (timeMs !== undefined && isClockTime(timeMs) && !looksLikeSeconds(time)) return timeMs;

  const text = String(time).slice(0, 40);
  throw new UsageError(`The clock cannot be set to “${text}”.`, {
    hint: 'Give a time with its offset, such as 2026-11-01T09:00:00Z, from 1970 to 9999.',
  });
}
