import { currencyOf } from '../contract/columns.ts';
import type { ReportMetric } from '../query/metrics.ts';
import type { Sums } from '../totals/grouped-totals.ts';
import { formatMetric, metricValue } from '../totals/report-metrics.ts';

/** Formats a metric, money with its currency sign. Returns `–` if there is no value. */
export function formatWithCurrency(metric: ReportMetric, sums: Sums): string {
  const text = formatMetric(metric, sums);
  return text === null ? '–' : addCurrency(metric, text);
}

/** Adds the currency sign to money. Returns any other value unchanged. */
export function addCurrency({ field, type }: ReportMetric, text: string): string {
  if (type !== 'money') return text;
  return text.replace(/^-?/, (sign) => sign + currencyOf(field));
}

/**
 * Computes the share of a part in the whole, from 0 to 1. Returns `undefined` for rates, which have
 * no shares, and if the whole is 0 or the part is negative.
 */
export function computeShare(metric: ReportMetric, part: Sums, whole: Sums): number | undefined {
  if (metric.computed) return undefined;
  const value = metricValue(metric, part) ?? 0;
  const all = metricValue(metric, whole) ?? 0;
  return all > 0 && value >= 0 ? value / all : undefined;
}
