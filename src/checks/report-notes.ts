import { formatDate, formatInstant, type Window } from '../query/calendar.ts';
import type { Expectation } from '../query/expectation.ts';
import type { ReportTail } from '../rows/row-batch.ts';
import { formatCount, formatDuration } from '../text/quantity.ts';
import type { CheckMessages } from './row-check.ts';

/** Largest difference between two working clocks. */
const maxDifferenceMs = 5 * 60_000;

/** Row limits that services commonly have, besides multiples of 10,000. */
const usualLimits: readonly number[] = [65_536, 1_048_575, 1_048_576];

/** Notes a report that is empty, possibly cut, or has as many rows as a common limit. */
export function addRowNotes(
  { rowCount, isLineOpen }: ReportTail,
  isEndMarked: boolean,
  messages: CheckMessages,
): void {
  if (rowCount === 0) messages.addNote('rows', 'The report has no rows.');
  if (isLineOpen && !isEndMarked) {
    messages.addNote(
      'rows',
      'The report may be incomplete: its last line has no line break, and the response did not say how long it is.',
    );
  }
  const isRound = rowCount > 0 && rowCount % 10_000 === 0;
  if (isRound || usualLimits.includes(rowCount)) {
    const rows = formatCount(rowCount);
    messages.addNote(
      'rows',
      `The report has exactly ${rows} rows, which may be a limit of the service. Compare with a shorter period.`,
    );
  }
}

/**
 * Notes clocks that differ if the window in words is another one by the service's clock, or ends
 * close to now: it may not be over by the other clock. `nowMs` is in milliseconds since 1970 by
 * this machine, and `aheadMs` says how far the service's clock is ahead; `undefined` if not known.
 */
export function addClockNote(
  { window, windowBy }: Pick<Expectation, 'window' | 'windowBy'>,
  { nowMs, aheadMs }: { readonly nowMs: number; readonly aheadMs: number | undefined },
  messages: CheckMessages,
): void {
  if (aheadMs === undefined || Math.abs(aheadMs) <= maxDifferenceMs) return;

  const difference = differenceText(Math.abs(aheadMs));
  const direction = aheadMs > 0 ? 'behind' : 'ahead of';
  const clocks = `This machine's clock is ${difference} ${direction} the service's`;
  const own = windowBy?.(0);
  const other = windowBy?.(aheadMs);
  if (own && other && (own.since !== other.since || own.until !== other.until)) {
    const [requested, meant] = windowNames(own, other);
    messages.addNote(
      'clock',
      `${clocks}. The period is ${requested}; by the service's clock it would be ${meant}. Correct the clock, or type exact dates.`,
      { isUrgent: true },
    );
    return;
  }

  const earlierMs = Math.min(nowMs, nowMs + aheadMs);
  const isLongOver = (window.until + 1) * 1_000 < earlierMs - Math.abs(aheadMs);
  if (isLongOver) return;

  messages.addNote('clock', `${clocks}, and the period ends close to now: its end may be wrong.`);
}

/** Names two different windows: by days if these differ, otherwise by times. */
function windowNames(one: Window, other: Window): readonly [one: string, other: string] {
  const days = [nameWindow(one, formatDate), nameWindow(other, formatDate)] as const;
  if (days[0] !== days[1]) return days;
  return [nameWindow(one, formatInstant), nameWindow(other, formatInstant)];
}

function nameWindow({ since, until, zone }: Window, format: typeof formatDate): string {
  const [first, last] = [format(since, zone), format(until, zone)];
  return first === last ? first : `${first} to ${last}`;
}

const msPerMinute = 60_000;
const msPerDay = 24 * 60 * msPerMinute;

/** Rounds to days, or to whole minutes below a day: the seconds vary between responses. */
function differenceText(ms: number): string {
  const days = Math.round((10 * ms) / msPerDay) / 10;
  if (days >= 1) return `${days} ${days === 1 ? 'day' : 'days'}`;
  return formatDuration(Math.round(ms / msPerMinute) * msPerMinute);
}
