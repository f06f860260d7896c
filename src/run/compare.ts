import { labelled } from '../checks/merged-check.ts';
import type { OpenReport } from '../client/open.ts';
import type { CheckMessage } from '../errors.ts';
import { ColumnPlan } from '../output/column-plan.ts';
import { earlierPart } from '../query/parts.ts';
import type { Part } from '../query/query.ts';
import { buildComparison } from '../totals/compared-report.ts';
import type { Comparison } from '../totals/report-metrics.ts';
import { ReportSums } from '../totals/report-sums.ts';
import { labelOfPart, type PlannedQuery } from './plan-run.ts';
import { type FetchSetup, fetchReport, setUpFetch } from './report-fetch.ts';
import { markDownloaded, type ReportTools } from './request.ts';
import { splitAfterFailure, splitReport } from './split-retry.ts';

/** Downloads the report to compare a part with, and adds it up. */
export async function compareReport(
  tools: ReportTools,
  report: PlannedQuery,
  part: Part,
): Promise<{ readonly comparison: Comparison; readonly warnings: readonly CheckMessage[] }> {
  const earlier = earlierPart(part);
  const single = { ...report, whole: earlier, allParts: [earlier], parts: [earlier] };
  const { sums, warnings } = await fetchSums(tools, { ...single, isMerged: false });
  const comparison = buildComparison(part, earlier, sums);
  return { comparison, warnings: warnings.map((warning) => labelled(comparison.before, warning)) };
}

/** Downloads a report and adds it up: as one report, or in parts if that fails. */
async function fetchSums(tools: ReportTools, report: PlannedQuery): Promise<SummedReport> {
  const split = splitReport(report);
  try {
    return await fetchSumsOfReport(tools, setUpFetch(tools, report));
  } catch (error) {
    return fetchSumsOfParts(tools, splitAfterFailure(tools, error, split));
  }
}

async function fetchSumsOfParts(tools: ReportTools, split: PlannedQuery): Promise<SummedReport> {
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
