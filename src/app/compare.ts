import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import { ColumnPlan } from '../output/columns.ts';
import { formats } from '../output/formats/index.ts';
import {
  type ComparedWindow,
  calendarDays,
  type EarlierWindow,
  earlierWindow,
} from '../report/compared-window.ts';
import { requestFor } from '../report/request.ts';
import { formatDate, formatInstant, type Window } from '../report/window.ts';
import { readRows } from '../rows/read-rows.ts';
import { formatPlural } from '../text/quantity.ts';
import type { Comparison } from '../view/figures.ts';
import { ReportSums } from '../view/report-sums.ts';
import { windowText } from '../view/window-text.ts';
import { chooseFormat, showsCard } from './deliver.ts';
import type { OutputFlags } from './flags/output-flags.ts';
import { noteFetched, type ReportTools } from './order.ts';
import type { Job, ProfilePlan } from './plan.ts';
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

/** The window of a report, and which earlier one it is held against. */
interface ComparisonRequest {
  readonly now: Window;
  readonly which: ComparedWindow;
}

/** The plan of an earlier report, whose window is what another one is held against. */
export type EarlierPlan = ProfilePlan & { readonly window: EarlierWindow };

/** Plans the report of the window before, or of the year before. */
export function planEarlier(
  { host }: Pick<ReportTools, 'host'>,
  { plan }: Pick<Job, 'plan'>,
  { now, which }: ComparisonRequest,
): EarlierPlan {
  const window = earlierWindow(now, which, Math.floor(host.wallClock() / 1_000));
  return { ...plan, window, request: requestFor(plan, window) };
}

/** Fetches the report of the window before, or of the year before, as what the one of this window is held against. */
export async function compareReport(
  tools: ReportTools,
  job: Job,
  request: ComparisonRequest,
): Promise<Comparison> {
  const { now } = request;
  const plan = planEarlier(tools, job, request);
  const before = plan.window;
  const { options } = job;
  const sums = await fetchReport(tools, { plan, options, intake: summingIntake(tools) });

  const isOver = before.laterUntil === now.until;
  const counted = { ...now, until: before.laterUntil };
  const texts = { now: textOf(counted, isOver), before: textOf(before, isOver) };
  return {
    sums,
    ...texts,
    begins: {
      now: formatInstant(now.since, now.zone),
      before: formatInstant(before.since, before.zone),
    },
    notices: [
      ...lengthNotices(
        { window: counted, text: texts.now },
        { window: before, text: texts.before },
      ),
      ...(isOver ? [] : hourNotices(before)),
      ...(now.plannedUntil === undefined ? [] : now.notes),
    ],
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

/** A window for people; one that is cut within its last day is read as its days, down to that one. */
function textOf({ since, until, zone }: Window, isOver: boolean): string {
  const end = isOver ? formatInstant(until, zone) : `${formatDate(until, zone)}T23:59:59`;
  return windowText({ since: formatInstant(since, zone), until: end });
}

/** A window, and how people read it. */
interface WindowWithText {
  readonly window: Window;
  readonly text: string;
}

/** Says that two windows have unequal numbers of days. */
function lengthNotices(now: WindowWithText, before: WindowWithText): string[] {
  const daysNow = calendarDays(now.window);
  const daysBefore = calendarDays(before.window);
  if (daysNow === daysBefore) return [];

  return [`${now.text} has ${formatPlural(daysNow, 'day')}, ${before.text} has ${daysBefore}.`];
}

/** Says how much of its last day the earlier window has, where that is cut because the later one is not over. */
function hourNotices({ until, zone }: Window): string[] {
  const end = formatInstant(until + 1, zone);
  const time = end.slice(11, 16);
  if (time === '00:00') return [];

  const day = end.slice(0, 10);
  const dayText = windowText({ since: `${day}T00:00:00`, until: `${day}T23:59:59` });
  return [`The period is not over: ${dayText} counts until ${time} too.`];
}
