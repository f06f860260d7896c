import { fieldTypeOf } from '../../contract/columns.ts';
import { metrics as everyMetric } from '../../contract/vocabulary.ts';
import type { FolderQuery } from '../../folder/declaration.ts';
import { leadingMetric } from '../../present/choose-metrics.ts';
import { parseSort, unknownColumn } from '../../query/file-columns.ts';
import { defaultMetrics, listAllMetrics, type ReportMetric } from '../../query/metrics.ts';
import { isTimeField } from '../../totals/group-keys.ts';
import type { GroupedTotals } from '../../totals/grouped-totals.ts';
import { type RankedGroups, rankGroups } from '../../totals/ranked-groups.ts';
import { findReportMetric } from '../../totals/report-metrics.ts';
import type { ViewOptions } from '../view-flags.ts';
import type { View } from './view.ts';

/** The inputs of a choice of metrics. */
interface MetricChoice {
  readonly groups: GroupedTotals;

  /** Columns of all files; empty if no file has any. */
  readonly fields: readonly string[];
  readonly query: FolderQuery | undefined;
}

/**
 * Returns the metrics of `--metrics`; by default all, with those of the folder and of `--sort`.
 * Throws `UsageError` for an unknown one.
 */
export function metricsToShow(
  { metrics: named, sort }: ViewOptions,
  { groups, fields, query }: MetricChoice,
): readonly ReportMetric[] {
  const columns = fields.length === 0 ? everyMetric.map(({ name }) => name) : fields;
  const all = listAllMetrics(columns);
  const chosen = new Map<string, ReportMetric>();
  for (const name of named ?? []) {
    const metric = columnToAddUp(name, fields, all) ?? findReportMetric(name, all);
    if (!metric)
      throw unknownColumn(
        name,
        all.map(({ field }) => field),
        '--metrics',
      );
    chosen.set(metric.field, metric);
  }
  if (named) return [...chosen.values()];

  for (const metric of defaultMetrics(groups.metrics)) chosen.set(metric.field, metric);
  const sorted = sort === undefined ? [] : [parseSort(sort).name];
  for (const name of [...(query?.metrics ?? []), ...sorted]) {
    const metric = findReportMetric(name, all);
    if (metric && !chosen.has(metric.field)) chosen.set(metric.field, metric);
  }
  return [...chosen.values()];
}

/**
 * Finds the column with exactly that name, which is added up although the vocabulary does not know
 * it.
 */
function columnToAddUp(
  name: string,
  fields: readonly string[],
  all: readonly ReportMetric[],
): ReportMetric | undefined {
  const isUnknown = fields.includes(name) && fieldTypeOf(name) === undefined;
  const isComputed = all.some(({ field }) => field === name);
  return isUnknown && !isComputed ? { field: name, label: name, type: 'integer' } : undefined;
}

/** Returns the metric to sort by: the first of `--metrics`, or else revenue or what replaces it. */
export function metricToSortBy({ metrics, options }: View): ReportMetric | undefined {
  return options.metrics ? metrics[0] : leadingMetric(metrics);
}

/**
 * Ranks groups by `--sort`, or else by time, or else by the leading metric.
 *
 * @param usualCount number of groups without `--top`; default: all
 */
export function rankViewGroups(view: View, usualCount?: number): RankedGroups {
  const { groups, metrics, options } = view;
  const usual = groups.by.find(({ field }) => isTimeField(field)) ?? metricToSortBy(view);
  const { sort = usual?.field, top: count = usualCount } = options;
  return rankGroups(groups, metrics, { sort, count });
}

/** Returns true if the user chose the order of groups or rows. */
export function isOrdered({ sort, top }: ViewOptions): boolean {
  return sort !== undefined || top !== undefined;
}

/** Returns the metrics that are columns of a file: computed ones only if they were named. */
export function columnMetrics({ metrics, options, sources }: View): readonly ReportMetric[] {
  if (options.metrics) return metrics;
  const named: readonly string[] = sources.query?.metrics ?? [];
  return metrics.filter(({ field, derived }) => !derived || named.includes(field));
}

/** Returns the columns that rates are computed from. */
export function listRateParts(metrics: readonly ReportMetric[]): string[] {
  const parts = new Set<string>();
  for (const { derived } of metrics) {
    if (derived) parts.add(derived.numeratorField).add(derived.denominatorField);
  }
  return [...parts];
}
