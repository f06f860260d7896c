import { formatDate, formatInstant, type Window } from '../query/calendar.ts';
import type { ReportSums } from './report-sums.ts';

/** Earlier report, whose metrics are shown next to those of this report. */
export interface Comparison {
  /** Sums of the earlier report. */
  readonly sums: ReportSums;

  /** Windows of this report and of the earlier report. */
  readonly now: Window;
  readonly before: Window;
}

/** Returns a note if the period is not over, and so only a part of it is compared. */
export function formatComparisonNote({ until, end, zone }: Window): string | undefined {
  if (until >= end - 1) return undefined;
  const isWholeDay = formatDate(until, zone) !== formatDate(until + 1, zone);
  const last = isWholeDay ? formatDate(until, zone) : formatInstant(until, zone);
  return `The period is not over. To keep the comparison fair, the report goes up to ${last}.`;
}
