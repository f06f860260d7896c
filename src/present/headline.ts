import { metricOfField } from '../contract/columns.ts';
import type { ReportMetric } from '../query/metrics.ts';
import type { Comparison } from '../totals/comparison.ts';
import type { Group, Sums } from '../totals/grouped-totals.ts';
import { compareMetric, metricValue } from '../totals/report-metrics.ts';
import { type Dimension, dimensionNoun, type ReportSums } from '../totals/report-sums.ts';
import { findEndedGroups } from './ended-groups.ts';
import { formatGroupName } from './group-name.ts';
import { formatWithCurrency } from './metric-text.ts';

/**
 * Summarizes the report in a sentence: the revenue, its change, and the group that contributed most
 * to the change. Returns `undefined` if there is no revenue or no change.
 */
export function formatHeadline(
  sums: ReportSums,
  metric: ReportMetric,
  comparison: Comparison,
): string | undefined {
  const now = sums.total.totals();
  const { direction, text } = compareMetric(metric, now, comparison.sums.total.totals());
  const hasChanged = direction === 'up' || direction === 'down';
  if (!isRevenue(metric) || !hasChanged || valueOrZero(now, metric) <= 0) return undefined;

  const isRise = direction === 'up';
  // The amount already shows the currency, and the verb the direction.
  const subject = metric.label.replace(/ \([€$]\)$/, '');
  const percent = text.replace(/^\S+ /, '');
  const amount = formatWithCurrency(metric, now);
  const headline = `${subject} ${isRise ? 'rose' : 'fell'} ${percent} to ${amount}`;

  const dimensions = sums.dimensions.filter(({ isTime }) => !isTime);
  for (const dimension of dimensions) {
    const contributions = listContributions(dimension, comparison, metric);
    // A single group contributed the whole change.
    if (contributions.length < 2) continue;
    contributions.sort((a, b) => (isRise ? b.change - a.change : a.change - b.change));
    const [largest] = contributions;
    // Unnamed groups are not mentioned.
    if (!largest?.key.some((value) => value)) break;
    return `${headline}; ${formatContribution(largest, dimension, metric)}.`;
  }
  return `${headline}.`;
}

function isRevenue({ field, computed }: ReportMetric): boolean {
  return !computed && (metricOfField(field)?.name.startsWith('revenue') ?? false);
}

function valueOrZero(sums: Sums | undefined, metric: ReportMetric): number {
  return (sums && metricValue(metric, sums)) ?? 0;
}

/** Contribution of a group to the change of a metric. */
interface Contribution extends Pick<Group, 'key'> {
  /** `undefined` if the group does not occur in that report. */
  readonly now: Sums | undefined;
  readonly before: Sums | undefined;

  readonly change: number;
}

/** Lists the contributions of all groups, including groups that only one of the reports has. */
function listContributions(
  dimension: Dimension,
  comparison: Comparison,
  metric: ReportMetric,
): Contribution[] {
  const { groups } = dimension;
  const earlier = comparison.sums.findGroups(dimension);
  if (!groups || !earlier) return [];

  return [...groups, ...findEndedGroups(dimension, comparison, metric)].map(({ key }) => {
    const now = groups.find(key)?.sums;
    const before = earlier.find(key)?.sums;
    return {
      key,
      now,
      before,
      change: valueOrZero(now, metric) - valueOrZero(before, metric),
    };
  });
}

function formatContribution(
  { key, now, before, change }: Contribution,
  dimension: Dimension,
  metric: ReportMetric,
): string {
  const name = `“${formatGroupName(dimension.fields, key)}”`;
  const noun = dimensionNoun(dimension);
  if (now && !before) return `the new ${noun} ${name} added ${formatWithCurrency(metric, now)}`;
  if (!now && before) {
    return `the ${noun} ${name}, which ended, had ${formatWithCurrency(metric, before)}`;
  }
  const amount = formatWithCurrency(metric, { get: () => Math.abs(change) });
  return `${name} has ${amount} ${change > 0 ? 'more' : 'less'}`;
}
