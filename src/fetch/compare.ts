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
import { fetchWithRetry, mayWorkInParts, splitJob } from './once-more.ts';
import { noteFetched, type ReportTools } from './order.ts';
import { fetchOf, type Intake, readAnswer } from './receive.ts';

/** Throws `UsageError` for an output that cannot show changes. */
function checkComparable(
  context: Pick<Context, 'console' | 'host' | 'flags'>,
  options: OutputFlags,
): void {
  const format = chooseFormat(context, options);
  if (formats[format].showsChanges || showsCard(context, options)) return;
  throw new UsageError(`--compare does not work with ${format}, which cannot show changes.`, {
    hint: 'Write html, xlsx or a table, for example -o report.html',
    about: { flag: '--compare' },
  });
}

/** The plan of the report of the earlier window. */
type EarlierPlan = ReportPlan & { readonly window: EarlierWindow };

/**
 * Plan of the report to compare with, for the previous period or the year before; `undefined`
 * without `--compare`. Throws `UsageError` for an output that cannot show changes.
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

  // One report covers all earlier weeks: its days are added up.
  const breakdowns = request.breakdowns.map((name) => (name === 'RANGE' ? 'DAILY' : name));
  return { ...plan, window, request: { ...request, breakdowns } };
}

/** A window of a job, and the earlier report to compare it with. */
interface ComparedReport {
  readonly job: Job;
  readonly now: Window;
  readonly earlier: EarlierPlan;
}

/** The earlier figures, and the findings of the earlier report. */
interface JudgedComparison {
  readonly comparison: Comparison;
  readonly findings: readonly Remark[];
}

/** Fetches the earlier report and adds it up. */
export async function compareReport(
  tools: ReportTools,
  { job, now, earlier }: ComparedReport,
): Promise<JudgedComparison> {
  const { options } = job;
  const before = earlier.window;
  // With --shard, the earlier report is still complete.
  const whole = { ...job, plan: earlier, options: { ...options, shard: undefined } };
  const { sums, findings } = await fetchSums(tools, whole);

  const isOver = before.laterUntil === now.until;
  const counted = { ...now, until: before.laterUntil };
  const texts = { now: periodText(counted, isOver), before: periodText(before, isOver) };
  const comparison: Comparison = {
    sums,
    ...texts,
    begins: {
      now: formatInstant(now.since, now.zone),
      before: formatInstant(before.since, before.zone),
    },
    ...unequalDays(counted, before),
    notes: [
      ...(isOver ? [] : cutDayNotes(before)),
      ...(now.plannedUntil === undefined ? [] : now.notes),
    ],
  };
  return { comparison, findings: findings.map((finding) => labelled(texts.before, finding)) };
}

/** Fetches a report and adds it up: as one report, or in parts if that fails. */
async function fetchSums(tools: ReportTools, job: Job): Promise<SummedReport> {
  const intake = summingIntake(tools, outputOf(job).expectation);
  try {
    return await fetchWithRetry(tools, { ...fetchOf(job, tools.host.platform), intake });
  } catch (error) {
    const split = splitJob({ ...job, options: { ...job.options, split: undefined } });
    if (!split || !mayWorkInParts(error)) throw error;

    tools.console.note(`${error.message} Ordering it in ${split.parts.length} parts instead.`);
    return fetchSumsOfParts(tools, split);
  }
}

async function fetchSumsOfParts(tools: ReportTools, split: Job): Promise<SummedReport> {
  const sums = new ReportSums();
  const findings: Remark[] = [];
  for (const part of split.parts) {
    const plan = { ...split.plan, window: part.window, request: part.request };
    const intake = summingIntake(tools, outputOf(split, part).expectation);
    const ofPart = await fetchWithRetry(tools, {
      ...fetchOf(split, tools.host.platform),
      plan,
      intake,
    });
    sums.absorb(ofPart.sums);
    findings.push(...ofPart.findings.map((finding) => labelled(labelOfPart(split, part), finding)));
  }
  return { sums, findings };
}

interface SummedReport {
  readonly sums: ReportSums;
  readonly findings: readonly Remark[];
}

/** An intake that checks a report against its request and adds it up. */
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

/** A window as text; a window that ends during a day is shown as whole days. */
function periodText({ since, until, zone }: Window, isOver: boolean): string {
  const end = isOver ? formatInstant(until, zone) : `${formatDate(until, zone)}T23:59:59`;
  return windowText({ since: formatInstant(since, zone), until: end });
}

/** The number of days of each window, if they differ. */
function unequalDays(now: Window, before: Window): Pick<Comparison, 'days'> {
  const days = { now: calendarDays(now), before: calendarDays(before) };
  return days.now === days.before ? {} : { days };
}

/** A note if the last day of the earlier window is cut because the later window is not over. */
function cutDayNotes({ until, zone }: Window): string[] {
  const end = formatInstant(until + 1, zone);
  const time = end.slice(11, 16);
  if (time === '00:00') return [];

  const day = end.slice(0, 10);
  const dayText = windowText({ since: `${day}T00:00:00`, until: `${day}T23:59:59` });
  return [`The period is not over, so ${dayText} is also counted only until ${time}.`];
}
