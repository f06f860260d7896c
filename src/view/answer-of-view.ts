import { columnsOf } from '../contract/columns.ts';
import { breakdowns } from '../contract/vocabulary.ts';
import { comparisonOf } from '../figures/compared-report.ts';
import type { Comparison } from '../figures/figures.ts';
import type { KeyColumn } from '../figures/grouping.ts';
import { inServiceOrder, resolveKeys } from '../figures/ranked-groups.ts';
import type { FolderSpec } from '../folder/history.ts';
import { describeWindow, type Window } from '../report/window.ts';
import {
  breakdownNames,
  columnsOfAnswer,
  hasUnevenRows,
  sentBreakdowns,
  type ViewAnswer,
} from './answer.ts';
import { sumsOfAnswer } from './answer-rows.ts';
import { columnFigures, rankedGroupsOf } from './shown-figures.ts';
import type { View } from './view.ts';

/** The groups of a view as the report that the service would answer with. */
export function answerOf(view: View): ViewAnswer {
  const { options, sources, groups } = view;
  const { by = [] } = options;
  const keys = keysOf(view);
  const figures = columnFigures(view);
  const isUneven = hasUnevenRows(groups);
  return {
    columns: columnsOfAnswer({ by, keys, figures, isUneven }),
    ...shownGroups(view),
    summary: summaryOf(sources.window, by),
    profile: sources.spec?.request.profile,
    by: keys,
    isUneven,
    figures,
  };
}

/** The groups in the order that was asked for; without one, in that of the service. */
function shownGroups(view: View): Pick<ViewAnswer, 'groups' | 'others'> {
  const { sort, top } = view.options;
  if (sort === undefined && top === undefined) {
    return { groups: inServiceOrder(view.groups), others: undefined };
  }
  const ranked = rankedGroupsOf(view);
  return { groups: ranked.top, others: ranked.others };
}

/** The comparison with the period before; `undefined` without `--compare`. */
export async function comparisonOfView(
  { options, sources, gathered }: View,
  answer: ViewAnswer,
): Promise<Comparison | undefined> {
  const { window, earlier } = sources;
  const before = gathered.sums[1];
  if (!window || !earlier || !before) return undefined;

  const keys = before.groups.by.length > 0 ? before.groups.by : answer.by;
  const { by = [] } = options;
  const sums = await sumsOfAnswer({
    ...answer,
    columns: columnsOfAnswer({
      by: by.map((name) => (name.toUpperCase() === 'WEEKLY' ? 'DAILY' : name)),
      keys,
      figures: answer.figures,
      isUneven: false,
    }),
    by: keys,
    groups: inServiceOrder(before.groups),
    others: undefined,
  });
  return comparisonOf(window, earlier, sums);
}

/** The keys of `--by`, also of files without columns, as far as their request is known. */
function keysOf({ gathered, options, sources }: View): readonly KeyColumn[] {
  if (gathered.keys) return gathered.keys;
  const { spec } = sources;
  const { by } = options;
  if (!by) return [];
  return resolveKeys(by, spec ? fieldsOf(spec) : everyField);
}

/** The columns that JSON without rows and request can have. */
const everyField = breakdowns.flatMap(({ fields }) => fields.map(({ name }) => name));

function fieldsOf({ request }: FolderSpec): readonly string[] {
  const { profile, metrics } = request;
  const sent = sentBreakdowns(request.breakdowns) ?? [];
  const fields = columnsOf(profile, { breakdowns: sent, metrics: [] }).map(({ field }) => field);
  return fields.includes('date') || metrics.length === 0 ? fields : ['date', ...fields];
}

function summaryOf(window: Window | undefined, by: readonly string[]): object | undefined {
  if (!window) return undefined;
  const { since, until } = describeWindow(window);
  return { since, until, breakdowns: breakdownNames(by), timezone: window.zone };
}
