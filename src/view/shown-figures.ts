import { metrics as everyMetric } from '../contract/vocabulary.ts';
import {
  everyFigureOf,
  type Figure,
  figuresNamed,
  figuresOf,
  findFigure,
  leadingFirst,
} from '../figures/figures.ts';
import { type Grouping, isTime } from '../figures/grouping.ts';
import { type RankedGroups, rankGroups } from '../figures/ranked-groups.ts';
import type { Sources } from './sources/find-sources.ts';
import type { View } from './view.ts';
import type { ViewOptions } from './view-flags.ts';

/** The figures of `--metrics`; by default all, including those of the folder and of `--sort`. */
export function figuresToShow(
  { metrics, rowCount }: Grouping,
  { metrics: named, sort }: ViewOptions,
  { spec }: Sources,
): readonly Figure[] {
  const isUnknown = rowCount === 0 && metrics.length === 0;
  const every = everyFigureOf(isUnknown ? everyMetric.map(({ name }) => name) : metrics);
  if (named) return figuresNamed(named, every);

  const sortName = sort?.replace(/:\w*$/, '').trim() ?? '';
  const figures = figuresOf(metrics);
  for (const name of [...(spec?.request.metrics ?? []), sortName]) {
    const figure = findFigure(name, every);
    if (figure && !figures.some(({ field }) => field === figure.field)) figures.push(figure);
  }
  return figures;
}

/** The figure to sort by: the first in `--metrics`, or else revenue or the leading one. */
export function leadingFigure({ figures, options }: View): Figure | undefined {
  return options.metrics === undefined ? leadingFirst(figures).leading[0] : figures[0];
}

/**
 * The groups in the order of `--sort`; by default by time, else by the leading figure.
 *
 * @param usualCount the number of groups without `--top`; all of them if absent
 */
export function rankedGroupsOf(view: View, usualCount?: number): RankedGroups {
  const { groups, figures, options } = view;
  const hasTime = groups.by.some(({ field }) => isTime(field));
  const usual = hasTime ? undefined : leadingFigure(view)?.field;
  const { sort = usual, top: count = usualCount } = options;
  return rankGroups(groups, figures, { sort, count });
}

/** The figures that are columns of a file: computed ones only if they were named. */
export function columnFigures({ figures, options, sources }: View): readonly Figure[] {
  if (options.metrics !== undefined) return figures;
  const named: readonly string[] = sources.spec?.request.metrics ?? [];
  return figures.filter(({ field, derived }) => !derived || named.includes(field));
}
