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
import { displayName, idWithoutName, noName } from '../group-name.ts';
import { chooseHeading } from './headings.ts';
import { type Bar, barChart, lineChart } from './text-charts.ts';

/** Draws horizontal bars of one metric. A line describes the groups that are not shown. */
export function groupBars(
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
  const lines = [heading(metric, look), ...barChart(bars, look)];

  if (others) {
    const rest = `${othersLabel(others.count)}: ${formatSums(others.sums)}`;
    lines.push(look.style?.dim(rest) ?? rest);
  }
  return lines;
}

/** Returns a function that names groups, without ids that have a name next to them. */
function groupFormatter(fields: readonly string[]): (key: GroupKey) => string {
  const hasName = fields.some(isNameField);

  return (key) => {
    const texts: string[] = [];
    for (const [i, field] of fields.entries()) {
      const type = fieldTypeOf(field);
      if (hasName && type === 'id') continue;
      const id = idWithoutName(field, (name) => key[fields.indexOf(name)]);
      const text = id === undefined ? (key[i] ?? null) : `${noName} ${id}`;
      const label = text === null ? noName : displayName(text);
      texts.push(printable(type === 'hour' ? shortenHour(label) : label));
    }
    return texts.join(' ');
  };
}

/** Maximum number of lines, as on pages. */
const maxLines = 5;

/**
 * Draws a line chart of a metric for each of the largest groups, if the groups have a key other
 * than time. A line describes the groups without a chart.
 */
export function groupLines(
  ranked: RankedGroups,
  metric: ReportMetric,
  look: TableLook = {},
): string[] {
  const { all } = ranked;
  const time = all.by.find(({ field }) => isTimeField(field));
  const names = all.by.filter((key) => key !== time && key.describes !== time?.field);
  if (!time || names.length === 0) return groupLine(ranked, metric, look);

  const named = new GroupedTotals(names, (field) => all.metrics.includes(field));
  named.absorb(all);
  const largest = [...named].sort(byMetric(metric));
  const formatName = groupFormatter(names.map(({ field }) => field));
  const lines: string[] = [];
  for (const group of largest.slice(0, maxLines)) {
    const own = addUpOverTime(all, time, ({ key }) => {
      return (
        named.find(
          all.by.flatMap((column, i) => (names.includes(column) ? [key[i] ?? null] : [])),
        ) === group
      );
    });
    const chart = groupLine({ ...ranked, all: own }, metric, look);
    lines.push(formatName(group.key), ...chart, '');
  }
  const rest = largest.slice(maxLines);
  if (rest.length > 0) {
    const sum = formatMetric(metric, addSums(rest, all.metrics)) ?? '';
    const line = `${othersLabel(rest.length)}: ${sum}`;
    lines.push(look.style?.dim(line) ?? line);
  }
  return lines;
}

/** Adds up the matching groups by time, with every time of all groups. */
function addUpOverTime(
  all: GroupedTotals,
  time: KeyColumn,
  matches: (group: Group) => boolean,
): GroupedTotals {
  const own = new GroupedTotals([time], (field) => all.metrics.includes(field));
  const place = all.by.indexOf(time);
  own.addFields(all.metrics);
  for (const group of all) {
    const sums = matches(group) ? group.sums : { get: () => undefined };
    own.add([group.key[place] ?? null], sums);
  }
  return own;
}

function groupLine({ all }: RankedGroups, metric: ReportMetric, look: TableLook): string[] {
  const axis = layOutTime(all, all.by[0]?.unit ?? 'day');
  if (!axis) return [];

  const { labels, ticks } = axis;
  const values = axis.slots.map((groups) => {
    return groups.length === 0 ? undefined : metricValue(metric, addSums(groups, all.metrics));
  });
  const chart = { values, ticks, formatValue: (value: number) => formatTick(metric, value) };

  const first = labels[0] ?? '';
  const last = labels.at(-1) ?? '';
  const days = first === last ? first : `${first} – ${last}`;
  const room = (look.width ?? Number.POSITIVE_INFINITY) - chooseHeading(metric.field).length - 2;
  const shortDays = shorten(days, room);
  const title = `${heading(metric, look)}  ${look.style?.dim(shortDays) ?? shortDays}`;
  return [title, ...lineChart(chart, look)];
}

function formatTick({ type }: ReportMetric, value: number): string {
  const text = new Intl.NumberFormat('en', { maximumFractionDigits: 6 }).format(value);
  return type === 'percent' ? `${text}%` : text;
}

function heading({ field }: ReportMetric, { style }: TableLook): string {
  const text = chooseHeading(field);
  return style ? style.bold(style.cyan(text)) : text;
}
