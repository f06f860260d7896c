import type { FolderSpec } from '../../folder/history.ts';
import { comparableWindow } from '../../report/compared-window.ts';
import {
  type CalendarUnit,
  calendarUnitsIn,
  formatDate,
  type SplitUnit,
  type Window,
} from '../../report/window.ts';
import type { DaySpan } from '../rows/collect.ts';
import type { FolderUnits } from './folder-units.ts';
import { daysOfWindow } from './select-days.ts';
import type { SourceFile } from './source-file.ts';

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
  const over = [...calendarUnitsIn({ ...window, until: now }, unit)].findLast(
    (each) => each.over <= now,
  );
  return over ? { ...window, until: over.over - 1, plannedUntil: window.until } : window;
}

/** Ends the window after the last unit that a folder has or should have. */
export function clampToFiles(window: Window, folders: readonly FolderUnits[], now: number): Window {
  if (window.until <= now || folders.length === 0) return window;
  const lasts = folders.flatMap(({ lastUnit }) => (lastUnit ? [lastUnit.over - 1] : []));
  const until = Math.min(window.until, Math.max(...lasts));
  return Number.isFinite(until) ? { ...window, until } : window;
}

export function windowOfUnits(
  files: readonly SourceFile[],
  spec: FolderSpec | undefined,
): Window | undefined {
  const units = files.flatMap(({ unit }) => (unit ? [unit] : []));
  if (!spec || units.length < files.length) return undefined;
  const span = spanOf(units.sort((one, other) => one.start - other.start));
  return span && { ...span, zone: spec.timezone, notes: [] };
}

/** Ends are in unix seconds. */
function spanOf(
  units: readonly CalendarUnit[],
): { readonly since: number; readonly until: number } | undefined {
  const first = units[0];
  const last = units.at(-1);
  return first && last && { since: first.start, until: last.over - 1 };
}

/** Returns the later half of a window as a value of `--period`; `undefined` for a single unit. */
export function laterHalf(window: Window, unit: SplitUnit): string | undefined {
  const units = [...calendarUnitsIn(window, unit)];
  const half = units.slice(Math.ceil(units.length / 2));
  const [first] = half;
  const last = half.at(-1);
  return first && last && `${first.since}..${last.until}`;
}

/** Extends a window that ends yesterday until now: today is not over, and has no file yet. */
export function extendToNow(window: Window, now: number): Window {
  const { zone } = window;
  const endsYesterday = formatDate(window.until + 1, zone) === formatDate(now, zone);
  return endsYesterday && window.until < now ? { ...window, until: now } : window;
}
