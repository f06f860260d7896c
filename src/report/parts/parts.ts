import type { ReportRequest } from '../../contract/messages.ts';
import type { BreakdownName } from '../../contract/vocabulary.ts';
import { UsageError } from '../../errors.ts';
import type { ReportPlan } from '../request/plan.ts';
import { requestFor } from '../request/request-content.ts';
import { type Window, ZoneClock } from '../window/window.ts';
import { type SplitUnit, splitWindow } from './split.ts';

/** One report of a run: the whole of what was asked for, or with `--split` a calendar unit of it. */
export interface Part {
  readonly window: Window;
  readonly request: ReportRequest;
  /** Its first and last local day, `2026-11-01`. */
  readonly since: string;
  readonly until: string;
}

/** The parts of a plan in time order: one a calendar unit of the report's zone, or the plan itself. */
export function partsOf({ window: whole, request }: ReportPlan, unit: SplitUnit | undefined): Part[] {
  const clock = new ZoneClock(whole.zone);
  const windows = unit === undefined ? [whole] : splitWindow(whole, unit);
  return windows.map((window) => ({
    window,
    request: requestFor(request, window),
    since: clock.dateAt(window.since),
    until: clock.dateAt(window.until),
  }));
}

/** A part's days, as `--period` takes them: `2026-11-01`, `2026-11-02..2026-11-08`. */
export function daysOf({ since, until }: Part): string {
  return since === until ? since : `${since}..${until}`;
}

/**
 * Refuses to merge parts whose rows would have to be added up, rather than put one after the other: only a time
 * breakdown that is as fine as the parts, or finer, keeps them apart. Throws `UsageError`.
 */
export function checkMergeable(breakdowns: readonly BreakdownName[], unit: SplitUnit): void {
  const fits = breakdowns.some(
    (name) => name === 'DAILY' || name === 'HOURLY' || (name === 'MONTHLY' && unit === 'month'),
  );
  if (fits) return;
  const found = breakdowns.find((name) => name === 'MONTHLY' || name === 'RANGE');
  const why = found ? `${found} rows reach over the ${unit}s` : 'no row says which of them it is of';
  throw new UsageError(`--split ${unit}: the parts cannot be merged into one output, because ${why}.`, {
    hint:
      `Add DAILY or HOURLY to --by${unit === 'month' ? ' (or MONTHLY)' : ''}, ` +
      'or write a file a part: -o with {date}, {since} or {until} in the name.',
  });
}
