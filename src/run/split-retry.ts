import { isReportFailure, isTooLarge } from '../errors.ts';
import { countDays, type SplitUnit } from '../query/calendar.ts';
import { hasTimePlaceholder } from '../query/file-name.ts';
import { splitPart } from '../query/parts.ts';
import type { Part } from '../query/query.ts';
import type { PlannedQuery } from './plan-run.ts';
import type { ReportTools } from './request.ts';

// A report that failed twice is requested in parts.

/** Returns the parts to request instead. Throws the error of the report if they cannot help. */
export function splitAfterFailure<Planned extends PlannedQuery>(
  { console }: Pick<ReportTools, 'console'>,
  error: unknown,
  split: Planned | undefined,
): Planned {
  const mayHelp = isReportFailure(error) || isTooLarge(error);
  if (!split || !mayHelp) throw error;

  console.note(`${error.message} Requesting it as ${partsLabel(split)} instead.`);
  return split;
}

/** Formats `7 daily reports`. */
function partsLabel({ whole, parts }: PlannedQuery): string {
  const how = { day: 'daily', week: 'weekly', month: 'monthly' }[unitToRetry(whole) ?? 'day'];
  return `${parts.length} ${how} reports`;
}

/** Longer periods are split into weeks instead of days. */
const maxDailyParts = 14;

/** Chooses a unit whose reports can be merged without changing a row; `undefined` if none can. */
function unitToRetry(part: Part): SplitUnit | undefined {
  const { breakdowns } = part.query;
  if (breakdowns.includes('MONTHLY')) return 'month';
  if (!breakdowns.includes('DAILY') && !breakdowns.includes('HOURLY')) return undefined;
  return countDays(part) > maxDailyParts ? 'week' : 'day';
}

/** Splits the one report of a query into parts to merge; `undefined` if that is not possible. */
export function splitReport<Planned extends PlannedQuery>(planned: Planned): Planned | undefined {
  const { query, whole, allParts, options } = planned;
  const unit = unitToRetry(whole);
  if (unit === undefined || allParts.length > 1 || options.retries === 0) return undefined;

  const parts = splitPart(whole, unit);
  if (parts.length < 2) return undefined;
  const [{ path }] = query.outputs;
  // So that the command that goes on resumes the parts, unless it would write a file for each.
  const split = hasTimePlaceholder(path) ? query : { ...query, split: unit };
  return { ...planned, query: split, isMerged: true, allParts: parts, parts };
}
