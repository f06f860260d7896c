import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import { ColumnPlan } from '../output/columns.ts';
import { formats } from '../output/formats/index.ts';
import { requestFor } from '../report/request.ts';
import {
  type ComparedWindow,
  earlierWindow,
  formatInstant,
  type Window,
} from '../report/window.ts';
import { readRows } from '../rows/read-rows.ts';
import type { Comparison } from '../view/figures.ts';
import { ReportSums } from '../view/report-sums.ts';
import { windowText } from '../view/window-text.ts';
import { chooseFormat, showsCard } from './deliver.ts';
import type { OutputFlags } from './flags/output-flags.ts';
import { noteFetched, type ReportTools } from './order.ts';
import type { Job } from './plan.ts';
import { fetchReport, type Intake } from './receive.ts';

/** Throws `UsageError` for an output that has no place for a change. */
export function checkComparable(
  context: Pick<Context, 'console' | 'flags'>,
  flags: OutputFlags,
): void {
  const format = chooseFormat(context, flags);
  if (formats[format].hasPlaceForChanges || showsCard(context, flags)) return;
  throw new UsageError(
    `--compare shows a change beside each total, which ${format} has no place for.`,
    { hint: 'Write html, xlsx or a table: -o report.html' },
  );
}

/** Two windows that are held against each other. */
interface WindowPair {
  readonly now: Window;
  readonly before: Window;
}

/** The window of a report, and which earlier one it is held against. */
interface ComparisonRequest {
  readonly now: Window;
  readonly which: ComparedWindow;
}

/** Fetches the report of the window before, or of the year before, as what the one of this window is held against. */
export async function compareReport(
  tools: ReportTools,
  job: Job,
  { now, which }: ComparisonRequest,
): Promise<Comparison> {
  const before = earlierWindow(now, which);
  const plan = { ...job.plan, window: before, request: requestFor(job.plan, before) };
  const { options } = job;
  const sums = await fetchReport(tools, { plan, options, intake: summingIntake(tools) });
  return {
    sums,
    now: textOf(now),
    before: textOf(before),
    begins: {
      now: formatInstant(now.since, now.zone),
      before: formatInstant(before.since, before.zone),
    },
    notices: noticesOf({ now, before }),
  };
}

/** An intake that adds up a report. */
function summingIntake(tools: ReportTools): Intake<ReportSums> {
  return {
    async take({ body, contentType }, { id: reportId }) {
      const sums = new ReportSums();
      const columns = new ColumnPlan({});
      for await (const batch of readRows(body, { contentType })) {
        if (columns.columns.length === 0) columns.follow(batch);
        sums.observe(batch, columns.columns);
      }
      if (reportId !== undefined) await noteFetched(tools, reportId, undefined);
      return sums;
    },
  };
}

function textOf({ since, until, zone }: Window): string {
  return windowText({ since: formatInstant(since, zone), until: formatInstant(until, zone) });
}

/** Says that the windows are not equally long: because of a leap day, or of an hour that the clocks skip or repeat. */
function noticesOf({ now, before }: WindowPair): string[] {
  const hoursNow = hoursIn(now);
  const hoursBefore = hoursIn(before);
  if (hoursNow === hoursBefore) return [];

  const areDays = hoursNow % 24 === 0 && hoursBefore % 24 === 0;
  const lengthOf = (hours: number) => (areDays ? `${hours / 24} days` : `${hours} hours`);
  const longNow = `${textOf(now)} has ${lengthOf(hoursNow)}`;
  const longBefore = `${textOf(before)} has ${lengthOf(hoursBefore)}`;
  return [`The windows are not equally long: ${longNow}, ${longBefore}.`];
}

function hoursIn({ since, until }: Window): number {
  return Number(((until + 1 - since) / 3_600).toFixed(2));
}
