import { isReportFailure, isTooLarge } from '../errors.ts';
import type { Job } from '../plan/plan.ts';
import { calendarDays } from '../report/compared-window.ts';
import type { ReportPlan } from '../report/request.ts';
import type { SplitUnit } from '../report/window.ts';
import { partsOf } from '../report/window-parts.ts';
import type { ReportTools } from './order.ts';
import { hasPartsInLedger, isRepeatedFailure } from './order.ts';
import { fetchReport, type ReportFetch } from './receive.ts';

// A report that fails is requested once more, and then in parts.

/** Fetches a report, and requests it once more if it fails or expires. Throws as `fetchReport`. */
export async function fetchWithRetry<T>(tools: ReportTools, fetch: ReportFetch<T>): Promise<T> {
  const { stopwatch } = tools.host;
  const { retries, waitTimeout } = fetch.options;
  const startedMs = stopwatch();
  try {
    return await fetchReport(tools, fetch);
  } catch (error) {
    if (!isReportFailure(error) || retries === 0) throw error;

    tools.console.note(`${error.message} Requesting it again.`);
    const leftMs = Math.max(0, waitTimeout - (stopwatch() - startedMs));
    const options = { ...fetch.options, waitTimeout: leftMs };
    return fetchReport(tools, { ...fetch, options });
  }
}

/** How the report of a job is fetched as one, and in parts. */
interface WholeOrParts<AnyJob extends Job, T> {
  readonly whole: () => Promise<T>;

  /** Absent if the output cannot be that of several reports. */
  readonly inParts: ((split: AnyJob) => Promise<T>) | undefined;
}

/** Fetches the report of a job as one or, if that fails or failed before, in parts. */
export async function fetchWholeOrParts<AnyJob extends Job, T>(
  tools: ReportTools,
  job: AnyJob,
  { whole, inParts }: WholeOrParts<AnyJob, T>,
): Promise<T> {
  const { console, host } = tools;
  const split = inParts && splitJob(job);
  if (split && (await startsInParts(tools, job, split))) {
    console.note(`This report failed before; requesting it as ${partsLabel(split)}.`);
    return inParts(split);
  }

  const startedMs = host.stopwatch();
  try {
    return await whole();
  } catch (error) {
    const mayWorkInParts = isReportFailure(error) || isTooLarge(error);
    if (!split || !mayWorkInParts) throw error;
    console.note(`${error.message} Requesting it as ${partsLabel(split)} instead.`);
    const tookMs = host.stopwatch() - startedMs;
    const waitTimeout = Math.max(0, job.options.waitTimeout - tookMs);
    return inParts({ ...split, options: { ...split.options, waitTimeout } });
  }
}

/** `7 daily reports` */
function partsLabel({ parts, options: { split = 'day' } }: Job): string {
  const how = { day: 'daily', week: 'weekly', month: 'monthly' }[split];
  return `${parts.length} ${how} reports`;
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
function splitJob<AnyJob extends Job>(job: AnyJob): AnyJob | undefined {
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
async function startsInParts(tools: ReportTools, job: Job, split: Job): Promise<boolean> {
  if (job.options.fresh || job.options.direct) return false;
  if (await isRepeatedFailure(tools, job.plan)) return true;
  return hasPartsInLedger(tools, split);
}
