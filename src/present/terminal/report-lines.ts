import type { EncodeOptions } from '../../output/encoder.ts';
import type { ColumnPlan } from '../../query/column-plan.ts';
import type { Row } from '../../rows/row-batch.ts';
import { wrap } from '../../text/cell-width.ts';
import { printable } from '../../text/printable.ts';
import type { ReportSums } from '../../totals/report-sums.ts';
import { findLeadingMetric, orderMetrics } from '../choose-metrics.ts';
import { formatEndedGroups, listBreakdowns } from '../ended-groups.ts';
import { earlierRowFinder, listPlanMetrics } from '../report-model.ts';
import { buildTable, toTableRows } from '../report-table.ts';
import { drawReportTable } from './table-lines.ts';

export interface ReportToDraw {
  readonly plan: ColumnPlan;
  readonly sums: ReportSums;
  readonly rows: readonly Row[];
  readonly options: EncodeOptions;
}

/** Draws all rows of a report for a terminal, and lists the groups that have ended. */
export function drawReport({ plan, sums, rows, options }: ReportToDraw): string[] {
  const { table: look = {}, comparison, selectedColumns, keepsOrder } = options;
  const total = sums.total.totals();
  const metrics = listPlanMetrics(plan);
  const leadingMetric = findLeadingMetric(metrics);
  const table = buildTable({
    columns: plan.visibleColumns,
    metrics: orderMetrics(metrics, total),
    leadingMetric,
    rows: toTableRows(rows),
    total,
    findBefore: earlierRowFinder(comparison?.sums.rows),
    hasNamedColumns: selectedColumns !== undefined,
    keepsOrder,
  });
  const lines = drawReportTable(table, look, comparison);
  if (!comparison || !leadingMetric) return lines;

  for (const dimension of listBreakdowns(sums, comparison)) {
    const sentence = printable(formatEndedGroups(dimension, leadingMetric, comparison) ?? '');
    if (sentence !== '') lines.push(...wrap(sentence, look.width ?? Number.POSITIVE_INFINITY));
  }
  return lines;
}
