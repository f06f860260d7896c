import { scaleLinear, scalePoint } from 'd3-scale';
import { area } from 'd3-shape';
import type { ReportMetric } from '../../query/metrics.ts';
import type { Sums } from '../../totals/grouped-totals.ts';
import { formatOnScale, metricValue } from '../../totals/report-metrics.ts';
import type { TimeAxis } from '../../totals/time-axis.ts';
import { addCurrency, formatWithCurrency } from '../metric-text.ts';
import type { EarlierSeries, TimeSeries } from '../report-trend.ts';
import { renderName, toHtml } from './page-text.ts';

/**
 * Size of a drawing in its own units. Pages stretch it to any width, but not the labels around it.
 */
const width = 1000;
const height = 160;

/** Approximate number of grid lines. */
const gridLines = 3;

export interface TimeChart {
  readonly metric: ReportMetric;

  readonly axis: TimeAxis;

  /** Follows the name of the metric in the heading. */
  readonly caption: string;

  /** Note below the chart. */
  readonly footnote?: string | undefined;

  readonly series: readonly TimeSeries[];

  /** Sums of the whole earlier report. */
  readonly before?: EarlierSeries | undefined;
}

/** One value per slot, or `undefined` for a gap. */
type Values = readonly (number | undefined)[];

/** Converts a value to its distance from the top. */
type VerticalScale = (value: number) => number;

/**
 * Renders one or more lines as static SVG, which also works in mail previews and print. Returns an
 * empty string if the metric has no value other than 0.
 */
export function renderTimeChart(chart: TimeChart): string {
  const { metric, axis, caption, footnote, series, before } = chart;
  const lines = series.map(({ sums }) => listValues(metric, sums));
  const values = lines.flat().filter((value) => value !== undefined);
  const beforeValues = before && listValues(metric, before.sums);
  const knownBefore = (beforeValues ?? []).filter((value) => value !== undefined);
  const isFlat = [...values, ...knownBefore].every((value) => value === 0);
  if (values.length === 0 || isFlat) return '';

  const min = Math.min(...values);
  const max = Math.max(...values);
  const scale = scaleLinear()
    .domain([Math.min(0, min, ...knownBefore), Math.max(0, max, ...knownBefore)])
    .range([height, 0])
    .nice(gridLines);
  const y: VerticalScale = (value) => round(scale(value));
  const ticks = scale.ticks(gridLines);
  const grid = ticks.map((tick) => {
    return `<path class="${tick === 0 ? 'zero' : 'grid'}" d="M0 ${y(tick)}H${width}"/>`;
  });
  const [first = []] = lines;
  const isByGroup = lines.length > 1;
  const drawing = [
    ...grid,
    beforeValues ? drawLine(beforeValues, y, 'before') : '',
    isByGroup
      ? lines.map((line, i) => drawLine(line, y, `line s${i}`)).join('')
      : (metric.computed ? '' : drawArea(first, y)) + drawLine(first, y, 'line'),
  ];

  const name = toHtml(metric.label);
  return `<figure${isByGroup ? ' class="wide"' : ''}>
<figcaption><b>${name}</b> ${toHtml(caption)}</figcaption>
<div class="plot"><div class="y" aria-hidden="true">${renderScale(metric, ticks)}</div>
<svg viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" role="img" aria-label="${describeChart(chart, min, max)}">${drawing.join('')}</svg>
<div class="slots" aria-hidden="true">${renderSlots(chart)}</div>
<svg class="x" aria-hidden="true">${renderTicks(axis)}</svg></div>
${isByGroup ? `<p class="legend">${renderLegend(series)}</p>\n` : ''}${footnote === undefined ? '' : `<p class="by">${toHtml(footnote)}</p>\n`}</figure>
`;
}

function listValues(metric: ReportMetric, sums: readonly Sums[]): Values {
  return sums.map((slot) => metricValue(metric, slot));
}

/**
 * Draws a line with gaps for missing values. Round line ends make a single value visible as a dot.
 */
function drawLine(values: Values, y: VerticalScale, className: string): string {
  const path = buildShape(values, y).lineY1().digits(1);
  return `<path class="${className}" d="${path(values) ?? ''}"/>`;
}

function drawArea(values: Values, y: VerticalScale): string {
  return `<path class="area" d="${buildShape(values, y)(values) ?? ''}"/>`;
}

/** Returns a generator of the area between the values and zero. The upper edge is the line. */
function buildShape({ length }: Values, y: VerticalScale) {
  const x = slotCenters(length);
  return area<number | undefined>()
    .defined((value) => value !== undefined)
    .x((_, i) => x(i))
    .y0(y(0))
    .y1((value) => y(value ?? 0))
    .digits(1);
}

/** Returns a function that computes the distance of a slot's center from the left edge. */
function slotCenters(count: number): (index: number) => number {
  const scale = scalePoint<number>()
    .domain(Array.from({ length: count }, (_, i) => i))
    .range([0, width])
    .padding(0.5);
  return (index) => round(scale(index) ?? 0);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** Formats a number on the scale: `250K`, `1.5M`, `0.05`. */
const shortNumbers = new Intl.NumberFormat('en', {
  notation: 'compact',
  maximumSignificantDigits: 4,
});

/** Renders the numbers of the scale, highest first. */
function renderScale(metric: ReportMetric, ticks: readonly number[]): string {
  const unit = metric.type === 'percent' ? '%' : '';
  const labels = ticks.map((tick) => {
    const number = addCurrency(metric, shortNumbers.format(tick));
    return `<span>${toHtml(number + unit)}</span>`;
  });
  return labels.reverse().join('');
}

/** Renders the labels of the axis, centered below their slots. */
function renderTicks({ ticks, slots }: TimeAxis): string {
  const x = slotCenters(slots.length);
  const labels = ticks.map(({ index, text }) => {
    const position = `${round((100 * x(index)) / width)}%`;
    return `<line x1="${position}" x2="${position}" y1="0" y2="4"/><text x="${position}" y="17">${toHtml(text)}</text>`;
  });
  return labels.join('');
}

/**
 * Renders an element per slot with the lines of its tip: the label, the values of all series, and
 * the earlier value.
 */
function renderSlots({ metric, axis, series, before }: TimeChart): string {
  const slots = axis.labels.map((label, i) => {
    const lines = [label];
    for (const { sums } of series) lines.push(formatWithCurrency(metric, sums[i] ?? noSums));
    if (before) lines.push(formatEarlier(metric, before, i));
    return `<i data-v="${lines.map(toHtml).join('\n')}"></i>`;
  });
  return slots.join('');
}

/** Formats the earlier value of a slot, with the label of that slot in the earlier period. */
function formatEarlier(
  metric: ReportMetric,
  { sums, labels }: EarlierSeries,
  slot: number,
): string {
  const value = formatWithCurrency(metric, sums[slot] ?? noSums);
  const label = labels[slot] ?? '';
  return label === '' ? `${value} before` : `${label}: ${value}`;
}

const noSums: Sums = new Map<string, number>();

function renderLegend(series: readonly TimeSeries[]): string {
  const names = series.map(({ name }, i) => {
    const key = `<svg class="key" aria-hidden="true"><line class="line s${i}" x1="0" x2="100%" y1="50%" y2="50%"/></svg>`;
    return `<span>${key}${renderName(name)}</span>`;
  });
  return names.join(' ');
}

/** Describes the chart for screen readers. */
function describeChart({ metric, axis, caption }: TimeChart, min: number, max: number): string {
  const from = addCurrency(metric, formatOnScale(metric, min));
  const to = addCurrency(metric, formatOnScale(metric, max));
  const period = `${axis.labels[0]} to ${axis.labels.at(-1)}`;
  return toHtml(`${metric.label} ${caption}, ${period}: from ${from} to ${to}`);
}
