import { resolve } from 'node:path';
import type { HistoryWriter } from '../folder/writer.ts';
import { nameValues } from '../query/file-name.ts';
import type { Part } from '../query/query.ts';
import { compareReport } from './compare.ts';
import type { FolderReport } from './folder-jobs.ts';
import { nameFile } from './plan-run.ts';
import type { ReportTools } from './request.ts';
import type { RunTools } from './run-tools.ts';
import { type PreparedOutput, prepareOutput } from './write-report.ts';

/**
 * Prepares the output of a part, or without `part` the one output of all parts; with `--compare`
 * downloads the earlier report first. Throws as `prepareOutput`.
 */
export async function prepareReportOutput(
  context: RunTools,
  tools: ReportTools,
  report: FolderReport,
  part?: Part,
): Promise<PreparedOutput> {
  const { query, whole, accountName, writer, label, options, earlierWarnings = [] } = report;
  const [{ path: output, format }] = query.outputs;
  const path = resolve(context.host.cwd, nameFile(report, part) ?? '');
  await writer?.expectNoLink(path);
  const prepared = await prepareOutput(
    context,
    { ...options, ...query, output },
    {
      part: part ?? (options.shard ? undefined : whole),
      query,
      names: nameValues(part ?? whole),
      format,
    },
  );
  const compared = query.compare && (await compareReport(tools, report, part ?? whole));

  return {
    ...prepared,
    earlierWarnings: [...earlierWarnings, ...(compared?.warnings ?? [])],
    label: { report: query.report ?? null, account: accountName, job: label },
    beforeRename: part && writer && createFileRecorder(writer, path, part),
    comparison: compared?.comparison,
  };
}

/** Returns a function that records the file of a part in the history of its folder. */
function createFileRecorder(
  writer: HistoryWriter,
  path: string,
  part: Part,
): PreparedOutput['beforeRename'] {
  return (report) => writer.record({ ...report, path, window: part, overAt: part.end });
}
