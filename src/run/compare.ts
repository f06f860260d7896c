import { labelled } from '../checks/merged-check.ts';
import type { OpenReport } from '../client/open.ts';
import type { CheckMessage } from '../errors.ts';
import { ColumnPlan } from '../output/column-plan.ts';
import { earlierWindow, type Window } from '../query/calendar.ts';
import { checkComparable, chooseFormat } from '../query/format-choice.ts';
import { type Job, labelOfPart } from '../query/plan.ts';
import { type ReportPlan, requestFor } from '../query/request.ts';
import { buildComparison } from '../totals/compared-report.ts';
import type { Comparison } from '../totals/figures.ts';
import { ReportSums } from '../totals/report-sums.ts';
import { type FetchSetup, fetchReport, setUpFetch } from './report-fetch.ts';
import { markDownloaded, type ReportTools } from './request.ts';
import type { RunTools } from './run-tools.ts';
import { splitAfterFailure, splitJob } from './split-retry.ts';

type EarlierPlan = ReportPlan & { readonly window: Window };

/**
 * Plans the report to compare with, for the previous period or the year before; `undefined` without
 * `--compare`. Throws `UsageError` for an output that cannot show changes.
 */
export function planComparison(
  context: Pick<RunTools, 'console' | 'flags' | 'host'>,
  { plan, options }: Pick<Job, 'plan' | 'options'>,
  now: Window,
): EarlierPlan | undefined {
  if (!options.compare) return undefined;

  checkComparable(chooseFormat(context, options));
  const window = earlierWindow(now, options.compare);
  const request = requestFor(plan, window);
  if (!plan.isWeekly) return { ...plan, window, request };

  // One report covers all earlier weeks: its days are added up.
  const breakdowns = request.breakdowns.map((name) => (name === 'RANGE' ? 'DAILY' : name));
  return { ...plan, window, request: { ...request, breakdowns } };
}

/** Downloads the earlier report to compare with a window of a job, and adds it up. */
export async function compareReport(
  tools: ReportTools,
  { job, now, earlier }: { readonly job: Job; readonly now: Window; readonly earlier: EarlierPlan },
): Promise<{ readonly comparison: Comparison; readonly warnings: readonly CheckMessage[] }> {
  const { options } = job;
  const before = earlier.window;
  // With --shard, the earlier report is still complete.
  const whole = { ...job, plan: earlier, options: { ...options, shard: undefined } };
  const { sums, warnings } = await fetchSums(tools, whole);

  const comparison = buildComparison(now, before, sums);
  return { comparison, warnings: warnings.map((warning) => labelled(comparison.before, warning)) };
}

/** Downloads a report and adds it up: as one report, or in parts if that fails. */
async function fetchSums(tools: ReportTools, job: Job): Promise<SummedReport> {
  const unsplit = { ...job, options: { ...job.options, split: undefined } };
  const split = splitJob(unsplit);
  try {
    return await fetchSumsOfReport(tools, setUpFetch(tools, job));
  } catch (error) {
    return fetchSumsOfParts(tools, splitAfterFailure(tools, error, split));
  }
}

async function fetchSumsOfParts(tools: ReportTools, split: Job): Promise<SummedReport> {
  const sums = new ReportSums({ keepsRows: true });
  const warnings: CheckMessage[] = [];
  for (const part of split.parts) {
    const ofPart = await fetchSumsOfReport(tools, setUpFetch(tools, split, { part }));
    sums.absorb(ofPart.sums);
    warnings.push(...ofPart.warnings.map((warning) => labelled(labelOfPart(split, part), warning)));
  }
  return { sums, warnings };
}

interface SummedReport {
  readonly sums: ReportSums;
  readonly warnings: readonly CheckMessage[];
}

function fetchSumsOfReport(tools: ReportTools, setup: FetchSetup): Promise<SummedReport> {
  return fetchReport(tools, setup, async (report) => {
    const sums = await addUp(report);
    await markDownloaded(tools, report.id);
    return { sums, warnings: report.result.warnings };
  });
}

async function addUp(report: OpenReport): Promise<ReportSums> {
  const sums = new ReportSums({ keepsRows: true });
  const columns = new ColumnPlan({});
  for await (const batch of report.batches()) {
    if (columns.columns.length === 0) columns.follow(batch);
    sums.observe(batch, columns.columns);
  }
  return sums;
}
