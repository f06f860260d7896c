import { metricOfField } from '../contract/columns.ts';
import { profiles, vocabularyOf } from '../contract/vocabulary.ts';
import type { Sums } from '../totals/grouped-totals.ts';
import { metricValue, type ReportMetric, splitLeadingMetrics } from '../totals/report-metrics.ts';

/** Shown before eCPM, unless all of it is zero. */
const conversions = ['downloads', 'leads', 'landings'];

/** Returns revenue, or the metric that replaces it: for order, rankings and changes. */
export function leadingMetric(metrics: readonly ReportMetric[]): ReportMetric | undefined {
  const sums = metrics.filter(({ derived }) => !derived);
  return splitLeadingMetrics(sums).leading[0];
}

/**
 * Chooses the metrics that people see. Without `--metrics` these are revenue in one currency,
 * displays, clicks, CTR, conversions that are not all zero, and eCPM; otherwise the requested ones,
 * of which those come first.
 * @param metrics all metrics of the report, in request order
 */
export function chooseMetrics(metrics: readonly ReportMetric[], totals: Sums): ReportMetric[] {
  if (!hasAllMetrics(metrics)) {
    const { leading, others } = splitLeadingMetrics(metrics);
    return [...leading, ...others];
  }

  const named = (name: string): ReportMetric | undefined => {
    return metrics.find(({ field }) => (metricOfField(field)?.name ?? field) === name);
  };
  const filled = conversions.filter((name) => {
    const metric = named(name);
    return metric && metricValue(metric, totals);
  });
  const currency = named('revenueEuro') ? 'Euro' : 'Dollar';
  const names = [`revenue${currency}`, 'displays', 'clicks', 'ctr', ...filled, `ecpm${currency}`];
  return names.map(named).filter((metric) => metric !== undefined);
}

/** Puts the metrics that people look for first, unless the user named some. */
export function orderMetrics(metrics: readonly ReportMetric[], totals: Sums): ReportMetric[] {
  const chosen = hasAllMetrics(metrics) ? chooseMetrics(metrics, totals) : metrics;
  return [...chosen, ...metrics.filter((metric) => !chosen.includes(metric))];
}

/** Matches exactly the metrics of a profile, which a report has if the user named none. */
function hasAllMetrics(metrics: readonly ReportMetric[]): boolean {
  const sums = metrics.filter(({ derived }) => !derived);
  const fields = new Set(sums.map(({ field }) => field));
  return profiles.some((profile) => {
    const own = vocabularyOf(profile).metrics;
    const areThere = own.every(({ name, rowField }) => {
      return fields.has(name) || fields.has(rowField?.[profile] ?? name);
    });
    return areThere && own.length === fields.size;
  });
}
