import { fieldLabel, fieldOfMetric, fieldTypeOf, metricOfField } from '../contract/columns.ts';
import { type DerivedMetric, derivedMetrics } from '../contract/vocabulary.ts';

/** Metric of a group or a report: a sum, or a quotient of two sums. */
export interface ReportMetric {
  readonly field: string;

  /** Label for people: `Revenue (€)`, or that of `--label`. */
  readonly label: string;

  readonly type: 'integer' | 'money' | 'percent';

  /** Formula of a metric that is computed from sums, with the row fields it reads. */
  readonly derived?: DerivedMetric & {
    readonly numeratorField: string;
    readonly denominatorField: string;
  };
}

/** Returns the metrics shown by default: sums in field order, and the usual derived metrics. */
export function defaultMetrics(fields: readonly string[]): ReportMetric[] {
  return listAllMetrics(fields).filter(({ derived }) => !derived?.onlyWhenNamed);
}

/** Returns all available metrics: sums in field order, and all derived metrics. */
export function listAllMetrics(fields: readonly string[]): ReportMetric[] {
  const summed = fields.filter((field) => metricOfField(field));
  const metrics = summed.map((field): ReportMetric => {
    const type = fieldTypeOf(field) === 'money' ? 'money' : 'integer';
    return { field, label: fieldLabel(field), type };
  });

  for (const { field } of derivedMetrics) {
    const metric = findComputedMetric(field, summed);
    if (metric) metrics.push(metric);
  }
  return metrics;
}

/**
 * Computes the derived metric of that name from the given row fields; `undefined` if there is no
 * such metric or a field is missing.
 */
export function findComputedMetric(
  name: string,
  fields: readonly string[],
): ReportMetric | undefined {
  const metric = derivedMetrics.find(({ field }) => field === name);
  if (!metric) return undefined;

  const numeratorField = fieldOfMetric(metric.numerator, fields);
  const denominatorField = fieldOfMetric(metric.denominator, fields);
  if (numeratorField === undefined || denominatorField === undefined) return undefined;

  const type = metric.unit === 'percent' ? 'percent' : 'money';
  return {
    field: name,
    label: fieldLabel(name),
    type,
    derived: { ...metric, numeratorField, denominatorField },
  };
}
