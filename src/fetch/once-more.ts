import { AdreportError, ReportFailedError } from '../errors.ts';
import type { Job } from '../plan/plan.ts';
import { calendarDays } from '../report/compared-window.ts';
import { partsOf } from '../report/parts.ts';
import type { ReportPlan } from '../report/request.ts';
import type { SplitUnit } from '../report/window.ts';
import type { ReportTools } from './order.ts';
import { hasPartsInLedger, isRepeatedFailure } from './order.ts';
import { fetchReport, type ReportFetch } from './receive.ts';

// A report that fails is ordered once more, and then in parts.

/** Fetches a report, and orders it once more if it fails or expires. Throws as `fetchReport`. */
export async function fetchWithRetry<T>(tools: ReportTools, fetch: ReportFetch<T>): Promise<T> {
  const { stopwatch } = tools.host;
  const { retries, waitTimeout } = fetch.options;
  const startedMs = stopwatch();
  try {
    return await fetchReport(tools, fetch);
  } catch (error) {
    if (!hasFailed(error) || retries === 0) throw error;

    tools.console.note(`${error.message} Ordering it again.`);
    const leftMs = Math.max(0, waitTimeout - (stopwatch() - startedMs));
    const options = { ...fetch.options, waitTimeout: leftMs };
    return fetchReport(tools, { ...fetch, options });
  }
}

function hasFailed(error: unknown): error is ReportFailedError {
  return error instanceof ReportFailedError;
}

/** True for an error that shorter reports may avoid. */
export function mayWorkInParts(error: unknown): error is AdreportError {
  if (hasFailed(error)) return true;
  if (!(error instanceof AdreportError) || error.httpStatus !== 413) return false;
  return error.code !== 'BODY_TOO_LARGE';
}

/** Longer windows are split into weeks instead of days. */
const maxDailyParts = 14;

/** The unit whose reports can be merged without changing a row; `undefined` if none can. */
function unitOfParts({ request, window }: ReportPlan): SplitUnit | undefined {
  const { breakdowns } = request;
  if (breakdowns.includes('MONTHLY')) return 'month';
  if (!breakdowns.includes('DAILY') && !breakdowns.includes('HOURLY')) return undefined;
  return calendarDays(window) > maxDailyParts ? 'week' : 'day';
}

/** Splits the one report of a job into parts to merge; `undefined` if that is not possible. */
export function splitJob<AnyJob extends Job>(job: AnyJob): AnyJob | undefined {
  const { plan, options } = job;
  const unit = unitOfParts(plan);
  if (unit === undefined || options.split !== undefined || options.retries === 0) return undefined;

  const parts = partsOf(plan, unit);
  if (parts.length < 2) return undefined;
  return { ...job, options: { ...options, split: unit }, isMerged: true, allParts: parts, parts };
}

/**
 * True if the ledger has two failures of this request in the last 24 hours, or unfinished reports
 * of its parts.
 */
export async function startsInParts(tools: ReportTools, job: Job, split: Job): Promise<boolean> {
  if (job.options.fresh || job.options.direct) return false;
  if (await isRepeatedFailure(tools, job.plan)) return true;
  return hasPartsInLedger(tools, split);
}
