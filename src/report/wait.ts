/** The pause between two status calls: `auto`, or a fixed one in milliseconds. */
export type PollInterval = 'auto' | number;

/**
 * The schedule of waiting: milliseconds from one call to the next, when `waitedMs` have passed.
 * `auto` is a tenth of the time waited so far, so that the answer is found at most a tenth later
 * than it came, within 0.5 s and 30 s (`cli.md`, Waiting).
 */
export function pauseAfter(waitedMs: number, interval: PollInterval = 'auto'): number {
  if (interval !== 'auto') return interval;
  return Math.min(Math.max(waitedMs / 10, 500), 30_000);
}
