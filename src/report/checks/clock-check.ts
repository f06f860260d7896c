import { formatDuration } from '../../text/quantity.ts';
import type { Window } from '../window.ts';

/** Clocks of machines differ by less than this, unless one of them is wrong. */
const differenceAtMostMs = 5 * 60_000;

/** What a service says of the time, beside this machine's. */
interface Clocks {
  /** Milliseconds since 1970, by this machine. */
  readonly nowMs: number;

  /** How far the clock of the service is ahead, in milliseconds; `undefined` where it does not tell. */
  readonly aheadMs: number | undefined;
}

/**
 * A finding where the clocks differ and the window ends near now: by one of the two it may not be over, or is not the one
 * that `yesterday` or `now` meant.
 */
export function clockFindings(window: Window, { nowMs, aheadMs }: Clocks): string[] {
  if (aheadMs === undefined || Math.abs(aheadMs) <= differenceAtMostMs) return [];

  const earlierMs = Math.min(nowMs, nowMs + aheadMs);
  const isOverLongSince = (window.until + 1) * 1_000 < earlierMs - Math.abs(aheadMs);
  if (isOverLongSince) return [];

  const difference = formatDuration(Math.abs(aheadMs));
  const direction = aheadMs > 0 ? 'behind' : 'ahead of';
  return [
    `This machine's clock is ${difference} ${direction} the service's, and the window ends near now: it may be another than meant, or not be over.`,
  ];
}
