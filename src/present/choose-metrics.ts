import { metricOfField } from '../contract/columns.ts';
import { profiles, vocabularyOf } from '../contract/vocabulary.ts';
import { type Figure, figureValue, splitLeadingMetrics } from '../totals/figures.ts';
import type { Sums } from '../totals/grouping.ts';

/** Shown before eCPM, unless all of it is zero. */
const conversions = ['downloads', 'leads', 'landings'];

/** Returns revenue, or the metric that replaces it: for order, rankings and changes. */
export function leadingMetric(figures: readonly Figure[]): Figure | undefined {
  const sums = figures.filter(({ derived }) => !derived);
  return splitLeadingMetrics(sums).leading[0];
}

/**
 * Chooses the metrics that people see. Without `--metrics` these are revenue in one currency,
 * displays, clicks, CTR, conversions that are not all zero, and eCPM; otherwise the requested ones,
 * of which those come first.
 * @param figures all metrics of the report, in request order
 */
export function chooseMetrics(figures: readonly Figure[], totals: Sums): Figure[] {
  if (!hasAllMetrics(figures)) {
    const { leading, others } = splitLeadingMetrics(figures);
    return [...leading, ...others];
  }

  const named = (name: string): Figure | undefined => {
    return figures.find(({ field }) => (metricOfField(field)?.name ?? field) === name);
  };
  const filled = conversions.filter((name) => {
    const figure = named(name);
    return figure && figureValue(figure, totals);
  });
  const currency = named('revenueEuro') ? 'Euro' : 'Dollar';
  const names = [`revenue${currency}`, 'displays', 'clicks', 'ctr', ...filled, `ecpm${currency}`];
  return names.map(named).filter((figure) => figure !== undefined);
}

/** Puts the metrics that people look for first, unless the user named some. */
export function orderMetrics(figures: readonly Figure[], totals: Sums): Figure[] {
  const chosen = hasAllMetrics(figures) ? chooseMetrics(figures, totals) : figures;
  return [...chosen, ...figures.filter((figure) => !chosen.includes(figure))];
}

/** Matches exactly the metrics of a profile, which a report has if the user named none. */
function hasAllMetrics(figures: readonly Figure[]): boolean {
  const sums = figures.filter(({ derived }) => !derived);
  const fields = new Set(sums.map(({ field }) => field));
  return profiles.some((profile) => {
    const { metrics } = vocabularyOf(profile);
    const areThere = metrics.every(({ name, rowField }) => {
      return fields.has(name) || fields.has(rowField?.[profile] ?? name);
    });
    return areThere && metrics.length === fields.size;
  });
}
