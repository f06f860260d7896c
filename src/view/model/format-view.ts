import { UsageError } from '../../errors.ts';
import type { TableLook } from '../../output/encoder.ts';
import { drawGroupTable } from '../../present/terminal/group-table.ts';
import { drawCard } from '../../present/terminal/report-card.ts';
import { labelsByMetric } from '../../query/flags/read-value.ts';
import { listKeyColumns } from '../../query/table-columns.ts';
import type { Context } from '../../run/context.ts';
import { wrap } from '../../text/cell-width.ts';
import { printable } from '../../text/printable.ts';
import { formatBytes, formatPlural } from '../../text/quantity.ts';
import { isTimeField } from '../../totals/group-keys.ts';
import { groupToJson } from '../../totals/ranked-groups.ts';
import { formatZone } from '../../totals/report-description.ts';
import { formatDaySpan, toDaySpan } from '../sources/period.ts';
import { findDaySpan } from './days-of-rows.ts';
import { chooseSortMetric, rankViewGroups } from './shown-metrics.ts';
import type { View } from './view.ts';

/** Number of bars without `--top`. */
const maxBars = 20;

/** Formats the names and totals of the files, followed by groups or a chart. */
export async function formatView({ console }: Context, view: View): Promise<string> {
  const { options, byTime, metrics } = view;
  const { look } = console.out;
  const card = drawCard(byTime, look, {
    metrics: options.metrics && metrics,
    labels: labelsByMetric(options.label),
  });
  const below = options.chart
    ? await drawChart(view, options.chart, look)
    : formatGroups(view, look);
  const lines = [formatHeading(view, look), ...card, '', ...below];
  return lines.map((line) => `${line}\n`).join('');
}

/**
 * Draws a table of the groups. Unlike in a `ViewTable`, the rates in the total are exact as well:
 * they exclude rows that lack one of the two metrics.
 */
function formatGroups(view: View, look: TableLook): string[] {
  if (view.rows) return [];
  const { columns, label } = view.options;
  const keys = listKeyColumns(view.groups.by);
  const defaultColumns = [...keys, ...view.metrics].map(({ field }) => field);
  return drawGroupTable(rankViewGroups(view), look, {
    columns: keys,
    selectedColumns: columns === 'all' || !columns ? defaultColumns : columns,
    labels: labelsByMetric(label),
  });
}

function formatHeading({ sources, read, byTime, window }: View, look: TableLook): string {
  const { style, width = Number.POSITIVE_INFINITY } = look;
  const { files, sizeBytes } = read;
  const name = `${sources.displayPath}:`;
  const details = [formatPlural(byTime.rowCount, 'row'), formatBytes(sizeBytes)];
  if (files.length > 1) details.unshift(formatPlural(files.length, 'file'));
  const days = window ? toDaySpan(window) : findDaySpan(byTime);
  if (days) details.push(formatDaySpan(days));

  const zone = sources.query?.timezone ?? files[0]?.tail.summary?.timezone;
  const suffix = zone === undefined ? '' : ` (${printable(formatZone(zone))})`;
  const text = `${style?.bold(name) ?? name} ${details.join(', ')}${suffix}`;
  return wrap(text, width - 2).join('\n  ');
}

/** Throws `UsageError` if a chart cannot draw the groups. */
async function drawChart(
  view: View,
  chart: 'bar' | 'line',
  look: TableLook,
): Promise<readonly string[]> {
  const keys = view.groups.by;
  const isBar = chart === 'bar';
  const canDraw = isBar ? keys.length > 0 : keys.some(({ field }) => isTimeField(field));
  if (!canDraw) {
    const needs = isBar ? 'groups' : 'days or hours';
    const example = isBar ? 'CAMPAIGN' : 'DAILY';
    throw new UsageError(`--chart ${chart} needs ${needs}.`, {
      hint: `Add --by ${example}, for example.`,
    });
  }
  const ranked = rankViewGroups(view, isBar ? maxBars : undefined);
  const metric = (view.options.metrics ? undefined : ranked.sortedBy) ?? chooseSortMetric(view);
  if (!metric) throw new UsageError('--chart needs a metric, and the report has none.');
  // Loaded lazily, because the scales take 10 ms to load.
  const { drawGroupBars, drawGroupLines } = await import('../../present/terminal/group-charts.ts');
  return isBar ? drawGroupBars(ranked, metric, look) : drawGroupLines(ranked, metric, look);
}

/** Formats the JSON object of `--json`. Sums keep all digits. */
export function formatDocument(view: View): string {
  const { all, metrics, top } = rankViewGroups(view);
  const totals = groupToJson([], metrics, { key: [], sums: all.totals() });
  const groups = top.map((group) => groupToJson(all.by, metrics, group));
  const sizes = `"rows":${all.rowCount},"bytes":${view.read.sizeBytes}`;
  return `{${sizes},"totals":${totals},"groups":[${groups.join(',')}]}\n`;
}
