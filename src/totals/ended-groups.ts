import type { Group } from './grouped-totals.ts';
import { byMetric } from './ranked-groups.ts';
import { type Comparison, metricValue, type ReportMetric } from './report-metrics.ts';
import type { Unit } from './report-sums.ts';

/**
 * Returns groups of an earlier report that are missing from a unit, largest first by a metric.
 * Groups whose value was 0 or absent are left out.
 */
export function endedGroups(unit: Unit, { sums }: Comparison, metric: ReportMetric): Group[] {
  const before = sums.groupsOf(unit);
  const { groups } = unit;
  if (!before || !groups) return [];

  const ended = [...before].filter(({ key, sums: sumsBefore }) => {
    const value = metricValue(metric, sumsBefore);
    return !groups.find(key) && value !== undefined && value !== 0;
  });
  return ended.sort(byMetric(metric));
}
