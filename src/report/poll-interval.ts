/** Pause between two status calls: `auto`, or a fixed one in milliseconds. */
export type PollInterval = 'auto' | number;

/**
 * Returns milliseconds until the next status call, after `waitedMs`. `auto` is a tenth of the time
 * waited so far, between 0.5 s and 30 s, so that a report is noticed at most a tenth too late.
 */
export function pauseAfter(waitedMs: number, interval: PollInterval = 'auto'): number {
  if (interval !== 'auto') return interval;
  return Math.min(Math.max(waitedMs / 10, 500), 30_000);
}
