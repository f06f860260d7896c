import { UsageError } from '../../errors.ts';
import { type CalendarUnit, unitsIn, type Window } from '../../query/calendar.ts';
import type { ReportTail } from '../../rows/row-batch.ts';
import { printable } from '../../text/printable.ts';
import { formatPlural, isOrAre } from '../../text/quantity.ts';
import { type GroupedTotals, sortByTime } from '../../totals/grouped-totals.ts';
import { noEarlierDataError, type Sources } from '../sources/find-sources.ts';
import { daysOfWindow } from '../sources/period.ts';
import type { Collected, DaySpan } from './collect.ts';

/**
 * Throws `UsageError` for files, not folders, without rows in `--period` or the period before,
 * unless a summary covers it.
 */
export function expectRowsOfPeriod(sources: Sources, collected: Collected): void {
  const { window, earlier, spans, folders, shown } = sources;
  if (spans.length === 0 || folders.length > 0 || collected.rowCount === 0) return;

  const name = shown === '-' ? 'stdin' : shown;
  const covered = coveredWindows(sources, collected.tails) ?? [];
  const lacks = (span: number, asked: Window | undefined): asked is Window => {
    const isEmpty = collected.answers[span]?.rowCount === 0;
    return asked !== undefined && isEmpty && uncoveredDays(asked, covered).length > 0;
  };
  if (lacks(0, window)) throw noRowsError(name, findSummaryWindow(collected.tails));
  if (lacks(1, earlier)) throw noEarlierDataError(name, earlier);
}

function noRowsError(name: string, own: Window | undefined): UsageError {
  const days = own && daysOfWindow(own);
  return new UsageError(`${printable(name)} has no rows for these days.`, {
    about: { flag: '--period' },
    hint: days ? `It covers ${days.since} to ${days.until}.` : 'Choose another period.',
  });
}

/** Returns warnings on days of `--period`, and of the period before, that no file covers. */
export function uncoveredDayWarnings(sources: Sources, tails: readonly ReportTail[]): string[] {
  const { window, earlier, spans, folders } = sources;
  const covered = coveredWindows(sources, tails);
  if (!covered || spans.length === 0 || folders.length > 0) return [];
  return [
    ...missingDayWarnings(window, covered, ''),
    ...missingDayWarnings(earlier, covered, ' in the period before'),
  ];
}

function missingDayWarnings(
  window: Window | undefined,
  covered: readonly WindowEnds[],
  period: string,
): string[] {
  if (!window) return [];
  const missing = uncoveredDays(window, covered);
  if (missing.length === 0) return [];
  const verb = isOrAre(missing.length);
  const days = formatPlural([...unitsIn(window, 'day')].length, 'day');
  return [`${missing.length} of ${days}${period} ${verb} missing.`];
}

/** Returns the days of a window that no other window covers. */
function uncoveredDays(window: Window, covered: readonly WindowEnds[]): CalendarUnit[] {
  return [...unitsIn(window, 'day')].filter((day) => {
    return !covered.some(({ since, until }) => since <= day.since && day.end - 1 <= until);
  });
}

/** Both in unix seconds. */
type WindowEnds = Pick<Window, 'since' | 'until'>;

/**
 * Returns the windows of files, by the history or their summaries; `undefined` if one is unknown.
 */
function coveredWindows(
  { files }: Sources,
  tails: readonly ReportTail[],
): readonly WindowEnds[] | undefined {
  const covered: WindowEnds[] = [];
  for (const [index, tail] of tails.entries()) {
    const unit = files[index]?.unit;
    const own = unit ? { since: unit.since, until: unit.end - 1 } : findSummaryWindow([tail]);
    if (!own) return undefined;
    covered.push(own);
  }
  return covered;
}

/** Returns the window in the summary of a single report; `undefined` without one, or of several. */
export function findSummaryWindow(tails: readonly ReportTail[]): Window | undefined {
  const [tail, another] = tails;
  const summary = tail?.summary;
  if (!summary || another) return undefined;
  const since = Date.parse(summary.since) / 1_000;
  const until = Date.parse(summary.until) / 1_000;
  const isKnown = Number.isFinite(since) && Number.isFinite(until);
  return isKnown ? { since, until, end: until + 1, zone: summary.timezone } : undefined;
}

/** Returns the first and the last day of rows; `undefined` if they have none. */
export function findDaySpan(byTime: GroupedTotals): DaySpan | undefined {
  const points = sortByTime(byTime);
  const since = points[0]?.time.slice(0, 10);
  const until = points.at(-1)?.time.slice(0, 10);
  return since === undefined || until === undefined ? undefined : { since, until };
}
