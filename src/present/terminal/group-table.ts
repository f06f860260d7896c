import type { TableLook } from '../../output/encoder.ts';
import { type ColumnChoice, planColumns } from '../../query/column-plan.ts';
import { isNameField, othersLabel, type RankedGroups } from '../../totals/ranked-groups.ts';
import { orderMetrics } from '../choose-metrics.ts';
import { buildTable, groupRows } from '../report-table.ts';
import { tableLines } from './table-lines.ts';

/**
 * Draws a table of groups, by default their keys and metrics, with a line for those that are not
 * shown and a line of totals.
 */
export function groupTable(
  { all, metrics, top, others }: RankedGroups,
  look: TableLook,
  choice: ColumnChoice,
): string[] {
  const total = all.totals();
  const rows = groupRows(all, top);
  if (others) {
    // The label is in the column that names the groups.
    const labelled = all.by.find(({ field }) => isNameField(field)) ?? all.by[0];
    const label = othersLabel(others.count);
    const valueIn = (field: string) => (field === labelled?.field ? label : null);
    rows.push({ sums: others.sums, valueIn });
  }
  const table = buildTable({
    columns: planColumns(choice, [...all.by.map(({ field }) => field), ...all.metrics]),
    metrics: orderMetrics(metrics, total),
    lead: metrics[0],
    rows,
    total,
    keepsOrder: true,
  });
  return tableLines(table, look);
}
