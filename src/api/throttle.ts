/** What a throttle is made of; tests give their own clock. */
export interface ThrottleOptions {
  /** Milliseconds that never run backwards, or any other clock. */
  readonly clock: () => number;
  readonly sleep: (durationMs: number, signal?: AbortSignal) => Promise<void>;
  readonly signal: AbortSignal;
}

/** One pace for all the calls of a client, however many reports it works on at a time. */
export interface Throttle {
  /** Resolves when a call may be made. */
  pass(): Promise<void>;
  /** The service allows no more for now: nobody calls for so long, and all call more slowly after it. */
  hold(pauseMs: number): void;
  /** A call was let through: the pace may rise again. */
  ease(): void;
}

const firstSpacingMs = 50;
const longestSpacingMs = 5_000;
/** Below this, calls are not spaced at all. */
const leastSpacingMs = 5;
const easing = 0.9;

/**
 * The pace of calls under the service's 429. Without one, calls are free. Each 429 stops all of them for the pause it
 * asks for, and doubles the space between two calls after it; each call that gets through takes a tenth off the space.
 * So many parts at a time settle at about the rate that the service allows, instead of being refused together again.
 */
export function createThrottle({ clock, sleep, signal }: ThrottleOptions): Throttle {
  let spacingMs = 0;
  let freeAtMs = Number.NEGATIVE_INFINITY;
  let heldUntilMs = Number.NEGATIVE_INFINITY;

  /** The next moment at which a call may be made, which is then taken: those who wait leave one after the other. */
  const takeTurn = (): number => {
    const turnMs = Math.max(clock(), heldUntilMs, freeAtMs);
    freeAtMs = turnMs + spacingMs;
    return turnMs;
  };

  return {
    async pass() {
      for (;;) {
        const turnMs = takeTurn();
        const waitMs = turnMs - clock();
        if (waitMs > 0) await sleep(waitMs, signal);
        // Unless another call was refused meanwhile: then the turn comes after that pause.
        if (heldUntilMs <= turnMs) return;
      }
    },
    hold(pauseMs) {
      const untilMs = clock() + pauseMs;
      if (untilMs > heldUntilMs) {
        heldUntilMs = untilMs;
        freeAtMs = Math.max(untilMs, freeAtMs);
      }
      spacingMs = Math.min(longestSpacingMs, Math.max(firstSpacingMs, spacingMs * 2));
    },
    ease() {
      spacingMs = spacingMs * easing < leastSpacingMs ? 0 : spacingMs * easing;
    },
  };
}
