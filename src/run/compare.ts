import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import type { Comparison } from '../figures/figures.ts';
import { ReportSums } from '../figures/report-sums.ts';
import { windowText } from '../figures/window-text.ts';
import { formats } from '../formats/index.ts';
import { ColumnPlan } from '../output/columns.ts';
import { calendarDays, type EarlierWindow, earlierWindow } from '../report/compared-window.ts';
import { requestFor } from '../report/request.ts';
import { formatDate, formatInstant, type Window } from '../report/window.ts';
import { readRows } from '../rows/read-rows.ts';
import { chooseFormat, showsCard } from './deliver.ts';
import type { OutputFlags } from './flags/output-flags.ts';
import type { RunFlags } from './flags/run-flags.ts';
import { noteFetched, type ReportTools } from './order.ts';
import type { Job, ProfilePlan } from './plan.ts';
import { fetchReport, type Intake } from './receive.ts';

/** Throws `UsageError` for an output that has no place for a change. */
function checkComparable(context: Pick<Context, 'console' | 'flags'>, options: OutputFlags): void {
  const format = chooseFormat(context, options);
  if (formats[format].hasPlaceForChanges || showsCard(context, options)) return;
  throw new UsageError(
    `--compare shows a change beside each total, which ${format} has no place for.`,
    { hint: 'Write html, xlsx or a table: -o report.html' },
  );
}

/** The plan of an earlier report, whose window is what another one is held against. */
type EarlierPlan = ProfilePlan & { readonly window: EarlierWindow };

/**
 * With `--compare` the plan of the report that the one of a window is held against: of the window
 * before, or of the year before. Throws `UsageError` for an output that has no place for a change.
 */
export function planEarlier(
  context: Pick<Context, 'console' | 'flags' | 'host'>,
  { plan, options }: Pick<Job, 'plan' | 'options'>,
  now: Window,
): EarlierPlan | undefined {
  if (!options.compare) return undefined;

  checkComparable(context, options);
  const nowSeconds = Math.floor(context.host.wallClock() / 1_000);
  const window = earlierWindow(now, options.compare, nowSeconds);
  const request = requestFor(plan, window);
  if (!plan.isWeekly) return { ...plan, window, request };

  // One report tells all weeks before: its days are added up.
  const breakdowns = request.breakdowns.map((name) => (name === 'RANGE' ? 'DAILY' : name));
  return { ...plan, window, request: { ...request, breakdowns } };
}

/** A report, and the earlier one that it is held against. */
interface ComparedReport {
  readonly now: Window;
  readonly earlier: EarlierPlan;
  readonly options: RunFlags;
}

/** Fetches an earlier report, as what the one of this window is held against. */
export async function compareReport(
  tools: ReportTools,
  { now, earlier, options }: ComparedReport,
): Promise<Comparison> {
  const before = earlier.window;
  const intake = summingIntake(tools);
  const sums = await fetchReport(tools, { plan: earlier, options, intake });

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
    ...unequalDays(counted, before),
    notes: [
      ...(isOver ? [] : hourNotes(before)),
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

/**
 * A window for people; one that is cut within its last day is read as its days, down to that one.
 */
function textOf({ since, until, zone }: Window, isOver: boolean): string {
  const end = isOver ? formatInstant(until, zone) : `${formatDate(until, zone)}T23:59:59`;
  return windowText({ since: formatInstant(since, zone), until: end });
}

/** How many days two windows have, where that is not the same. */
function unequalDays(now: Window, before: Window): Pick<Comparison, 'days'> {
  const days = { now: calendarDays(now), before: calendarDays(before) };
  return days.now === days.before ? {} : { days };
}

/**
 * Says how much of its last day the earlier window has, where that is cut because the later one is
 * not over.
 */
function hourNotes({ until, zone }: Window): string[] {
  const end = formatInstant(until + 1, zone);
  const time = end.slice(11, 16);
  if (time === '00:00') return [];

  const day = end.slice(0, 10);
  const dayText = windowText({ since: `${day}T00:00:00`, until: `${day}T23:59:59` });
  return [`The period is not over: ${dayText} counts until ${time} too.`];
}
