import { isReportFailure, isTooLarge } from '../errors.ts';
import { countDays, type SplitUnit } from '../query/calendar.ts';
import type { Job } from '../query/plan.ts';
import type { ReportPlan } from '../query/request.ts';
import { splitPlan } from '../query/window-parts.ts';
import type { ReportTools } from './request.ts';

// A report that failed twice is requested in parts.

/** Returns the parts to request instead. Throws the error of the report if they cannot help. */
export function splitAfterFailure<AnyJob extends Job>(
  { console }: Pick<ReportTools, 'console'>,
  error: unknown,
  split: AnyJob | undefined,
): AnyJob {
  const mayHelp = isReportFailure(error) || isTooLarge(error);
  if (!split || !mayHelp) throw error;

  console.note(`${error.message} Requesting it as ${partsLabel(split)} instead.`);
  return split;
}

/** Formats `7 daily reports`. */
function partsLabel({ parts, options: { split = 'day' } }: Job): string {
  const how = { day: 'daily', week: 'weekly', month: 'monthly' }[split];
  return `${parts.length} ${how} reports`;
}

/** Longer windows are split into weeks instead of days. */
const maxDailyParts = 14;

/** Chooses a unit whose reports can be merged without changing a row; `undefined` if none can. */
function unitOfParts({ request, window }: ReportPlan): SplitUnit | undefined {
  const { breakdowns } = request;
  if (breakdowns.includes('MONTHLY')) return 'month';
  if (!breakdowns.includes('DAILY') && !breakdowns.includes('HOURLY')) return undefined;
  return countDays(window) > maxDailyParts ? 'week' : 'day';
}

/** Splits the one report of a job into parts to merge; `undefined` if that is not possible. */
export function splitJob<AnyJob extends Job>(job: AnyJob): AnyJob | undefined {
  const { plan, options } = job;
  const unit = unitOfParts(plan);
  if (unit === undefined || options.split !== undefined || options.retries === 0) return undefined;

  const parts = splitPlan(plan, unit);
  if (parts.length < 2) return undefined;
  return {
    ...job,
    // In the spec too, so that the command that goes on resumes the parts.
    spec: { ...job.spec, split: unit },
    options: { ...options, split: unit },
    isMerged: true,
    allParts: parts,
    parts,
  };
}
