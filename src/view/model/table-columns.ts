import {
  breakdownOfField,
  type Column,
  fieldTypeOf,
  metricOfField,
} from '../../contract/columns.ts';
import { findAnyBreakdown } from '../../contract/vocabulary.ts';
import type { KeyColumn } from '../../query/file-columns.ts';
import type { ReportMetric } from '../../query/metrics.ts';
import { fieldsToSum } from '../rows/used-columns.ts';

/** Returns the column of a field as `run` has it; an unknown one is a number to add up. */
export function toColumn(field: string): Column {
  const metric = metricOfField(field)?.name;
  const breakdown = breakdownOfField(field)?.name;
  const type = fieldTypeOf(field) ?? 'money';
  return { field, type, ...(metric && { metric }), ...(breakdown && { breakdown }) };
}

/**
 * Returns a column for each metric, and hidden ones for the metrics that rates are computed from.
 *
 * @param hasRates true if rates are values of the rows
 */
export function listMetricColumns(metrics: readonly ReportMetric[], hasRates: boolean): Column[] {
  const columns = metrics.map(({ field, derived }): Column => {
    return derived ? { field, type: 'money' } : toColumn(field);
  });
  const hidden = hasRates ? [] : new Set(metrics.flatMap(fieldsToSum));
  for (const field of hidden) {
    const isShown = metrics.some((metric) => metric.field === field);
    if (!isShown) columns.push({ ...toColumn(field), hidden: true });
  }
  return columns;
}

/** Returns the columns of keys, in the order of `--by`. */
export function listKeyColumns(keys: readonly KeyColumn[], by: readonly string[]): Column[] {
  const isHourly = by.some((name) => name.toUpperCase() === 'HOURLY');
  const columns: Column[] = [];
  for (const { field, unit, describes } of keys) {
    // The day of an hour is written before it.
    if (field === 'date' && describes === 'hour') continue;
    if (unit === 'week') columns.push({ field, type: 'date', breakdown: 'RANGE', isWeekly: true });
    else if (unit === 'month') columns.push({ field, type: 'date', breakdown: 'MONTHLY' });
    else if (field === 'hour' && isHourly) {
      columns.push({ field: 'date', type: 'date', breakdown: 'HOURLY' });
      columns.push({ field, type: 'hour', breakdown: 'HOURLY' });
    } else {
      const breakdown = breakdownOfField(field)?.name;
      columns.push({ field, type: fieldTypeOf(field) ?? 'text', ...(breakdown && { breakdown }) });
    }
  }
  return columns;
}

/** Returns the names of breakdowns for columns that have one. */
export function breakdownNames(by: readonly string[]): string[] {
  return by.map((name) => {
    return findAnyBreakdown(name)?.name ?? breakdownOfField(name)?.name ?? name;
  });
}
