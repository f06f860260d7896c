import { type Column, metricOfField } from '../contract/columns.ts';
import type { CheckMessage } from '../errors.ts';
import type { Totals } from '../folder/history-schema.ts';
import { type FolderToFill, type RecordResult, recordDownload } from '../folder/record-download.ts';
import type { WrittenFile } from '../output/written-file.ts';
import { listQueryColumns } from '../query/columns.ts';
import type { Part } from '../query/query.ts';
import type { GroupedTotals } from '../totals/grouped-totals.ts';
import { defaultMetrics, metricDigits } from '../totals/report-metrics.ts';

/** What the history of a folder keeps of a report, whose file is complete. */
interface CompletePart {
  readonly file: WrittenFile | undefined;
  readonly sums: GroupedTotals | undefined;
  readonly hasNumbers: boolean;
  readonly warnings: readonly CheckMessage[];
  readonly reportId: string | undefined;

  /** Milliseconds since 1970. */
  readonly createdMs: number;
}

/**
 * Records the file of a part in the history of its folder, before it is put in place. Returns
 * `undefined` for streams, which have no history. Throws `OutputError`.
 */
export async function recordPart(
  filled: FolderToFill,
  part: Part,
  { file, sums, hasNumbers, warnings, reportId, createdMs }: CompletePart,
): Promise<RecordResult | undefined> {
  if (!sums || file?.name === undefined || file.sha256 === undefined) return undefined;
  const { rowCount, sizeBytes, sha256 } = file;
  return recordDownload(filled, filled.declaration.pattern.nameFor(part), {
    since: part.since,
    until: part.until,
    rowCount,
    hasNumbers,
    sizeBytes,
    sha256,
    totals: toTotals(sums, listQueryColumns(part.query)),
    reportId: reportId ?? null,
    createdMs,
    warnings: warnings.map(({ message }) => message),
  });
}

/** Sums each requested metric exactly, by metric name. */
function toTotals(sums: GroupedTotals, columns: readonly Column[]): Totals {
  const all = sums.totals();
  const totals: Record<string, string> = {};
  // A report without rows has a sum of 0 for each metric.
  for (const { metric, type, hidden } of columns) {
    if (metric !== undefined && !hidden) totals[metric] = type === 'money' ? '0.00' : '0';
  }

  const requested = new Set<string | undefined>(columns.map(({ metric }) => metric));
  for (const metric of defaultMetrics(sums.metrics)) {
    const name = metricOfField(metric.field)?.name ?? metric.field;
    if (metric.derived || !requested.has(name)) continue;
    totals[name] = metricDigits(metric, all) ?? '0';
  }
  return totals;
}
