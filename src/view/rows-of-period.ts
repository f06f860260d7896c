import { UsageError } from '../errors.ts';
import { type Grouping, inTimeOrder } from '../figures/grouping.ts';
import { calendarUnitsIn, type Window } from '../report/window.ts';
import type { ReportTail } from '../rows/row-batch.ts';
import { printable } from '../text/printable.ts';
import { formatPlural } from '../text/quantity.ts';
import type { DaySpan } from './files/file-taker.ts';
import type { GatheredRows } from './files/gather.ts';
import { daysOfWindow } from './select-days.ts';
import type { Sources } from './sources/find-sources.ts';

/** Throws `UsageError` for files, not folders, without a row of `--period`. */
export function expectRowsOfPeriod(
  { window, spans, folders, shown }: Sources,
  gathered: GatheredRows,
) {
  const isEmpty = gathered.periodRowCount === 0 && gathered.rowCount > 0;
  if (!window || spans.length === 0 || folders.length > 0 || !isEmpty) return;

  const name = printable(shown === '-' ? 'stdin' : shown);
  const own = windowOfTails(gathered.tails);
  const days = own && daysOfWindow(own);
  throw new UsageError(`${name} has no rows for these days.`, {
    about: { flag: '--period' },
    hint: days ? `It has ${days.since} to ${days.until}.` : 'Choose another period.',
  });
}

/** A warning on days of `--period` that the summary of a file does not cover. */
export function daysOutside(
  { window, spans, folders }: Sources,
  tails: readonly ReportTail[],
): string[] {
  const own = windowOfTails(tails);
  if (!own || !window || spans.length === 0 || folders.length > 0) return [];

  const days = [...calendarUnitsIn(window, 'day')];
  const missing = days.filter(({ start, over }) => start < own.since || over - 1 > own.until);
  if (missing.length === 0) return [];
  const verb = missing.length === 1 ? 'is' : 'are';
  return [`${missing.length} of ${formatPlural(days.length, 'day')} ${verb} missing.`];
}

/** The window in the summary of a single report; `undefined` without one, or of several. */
export function windowOfTails(tails: readonly ReportTail[]): Window | undefined {
  const [tail, another] = tails;
  const summary = tail?.summary;
  if (!summary || another) return undefined;
  const since = Date.parse(summary.since) / 1_000;
  const until = Date.parse(summary.until) / 1_000;
  const isKnown = Number.isFinite(since) && Number.isFinite(until);
  return isKnown ? { since, until, zone: summary.timezone, notes: [] } : undefined;
}

/** The first and the last day of rows; `undefined` if they have none. */
export function daysOfRows(byTime: Grouping): DaySpan | undefined {
  const points = inTimeOrder(byTime);
  const since = points[0]?.time.slice(0, 10);
  const until = points.at(-1)?.time.slice(0, 10);
  return since === undefined || until === undefined ? undefined : { since, until };
}
