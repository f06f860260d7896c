import type { TableLook } from '../../output/encoder.ts';
import { type ColumnChoice, planColumns } from '../../query/column-plan.ts';
import { isNameField, othersLabel, type RankedGroups } from '../../totals/ranked-groups.ts';
import { orderMetrics } from '../choose-metrics.ts';
import { buildTable, toGroupRows } from '../report-table.ts';
import { drawReportTable } from './table-lines.ts';

/** Draws a table of groups with totals. Groups beyond `--top` share one row. */
export function drawGroupTable(
  { all, metrics, top, others }: RankedGroups,
  look: TableLook,
  choice: ColumnChoice,
): string[] {
  const total = all.totals();
  const rows = toGroupRows(all, top);
  if (others) {
    const nameColumn = all.by.find(({ field }) => isNameField(field)) ?? all.by[0];
    const label = othersLabel(others.count);
    const getValue = (field: string) => (field === nameColumn?.field ? label : null);
    rows.push({ sums: others.sums, getValue });
  }
  const table = buildTable({
    columns: planColumns(choice, [...all.by.map(({ field }) => field), ...all.metrics]),
    metrics: orderMetrics(metrics, total),
    leadingMetric: metrics[0],
    rows,
    total,
    keepsOrder: true,
  });
  return drawReportTable(table, look);
}
