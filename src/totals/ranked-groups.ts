import { fieldTypeOf } from '../contract/columns.ts';
import { breakdowns } from '../contract/vocabulary.ts';
import { type KeyColumn, parseSort, sortColumn } from '../query/file-columns.ts';
import { listAllMetrics, type ReportMetric } from '../query/metrics.ts';
import { formatCount } from '../text/quantity.ts';
import { isTimeField } from './group-keys.ts';
import { addSums, type Group, type GroupedTotals, type Sums } from './grouped-totals.ts';
import { metricDigits, metricValue } from './report-metrics.ts';
import { byValue, compareNames, compareTimes } from './sorting.ts';

/** Groups of a report in the requested order, and the sum of the groups that are not shown. */
export interface RankedGroups {
  readonly all: GroupedTotals;

  readonly metrics: readonly ReportMetric[];

  /** Groups to show, in order. */
  readonly top: readonly Group[];

  /** Groups that are not shown, if any. */
  readonly others: { readonly count: number; readonly sums: Sums } | undefined;

  /** Metric given to `--sort`, if any. */
  readonly sortedBy: ReportMetric | undefined;
}

type Order = (a: Group, b: Group) => number;

/**
 * Sorts groups and adds up the groups that are not shown.
 *
 * @param options.sort key or metric, optionally with `:asc` or `:desc`; default: the order of
 * `groups`
 * @param options.count number of groups to show; default: all
 * @throws UsageError for an unknown column
 */
export function rankGroups(
  all: GroupedTotals,
  metrics: readonly ReportMetric[],
  { sort, count }: { readonly sort?: string | undefined; readonly count?: number | undefined },
): RankedGroups {
  const isSorted = sort !== undefined && all.size > 0;
  const keys = all.by.map(({ field }) => field);
  const sorting = isSorted
    ? parseOrder<Group>(sort, {
        keys,
        metrics: [...metrics, ...listAllMetrics(all.metrics)],
        readKey: ({ key }, field) => key[keys.indexOf(field)] ?? undefined,
        readSums: ({ sums }) => sums,
      })
    : undefined;
  const ordered = [...all];
  if (sorting) ordered.sort(sorting.order);

  const top = ordered.slice(0, count);
  const rest = ordered.slice(top.length);
  const others =
    rest.length > 0 ? { count: rest.length, sums: addSums(rest, all.metrics) } : undefined;
  return { all, metrics, top, others, sortedBy: sorting?.metric };
}

/**
 * Compares groups by a metric: largest first, or smallest first if `sign` is 1. Groups without a
 * value come last.
 */
export function byMetric(metric: ReportMetric, sign: 1 | -1 = -1): Order {
  return byValue(
    ({ sums }) => metricValue(metric, sums),
    (a, b) => sign * (a - b),
  );
}

/** Columns that `--sort` accepts, with access to their values. */
interface Sortable<Item> {
  readonly keys: readonly string[];
  readonly metrics: readonly ReportMetric[];
  readKey(item: Item, field: string): string | undefined;
  readSums(item: Item): Sums;
}

interface ParsedOrder<Item> {
  readonly order: (a: Item, b: Item) => number;

  /** Not set if the items are sorted by a key. */
  readonly metric: ReportMetric | undefined;
}

/**
 * Parses `--sort`. By default, metrics are in descending order and keys in ascending order. Items
 * without a value come last. Throws `UsageError` for an unknown column.
 */
export function parseOrder<Item>(
  sort: string,
  { keys, metrics, readKey, readSums }: Sortable<Item>,
): ParsedOrder<Item> {
  const input = parseSort(sort);
  const columns = new Set([...keys, ...metrics.map(({ field }) => field)]);
  const column = sortColumn(input, [...columns]);
  const metric = metrics.find(({ field }) => field === column);
  if (metric) {
    const sign = input.direction === 'asc' ? 1 : -1;
    const readValue = (item: Item): number | undefined => metricValue(metric, readSums(item));
    return { order: byValue(readValue, (a, b) => sign * (a - b)), metric };
  }

  const sign = input.direction === 'desc' ? -1 : 1;
  const compare = isTimeField(column) ? compareTimes : compareNames;
  const readText = (item: Item): string | undefined => readKey(item, column);
  return { order: byValue(readText, (a, b) => sign * compare(a, b)), metric };
}

/**
 * Returns groups in the order of the service's rows: by time, then by the other fields in the order
 * of the vocabulary. IDs are compared as numbers, other strings by code unit. Groups without a
 * value come last.
 */
export function sortInServiceOrder(all: GroupedTotals): Group[] {
  const keys = all.by.map(({ field }, index) => ({
    field,
    index,
    position: findFieldPosition(field),
  }));
  keys.sort((a, b) => a.position - b.position);
  const orders = keys.map(({ field, index }) => {
    if (isTimeField(field)) return byKey(index, compareTimes);
    return byKey(index, fieldTypeOf(field) === 'id' ? compareIds : compareCodeUnits);
  });
  return [...all].sort((a, b) => {
    for (const order of orders) {
      const result = order(a, b);
      if (result !== 0) return result;
    }
    return 0;
  });
}

function findFieldPosition(field: string): number {
  const position = breakdowns.findIndex(({ fields }) => fields.some(({ name }) => name === field));
  return position < 0 ? breakdowns.length : position;
}

/** Compares IDs of any length as numbers. */
function compareIds(a: string, b: string): number {
  return a.length - b.length || compareCodeUnits(a, b);
}

function compareCodeUnits(a: string, b: string): number {
  return Number(a > b) - Number(a < b);
}

/** Compares groups by one value of their keys. */
function byKey(index: number, compare: (a: string, b: string) => number): Order {
  return byValue(({ key }) => key[index] ?? undefined, compare);
}

/** Serializes a group as a JSON object: the key, then the metrics with full precision. */
export function groupToJson(
  by: readonly KeyColumn[],
  metrics: readonly ReportMetric[],
  { key, sums }: Group,
): string {
  const values = by.map(({ field }, i) => member(field, JSON.stringify(key[i] ?? null)));
  const digits = metrics.map((metric) => {
    return member(metric.field, metricDigits(metric, sums) ?? 'null');
  });
  return `{${[...values, ...digits].join(',')}}`;
}

function member(name: string, json: string): string {
  return `${JSON.stringify(name)}:${json}`;
}

/** Whether a field contains neither IDs nor times. */
export function isNameField(field: string): boolean {
  return !['id', 'date', 'hour'].includes(fieldTypeOf(field) ?? 'text');
}

/** Formats `1 other` or `12 others`. */
export function othersLabel(count: number): string {
  return count === 1 ? '1 other' : `${formatCount(count)} others`;
}
