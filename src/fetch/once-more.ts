import { AdreportError, ReportFailedError } from '../errors.ts';
import type { Job } from '../plan/plan.ts';
import { calendarDays } from '../report/compared-window.ts';
import { partsOf } from '../report/parts.ts';
import type { ReportPlan } from '../report/request.ts';
import type { SplitUnit } from '../report/window.ts';
import type { ReportTools } from './order.ts';
import { hasPartsInLedger, isRepeatedFailure } from './order.ts';
import { fetchReport, type ReportFetch } from './receive.ts';

// A report that fails is ordered once more, and then in parts (`cli.md`, Waiting).

/** Fetches a report, and orders it once more if it fails or expires. Throws as `fetchReport`. */
export async function fetchOnceMore<T>(tools: ReportTools, fetch: ReportFetch<T>): Promise<T> {
  const { stopwatch } = tools.host;
  const { retries, waitTimeout } = fetch.options;
  const startedMs = stopwatch();
  try {
    return await fetchReport(tools, fetch);
  } catch (error) {
    if (!hasFailed(error) || retries === 0) throw error;

    tools.console.note(`${error.message} Ordering it once more.`);
    const leftMs = Math.max(0, waitTimeout - (stopwatch() - startedMs));
    const options = { ...fetch.options, waitTimeout: leftMs };
    return fetchReport(tools, { ...fetch, options });
  }
}

function hasFailed(error: unknown): error is ReportFailedError {
  return error instanceof ReportFailedError;
}

/** True for an error after which shorter reports may come through. */
export function isForParts(error: unknown): error is AdreportError {
  if (hasFailed(error)) return true;
  if (!(error instanceof AdreportError) || error.httpStatus !== 413) return false;
  return error.code !== 'BODY_TOO_LARGE';
}

/** Weeks are the parts of a window of more days than this. */
const daysInDays = 14;

/** The unit whose reports can be merged without changing a row; `undefined` if there is none. */
function unitOfParts({ request, window }: ReportPlan): SplitUnit | undefined {
  const { breakdowns } = request;
  if (breakdowns.includes('MONTHLY')) return 'month';
  if (!breakdowns.includes('DAILY') && !breakdowns.includes('HOURLY')) return undefined;
  return calendarDays(window) > daysInDays ? 'week' : 'day';
}

/** A whole report as parts that are merged; `undefined` if it cannot be one. */
export function inParts<AnyJob extends Job>(job: AnyJob): AnyJob | undefined {
  const { plan, options } = job;
  const unit = unitOfParts(plan);
  if (unit === undefined || options.split !== undefined || options.retries === 0) return undefined;

  const parts = partsOf(plan, unit);
  if (parts.length < 2) return undefined;
  return { ...job, options: { ...options, split: unit }, isMerged: true, allParts: parts, parts };
}

/**
 * True if the ledger has a request twice as failed in the last 24 hours, or has unfinished reports
 * of its parts.
 */
export async function beginsInParts(tools: ReportTools, job: Job, split: Job): Promise<boolean> {
  if (job.options.fresh || job.options.direct) return false;
  if (await isRepeatedFailure(tools, job.plan)) return true;
  return hasPartsInLedger(tools, split);
}
