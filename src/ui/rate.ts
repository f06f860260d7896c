const windowMs = 3_000;
const sampleEveryMs = 100;
const leastSpanMs = 500;

/** How fast something moves now: the mean of the last three seconds, so that a stall shows. */
export interface Rate {
  /** Takes the total so far. */
  add(nowMs: number, total: number): void;
  /** Undefined in the first half second, when any figure would be a guess. */
  perSecond(nowMs: number): number | undefined;
}

export function createRate(startMs: number): Rate {
  let samples = [{ atMs: startMs, total: 0 }];
  let total = 0;
  return {
    add(nowMs, newTotal) {
      total = newTotal;
      const latest = samples.at(-1);
      if (latest && nowMs - latest.atMs < sampleEveryMs) return;
      // One sample from before the window is kept: the window begins there.
      const firstInside = samples.findIndex(({ atMs }) => atMs > nowMs - windowMs);
      samples = [...samples.slice(firstInside < 0 ? -1 : Math.max(0, firstInside - 1)), { atMs: nowMs, total }];
    },
    perSecond(nowMs) {
      if (nowMs - startMs < leastSpanMs) return undefined;
      const from = samples.findLast(({ atMs }) => atMs <= nowMs - windowMs) ?? samples[0];
      return from && ((total - from.total) / (nowMs - from.atMs)) * 1_000;
    },
  };
}
