import { UsageError } from '../../errors.ts';
import { formats } from '../../formats/index.ts';
import type { TableLook } from '../../output/encoder.ts';
import { groupTable } from '../../present/terminal/group-table.ts';
import { reportCard } from '../../present/terminal/report-card.ts';
import { labelsByMetric } from '../../query/flags/read-value.ts';
import type { Context } from '../../run/context.ts';
import { prepareFiles } from '../../run/prepare-files.ts';
import { wrap } from '../../text/cell-width.ts';
import { printable } from '../../text/printable.ts';
import { formatBytes, formatPlural } from '../../text/quantity.ts';
import { isTimeField } from '../../totals/group-keys.ts';
import { groupToJson } from '../../totals/ranked-groups.ts';
import { formatZone } from '../../totals/report-description.ts';
import type { KeptRows } from '../groups/kept-rows.ts';
import { toDaySpan } from '../sources/period.ts';
import { buildTail, buildViewTable } from './build-table.ts';
import { findDaySpan } from './days-of-rows.ts';
import { metricToSortBy, rankViewGroups } from './shown-metrics.ts';
import { listKeyColumns } from './table-columns.ts';
import type { View } from './view.ts';

/** Number of bars without `--top`. */
const maxBars = 20;

/** Formats the names of the files, their totals, and their groups, first rows or a chart. */
export async function formatView(context: Context, view: View): Promise<string> {
  const { options, byTime, metrics } = view;
  const { look } = context.console.out;
  const card = reportCard(byTime, look, {
    metrics: options.metrics && metrics,
    labels: labelsByMetric(options.label),
  });
  const below = await formatBody(context, view, look);
  const lines = [heading(view, look), ...card, '', ...below];
  return `${lines.join('\n').trimEnd()}\n`;
}

async function formatBody(
  context: Context,
  view: View,
  look: TableLook,
): Promise<readonly string[]> {
  const { chart } = view.options;
  if (chart) return chartLines(view, chart, look);
  return view.rows ? [await formatRows(context, view, view.rows)] : formatGroups(view, look);
}

/**
 * Draws the groups themselves, not their table: their rates, also in the total, are of the rows that
 * have both metrics.
 */
function formatGroups(view: View, look: TableLook): string[] {
  const { by = [], columns, label } = view.options;
  const keys = listKeyColumns(view.read.keys, by);
  const shown = [...keys, ...view.metrics].map(({ field }) => field);
  return groupTable(rankViewGroups(view), look, {
    columns: keys,
    selectedColumns: columns === 'all' || !columns ? shown : columns,
    labels: labelsByMetric(label),
  });
}

function heading({ sources, read, byTime, window }: View, look: TableLook): string {
  const { style, width = Number.POSITIVE_INFINITY } = look;
  const { files, sizeBytes } = read;
  const name = `${sources.shown}:`;
  const facts = [formatPlural(byTime.rowCount, 'row'), formatBytes(sizeBytes)];
  if (files.length > 1) facts.unshift(formatPlural(files.length, 'file'));
  const days = window ? toDaySpan(window) : findDaySpan(byTime);
  if (days) facts.push(days.since === days.until ? days.since : `${days.since} to ${days.until}`);

  const zone = sources.query?.timezone ?? files[0]?.tail.summary?.timezone;
  const suffix = zone === undefined ? '' : ` (${printable(formatZone(zone))})`;
  const text = `${style?.bold(name) ?? name} ${facts.join(', ')}${suffix}`;
  return wrap(text, width - 2).join('\n  ');
}

/** Draws the first rows as `run` draws them, without totals. */
async function formatRows(context: Context, view: View, rows: KeptRows): Promise<string> {
  const { options } = view;
  const { look } = context.console.out;
  const table = buildViewTable(view);
  const { columns } = table;
  const outputs = [{ path: '-', format: 'table' }] as const;
  const [file] = await prepareFiles(context, { ...options, outputs, names: {} }, columns);
  const encoder = await formats.table.createEncoder({
    ...file?.encoding,
    table: { ...look, totals: false },
    keepsOrder: true,
  });
  let rowCount = 0;
  for await (const batch of table.batches(false)) {
    rowCount += batch.rowCount;
    encoder.encode(batch);
  }
  const pieces = await encoder.end(buildTail(view, table, rowCount));
  const text = Buffer.concat(pieces).toString();
  const moreRows = rows.rest.rowCount;
  if (moreRows === 0) return text;

  const count = formatPlural(moreRows, 'more row');
  const rest = `… and ${count}. Group them with --by, or show more with --top.`;
  return text + wrap(rest, look.width ?? Number.POSITIVE_INFINITY).join('\n');
}

/** Throws `UsageError` if a chart cannot draw the groups. */
async function chartLines(
  view: View,
  chart: 'bar' | 'line',
  look: TableLook,
): Promise<readonly string[]> {
  const keys = view.groups.by;
  const canDraw = chart === 'bar' ? keys.length > 0 : keys.some(({ field }) => isTimeField(field));
  if (!canDraw) {
    const needs = chart === 'bar' ? 'groups' : 'days or hours';
    throw new UsageError(`--chart ${chart} needs ${needs}.`, {
      hint: 'Add --by, for example --by CAMPAIGN for bars, --by DAILY for a line.',
    });
  }
  const ranked = rankViewGroups(view, chart === 'bar' ? maxBars : undefined);
  const metric = (view.options.metrics ? undefined : ranked.sortedBy) ?? metricToSortBy(view);
  if (!metric) throw new UsageError('--chart needs a metric, and the report has none.');
  // Loaded lazily: scales take 10 ms, which commands without a chart should not pay for.
  const { drawGroupBars, drawGroupLines } = await import('../../present/terminal/group-charts.ts');
  return chart === 'bar'
    ? drawGroupBars(ranked, metric, look)
    : drawGroupLines(ranked, metric, look);
}

/** Formats the object of `--json`. Sums have all their digits. */
export function formatDocument(view: View): string {
  const { all, metrics, top } = rankViewGroups(view);
  const totals = groupToJson([], metrics, { key: [], sums: all.totals() });
  const groups = top.map((group) => groupToJson(all.by, metrics, group));
  const sizes = `"rows":${all.rowCount},"bytes":${view.read.sizeBytes}`;
  return `{${sizes},"totals":${totals},"groups":[${groups.join(',')}]}\n`;
}
