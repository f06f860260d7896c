import { resolve } from 'node:path';
import type { HistoryWriter } from '../folder/writer.ts';
import { outputOf } from '../query/plan.ts';
import type { Part } from '../query/window-parts.ts';
import { compareReport, planComparison } from './compare.ts';
import type { FolderJob } from './folder-jobs.ts';
import type { ReportTools } from './request.ts';
import type { RunTools } from './run-tools.ts';
import { type PreparedOutput, prepareOutput } from './write-report.ts';

/**
 * Prepares the output of a part, or without `part` the one output of all parts; with `--compare`
 * downloads the earlier report first. Throws as `prepareOutput` and `planComparison`.
 */
export async function prepareJobOutput(
  context: RunTools,
  tools: ReportTools,
  job: FolderJob,
  part?: Part,
): Promise<PreparedOutput> {
  const { plan, accountName, writer, label, name, spec } = job;
  const { window } = part ?? plan;
  const earlier = planComparison(context, job, window);
  const reportOutput = outputOf(job, part);
  const path = resolve(context.host.cwd, reportOutput.file ?? '');
  await writer?.expectNoLink(path);
  const output = await prepareOutput(context, job.options, reportOutput);
  const compared = earlier && (await compareReport(tools, { job, now: window, earlier }));

  return {
    ...output,
    earlierWarnings: [...output.earlierWarnings, ...(compared?.warnings ?? [])],
    label: { report: name ?? null, account: accountName, job: label },
    spec,
    beforeRename: part && writer && createFileRecorder(writer, path, part),
    comparison: compared?.comparison,
  };
}

/** Returns a function that records the file of a part in the history of its folder. */
function createFileRecorder(
  writer: HistoryWriter,
  path: string,
  { window, overAt }: Part,
): PreparedOutput['beforeRename'] {
  return (report) => writer.record({ ...report, path, window, overAt });
}
