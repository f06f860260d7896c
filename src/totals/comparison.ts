import { formatDate, formatInstant, type Window } from '../query/calendar.ts';
import type { ReportSums } from './report-sums.ts';

/** The earlier report of a comparison. */
export interface Comparison {
  readonly sums: ReportSums;

  /** Periods of this report and of the earlier report. */
  readonly now: Window;
  readonly before: Window;
}

/** Returns a note if only a part of the period is compared, because it is still running. */
export function formatComparisonNote({ until, end, zone }: Window): string | undefined {
  if (until >= end - 1) return undefined;
  const isWholeDay = formatDate(until, zone) !== formatDate(until + 1, zone);
  const last = isWholeDay ? formatDate(until, zone) : formatInstant(until, zone);
  return `The period is not over. To keep the comparison fair, the report goes up to ${last}.`;
}
