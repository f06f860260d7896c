import { fieldTypeOf } from '../../contract/columns.ts';
import { metrics as everyMetric } from '../../contract/vocabulary.ts';
import { isTime } from '../../totals/group-keys.ts';
import type { GroupedTotals } from '../../totals/grouped-totals.ts';
import { type RankedGroups, rankGroups } from '../../totals/ranked-groups.ts';
import {
  defaultMetrics,
  findReportMetric,
  findReportMetrics,
  listAllMetrics,
  type ReportMetric,
  splitLeadingMetrics,
} from '../../totals/report-metrics.ts';
import { parseSort } from '../../totals/sorting.ts';
import type { Sources } from '../sources/find-sources.ts';
import type { View } from '../view.ts';
import type { ViewOptions } from '../view-flags.ts';

/**
 * Returns the metrics of `--metrics`; by default all, including those of the folder and of
 * `--sort`.
 */
export function figuresToShow(
  { metrics }: GroupedTotals,
  { metrics: named, sort }: ViewOptions,
  { sources: { query }, fields }: { sources: Pick<Sources, 'query'>; fields: readonly string[] },
): readonly ReportMetric[] {
  const every = listAllMetrics(fields.length === 0 ? everyMetric.map(({ name }) => name) : fields);
  if (named) return figuresByName(named, every, fields);

  const sorted = sort === undefined ? [] : [parseSort(sort).name];
  const figures = defaultMetrics(metrics);
  for (const name of [...(query?.metrics ?? []), ...sorted]) {
    const figure = findReportMetric(name, every);
    if (figure && !figures.some(({ field }) => field === figure.field)) figures.push(figure);
  }
  return figures;
}

/** A column with exactly that name is added up, known or not. */
function figuresByName(
  names: readonly string[],
  every: readonly ReportMetric[],
  fields: readonly string[],
): readonly ReportMetric[] {
  const figures = names.flatMap((name): readonly ReportMetric[] => {
    const isUnknown = fields.includes(name) && fieldTypeOf(name) === undefined;
    const isComputed = every.some(({ field }) => field === name);
    if (isUnknown && !isComputed) return [{ field: name, label: name, type: 'integer' }];
    return findReportMetrics([name], every);
  });
  return [...new Map(figures.map((figure) => [figure.field, figure])).values()];
}

/** Returns the metric to sort by: the first in `--metrics`, or else revenue or the leading one. */
export function leadingFigure({ figures, options }: View): ReportMetric | undefined {
  return options.metrics === undefined ? splitLeadingMetrics(figures).leading[0] : figures[0];
}

/**
 * Ranks groups by `--sort`; by default by time, else by the leading metric.
 *
 * @param usualCount number of groups without `--top`; all of them if absent
 */
export function rankedGroupsOf(view: View, usualCount?: number): RankedGroups {
  const { groups, figures, options } = view;
  const hasTime = groups.by.some(({ field }) => isTime(field));
  const usual = hasTime ? undefined : leadingFigure(view)?.field;
  const { sort = usual, top: count = usualCount } = options;
  return rankGroups(groups, figures, { sort, count });
}

/** Returns the metrics that are columns of a file: computed ones only if they were named. */
export function columnFigures({ figures, options, sources }: View): readonly ReportMetric[] {
  if (options.metrics !== undefined) return figures;
  const named: readonly string[] = sources.query?.metrics ?? [];
  return figures.filter(({ field, derived }) => !derived || named.includes(field));
}
