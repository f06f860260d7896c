import { UsageError } from '../errors.ts';
import type { Window } from './calendar.ts';
import { resolvePeriod } from './period.ts';
import type { ReportSpec } from './spec.ts';

/** Members of a spec that decide its window. */
export type WindowSpec = Pick<ReportSpec, 'timezone' | 'split' | 'period' | 'since' | 'until'>;

/**
 * Resolves the window of a spec at a time, in milliseconds since 1970; `undefined` if it is invalid
 * then, for example because it would end before it begins.
 */
export function windowOf(spec: WindowSpec, nowMs: number): Window | undefined {
  const { period, since, until, timezone: zone, split: wholeUnit } = spec;
  try {
    return resolvePeriod({ period, since, until }, { zone, nowMs, unit: wholeUnit });
  } catch (error) {
    if (error instanceof UsageError) return undefined;
    throw error;
  }
}

/** Longer than any period relative to today. */
const laterMs = 800 * 86_400_000;

/** For a window that is another one later, such as `last-7d`, `-30d` or one until now. */
export function movesWithClock(spec: WindowSpec, nowMs: number): boolean {
  const window = windowOf(spec, nowMs);
  const later = windowOf(spec, nowMs + laterMs);
  return window?.since !== later?.since || window?.until !== later?.until;
}

/** For a window that always begins at the same instant, such as with `--since 2026-01-01`. */
export function hasFixedBeginning(spec: WindowSpec, nowMs: number): boolean {
  const { since } = spec;
  const begin = windowOf({ ...spec, until: since }, nowMs);
  const later = windowOf({ ...spec, until: since }, nowMs + laterMs);
  return begin !== undefined && begin.since === later?.since;
}

/**
 * For a window that has begun, and whose first unit is not over: `--since 2026-11-26 --until
 * yesterday` on that day. Its end has to move: dates in the wrong order are a mistake.
 */
export function isFirstUnitRunning(spec: WindowSpec, nowMs: number): boolean {
  const hasBegun = windowOf({ ...spec, until: 'now' }, nowMs) !== undefined;
  const isEmpty = windowOf(spec, nowMs) === undefined;
  return hasBegun && isEmpty && hasFixedBeginning(spec, nowMs) && movesWithClock(spec, nowMs);
}
