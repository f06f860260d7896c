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

/** A span of days, both included: `2026-11-01`. */
export interface DaySpan {
  readonly since: string;
  readonly until: string;
}

/** Periods of a view. Both are absent if all rows are shown. */
export interface ViewPeriods {
  readonly window?: Window;

  /** Period to compare with. */
  readonly earlier?: Window;
}

/** The named paths. */
interface ViewedPaths {
  /** Name of the paths for messages. */
  readonly shown: string;

  /** Query of their folder, if they have one. */
  readonly query: FolderQuery | undefined;
}

/**
 * Resolves `--period`, or `--since` and `--until`, and `--compare`.
 *
 * @throws UsageError for a period that cuts a unit of a folder, and for `--compare` without a
 *   period
 */
export function resolvePeriods(
  options: Pick<ViewOptions, 'period' | 'since' | 'until' | 'compare'>,
  { shown, query }: ViewedPaths,
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
  const subject = unit === 'day' ? 'view' : `${shown}, whose rows are whole ${unit}s,`;
  const flag = period === undefined ? '--since' : '--period';
  requireWholeUnits(window, unit, { now, subject, flag });
  if (!compare) return { window };

  const compared = dropRunningUnit(window, unit, now);
  return { window: compared, earlier: earlierWindow(compared, compare) };
}

/** Without a period all rows are shown, and none are left to compare with. */
function periodRequiredError(): UsageError {
  return new UsageError('--compare needs a period.', {
    about: { flag: '--compare' },
    hint: 'Add --period, for example --period last-month.',
  });
}

/** Ends a window before the unit that is still running, which cannot be compared. */
function dropRunningUnit(window: Window, unit: SplitUnit, now: number): Window {
  if (window.until < now) return window;
  const units = [...unitsIn({ ...window, until: now }, unit)];
  const over = units.findLast(({ end }) => end <= now);
  return over ? { ...window, until: over.end - 1 } : window;
}

/** Returns the first and the last local day. */
export function toDaySpan({ since, until, zone }: Omit<Window, 'end'>): DaySpan {
  return { since: formatDate(since, zone), until: formatDate(until, zone) };
}

export function formatDaySpan({ since, until }: DaySpan): string {
  return since === until ? since : `${since} to ${until}`;
}

/**
 * Shortens a window that is not over to the last part that folders have or should have.
 *
 * @param end of that part, or 0 without folders
 */
export function limitToParts(window: Window, end: number, now: number): Window {
  if (window.until <= now || end === 0) return window;
  const until = Math.min(window.until, end - 1);
  return { ...window, until, end: until + 1 };
}

/** Returns the window of all files, or `undefined` if the days of a file are not known. */
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
