import type { MetricName } from './vocabulary.ts';

/**
 * A metric that the service does not send: `factor × numerator / denominator`. It is computed from sums, never averaged
 * over rows, so it is right for any grouping.
 */
export interface DerivedMetric {
  /** What people read. */
  readonly name: string;
  /** Its column in a file, and what `--sort` takes. */
  readonly field: string;
  readonly numerator: MetricName;
  readonly denominator: MetricName;
  readonly factor: number;
  readonly unit: 'percent' | 'money';
  readonly words: readonly string[];
  readonly meaning: string;
}

/** What media buyers read next to the sums, in the order in which it is shown. */
export const derivedMetrics = [
  {
    name: 'CTR',
    field: 'ctr',
    numerator: 'clicks',
    denominator: 'displays',
    factor: 100,
    unit: 'percent',
    words: ['click-through rate', 'click rate', 'clickthrough'],
    meaning: 'click-through rate: clicks divided by displays, in a file as a fraction',
  },
  {
    name: 'eCPM €',
    field: 'ecpmEuro',
    numerator: 'revenueEuro',
    denominator: 'displays',
    factor: 1000,
    unit: 'money',
    words: ['cpm', 'ecpm', 'rpm', 'cost per mille'],
    meaning: 'revenue in euros of 1,000 displays',
  },
  {
    name: 'eCPM $',
    field: 'ecpmDollar',
    numerator: 'revenueDollar',
    denominator: 'displays',
    factor: 1000,
    unit: 'money',
    words: [],
    meaning: 'revenue in US dollars of 1,000 displays',
  },
] as const satisfies readonly DerivedMetric[];

/** What `--metrics` and a column call a derived metric. */
export type DerivedName = (typeof derivedMetrics)[number]['field'];

/** The derived metric of that column, in any case. */
export function findDerived(field: string): (DerivedMetric & { readonly field: DerivedName }) | undefined {
  return derivedMetrics.find((metric) => metric.field.toLowerCase() === field.toLowerCase());
}
