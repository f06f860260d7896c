import { calendarDays, type EarlierWindow } from '../query/compared-window.ts';
import { formatDate, formatInstant, type Window } from '../query/window.ts';
import type { Comparison } from './figures.ts';
import type { ReportSums } from './report-sums.ts';
import { formatWindow } from './window-text.ts';

/**
 * Compares a report with an earlier one.
 *
 * @param sums the rows of the earlier report, added up
 */
export function buildComparison(now: Window, before: EarlierWindow, sums: ReportSums): Comparison {
  const isOver = before.laterUntil === now.until;
  const counted = { ...now, until: before.laterUntil };
  return {
    sums,
    now: textOf(counted, isOver),
    before: textOf(before, isOver),
    windows: {
      now: formatInstant(now.since, now.zone),
      before: formatInstant(before.since, before.zone),
      until: formatInstant(now.until, now.zone),
      zone: now.zone,
    },
    ...unequalDays(counted, before),
    notes: [
      ...(isOver ? [] : cutDayNotes(before)),
      ...(now.plannedUntil === undefined ? [] : now.notes),
    ],
  };
}

/** Shows a window that ends during a day as whole days. */
function textOf({ since, until, zone }: Window, isOver: boolean): string {
  const end = isOver ? formatInstant(until, zone) : `${formatDate(until, zone)}T23:59:59`;
  return formatWindow({ since: formatInstant(since, zone), until: end });
}

/** Returns the number of days of both windows, if they differ. */
function unequalDays(now: Window, before: Window): Pick<Comparison, 'days'> {
  const days = { now: calendarDays(now), before: calendarDays(before) };
  return days.now === days.before ? {} : { days };
}

/**
 * Returns a note if the last day of the earlier window is cut because the later window is not over.
 */
function cutDayNotes({ until, zone }: Window): string[] {
  const end = formatInstant(until + 1, zone);
  const time = end.slice(11, 16);
  if (time === '00:00') return [];

  const day = end.slice(0, 10);
  const dayLabel = formatWindow({ since: `${day}T00:00:00`, until: `${day}T23:59:59` });
  return [`The period is not over, so ${dayLabel} is also counted only until ${time}.`];
}
