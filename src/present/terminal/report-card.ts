import { metricOfField } from '../../contract/columns.ts';
import type { EncodeOptions, TableLook, TableStyle } from '../../output/encoder.ts';
import { measureWidth } from '../../text/cell-width.ts';
import type { Change } from '../../totals/change.ts';
import type { Comparison } from '../../totals/comparison.ts';
import type { DateUnit } from '../../totals/group-keys.ts';
import type { GroupedTotals, Sums } from '../../totals/grouped-totals.ts';
import {
  defaultMetrics,
  formatMetric,
  formatOnScale,
  metricValue,
  type ReportMetric,
} from '../../totals/report-metrics.ts';
import type { TimedGroup } from '../../totals/sorting.ts';
import { sortByTime } from '../../totals/sorting.ts';
import { chooseMetrics, leadingMetric } from '../choose-metrics.ts';
import { listTotals } from '../report-model.ts';
import { chooseHeading } from './headings.ts';
import { changeColor, comparisonLines } from './table-lines.ts';
import { findRange, sparkline } from './text-charts.ts';

const gap = '  ';

export interface CardOptions {
  /** Metrics to show, in order. Default: the main metrics. */
  readonly metrics?: readonly ReportMetric[] | undefined;

  /** Its changes are shown next to the metrics. */
  readonly comparison?: Comparison | undefined;

  /** As in `EncodeOptions`. */
  readonly labels?: EncodeOptions['labels'];
}

/**
 * Shows the main metrics of a report in a few lines, and one of them over time.
 * @param report grouped by time
 */
export function reportCard(
  report: GroupedTotals,
  look: TableLook = {},
  options: CardOptions = {},
): string[] {
  const { comparison } = options;
  const metrics = metricsToShow(report, options);
  const lines = inColumns(cardItems(metrics, report.totals(), look, comparison), look);

  const trend = drawSparkline(report, metrics, look);
  if (trend !== undefined) lines.push(gap + trend);

  const { width = 80 } = look;
  const comparisonText = comparison ? comparisonLines(comparison, width - gap.length) : [];
  return [...lines, ...comparisonText.map((line) => gap + line)];
}

/** Lists the same metrics for a log, with their changes. */
export function totalLines(report: GroupedTotals, options: CardOptions = {}): string[] {
  const { comparison } = options;
  const items = cardItems(metricsToShow(report, options), report.totals(), {}, comparison);
  const texts = items.map(({ label, text, change }) => {
    return change ? `${label} ${text} (${change.text})` : `${label} ${text}`;
  });
  const lines = texts.length > 0 ? [texts.join(', ')] : [];
  if (comparison) lines.push(...comparisonLines(comparison));
  return lines.map((line) => gap + line);
}

/** Omits metrics without a value. */
function metricsToShow(report: GroupedTotals, { metrics, labels }: CardOptions): ReportMetric[] {
  const totals = report.totals();
  const shown = metrics ?? chooseMetrics(defaultMetrics(report.metrics), totals);
  const filled = shown.filter(({ derived, field }) => derived || totals.get(field) !== undefined);
  return filled.map((metric) => {
    const name = metricOfField(metric.field)?.name ?? metric.field;
    return { ...metric, label: labels?.get(name) ?? metric.label };
  });
}

interface CardItem {
  readonly label: string;
  readonly text: string;

  /** Against an earlier report. */
  readonly change?: Change | undefined;
}

function cardItems(
  metrics: readonly ReportMetric[],
  totals: Sums,
  { unicode }: TableLook,
  comparison: Comparison | undefined,
): CardItem[] {
  return listTotals(metrics, totals, comparison, unicode).map(({ metric, change }) => {
    const text = formatMetric(metric, totals) ?? '–';
    return { label: chooseHeading(metric.field, unicode, metric.label), text, change };
  });
}

/** Arranges items in as many columns as fit, reading down. */
function inColumns(items: readonly CardItem[], { width = 80, style }: TableLook): string[] {
  const labelWidth = Math.max(0, ...items.map(({ label }) => measureWidth(label)));
  const textWidth = Math.max(0, ...items.map(({ text }) => measureWidth(text)));
  const changeWidth = Math.max(0, ...items.map(({ change }) => measureWidth(change?.text ?? '')));
  const itemWidth = labelWidth + 1 + textWidth + (changeWidth > 0 ? gap.length + changeWidth : 0);
  const perLine = Math.max(1, Math.floor(width / (itemWidth + gap.length)));
  const height = Math.ceil(items.length / perLine);

  const lines = Array.from({ length: height }, () => '');
  for (const [i, { label, text, change }] of items.entries()) {
    const padding = ' '.repeat(
      labelWidth + 1 + textWidth - measureWidth(label) - measureWidth(text),
    );
    const line = i % height;
    lines[line] += `${gap}${style?.dim(label) ?? label}${padding}${text}`;
    if (change) lines[line] += gap + changeCell(change, changeWidth, style);
  }
  return lines;
}

/** Aligns to the right. */
function changeCell(change: Change, width: number, style: TableStyle | undefined): string {
  const paint = style && changeColor(change, style);
  return ' '.repeat(width - measureWidth(change.text)) + (paint?.(change.text) ?? change.text);
}

/** Minimum and maximum width of a sparkline. */
const minSparkline = 8;
const maxSparkline = 60;

/**
 * Draws revenue, or the metric that replaces it, with its dates and range; `undefined` without
 * times, with only one, or if there is not enough space.
 */
function drawSparkline(
  report: GroupedTotals,
  metrics: readonly ReportMetric[],
  { width = 80, unicode, style }: TableLook,
): string | undefined {
  const metric = leadingMetric(metrics);
  const points = sortByTime(report);
  if (!metric || points.length < 2) return undefined;

  const dim = style?.dim ?? ((text: string) => text);
  const name = `${chooseHeading(metric.field, unicode, metric.label)} by ${findStep(report, points)}`;
  const from = points[0]?.time.slice(0, 10) ?? '';
  const to = points.at(-1)?.time.slice(0, 10) ?? '';

  const values = points.map(({ sums }) => metricValue(metric, sums) ?? 0);
  const { least, greatest } = findRange(values);
  const lowest = formatOnScale(metric, least);
  const highest = formatOnScale(metric, greatest);
  const range = lowest === highest ? '' : `  ${lowest} to ${highest}`;

  const room = width - 2 * gap.length - name.length - range.length;
  if (room < minSparkline) return undefined;

  // The first and last dates are shown next to the line if there is enough space.
  const roomBesideDates = room - from.length - to.length - 2;
  const isDated = roomBesideDates >= minSparkline;
  const length = Math.min(isDated ? roomBesideDates : room, maxSparkline);
  const line = sparkline(values, length, unicode);
  const datedLine = isDated ? `${dim(from)} ${line} ${dim(to)}` : line;
  return `${dim(name)}${gap}${datedLine}${range && dim(range)}`;
}

function findStep(report: GroupedTotals, points: readonly TimedGroup[]): 'hour' | DateUnit {
  if (report.by[0]?.field === 'hour') return 'hour';
  if (points.every(({ time }) => time.endsWith('-01'))) return 'month';
  return points.every(({ time }) => isMonday(time)) ? 'week' : 'day';
}

function isMonday(time: string): boolean {
  return new Date(time).getUTCDay() === 1;
}
