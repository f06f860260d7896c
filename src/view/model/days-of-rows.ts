import { UsageError } from '../../errors.ts';
import { type CalendarUnit, unitsIn, type Window } from '../../query/calendar.ts';
import { formatPlural, isOrAre } from '../../text/quantity.ts';
import { dayIn } from '../../totals/group-keys.ts';
import type { GroupedTotals } from '../../totals/grouped-totals.ts';
import { sortByTime } from '../../totals/sorting.ts';
import type { ViewedRows } from '../groups/group-files.ts';
import type { FileFields } from '../rows/same-breakdowns.ts';
import { noEarlierData, type Sources } from '../sources/find-sources.ts';
import { type DaySpan, formatDaySpan } from '../sources/period.ts';

/**
 * Returns warnings on days of the period, and of the one before, that no named file covers. Folders
 * report their own missing days.
 *
 * @throws UsageError for a period without any row, unless files cover it
 */
export function checkDays(sources: Sources, { periods, files }: ViewedRows): string[] {
  const { window, earlier, isOfPeriod, hasFolders, shown } = sources;
  const isEmpty = files.every(({ tail }) => tail.rowCount === 0);
  if (!isOfPeriod || hasFolders || isEmpty) return [];

  const covered = coveredWindows(files);
  const missing = window ? uncoveredDays(window, covered) : [];
  const missingBefore = earlier ? uncoveredDays(earlier, covered) : [];
  if (periods[0]?.rowCount === 0 && missing.length > 0) throw noRows(sources, files);
  if (earlier && periods[1]?.rowCount === 0 && missingBefore.length > 0) {
    throw noEarlierData(shown, earlier);
  }
  if (covered.length < files.length) return [];
  return [
    ...missingDays(missing, window, ''),
    ...missingDays(missingBefore, earlier, ' in the period before'),
  ];
}

function noRows({ shown }: Sources, files: readonly FileFields[]): UsageError {
  const own = findSummaryWindow(files);
  return new UsageError(`${shown} has no rows for these days.`, {
    about: { flag: '--period' },
    hint: own ? `It covers ${formatDaySpan(own)}.` : 'Choose another period.',
  });
}

function missingDays(
  missing: readonly CalendarUnit[],
  window: Window | undefined,
  suffix: string,
): string[] {
  if (missing.length === 0 || !window) return [];
  const days = formatPlural([...unitsIn(window, 'day')].length, 'day');
  return [`${missing.length} of ${days}${suffix} ${isOrAre(missing.length)} missing.`];
}

/** The ends of a window, in unix seconds. */
type WindowEnds = Pick<Window, 'since' | 'until'>;

/** Returns the windows of files that are known from a history or a summary. */
function coveredWindows(files: readonly FileFields[]): WindowEnds[] {
  const covered: WindowEnds[] = [];
  for (const file of files) {
    const part = file.source.record?.part;
    const own = part ? { since: part.since, until: part.end - 1 } : findSummaryWindow([file]);
    if (own) covered.push(own);
  }
  return covered;
}

function uncoveredDays(window: Window, covered: readonly WindowEnds[]): CalendarUnit[] {
  return [...unitsIn(window, 'day')].filter((day) => {
    return !covered.some(({ since, until }) => since <= day.since && day.end - 1 <= until);
  });
}

/** Returns the window in the summary of a single report; `undefined` without one, or of several. */
export function findSummaryWindow(files: readonly FileFields[]): Window | undefined {
  const [file, another] = files;
  const summary = file?.tail.summary;
  if (!summary || another) return undefined;
  const since = Date.parse(summary.since) / 1_000;
  const until = Date.parse(summary.until) / 1_000;
  const isKnown = Number.isFinite(since) && Number.isFinite(until);
  return isKnown ? { since, until, end: until + 1, zone: summary.timezone } : undefined;
}

/** Returns the first and the last day of rows; `undefined` if they have none. */
export function findDaySpan(byTime: GroupedTotals): DaySpan | undefined {
  const times = sortByTime(byTime);
  const [first] = times;
  const last = times.at(-1);
  return first && last && { since: dayIn(first.time), until: dayIn(last.time) };
}
