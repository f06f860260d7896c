import type { ReportMetric } from '../query/metrics.ts';
import { joinWords } from '../text/quantity.ts';
import type { Comparison } from '../totals/comparison.ts';
import { addSums, type Group, GroupedTotals } from '../totals/grouped-totals.ts';
import { byMetric, othersLabel } from '../totals/ranked-groups.ts';
import { metricValue } from '../totals/report-metrics.ts';
import type { Dimension, ReportSums } from '../totals/report-sums.ts';
import { formatGroupName } from './group-name.ts';
import { formatWithCurrency } from './metric-text.ts';

/** Maximum number of groups to list. The others are added up. */
const maxNames = 5;

/**
 * Lists the breakdowns other than time. If the report is empty, lists those of the earlier report.
 */
export function listBreakdowns(sums: ReportSums, comparison: Comparison | undefined): Dimension[] {
  const isEmpty = sums.total.rowCount === 0;
  const earlier = comparison?.sums.dimensions.map((dimension) => ({
    ...dimension,
    groups: new GroupedTotals(),
  }));
  const dimensions = (isEmpty && earlier) || sums.dimensions;
  return dimensions.filter(({ isTime }) => !isTime);
}

/** Formats `Ended: Summer (€12.00 before).`, or returns `undefined` if nothing has ended. */
export function formatEndedGroups(
  dimension: Dimension,
  metric: ReportMetric,
  comparison: Comparison,
): string | undefined {
  const ended = findEndedGroups(dimension, comparison, metric);
  if (ended.length === 0) return undefined;

  const count = ended.length > maxNames + 1 ? maxNames : ended.length;
  const items = ended.slice(0, count).map((group) => {
    const name = formatGroupName(dimension.fields, group.key);
    return `${name} (${formatWithCurrency(metric, group.sums)} before)`;
  });

  const others = ended.slice(count);
  if (others.length > 0) {
    const sums = addSums(others, comparison.sums.findGroups(dimension)?.metrics ?? []);
    items.push(`${othersLabel(others.length)} (${formatWithCurrency(metric, sums)} before)`);
  }
  return `Ended: ${joinWords(items)}.`;
}

/**
 * Finds the groups of an earlier report that are missing from this one, largest first. Groups that
 * had no value or 0 are omitted.
 */
export function findEndedGroups(
  dimension: Dimension,
  { sums }: Comparison,
  metric: ReportMetric,
): Group[] {
  const before = sums.findGroups(dimension);
  const { groups } = dimension;
  if (!before || !groups) return [];

  const ended = [...before].filter(({ key, sums: sumsBefore }) => {
    const value = metricValue(metric, sumsBefore);
    return !groups.find(key) && value !== undefined && value !== 0;
  });
  return ended.sort(byMetric(metric));
}
