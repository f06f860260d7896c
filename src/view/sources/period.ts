import type { FolderQuery } from '../../folder/declaration.ts';
import {
  comparableWindow,
  formatDate,
  formatDays,
  type SplitUnit,
  unitsIn,
  type Window,
} from '../../query/calendar.ts';
import { expectWholeUnits } from '../../query/parts.ts';
import { resolvePeriod } from '../../query/period.ts';
import { printable } from '../../text/printable.ts';
import type { DaySpan } from '../rows/collect.ts';
import type { ViewOptions } from '../view-flags.ts';
import type { SourceFile } from './source-file.ts';
import type { FolderFiles } from './viewed-folder.ts';

/**
 * Resolves `--period`, or `--since` and `--until`; `undefined` without these flags.
 *
 * @param shown name for messages
 * @param zone IANA name
 * @param unit unit of each file of a folder; a day for other files
 * @param nowMs milliseconds since 1970
 * @throws UsageError for a window that cuts a unit of the files
 */
export function windowOfView(
  { period, since, until }: Pick<ViewOptions, 'period' | 'since' | 'until'>,
  { shown, zone, unit }: { shown: string; zone: string; unit: SplitUnit },
  nowMs: number,
): Window | undefined {
  if (period === undefined && since === undefined && until === undefined) return undefined;

  const window = resolvePeriod({ period, since, until }, { zone, nowMs, unit });
  const now = Math.floor(nowMs / 1_000);
  const subject = unit === 'day' ? 'view' : `${printable(shown)}, with a file a ${unit},`;
  const flag = period === undefined ? '--since' : '--period';
  expectWholeUnits(window, unit, { now, subject, flag });
  return window;
}

/** Returns the first and the last local day, both included. */
export function daysOfWindow({ since, until, zone }: Omit<Window, 'notes'>): DaySpan {
  return { since: formatDate(since, zone), until: formatDate(until, zone) };
}

export function spansOf(...windows: readonly (Window | undefined)[]): DaySpan[] {
  const spans: DaySpan[] = [];
  for (const window of windows) if (window) spans.push(daysOfWindow(window));
  return spans;
}

/** Removes the unit that is still running, and those after it. */
export function dropUnfinishedUnit(
  window: Window,
  { unit, now }: { unit: SplitUnit; now: number },
): Window {
  if (window.until < now) return window;
  if (unit === 'day') return comparableWindow(window, now);
  const over = [...unitsIn({ ...window, until: now }, unit)].findLast(({ end }) => end <= now);
  return over ? { ...window, until: over.end - 1 } : window;
}

/** Ends the window after the last unit that a folder has or should have. */
export function clampToFiles(window: Window, folders: readonly FolderFiles[], now: number): Window {
  if (window.until <= now || folders.length === 0) return window;
  const lasts = folders.flatMap(({ lastUnit }) => (lastUnit ? [lastUnit.end - 1] : []));
  const until = Math.min(window.until, Math.max(...lasts));
  return Number.isFinite(until) ? { ...window, until, end: until + 1 } : window;
}

export function windowOfUnits(
  files: readonly SourceFile[],
  query: FolderQuery | undefined,
): Window | undefined {
  const units = files.flatMap(({ unit }) => (unit ? [unit] : []));
  if (!query || units.length < files.length || units.length === 0) return undefined;
  const since = Math.min(...units.map((unit) => unit.since));
  const until = Math.max(...units.map(({ end }) => end)) - 1;
  return { since, until, end: until + 1, zone: query.timezone };
}

/** Returns the later half of a window as a value of `--period`; `undefined` for a single unit. */
export function laterHalf(window: Window, unit: SplitUnit): string | undefined {
  const units = [...unitsIn(window, unit)];
  const half = units.slice(Math.ceil(units.length / 2));
  const [first] = half;
  const last = half.at(-1);
  if (!first || !last) return undefined;
  return formatDays({ firstDay: first.firstDay, lastDay: last.lastDay });
}

/** Extends a window that ends yesterday until now: today is not over, and has no file yet. */
export function extendToNow(window: Window, now: number): Window {
  const { zone } = window;
  const endsYesterday = formatDate(window.until + 1, zone) === formatDate(now, zone);
  return endsYesterday && window.until < now ? { ...window, until: now, end: now + 1 } : window;
}
