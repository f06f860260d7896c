import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import { ColumnPlan } from '../output/columns.ts';
import { requestFor } from '../report/request.ts';
import {
  type ComparedWindow,
  earlierWindow,
  formatInstant,
  secondsPerDay,
  type Window,
  ZoneClock,
} from '../report/window.ts';
import { readRows } from '../rows/read-rows.ts';
import { rowsOf } from '../rows/row-batch.ts';
import type { Comparison } from '../view/comparison.ts';
import { ReportSums } from '../view/report-sums.ts';
import { windowText } from '../view/window-text.ts';
import { type Delivery, prepareDelivery, type ReportFacts, showsCard } from './deliver.ts';
import { fetchReport, noteFetched } from './fetch.ts';
import type { RunOptions } from './flags.ts';
import { chooseFormat } from './output-flags.ts';
import type { ProfilePlan } from './plan.ts';

/**
 * The delivery of a report whose output shows the change against an earlier one, where `--compare` asks for it.
 * @throws UsageError where nothing would show it
 */
export async function prepareCompared(
  context: Context,
  options: RunOptions,
  plan: ProfilePlan,
  facts: ReportFacts,
): Promise<Delivery> {
  let comparison: Comparison | undefined;
  const format = chooseFormat(context, options);
  if (options.compare && !['html', 'table', 'xlsx'].includes(format) && !showsCard(context, options)) {
    throw new UsageError(`--compare shows a change beside each total, which ${format} has no place for.`, {
      hint: 'Write html, xlsx or a table: -o report.html',
    });
  }
  const delivery = await prepareDelivery(context, options, { ...facts, comparison: () => comparison });
  if (options.compare) comparison = await fetchComparison(context, options, plan, options.compare);
  return delivery;
}

/** Fetches the report of the earlier window, and adds it up. Throws as `fetchReport`. */
async function fetchComparison(
  context: Context,
  options: RunOptions,
  plan: ProfilePlan,
  which: ComparedWindow,
): Promise<Comparison> {
  const window = earlierWindow(plan.window, which);
  const earlier = { ...plan, window, request: requestFor(plan, window) };
  const { sums } = await fetchReport(context, options, earlier, {
    async take({ body, contentType }, id) {
      const found = new ReportSums();
      const columns = new ColumnPlan({});
      for await (const batch of readRows(body, { contentType })) {
        if (columns.columns.length === 0) columns.follow(batch);
        found.observe(rowsOf(batch), columns.columns, batch.fields);
      }
      if (id !== undefined) await noteFetched(context, id, undefined);
      return { sums: found, rowCount: found.total.rowCount, sizeBytes: 0, file: undefined };
    },
  });
  const [now, before] = [plan.window, window].map(named);
  return { sums, now: now ?? '', before: before ?? '', notices: unequalDays(plan.window, window) };
}

function named({ since, until, zone }: Window): string {
  const text = (instant: number): string => formatInstant(instant, zone);
  return windowText({ since: text(since), until: text(until) });
}

/** What makes two windows unequal: a leap day, an hour that the clocks skip or repeat. */
function unequalDays(now: Window, before: Window): string[] {
  const lengths = [now, before].map((window) => {
    const seconds = window.until + 1 - window.since;
    const clock = new ZoneClock(window.zone);
    const days = (clock.wallAt(window.until + 1) - clock.wallAt(window.since)) / secondsPerDay;
    return { name: named(window), hours: seconds / 3600, days };
  });
  const [first, second] = lengths;
  if (!first || !second || first.hours === second.hours) return [];
  const unit = first.days === second.days ? 'hours' : 'days';
  const count = (value: number): string => `${Number(value.toFixed(2))} ${unit}`;
  const why = unit === 'hours' ? ', because the clocks changed' : '';
  return [`${first.name} has ${count(first[unit])}, ${second.name} ${count(second[unit])}${why}.`];
}
