import { metrics as everyMetric } from '../../contract/vocabulary.ts';
import { findLeadingMetric } from '../../present/choose-metrics.ts';
import { parseSort, unknownColumnError } from '../../query/file-columns.ts';
import { defaultMetrics, listAllMetrics, type ReportMetric } from '../../query/metrics.ts';
import { isTimeField } from '../../totals/group-keys.ts';
import { type RankedGroups, rankGroups } from '../../totals/ranked-groups.ts';
import { findReportMetric } from '../../totals/report-metrics.ts';
import { findNamedMetric } from '../rows/used-columns.ts';
import type { ViewOptions } from '../view-flags.ts';
import type { View } from './view.ts';

/**
 * Returns the metrics of `--metrics`. By default, returns all metrics of the files, the folder and
 * `--sort`. Throws `UsageError` for an unknown metric.
 */
export function chooseShownMetrics(
  view: Pick<View, 'options' | 'sources' | 'read' | 'groups'>,
): readonly ReportMetric[] {
  const { fields } = view.read;
  const { metrics: named, sort } = view.options;
  const columns = fields.length === 0 ? everyMetric.map(({ name }) => name) : fields;
  const all = listAllMetrics(columns);
  const chosen = new Map<string, ReportMetric>();
  const defaults = listFields(defaultMetrics(view.groups.metrics));
  const sorted = sort === undefined ? [] : [parseSort(sort).name];
  const requested = view.sources.query?.metrics ?? [];
  for (const name of named ?? [...defaults, ...requested, ...sorted]) {
    const metric = named ? findNamedMetric(name, columns) : findReportMetric(name, all);
    if (metric) chosen.set(metric.field, metric);
    else if (named) throw unknownColumnError(name, listFields(all), '--metrics');
  }
  return [...chosen.values()];
}

function listFields(metrics: readonly ReportMetric[]): string[] {
  return metrics.map(({ field }) => field);
}

/** Returns the metric to sort by: the first of `--metrics`, or else the leading metric. */
export function chooseSortMetric({ metrics, options }: View): ReportMetric | undefined {
  return options.metrics ? metrics[0] : findLeadingMetric(metrics);
}

/**
 * Ranks groups by `--sort`, or else by time, or else by the leading metric.
 *
 * @param defaultCount number of groups without `--top` (default: all)
 */
export function rankViewGroups(view: View, defaultCount?: number): RankedGroups {
  const { groups, metrics, options } = view;
  const defaultSort = groups.by.find(({ field }) => isTimeField(field)) ?? chooseSortMetric(view);
  const { sort = defaultSort?.field, top: count = defaultCount } = options;
  return rankGroups(groups, metrics, { sort, count });
}

/** Whether the user chose the order of groups or rows. */
export function isOrdered({ sort, top }: ViewOptions): boolean {
  return sort !== undefined || top !== undefined;
}

/**
 * Returns the metrics to write as columns. Computed metrics are included only if they were named.
 */
export function listColumnMetrics({ metrics, options, sources }: View): readonly ReportMetric[] {
  if (options.metrics) return metrics;
  const named: readonly string[] = sources.query?.metrics ?? [];
  return metrics.filter(({ field, computed }) => !computed || named.includes(field));
}
