import type { Window } from '../report/window.ts';
import type { ReportTail } from '../rows/row-batch.ts';
import { formatCount, formatDuration } from '../text/quantity.ts';
import type { Sayings } from './check.ts';

/** Clocks of machines differ by less than this, unless one of them is wrong. */
const differenceAtMostMs = 5 * 60_000;

/** Exactly so many rows are seldom chance: they are limits that services have. */
const usualLimits: readonly number[] = [10_000, 50_000, 65_536, 100_000, 500_000, 1_000_000];

/** What a report may be that is empty, ends openly, or has exactly as many rows as limits have. */
export function noteRows(
  { rowCount, isLineOpen }: ReportTail,
  isEndTold: boolean,
  sayings: Sayings,
): void {
  if (rowCount === 0) sayings.note('rows', 'The report has no rows.');
  if (isLineOpen && !isEndTold) {
    sayings.note(
      'rows',
      'The report may be cut: its last line has no line end, and the end of the connection alone marked the end of the answer.',
    );
  }
  if (usualLimits.includes(rowCount)) {
    const rows = formatCount(rowCount);
    sayings.note(
      'rows',
      `The report has exactly ${rows} rows, which may be a limit of the service: a shorter window tells.`,
    );
  }
}

/** What a service says of the time, beside this machine's. */
interface Clocks {
  /** Milliseconds since 1970, by this machine. */
  readonly nowMs: number;

  /**
   * How far the clock of the service is ahead, in milliseconds; `undefined` where it does not tell.
   */
  readonly aheadMs: number | undefined;
}

/**
 * Notes that the clocks differ where the window ends near now: by one of the two it may not be
 * over, or is not the one that `yesterday` or `now` meant.
 */
export function noteClock(window: Window, { nowMs, aheadMs }: Clocks, sayings: Sayings): void {
  if (aheadMs === undefined || Math.abs(aheadMs) <= differenceAtMostMs) return;

  const earlierMs = Math.min(nowMs, nowMs + aheadMs);
  const isOverLongSince = (window.until + 1) * 1_000 < earlierMs - Math.abs(aheadMs);
  if (isOverLongSince) return;

  const difference = differenceText(Math.abs(aheadMs));
  const direction = aheadMs > 0 ? 'behind' : 'ahead of';
  sayings.note(
    'clock',
    `This machine's clock is ${difference} ${direction} the service's, and the window ends near now: it may be another than meant, or not be over.`,
  );
}

const msPerMinute = 60_000;
const msPerDay = 24 * 60 * msPerMinute;

/** In days where it is days, else in whole minutes: the seconds differ from answer to answer. */
function differenceText(ms: number): string {
  const days = Math.round((10 * ms) / msPerDay) / 10;
  if (days >= 1) return `${days} ${days === 1 ? 'day' : 'days'}`;
  return formatDuration(Math.round(ms / msPerMinute) * msPerMinute);
}
