import type { Column } from '../../contract/columns.ts';
import type { Profile } from '../../contract/vocabulary.ts';
import type { KeyColumn } from '../../query/file-columns.ts';
import type { ReportMetric } from '../../query/metrics.ts';
import { buildBatch } from '../../rows/build-batch.ts';
import type { RowBatch } from '../../rows/row-batch.ts';
import type { Decimal } from '../../text/decimal.ts';
import { formatPlural } from '../../text/quantity.ts';
import { dayIn, type GroupKey } from '../../totals/group-keys.ts';
import type { Group } from '../../totals/grouped-totals.ts';
import { padMoney } from '../../totals/numbers.ts';
import {
  isNameField,
  othersLabel,
  type RankedGroups,
  sortInServiceOrder,
} from '../../totals/ranked-groups.ts';
import { metricDigits } from '../../totals/report-metrics.ts';
import { columnMetrics, isOrdered, rankViewGroups } from './shown-metrics.ts';
import { listKeyColumns, listMetricColumns } from './table-columns.ts';
import type { TableBefore, View, ViewTable } from './view.ts';

/** How groups become the rows of a table. */
interface GroupValues {
  readonly columns: readonly Column[];
  readonly keys: readonly KeyColumn[];
  readonly metrics: readonly ReportMetric[];

  /**
   * True if rates are values of the table. Formats would compute them from sums that include rows
   * without both metrics.
   */
  readonly hasRates: boolean;
  readonly profile: Profile | undefined;
}

/** Makes a table of the groups of a view. */
export function buildGroupsTable(view: View): ViewTable {
  const { options, read, groups, sources } = view;
  const { by = [] } = options;
  const { keys } = read;
  const metrics = columnMetrics(view);
  const hasRates = groups.incompleteMetrics.size > 0;
  const columns = [...listKeyColumns(keys, by), ...listMetricColumns(metrics, hasRates)];
  const values = { columns, keys, metrics, hasRates, profile: sources.query?.profile };
  const cells = buildCells(values);
  const { top, others } = orderGroups(view);
  const withOthers = others ? [...top, toGroup(others, keys)] : top;
  return {
    columns,
    fields: cells.map(({ field }) => field),
    breakdowns: by,
    selected: hasRates ? columns.map(({ field }) => field) : undefined,
    leftOut: others && notShown(others.count, 'group', options),
    batches: (isForReaders) => groupBatches(cells, isForReaders ? withOthers : top),
    before: groupsBefore(view, values),
  };
}

function groupsBefore({ before, options }: View, values: GroupValues): TableBefore | undefined {
  if (!before) return undefined;
  const { groups } = before;
  const keys = groups.by.length > 0 ? groups.by : values.keys;
  const by = options.by?.map((name) => (name.toUpperCase() === 'WEEKLY' ? 'DAILY' : name)) ?? [];
  const columns = [...listKeyColumns(keys, by), ...listMetricColumns(values.metrics, false)];
  const cells = buildCells({ ...values, columns, keys });
  return { columns, batches: () => groupBatches(cells, sortInServiceOrder(groups)) };
}

/** Orders the groups; without `--sort` and `--top` as the service does. */
function orderGroups(view: View): Pick<RankedGroups, 'top' | 'others'> {
  if (isOrdered(view.options)) return rankViewGroups(view);
  return { top: sortInServiceOrder(view.groups), others: undefined };
}

/** Formats `8 more groups not shown (--top 3).` */
export function notShown(count: number, noun: 'group' | 'row', { top }: View['options']): string {
  return `${formatPlural(count, `more ${noun}`)} not shown (--top ${top}).`;
}

/** Labels the groups that `--top` omits in the column of names. */
function toGroup(
  { count, sums }: NonNullable<RankedGroups['others']>,
  keys: readonly KeyColumn[],
): Group {
  const named = keys.find(({ field }) => isNameField(field)) ?? keys[0];
  return { key: keys.map((key) => (key === named ? othersLabel(count) : null)), sums };
}

/** A field of rows made of groups. */
interface Cell {
  readonly field: string;

  /** Returns the value of a group as JSON. */
  readonly json: (group: Group) => string;
}

function buildCells({ columns, keys, metrics, hasRates, profile }: GroupValues): Cell[] {
  const cells: Cell[] = [];
  for (const { field, breakdown, type } of columns) {
    const index = keys.findIndex((key) => key.field === field);
    const rate = metrics.find((metric) => metric.field === field && metric.derived);
    if (field === 'date' && breakdown === 'HOURLY') {
      cells.push({ field, json: ({ key }) => JSON.stringify(dayOfHour(key, keys)) });
    } else if (index >= 0) {
      cells.push({ field, json: ({ key }) => JSON.stringify(key[index] ?? null) });
    } else if (rate && hasRates) {
      cells.push({ field, json: ({ sums }) => metricDigits(rate, sums) ?? 'null' });
    } else if (!rate) {
      const isComma = type === 'money' && profile === 'dsp';
      cells.push({ field, json: ({ sums }) => sumJson(sums.get(field), isComma) });
    }
  }
  return cells;
}

function dayOfHour(key: GroupKey, keys: readonly KeyColumn[]): string | null {
  const day = key[keys.findIndex(({ field }) => field === 'date')];
  const hour = key[keys.findIndex(({ field }) => field === 'hour')];
  return day ?? (hour ? dayIn(hour) : null);
}

/** @param hasComma for the money of a DSP: text with two decimals and a comma */
function sumJson(sum: Decimal | number | undefined, hasComma: boolean): string {
  if (sum === undefined) return 'null';
  const digits = String(sum);
  return hasComma ? JSON.stringify(padMoney(digits).replace('.', ',')) : digits;
}

const groupsPerPiece = 1_000;

function* groupBatches(cells: readonly Cell[], groups: readonly Group[]): Generator<RowBatch> {
  const fields = cells.map(({ field }) => field);
  for (let at = 0; at < groups.length; at += groupsPerPiece) {
    const rows = groups.slice(at, at + groupsPerPiece).map((group) => {
      return cells.map(({ json }) => json(group));
    });
    yield buildBatch(fields, rows, at);
  }
}
