import { columnsOf } from '../contract/columns.ts';
import { comparisonOf } from '../figures/compared-report.ts';
import type { Comparison } from '../figures/figures.ts';
import { isTime, type KeyColumn } from '../figures/grouping.ts';
import { inServiceOrder, rankGroups, resolveKeys } from '../figures/ranked-groups.ts';
import { describeWindow, type Window } from '../report/window.ts';
import {
  breakdownNames,
  columnsOfAnswer,
  hasUnevenRows,
  sentBreakdowns,
  type ViewAnswer,
} from './answer.ts';
import { sumsOfAnswer } from './answer-rows.ts';
import { columnFigures, leadingFigure } from './shown-figures.ts';
import type { View } from './view.ts';

export async function answerOf(
  view: View,
): Promise<{ readonly answer: ViewAnswer; readonly comparison: Comparison | undefined }> {
  const { options, sources, groups, gathered } = view;
  const by = options.by ?? [];
  const keys = keysOf(view);
  const figures = columnFigures(view);
  const isUneven = hasUnevenRows(groups);
  const isRanked = options.sort !== undefined || options.top !== undefined;
  const lead = leadingFigure(view);
  const hasTimeKey = keys.some(({ field }) => isTime(field));
  const ranked = rankGroups(groups, view.figures, {
    sort: options.sort ?? (hasTimeKey ? undefined : lead?.field),
    count: options.top,
  });
  const answer: ViewAnswer = {
    columns: columnsOfAnswer({ by, keys, figures, isUneven }),
    groups: isRanked ? ranked.top : inServiceOrder(groups),
    others: isRanked ? ranked.others : undefined,
    summary: summaryOf(sources.window, by),
    profile: sources.spec?.request.profile,
    by: keys,
    isUneven,
    figures,
  };

  const { window, earlier } = sources;
  const before = gathered.sums[1];
  if (!window || !earlier || !before) return { answer, comparison: undefined };
  const beforeKeys = before.groups.by.length > 0 ? before.groups.by : keys;
  const sums = await sumsOfAnswer({
    ...answer,
    columns: columnsOfAnswer({
      by: by.map((name) => (name.toUpperCase() === 'WEEKLY' ? 'DAILY' : name)),
      keys: beforeKeys,
      figures,
      isUneven: false,
    }),
    by: beforeKeys,
    groups: inServiceOrder(before.groups),
    others: undefined,
  });
  return { answer, comparison: comparisonOf(window, earlier, sums) };
}

export function keysOf({ gathered, options, sources }: View): readonly KeyColumn[] {
  if (gathered.keys) return gathered.keys;
  const { spec } = sources;
  const { by } = options;
  if (!by || !spec) return [];
  const { profile, breakdowns, metrics } = spec.request;
  const sent = sentBreakdowns(breakdowns) ?? [];
  const fields = columnsOf(profile, { breakdowns: sent, metrics: [] }).map(({ field }) => field);
  return resolveKeys(
    by,
    fields.includes('date') || metrics.length === 0 ? fields : ['date', ...fields],
  );
}

function summaryOf(window: Window | undefined, by: readonly string[]): object | undefined {
  if (!window) return undefined;
  const { since, until } = describeWindow(window);
  return { since, until, breakdowns: breakdownNames(by), timezone: window.zone };
}
