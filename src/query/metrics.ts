import { fieldLabel, fieldOfMetric, fieldTypeOf, metricOfField } from '../contract/columns.ts';
import {
  type ComputedMetric,
  computedMetrics,
  findComputedMetric,
  profiles,
  vocabularyOf,
} from '../contract/vocabulary.ts';

/** A metric of a group or a report: a sum, or a quotient of two sums. */
export interface ReportMetric {
  readonly field: string;

  /** Label for readers: `Revenue (€)`, or a label from `--label`. */
  readonly label: string;

  readonly type: 'integer' | 'money' | 'percent';

  /** Formula of a computed metric, with the fields that it is computed from. */
  readonly computed?: ComputedMetric & {
    readonly numeratorField: string;
    readonly denominatorField: string;
  };
}

/**
 * Returns the metrics that are shown by default: sums in field order, then the usual computed
 * metrics.
 */
export function defaultMetrics(fields: readonly string[]): ReportMetric[] {
  return listAllMetrics(fields).filter(({ computed }) => !computed?.onlyWhenNamed);
}

/** Returns all available metrics: sums in field order, then all derived metrics. */
export function listAllMetrics(fields: readonly string[]): ReportMetric[] {
  const summed = fields.filter((field) => metricOfField(field));
  const names = [...summed, ...computedMetrics.map(({ name }) => name)];
  return names.flatMap((name) => toReportMetric(name, summed) ?? []);
}

/**
 * Finds a metric by name: the sum of a field, or a metric computed from the fields. Returns
 * `undefined` if there is no such metric or a field is missing.
 */
export function toReportMetric(name: string, fields: readonly string[]): ReportMetric | undefined {
  const label = fieldLabel(name);
  if (fields.includes(name)) {
    if (!metricOfField(name)) return undefined;
    return { field: name, label, type: fieldTypeOf(name) === 'money' ? 'money' : 'integer' };
  }

  const formula = findComputedMetric(name);
  if (!formula) return undefined;

  const numeratorField = fieldOfMetric(formula.numerator, fields);
  const denominatorField = fieldOfMetric(formula.denominator, fields);
  if (numeratorField === undefined || denominatorField === undefined) return undefined;

  const computed = { ...formula, numeratorField, denominatorField };
  return { field: name, label, type: formula.type, computed };
}

/** Lists the names of the metrics that can be computed from fields. */
export function listComputable(fields: readonly string[]): string[] {
  const computable = listAllMetrics(fields).filter(({ computed }) => computed);
  return computable.map(({ field }) => field);
}

/** Whether these are exactly the metrics of a profile, which a report has by default. */
export function hasAllMetrics(fields: readonly string[]): boolean {
  const present = new Set(fields.filter((field) => metricOfField(field)));
  return profiles.some((profile) => {
    const { metrics } = vocabularyOf(profile);
    const arePresent = metrics.every(({ name, rowField }) => {
      return present.has(name) || present.has(rowField?.[profile] ?? name);
    });
    return arePresent && metrics.length === present.size;
  });
}

/** Returns the columns that a rate is computed from, or the column of a sum. */
export function listSourceFields({ field, computed }: ReportMetric): readonly string[] {
  return computed ? [computed.numeratorField, computed.denominatorField] : [field];
}
