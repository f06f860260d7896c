import { defaultZone } from '../../contract/messages.ts';
import { UsageError } from '../../errors.ts';
import type { FolderQuery } from '../../folder/declaration.ts';
import {
  earlierWindow,
  formatDate,
  type SplitUnit,
  unitsIn,
  type Window,
} from '../../query/calendar.ts';
import { requireWholeUnits } from '../../query/parts.ts';
import { resolvePeriod } from '../../query/period.ts';
import type { ViewOptions } from '../view-flags.ts';
import type { SourceFile } from './open-paths.ts';
import { findUnitOfRows } from './whole-groups.ts';

/** First and last day: `2026-11-01`. */
export interface DaySpan {
  readonly since: string;
  readonly until: string;
}

/** Periods of a view. Without a period, all rows are shown. */
export interface ViewPeriods {
  readonly window?: Window;

  /** Period to compare with. */
  readonly earlier?: Window;
}

interface ViewedPaths {
  /** Name for the paths in messages. */
  readonly displayPath: string;

  /** Query of the folder, if a path is in a folder. */
  readonly query: FolderQuery | undefined;
}

/**
 * Resolves `--period`, or `--since` and `--until`, and `--compare`.
 *
 * @throws UsageError for a period that splits a week or month of a folder, and for `--compare`
 * without a period
 */
export function resolvePeriods(
  options: Pick<ViewOptions, 'period' | 'since' | 'until' | 'compare'>,
  { displayPath, query }: ViewedPaths,
  nowMs: number,
): ViewPeriods {
  const { period, since, until, compare } = options;
  if (period === undefined && since === undefined && until === undefined) {
    if (compare) throw periodRequiredError();
    return {};
  }

  const unit = query ? findUnitOfRows(query) : 'day';
  const zone = query?.timezone ?? defaultZone;
  const window = resolvePeriod({ period, since, until }, { zone, nowMs, unit });
  const now = Math.floor(nowMs / 1_000);
  const subject = unit === 'day' ? 'view' : `${displayPath}, whose rows are whole ${unit}s,`;
  const flag = period === undefined ? '--since' : '--period';
  requireWholeUnits(window, unit, { now, subject, flag });
  if (!compare) return { window };

  const compared = dropRunningUnit(window, unit, now);
  return { window: compared, earlier: earlierWindow(compared, compare) };
}

/** Thrown because, without a period, all rows are shown and none are left to compare with. */
function periodRequiredError(): UsageError {
  return new UsageError('Without a period, there is nothing for --compare to compare with.', {
    about: { flag: '--compare' },
    hint: 'Add a period, e.g. --period last-month.',
  });
}

/** Ends a period before the current day, week or month, which cannot be compared yet. */
function dropRunningUnit(window: Window, unit: SplitUnit, now: number): Window {
  if (window.until < now) return window;
  const units = [...unitsIn({ ...window, until: now }, unit)];
  const over = units.findLast(({ end }) => end <= now);
  return over ? { ...window, until: over.end - 1 } : window;
}

/** Returns the first and last day in the period's zone. */
export function toDaySpan({ since, until, zone }: Omit<Window, 'end'>): DaySpan {
  return { since: formatDate(since, zone), until: formatDate(until, zone) };
}

export function formatDaySpan({ since, until }: DaySpan): string {
  return since === until ? since : `${since} to ${until}`;
}

/**
 * Shortens a running period to end with the last day that folders have or should have.
 *
 * @param end end of that last day, or 0 without folders
 */
export function limitToParts(window: Window, end: number, now: number): Window {
  if (window.until <= now || end === 0) return window;
  const until = Math.min(window.until, end - 1);
  return { ...window, until, end: until + 1 };
}

/** Returns the period of all files, or `undefined` if a file's days are not known. */
export function findWindow(
  files: readonly SourceFile[],
  query: FolderQuery | undefined,
): Window | undefined {
  let since = Number.POSITIVE_INFINITY;
  let end = 0;
  for (const { record } of files) {
    if (!record) return undefined;
    since = Math.min(since, record.part.since);
    end = Math.max(end, record.part.end);
  }
  return query && { since, until: end - 1, end, zone: query.timezone };
}
