import type { Context } from '../context.ts';
import { chooseFormat, showsCard } from '../deliver/deliver.ts';
import { type Remark, UsageError } from '../errors.ts';
import type { Comparison } from '../figures/figures.ts';
import { ReportSums } from '../figures/report-sums.ts';
import { windowText } from '../figures/window-text.ts';
import { formats } from '../formats/index.ts';
import type { Expectation } from '../judge/check.ts';
import { ReportVerdict } from '../judge/report-judge.ts';
import { labelled } from '../judge/verdict.ts';
import { ColumnPlan } from '../output/columns.ts';
import type { OutputFlags } from '../plan/flags/output-flags.ts';
import { type Job, labelOfPart, outputOf } from '../plan/plan.ts';
import { calendarDays, type EarlierWindow, earlierWindow } from '../report/compared-window.ts';
import { type ReportPlan, requestFor } from '../report/request.ts';
import { formatDate, formatInstant, type Window } from '../report/window.ts';
import { fetchOnceMore, inParts, isForParts } from './once-more.ts';
import { noteFetched, type ReportTools } from './order.ts';
import { fetchOf, type Intake, readAnswer } from './receive.ts';

/** Throws `UsageError` for an output that has no place for a change. */
function checkComparable(
  context: Pick<Context, 'console' | 'host' | 'flags'>,
  options: OutputFlags,
): void {
  const format = chooseFormat(context, options);
  if (formats[format].showsChanges || showsCard(context, options)) return;
  throw new UsageError(
    `--compare shows a change beside each total, which ${format} has no place for.`,
    { hint: 'Write html, xlsx or a table: -o report.html', about: { flag: '--compare' } },
  );
}

/** The plan of an earlier report, whose window is what another one is held against. */
type EarlierPlan = ReportPlan & { readonly window: EarlierWindow };

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

/** A window of a job, and the earlier report that its own is held against. */
interface ComparedReport {
  readonly job: Job;
  readonly now: Window;
  readonly earlier: EarlierPlan;
}

/** What a report is held against, and what proves that this is not what was asked for. */
interface JudgedComparison {
  readonly comparison: Comparison;
  readonly findings: readonly Remark[];
}

/** Fetches an earlier report, as what the one of this window is held against. */
export async function compareReport(
  tools: ReportTools,
  { job, now, earlier }: ComparedReport,
): Promise<JudgedComparison> {
  const { options } = job;
  const before = earlier.window;
  // The earlier report is whole, also where the parts of this one are shared out.
  const whole = { ...job, plan: earlier, options: { ...options, shard: undefined } };
  const { sums, findings } = await sumOf(tools, whole);

  const isOver = before.laterUntil === now.until;
  const counted = { ...now, until: before.laterUntil };
  const texts = { now: textOf(counted, isOver), before: textOf(before, isOver) };
  const comparison: Comparison = {
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
  return { comparison, findings: findings.map((finding) => labelled(texts.before, finding)) };
}

/** Fetches a report and adds it up: as a whole, or in parts if it fails. */
async function sumOf(tools: ReportTools, job: Job): Promise<SummedReport> {
  const intake = summingIntake(tools, outputOf(job).expectation);
  try {
    return await fetchOnceMore(tools, { ...fetchOf(job, tools.host.platform), intake });
  } catch (error) {
    const split = inParts({ ...job, options: { ...job.options, split: undefined } });
    if (!split || !isForParts(error)) throw error;

    tools.console.note(`${error.message} It is ordered in ${split.parts.length} parts instead.`);
    return sumOfParts(tools, split);
  }
}

async function sumOfParts(tools: ReportTools, split: Job): Promise<SummedReport> {
  const sums = new ReportSums();
  const findings: Remark[] = [];
  for (const part of split.parts) {
    const plan = { ...split.plan, window: part.window, request: part.request };
    const intake = summingIntake(tools, outputOf(split, part).expectation);
    const ofPart = await fetchOnceMore(tools, {
      ...fetchOf(split, tools.host.platform),
      plan,
      intake,
    });
    sums.absorb(ofPart.sums);
    findings.push(...ofPart.findings.map((finding) => labelled(labelOfPart(split, part), finding)));
  }
  return { sums, findings };
}

/** What an earlier report comes to. */
interface SummedReport {
  readonly sums: ReportSums;
  readonly findings: readonly Remark[];
}

/** An intake that judges a report by its request, and adds it up. */
function summingIntake(
  tools: ReportTools,
  expectation: Expectation | undefined,
): Intake<SummedReport> {
  return {
    async take(answer, origin) {
      const nowMs = tools.host.wallClock();
      const verdict = new ReportVerdict({ expectation, answer, origin, nowMs });
      const sums = new ReportSums();
      const columns = new ColumnPlan({});
      const batches = readAnswer(tools, answer);
      let next = await batches.next();
      for (; !next.done; next = await batches.next()) {
        if (columns.columns.length === 0) columns.follow(next.value);
        verdict.observe(next.value);
        sums.observe(next.value, columns.columns);
      }
      const { findings } = verdict.close(next.value);
      if (origin.id !== undefined) await noteFetched(tools, origin.id, undefined);
      return { sums, findings };
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
