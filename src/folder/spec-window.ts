import { UsageError } from '../errors.ts';
import type { Window } from '../query/calendar.ts';
import { resolvePeriod } from '../query/period.ts';
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
