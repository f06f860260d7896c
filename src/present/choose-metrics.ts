import { metricOfField } from '../contract/columns.ts';
import { hasAllMetrics, type ReportMetric } from '../query/metrics.ts';
import type { Sums } from '../totals/grouped-totals.ts';
import { metricValue } from '../totals/report-metrics.ts';

/** Metrics that are shown before eCPM, unless all of their values are zero. */
const conversions = ['downloads', 'leads', 'landings'];

/**
 * Finds the metric by which rows are sorted, ranked and compared: revenue, if the report has it.
 */
export function findLeadingMetric(metrics: readonly ReportMetric[]): ReportMetric | undefined {
  const sums = metrics.filter(({ computed }) => !computed);
  return listMainMetrics(sums)[0] ?? sums[0];
}

/**
 * Chooses the metrics that people see: revenue in one currency, displays, clicks, CTR, the
 * conversions that are not all zero, and eCPM. If `--metrics` names metrics, chooses all of them,
 * the main metrics first.
 * @param metrics all metrics of the report, in request order
 */
export function chooseMetrics(metrics: readonly ReportMetric[], totals: Sums): ReportMetric[] {
  const main = listMainMetrics(metrics);
  if (!hasAllMetrics(metrics.map(({ field }) => field))) return [...new Set([...main, ...metrics])];

  const nonZero = findMetrics(metrics, conversions).filter((metric) => metricValue(metric, totals));
  return [...main, ...nonZero, ...findMetrics(metrics, [`ecpm${chooseCurrency(metrics)}`])];
}

/** Lists revenue in one currency, displays, clicks and CTR, if the report has them. */
function listMainMetrics(metrics: readonly ReportMetric[]): ReportMetric[] {
  const names = [`revenue${chooseCurrency(metrics)}`, 'displays', 'clicks', 'ctr'];
  return findMetrics(metrics, names);
}

function chooseCurrency(metrics: readonly ReportMetric[]): 'Euro' | 'Dollar' {
  return findMetrics(metrics, ['revenueEuro']).length > 0 ? 'Euro' : 'Dollar';
}

function findMetrics(metrics: readonly ReportMetric[], names: readonly string[]): ReportMetric[] {
  return names.flatMap((name) => {
    return metrics.find(({ field }) => (metricOfField(field)?.name ?? field) === name) ?? [];
  });
}

/** Puts the main metrics first, unless the user chose some. */
export function orderMetrics(metrics: readonly ReportMetric[], totals: Sums): ReportMetric[] {
  if (!hasAllMetrics(metrics.map(({ field }) => field))) return [...metrics];
  return [...new Set([...chooseMetrics(metrics, totals), ...metrics])];
}
