import {
  breakdownOfField,
  type Column,
  type FieldType,
  fieldTypeOf,
  metricOfField,
} from '../contract/columns.ts';
import { findAnyBreakdown } from '../contract/vocabulary.ts';
import type { KeyColumn } from './file-columns.ts';
import { listSourceFields, type ReportMetric } from './metrics.ts';

/**
 * Returns the column that `run` would have for a field.
 *
 * @param defaultType type of a field that is not in the vocabulary
 */
export function toColumn(field: string, defaultType: FieldType = 'money'): Column {
  const metric = metricOfField(field)?.name;
  const breakdown = breakdownOfField(field)?.name;
  const type = fieldTypeOf(field) ?? defaultType;
  return { field, type, ...(metric && { metric }), ...(breakdown && { breakdown }) };
}

/** Returns a column for each metric, and hidden columns for the metrics that rates need. */
export function listMetricColumns(metrics: readonly ReportMetric[]): Column[] {
  const columns = metrics.map(({ field }) => toColumn(field));
  for (const field of new Set(metrics.flatMap(listSourceFields))) {
    const isShown = metrics.some((metric) => metric.field === field);
    if (!isShown) columns.push({ ...toColumn(field), hidden: true });
  }
  return columns;
}

export function listKeyColumns(keys: readonly KeyColumn[]): Column[] {
  const columns: Column[] = [];
  for (const { field, unit, describes } of keys) {
    const column = toColumn(field, 'text');
    if (unit === 'week') columns.push({ ...column, breakdown: 'RANGE', isWeekly: true });
    else if (unit === 'month') columns.push({ ...column, breakdown: 'MONTHLY' });
    // The date of an hour precedes the hour.
    else if (describes === 'hour') columns.splice(-1, 0, { ...column, breakdown: 'HOURLY' });
    else columns.push(column);
  }
  return columns;
}

/** Replaces each column with its breakdown, if it has one. */
export function toBreakdownNames(by: readonly string[]): string[] {
  return by.map((name) => {
    return findAnyBreakdown(name)?.name ?? breakdownOfField(name)?.name ?? name;
  });
}
