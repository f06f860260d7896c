import { fieldTypeOf } from '../../contract/columns.ts';
import type { TableLook } from '../../output/encoder.ts';
import type { KeyColumn } from '../../query/file-columns.ts';
import type { ReportMetric } from '../../query/metrics.ts';
import { shorten } from '../../text/cell-width.ts';
import { printable } from '../../text/printable.ts';
import { type GroupKey, isTimeField } from '../../totals/group-keys.ts';
import { addSums, type Group, GroupedTotals, type Sums } from '../../totals/grouped-totals.ts';
import { shortenHour } from '../../totals/numbers.ts';
import {
  byMetric,
  isNameField,
  othersLabel,
  type RankedGroups,
} from '../../totals/ranked-groups.ts';
import { formatMetric, metricValue } from '../../totals/report-metrics.ts';
import { layOutTime } from '../../totals/time-axis.ts';
import { formatName, idIfUnnamed, unnamedLabel } from '../group-name.ts';
import { type Bar, drawBars, drawLineChart } from './text-charts.ts';

/** Draws a bar of one metric per group, and one line for all groups beyond `--top`. */
export function drawGroupBars(
  { all, top, others }: RankedGroups,
  metric: ReportMetric,
  look: TableLook = {},
): string[] {
  const formatSums = (sums: Sums) => formatMetric(metric, sums) ?? '–';
  const formatLabel = groupFormatter(all.by.map(({ field }) => field));

  const bars = top.map(({ key, sums }): Bar => {
    return {
      label: formatLabel(key),
      value: metricValue(metric, sums) ?? 0,
      text: formatSums(sums),
    };
  });
  const lines = [formatHeading(metric, look), ...drawBars(bars, look)];

  if (others) {
    const rest = `${othersLabel(others.count)}: ${formatSums(others.sums)}`;
    lines.push(look.style?.dim(rest) ?? rest);
  }
  return lines;
}

/** Returns a function that formats group names. Omits an ID if the group also has a name. */
function groupFormatter(fields: readonly string[]): (key: GroupKey) => string {
  const hasName = fields.some(isNameField);

  return (key) => {
    const names: string[] = [];
    for (const [i, field] of fields.entries()) {
      const type = fieldTypeOf(field);
      if (hasName && type === 'id') continue;
      const id = idIfUnnamed(field, (name) => key[fields.indexOf(name)]);
      const value = id === undefined ? (key[i] ?? null) : `${unnamedLabel} ${id}`;
      const name = value === null ? unnamedLabel : formatName(value);
      names.push(printable(type === 'hour' ? shortenHour(name) : name));
    }
    return names.join(' ');
  };
}

/** Maximum number of line charts, equal to the number of lines on a page. */
const maxCharts = 5;

/**
 * Draws a metric over time. If there are other keys, draws a chart for each of the largest groups,
 * and one line for all others.
 */
export function drawGroupLines(
  ranked: RankedGroups,
  metric: ReportMetric,
  look: TableLook = {},
): string[] {
  const { all } = ranked;
  const time = all.by.find(({ field }) => isTimeField(field));
  const nameColumns = all.by.filter((key) => key !== time && key.describes !== time?.field);
  if (!time || nameColumns.length === 0) return drawOverTime(ranked, metric, look);

  const byName = new GroupedTotals(nameColumns, (field) => all.metrics.includes(field));
  byName.addAll(all);
  const largest = [...byName].sort(byMetric(metric));
  const nameIndexes = nameColumns.map((column) => all.by.indexOf(column));
  const formatGroup = groupFormatter(nameColumns.map(({ field }) => field));
  const lines: string[] = [];
  for (const group of largest.slice(0, maxCharts)) {
    const byTime = addUpOverTime(all, time, ({ key }) => {
      return byName.find(nameIndexes.map((i) => key[i] ?? null)) === group;
    });
    const chart = drawOverTime({ ...ranked, all: byTime }, metric, look);
    lines.push(formatGroup(group.key), ...chart, '');
  }
  const rest = largest.slice(maxCharts);
  if (rest.length > 0) {
    const sum = formatMetric(metric, addSums(rest, all.metrics)) ?? '';
    const line = `${othersLabel(rest.length)}: ${sum}`;
    lines.push(look.style?.dim(line) ?? line);
  }
  return lines;
}

/** Adds up the matching groups by time. Times without a match have no value. */
function addUpOverTime(
  all: GroupedTotals,
  time: KeyColumn,
  matches: (group: Group) => boolean,
): GroupedTotals {
  const byTime = new GroupedTotals([time], (field) => all.metrics.includes(field));
  const timeIndex = all.by.indexOf(time);
  byTime.addFields(all.metrics);
  for (const group of all) {
    const sums = matches(group) ? group.sums : { get: () => undefined };
    byTime.add([group.key[timeIndex] ?? null], sums);
  }
  return byTime;
}

function drawOverTime({ all }: RankedGroups, metric: ReportMetric, look: TableLook): string[] {
  const axis = layOutTime(all, all.by[0]?.unit ?? 'day');
  if (!axis) return [];

  const { labels, ticks } = axis;
  const values = axis.slots.map((groups) => {
    return groups.length === 0 ? undefined : metricValue(metric, addSums(groups, all.metrics));
  });
  const chart = { values, ticks, formatValue: (value: number) => formatTick(metric, value) };

  const first = labels[0] ?? '';
  const last = labels.at(-1) ?? '';
  const period = first === last ? first : `${first} – ${last}`;
  const room = (look.width ?? Number.POSITIVE_INFINITY) - metric.label.length - 2;
  const shortPeriod = shorten(period, room);
  const title = `${formatHeading(metric, look)}  ${look.style?.dim(shortPeriod) ?? shortPeriod}`;
  return [title, ...drawLineChart(chart, look)];
}

function formatTick({ type }: ReportMetric, value: number): string {
  const text = new Intl.NumberFormat('en', { maximumFractionDigits: 6 }).format(value);
  return type === 'percent' ? `${text}%` : text;
}

function formatHeading({ label }: ReportMetric, { style }: TableLook): string {
  return style ? style.bold(style.cyan(label)) : label;
}
