import { AdreportError, isReportFailure, isTooLarge } from '../errors.ts';
import { countDays, type SplitUnit } from '../query/calendar.ts';
import type { Job } from '../query/plan.ts';
import type { ReportPlan } from '../query/request.ts';
import { splitPlan } from '../query/window-parts.ts';
import type { ReportTools } from './request.ts';
import { hasPartsInLedger, isRepeatedFailure } from './request.ts';

// A report that failed twice is requested in parts.

/** Error of a report that was requested as one, and the parts to use instead. */
interface FailedWhole<AnyJob extends Job> {
  readonly error: unknown;
  readonly split: AnyJob | undefined;

  /** When the report was requested, in milliseconds by the stopwatch. */
  readonly startedMs: number;
}

/** Returns the parts to request instead. Throws the error of the report if they cannot help. */
export function splitAfterFailure<AnyJob extends Job>(
  { console, host }: Pick<ReportTools, 'console' | 'host'>,
  { error, split, startedMs }: FailedWhole<AnyJob>,
): AnyJob {
  const mayHelp = isReportFailure(error) || isTooLarge(error);
  if (!split || !mayHelp || !(error instanceof AdreportError)) throw error;

  console.note(`${error.message} Requesting it as ${partsLabel(split)} instead.`);
  const tookMs = host.stopwatch() - startedMs;
  const waitTimeout = Math.max(0, split.options.waitTimeout - tookMs);
  return { ...split, options: { ...split.options, waitTimeout } };
}

/**
 * Decides, with a note, whether a report is requested in parts from the beginning: the ledger has
 * two failures of its request in the last 24 hours, or unfinished reports of its parts.
 */
export async function shouldStartInParts(
  tools: ReportTools,
  job: Job,
  split: Job,
): Promise<boolean> {
  if (job.options.fresh || job.options.direct) return false;
  const hasFailed = await isRepeatedFailure(tools, job.plan);
  if (!hasFailed && !(await hasPartsInLedger(tools, split))) return false;

  tools.console.note(`This report failed before; requesting it as ${partsLabel(split)}.`);
  return true;
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
  return { ...job, options: { ...options, split: unit }, isMerged: true, allParts: parts, parts };
}
