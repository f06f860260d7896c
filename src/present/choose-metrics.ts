import { metricOfField } from '../contract/columns.ts';
import { hasAllMetrics, type ReportMetric } from '../query/metrics.ts';
import type { Sums } from '../totals/grouped-totals.ts';
import { metricValue } from '../totals/report-metrics.ts';

/** Metrics that are shown before eCPM, unless all of their values are zero. */
const conversions = ['downloads', 'leads', 'landings'];

/** Returns revenue, or the metric that takes its place in the order, in rankings and in changes. */
export function findLeadingMetric(metrics: readonly ReportMetric[]): ReportMetric | undefined {
  const sums = metrics.filter(({ derived }) => !derived);
  return mainMetrics(sums)[0] ?? sums[0];
}

/**
 * Chooses the metrics that people see. If `--metrics` names metrics, these are chosen, the main
 * metrics first. Otherwise these are revenue in one currency, displays, clicks, CTR, the
 * conversions that are not all zero, and eCPM.
 * @param metrics all metrics of the report, in request order
 */
export function chooseMetrics(metrics: readonly ReportMetric[], totals: Sums): ReportMetric[] {
  const main = mainMetrics(metrics);
  if (!hasAllMetrics(metrics.map(({ field }) => field))) return [...new Set([...main, ...metrics])];

  const filled = findNamed(metrics, conversions).filter((metric) => metricValue(metric, totals));
  return [...main, ...filled, ...findNamed(metrics, [`ecpm${chooseCurrency(metrics)}`])];
}

/**
 * Returns those of the main metrics that the report has: revenue in one currency, displays, clicks
 * and CTR.
 */
function mainMetrics(metrics: readonly ReportMetric[]): ReportMetric[] {
  const names = [`revenue${chooseCurrency(metrics)}`, 'displays', 'clicks', 'ctr'];
  return findNamed(metrics, names);
}

function chooseCurrency(metrics: readonly ReportMetric[]): 'Euro' | 'Dollar' {
  return findNamed(metrics, ['revenueEuro']).length > 0 ? 'Euro' : 'Dollar';
}

/** Finds metrics by their names in the vocabulary. */
function findNamed(metrics: readonly ReportMetric[], names: readonly string[]): ReportMetric[] {
  return names.flatMap((name) => {
    return metrics.find(({ field }) => (metricOfField(field)?.name ?? field) === name) ?? [];
  });
}

/** Puts the main metrics first, unless the user named some. */
export function orderMetrics(metrics: readonly ReportMetric[], totals: Sums): ReportMetric[] {
  if (!hasAllMetrics(metrics.map(({ field }) => field))) return [...metrics];
  return [...new Set([...chooseMetrics(metrics, totals), ...metrics])];
}
