import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import { ColumnPlan } from '../output/columns.ts';
import { requestFor } from '../report/request.ts';
import { daysIn, earlierWindow, formatInstant, type Window } from '../report/window.ts';
import { readRows } from '../rows/read-rows.ts';
import { rowsOf } from '../rows/row-batch.ts';
import type { Comparison } from '../view/figures.ts';
import { ReportSums } from '../view/report-sums.ts';
import { windowText } from '../view/window-text.ts';
import { chooseFormat, type Delivery, prepareDelivery, type ReportFacts, showsCard } from './deliver.ts';
import { fetchReport, noteFetched } from './fetch.ts';
import type { RunOptions } from './flags.ts';
import type { ProfilePlan } from './plan.ts';

/** The delivery of a report that shows the change against an earlier one, which is fetched first. */
export async function prepareCompared(
  context: Context,
  options: RunOptions,
  facts: ReportFacts,
  plan: ProfilePlan,
): Promise<Delivery> {
  const format = chooseFormat(context, options);
  if (!['html', 'table', 'xlsx'].includes(format) && !showsCard(context, options)) {
    const hint = 'Write html, xlsx or a table: -o report.html';
    throw new UsageError(`--compare shows a change beside each total, which ${format} has no place for.`, { hint });
  }
  let comparison: Comparison | undefined;
  const delivery = await prepareDelivery(context, options, { ...facts, comparison: () => comparison });
  const window = earlierWindow(plan.window, options.compare ?? 'previous');
  const earlier = { ...plan, window, request: requestFor(plan, window) };
  const sums = await fetchReport(context, options, earlier, {
    async take({ body, contentType }, id) {
      const found = new ReportSums();
      const columns = new ColumnPlan({});
      for await (const batch of readRows(body, { contentType })) {
        if (columns.columns.length === 0) columns.follow(batch);
        found.observe(rowsOf(batch), columns.columns, batch.fields);
      }
      if (id !== undefined) await noteFetched(context, id, undefined);
      return found;
    },
  });
  comparison = { sums, now: named(plan.window), before: named(window), notices: unequalDays(plan.window, window) };
  return delivery;
}

function named({ since, until, zone }: Window): string {
  return windowText({ since: formatInstant(since, zone), until: formatInstant(until, zone) });
}

/** What makes two windows unequal: a leap day, an hour that the clocks skip or repeat. */
function unequalDays(now: Window, before: Window): string[] {
  const hours = (window: Window): number => (window.until + 1 - window.since) / 3600;
  if (hours(now) === hours(before)) return [];
  const [unit, count, why] =
    daysIn(now) === daysIn(before)
      ? (['hours', hours, ', because the clocks changed'] as const)
      : (['days', daysIn, ''] as const);
  const said = (window: Window): string => `${Number(count(window).toFixed(2))} ${unit}`;
  return [`${named(now)} has ${said(now)}, ${named(before)} ${said(before)}${why}.`];
}
