import { fieldTypeOf } from '../../contract/columns.ts';
import { parseSort, sortColumn } from '../../query/file-columns.ts';
import { listAllMetrics } from '../../query/metrics.ts';
import type { Row, Value } from '../../rows/row-batch.ts';
import { isTimeField, toKeyValue } from '../../totals/group-keys.ts';
import { parseNumber } from '../../totals/numbers.ts';
import { metricValue, toSums } from '../../totals/report-metrics.ts';
import { byValue, compareNames, compareTimes } from '../../totals/sorting.ts';

/**
 * Returns the order of `--sort` for rows with these columns: numbers from the largest, others from
 * the first; rows without a value come last. Throws `UsageError` for an unknown column.
 */
export function parseRowOrder(
  sort: string,
  fields: readonly string[],
): (one: Row, other: Row) => number {
  const typed = parseSort(sort);
  const metrics = listAllMetrics(fields);
  const columns = [...new Set([...fields, ...metrics.map(({ field }) => field)])];
  const field = sortColumn(typed, columns);

  const metric = metrics.find((metric) => metric.field === field);
  const ascending = typed.direction === 'desc' ? -1 : 1;
  const descending = typed.direction === 'asc' ? 1 : -1;
  if (metric) {
    return byValue(
      (row) => metricValue(metric, toSums(row)),
      (a, b) => descending * (a - b),
    );
  }
  const readValue = (row: Row): string | undefined => toKeyValue(row[field]) ?? undefined;
  if (isTimeField(field)) return byValue(readValue, (a, b) => ascending * compareTimes(a, b));
  if (fieldTypeOf(field) !== undefined) {
    return byValue(readValue, (a, b) => ascending * compareNames(a, b));
  }
  return byValue(
    (row) => row[field] ?? undefined,
    (a, b) => descending * compareUnknown(a, b),
  );
}

/** Compares two values as numbers if both are, else as strings. */
function compareUnknown(one: Value, other: Value): number {
  const difference = Number(parseNumber(one)) - Number(parseNumber(other));
  return difference || compareNames(String(one), String(other));
}
