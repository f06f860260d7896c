import { UsageError } from '../../errors.ts';
import type { Window } from '../../query/calendar.ts';
import { readDay } from '../../totals/group-keys.ts';
import type { GroupedTotals } from '../../totals/grouped-totals.ts';
import { sortByTime } from '../../totals/sorting.ts';
import type { ViewedRows } from '../groups/group-files.ts';
import type { FileFields } from '../rows/same-breakdowns.ts';
import { noEarlierDataError, type Sources } from '../sources/find-sources.ts';
import { type DaySpan, formatDaySpan, toDaySpan } from '../sources/period.ts';

/**
 * Throws `UsageError` if files have rows, but none in the period. Skips folders, whose history says
 * which days they have.
 */
export function requireRowsOfPeriod(sources: Sources, { periods, files }: ViewedRows): void {
  const { earlier, hasPeriod, hasFolders, displayPath } = sources;
  const isEmpty = files.every(({ tail }) => tail.rowCount === 0);
  if (!hasPeriod || hasFolders || isEmpty) return;
  const [now, before] = periods;
  if (now?.rowCount === 0) throw noRowsError(displayPath, files);
  if (earlier && before?.rowCount === 0) throw noEarlierDataError(displayPath, earlier);
}

function noRowsError(displayPath: string, files: readonly FileFields[]): UsageError {
  const own = findSummaryWindow(files);
  return new UsageError(`${displayPath} has no rows for these days.`, {
    about: { flag: '--period' },
    hint: own ? `It covers ${formatDaySpan(toDaySpan(own))}.` : 'Choose another period.',
  });
}

/** Returns the period of a single file with a summary, otherwise `undefined`. */
export function findSummaryWindow(files: readonly FileFields[]): Window | undefined {
  const [file, another] = files;
  const summary = file?.tail.summary;
  if (!summary || another) return undefined;
  const since = Date.parse(summary.since) / 1_000;
  const until = Date.parse(summary.until) / 1_000;
  const isKnown = Number.isFinite(since) && Number.isFinite(until);
  return isKnown ? { since, until, end: until + 1, zone: summary.timezone } : undefined;
}

/** Returns the first and the last day of the rows, or `undefined` if they have no days. */
export function findDaySpan(byTime: GroupedTotals): DaySpan | undefined {
  const times = sortByTime(byTime);
  const [first] = times;
  const last = times.at(-1);
  return first && last && { since: readDay(first.time), until: readDay(last.time) };
}
