import { addLabel } from '../checks/merged-check.ts';
import type { CheckMessage } from '../errors.ts';
import { type PlannedColumn, planColumns } from '../query/column-plan.ts';
import { earlierPart } from '../query/parts.ts';
import type { Part } from '../query/query.ts';
import type { Comparison } from '../totals/comparison.ts';
import { formatPeriod } from '../totals/report-description.ts';
import { ReportSums } from '../totals/report-sums.ts';
import type { Context } from './context.ts';
import { type ReportRows, ReportSource, type ReportToRead } from './report-source.ts';

/** The earlier report for `--compare`, with its sums. */
export interface EarlierReport {
  readonly comparison: Comparison;
  readonly warnings: readonly CheckMessage[];
  readonly reportIds: readonly string[];
}

/** Downloads the earlier report of a comparison and adds up its metrics. */
export async function sumEarlierReport(
  context: Context,
  part: Part,
  { options, downloads }: Pick<ReportToRead, 'options' | 'downloads'>,
): Promise<EarlierReport> {
  const earlier = earlierPart(part);
  const source = new ReportSource(context, { part: earlier, options, downloads });
  for (;;) {
    try {
      const rows = await source.open();
      const sums = await addUp(rows);
      await source.recordDownload();
      const label = formatPeriod(earlier);
      const warnings = rows.result.warnings.map((warning) => addLabel(label, warning));
      const comparison = { sums, now: part, before: earlier };
      return { comparison, warnings, reportIds: source.reportIds };
    } catch (error) {
      await source.recover(error);
    }
  }
}

async function addUp(rows: ReportRows): Promise<ReportSums> {
  const sums = new ReportSums({ keepsRows: true });
  let columns: readonly PlannedColumn[] | undefined;
  for await (const batch of rows.batches()) {
    columns ??= planColumns({}, batch.fields);
    sums.observe(batch, columns);
  }
  return sums;
}
