import { countDays, formatDate, formatInstant, type Window } from '../query/calendar.ts';
import { formatWindow } from './report-description.ts';
import type { Comparison } from './report-metrics.ts';
import type { ReportSums } from './report-sums.ts';

/**
 * Compares a report with an earlier one.
 *
 * @param sums the rows of the earlier report, added up
 */
export function buildComparison(now: Window, before: Window, sums: ReportSums): Comparison {
  const note = comparisonNote(now);
  return {
    sums,
    now: formatDays(now),
    before: formatDays(before),
    windows: {
      now: formatInstant(now.since, now.zone),
      before: formatInstant(before.since, before.zone),
      until: formatInstant(now.until, now.zone),
      zone: now.zone,
    },
    ...unequalDays(now, before),
    notes: note === undefined ? [] : [note],
  };
}

/** Returns a sentence on a period that is not over; `undefined` for one that is compared whole. */
export function comparisonNote({ until, end, zone }: Window): string | undefined {
  if (until >= end - 1) return undefined;
  const isWholeDay = formatDate(until, zone) !== formatDate(until + 1, zone);
  const last = isWholeDay ? formatDate(until, zone) : formatInstant(until, zone);
  return `The period is not over. To keep the comparison fair, the report goes up to ${last}.`;
}

function formatDays({ since, until, zone }: Window): string {
  return formatWindow({ since: formatInstant(since, zone), until: formatInstant(until, zone) });
}

/** Returns the number of days of both windows, if they differ. */
function unequalDays(now: Window, before: Window): Pick<Comparison, 'days'> {
  const days = { now: countDays(now), before: countDays(before) };
  return days.now === days.before ? {} : { days };
}
