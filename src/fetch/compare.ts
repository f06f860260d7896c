import { labelled } from '../checks/merged-check.ts';
import { ReportCheck } from '../checks/report-check.ts';
import type { Expectation } from '../checks/row-check.ts';
import type { Context } from '../context.ts';
import { checkComparable } from '../deliver/deliver.ts';
import type { CheckMessage } from '../errors.ts';
import { comparisonOf } from '../figures/compared-report.ts';
import type { Comparison } from '../figures/figures.ts';
import { ReportSums } from '../figures/report-sums.ts';
import { ColumnPlan } from '../output/column-plan.ts';
import { type Job, labelOfPart, outputOf } from '../plan/plan.ts';
import { type EarlierWindow, earlierWindow } from '../report/compared-window.ts';
import { type ReportPlan, requestFor } from '../report/request.ts';
import type { Window } from '../report/window.ts';
import { fetchWholeOrParts, fetchWithRetry } from './once-more.ts';
import { noteFetched, type ReportTools } from './order.ts';
import { fetchOf, type Intake, readAnswer } from './receive.ts';

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

/** The earlier figures, and the warnings of the earlier report. */
interface CheckedComparison {
  readonly comparison: Comparison;
  readonly warnings: readonly CheckMessage[];
}

/** Fetches the earlier report and adds it up. */
export async function compareReport(
  tools: ReportTools,
  { job, now, earlier }: ComparedReport,
): Promise<CheckedComparison> {
  const { options } = job;
  const before = earlier.window;
  // With --shard, the earlier report is still complete.
  const whole = { ...job, plan: earlier, options: { ...options, shard: undefined } };
  const { sums, warnings } = await fetchSums(tools, whole);

  const comparison = comparisonOf(now, before, sums);
  return { comparison, warnings: warnings.map((warning) => labelled(comparison.before, warning)) };
}

/** Fetches a report and adds it up: as one report, or in parts if that fails. */
function fetchSums(tools: ReportTools, job: Job): Promise<SummedReport> {
  const unsplit = { ...job, options: { ...job.options, split: undefined } };
  return fetchWholeOrParts(tools, unsplit, {
    whole() {
      const intake = summingIntake(tools, outputOf(job).expectation);
      return fetchWithRetry(tools, { ...fetchOf(job, tools.host.platform), intake });
    },
    inParts: (split) => fetchSumsOfParts(tools, split),
  });
}

async function fetchSumsOfParts(tools: ReportTools, split: Job): Promise<SummedReport> {
  const sums = new ReportSums({ keepsRows: true });
  const warnings: CheckMessage[] = [];
  for (const part of split.parts) {
    const plan = { ...split.plan, window: part.window, request: part.request };
    const intake = summingIntake(tools, outputOf(split, part).expectation);
    const ofPart = await fetchWithRetry(tools, {
      ...fetchOf(split, tools.host.platform),
      plan,
      intake,
    });
    sums.absorb(ofPart.sums);
    warnings.push(...ofPart.warnings.map((warning) => labelled(labelOfPart(split, part), warning)));
  }
  return { sums, warnings };
}

interface SummedReport {
  readonly sums: ReportSums;
  readonly warnings: readonly CheckMessage[];
}

/** An intake that checks a report against its request and adds it up. */
function summingIntake(
  tools: ReportTools,
  expectation: Expectation | undefined,
): Intake<SummedReport> {
  return {
    async take(answer, origin) {
      const nowMs = tools.host.wallClock();
      const check = new ReportCheck({ expectation, answer, origin, nowMs });
      const sums = new ReportSums({ keepsRows: true });
      const columns = new ColumnPlan({});
      const batches = readAnswer(tools, answer);
      let next = await batches.next();
      for (; !next.done; next = await batches.next()) {
        if (columns.columns.length === 0) columns.follow(next.value);
        check.observe(next.value);
        sums.observe(next.value, columns.columns);
      }
      const { warnings } = check.close(next.value);
      if (origin.id !== undefined) await noteFetched(tools, origin.id, undefined);
      return { sums, warnings };
    },
  };
}
