import type { ReportMetric } from '../../query/metrics.ts';
import type { Comparison } from '../../totals/comparison.ts';
import type { Sums } from '../../totals/grouped-totals.ts';
import { formatPeriod } from '../../totals/report-description.ts';
import type { ReportModel } from '../report-model.ts';
import { describeRow, limitRows, type ReportTable } from '../report-table.ts';
import type { ReportTrend } from '../report-trend.ts';
import { cellNumber, metricStyle, type SheetCell } from './sheet-cells.ts';
import type { ChartSeries, SheetChart } from './sheet-chart.ts';

/** Maximum number of values per breakdown on the summary sheet. The others are added up. */
export const maxSummaryRows = 10;

/** Height of a row in points. */
const rowHeight = 15;
const lineChartHeight = 210;
const barHeight = 20;
const barsMargin = 60;

/**
 * Charts the leading metric over time, or else by the values of the first breakdown. Returns
 * `undefined` if the report has neither two times nor two values.
 */
export function chooseChart(model: ReportModel): SheetChart | undefined {
  const { trend, breakdowns, leadingMetric, comparison } = model;
  if (!leadingMetric || model.emptyMessage !== undefined) return undefined;
  if (trend) return buildLineChart(trend, leadingMetric, comparison);

  const [breakdown] = breakdowns;
  const isRanked = (breakdown?.table?.rows.length ?? 0) > 1;
  return breakdown?.table && isRanked
    ? buildBarChart(breakdown.table, { leadingMetric, comparison, noun: breakdown.noun })
    : undefined;
}

function buildLineChart(
  { axis, whole, before }: ReportTrend,
  metric: ReportMetric,
  comparison: Comparison | undefined,
): SheetChart {
  return {
    kind: 'lines',
    title: `${metric.label} per ${axis.step}`,
    labels: removeSharedYear(axis.labels),
    series: buildSeries(metric, comparison, whole.sums, before?.sums),
    style: metricStyle(metric),
    height: lineChartHeight,
  };
}

/** Removes the year if it is the same in all labels: `Thu 1 Oct`. */
function removeSharedYear(labels: readonly string[]): readonly string[] {
  const years = new Set(labels.map((label) => /\d{4}/.exec(label)?.[0]));
  return years.size > 1 ? labels : labels.map((label) => label.replace(/ \d{4}(?=$|,)/, ''));
}

function buildBarChart(
  table: ReportTable,
  {
    leadingMetric,
    comparison,
    noun,
  }: { leadingMetric: ReportMetric; comparison: Comparison | undefined; noun: string },
): SheetChart {
  const { rows } = limitRows(table, maxSummaryRows);
  const sums = rows.map((row) => row.sums);
  const before = comparison && rows.map((row) => row.before);
  return {
    kind: 'bars',
    title: `${leadingMetric.label} by ${noun}`,
    labels: rows.map((row) => describeRow(table, row).name),
    series: buildSeries(leadingMetric, comparison, sums, before),
    style: metricStyle(leadingMetric),
    height: barHeight * rows.length * (comparison ? 1.5 : 1) + barsMargin,
  };
}

function buildSeries(
  metric: ReportMetric,
  comparison: Comparison | undefined,
  now: readonly Sums[],
  before: readonly (Sums | undefined)[] | undefined,
): ChartSeries[] {
  const toValue = (sums: Sums | undefined) => sums && cellNumber(metric, sums);
  const name = comparison ? formatPeriod(comparison.now) : metric.label;
  const series = [{ name, values: now.map(toValue) }];
  if (comparison && before) {
    series.push({ name: formatPeriod(comparison.before), values: before.map(toValue) });
  }
  return series;
}

/** Counts the rows that a chart covers. */
export function countCoveredRows({ height }: SheetChart): number {
  return Math.ceil(height / rowHeight);
}

/** Lists the cells that a chart draws: headings, then a row per label. */
export function listChartCells({ title, labels, series, style }: SheetChart): SheetCell[][] {
  const heading: SheetCell[] = [{ style: 'header', content: title }];
  for (const { name } of series) heading.push({ style: 'numberHeader', content: name });

  const rows = labels.map((label, i) => {
    const cells: SheetCell[] = [{ style: 'plain', content: label }];
    for (const { values } of series) {
      const value = values[i];
      cells.push(value === undefined ? { style: 'right', content: '' } : { style, content: value });
    }
    return cells;
  });
  return [heading, ...rows];
}

/** Column widths in points. */
const minChartWidth = 420;
const maxChartWidth = 1_800;
const emptyColumnWidth = 48;

/** Fits a chart to the columns of a sheet. A chart may need more columns than the sheet has. */
export function fitChart(widths: readonly number[]): { width: number; columnCount: number } {
  // A character is 7 pixels wide, and each cell has 5 pixels more.
  const total = widths.reduce((sum, width) => sum + 0.75 * (7 * width + 5), 0);
  const missing = Math.max(0, minChartWidth - total);
  return {
    width: Math.min(maxChartWidth, Math.max(minChartWidth, total)),
    columnCount: widths.length + Math.ceil(missing / emptyColumnWidth),
  };
}
