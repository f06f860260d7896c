import type { KeyColumn } from '../../query/file-columns.ts';
import { listKeyColumns, listMetricColumns } from '../../query/table-columns.ts';
import { buildBatches } from '../../rows/build-batch.ts';
import type { RowBatch } from '../../rows/row-batch.ts';
import type { Decimal } from '../../text/decimal.ts';
import { formatPlural } from '../../text/quantity.ts';
import { addSums, type Group, type GroupedTotals } from '../../totals/grouped-totals.ts';
import { padMoney } from '../../totals/numbers.ts';
import {
  isNameField,
  othersLabel,
  type RankedGroups,
  sortInServiceOrder,
} from '../../totals/ranked-groups.ts';
import { metricDigits } from '../../totals/report-metrics.ts';
import { isOrdered, listColumnMetrics, rankViewGroups } from './shown-metrics.ts';
import type { View, ViewTable } from './view.ts';

export function buildGroupsTable(view: View): ViewTable {
  const { options, groups, before } = view;
  // Formats would compute rates from sums that include rows without both metrics.
  const hasRates = groups.incompleteMetrics.size > 0;
  const { columns, fields, toBatches } = planTable(view, groups, hasRates);
  const earlier = before && planTable(view, before.groups, false);
  const ordered = orderGroups(view);
  const { top, others } = ordered;
  const withOthers = others ? [...top, buildOthersGroup(others, groups.by)] : top;
  return {
    columns,
    fields,
    breakdowns: options.by ?? [],
    selected: hasRates ? columns.flatMap(({ field, hidden }) => (hidden ? [] : field)) : undefined,
    omittedNote: others && formatRestNote(others.count, 'group', options),
    batches: (isForReaders) => toBatches(isForReaders ? withOthers : top),
    before: earlier && {
      columns: earlier.columns,
      batches: (isForReaders) => {
        return earlier.toBatches(listEarlierGroups(before.groups, ordered, isForReaders));
      },
    },
  };
}

/** Orders the groups. Without `--sort` and `--top`, they are in the service's order. */
function orderGroups(view: View): Pick<RankedGroups, 'all' | 'top' | 'others'> {
  if (isOrdered(view.options)) return rankViewGroups(view);
  return { all: view.groups, top: sortInServiceOrder(view.groups), others: undefined };
}

/**
 * Lists the groups of the earlier period. Groups that `--top` omits in this period are also
 * omitted or added up here.
 */
function listEarlierGroups(
  before: GroupedTotals,
  { all, top, others }: Pick<RankedGroups, 'all' | 'top' | 'others'>,
  withOthers: boolean,
): Group[] {
  const groups = sortInServiceOrder(before);
  if (!others) return groups;

  const shown = new Set<Group | undefined>([undefined, ...top]);
  const isShown = ({ key }: Group): boolean => shown.has(all.find(key));
  const kept = groups.filter(isShown);
  if (!withOthers) return kept;
  const rest = groups.filter((group) => !isShown(group));
  const sums = addSums(rest, before.metrics);
  return [...kept, buildOthersGroup({ count: others.count, sums }, before.by)];
}

/** Formats `8 more groups not shown (--top 3).` */
export function formatRestNote(
  count: number,
  noun: 'group' | 'row',
  { top }: View['options'],
): string {
  return `${formatPlural(count, `more ${noun}`)} not shown (--top ${top}).`;
}

/** Builds the row with the sums of the groups that `--top` omits. */
function buildOthersGroup(
  { count, sums }: NonNullable<RankedGroups['others']>,
  keys: readonly KeyColumn[],
): Group {
  const named = keys.find(({ field }) => isNameField(field)) ?? keys[0];
  return { key: keys.map((key) => (key === named ? othersLabel(count) : null)), sums };
}

/** Columns of groups, and a function that converts groups to rows. */
interface TablePlan extends Pick<ViewTable, 'columns' | 'fields'> {
  toBatches(groups: readonly Group[]): Generator<RowBatch>;
}

/** @param hasRates whether rates are written as values */
function planTable(view: View, { by: keys }: GroupedTotals, hasRates: boolean): TablePlan {
  const metrics = listColumnMetrics(view);
  const isDsp = view.sources.query?.profile === 'dsp';
  const columns = [...listKeyColumns(keys), ...listMetricColumns(metrics)];
  const values = new Map<string, (group: Group) => string>();
  for (const { field, type } of columns) {
    const index = keys.findIndex((key) => key.field === field);
    const rate = metrics.find((metric) => metric.field === field && metric.computed);
    const isComma = isDsp && type === 'money';
    if (index >= 0) values.set(field, ({ key }) => JSON.stringify(key[index] ?? null));
    else if (!rate) values.set(field, ({ sums }) => formatSum(sums.get(field), isComma));
    else if (hasRates) values.set(field, ({ sums }) => metricDigits(rate, sums) ?? 'null');
  }
  const fields = [...values.keys()];
  const readers = [...values.values()];
  return {
    columns,
    fields,
    toBatches: (groups) => {
      return buildBatches(fields, groups, (group) => readers.map((read) => read(group)));
    },
  };
}

/** @param hasComma whether to format a DSP's money: a string with two decimals and a comma */
function formatSum(sum: Decimal | number | undefined, hasComma: boolean): string {
  if (sum === undefined) return 'null';
  const digits = String(sum);
  return hasComma ? JSON.stringify(padMoney(digits).replace('.', ',')) : digits;
}
