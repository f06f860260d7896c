import { requireSamePlace } from '../folder/record-download.ts';
import { nameValues } from '../query/file-name.ts';
import type { Part } from '../query/query.ts';
import { compareReport } from './compare.ts';
import type { Context } from './context.ts';
import type { FolderReport } from './folder-jobs.ts';
import type { ReportTools } from './request.ts';
import { type PreparedOutput, prepareOutput } from './run-report.ts';

/**
 * Prepares the output of a part, or without `part` the one output of all parts; with `--compare`
 * downloads the earlier report first. Throws as `prepareOutput`.
 */
export async function prepareReportOutput(
  context: Context,
  tools: ReportTools,
  report: FolderReport,
  part?: Part,
): Promise<PreparedOutput> {
  const { query, whole, accountName, filled, label, options } = report;
  const name = part && filled?.declaration.pattern.nameFor(part);
  if (filled && name !== undefined) await requireSamePlace(filled, name);
  const prepared = await prepareOutput(
    context,
    { ...options, ...query },
    {
      part: part ?? (options.shard ? undefined : whole),
      query,
      names: nameValues(part ?? whole),
      outputs: query.outputs,
    },
  );
  const compared = query.compare && (await compareReport(tools, report, part ?? whole));

  return {
    ...prepared,
    earlierWarnings: compared?.warnings ?? [],
    label: { report: query.report ?? null, account: accountName, job: label },
    filled: part && filled,
    comparison: compared?.comparison,
  };
}
