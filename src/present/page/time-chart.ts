import { scaleLinear, scalePoint } from 'd3-scale';
import { area } from 'd3-shape';
import type { ReportMetric } from '../../query/metrics.ts';
import type { Sums } from '../../totals/grouped-totals.ts';
import { formatOnScale, metricValue } from '../../totals/report-metrics.ts';
import type { TimeAxis } from '../../totals/time-axis.ts';
import { formatWithCurrency, withCurrency } from '../metric-text.ts';
import type { EarlierSeries, TimeSeries } from '../report-trend.ts';
import { htmlText, nameHtml } from './page-text.ts';

/**
 * Charts of a page. They are static SVG, so that they appear in mail previews and in print.
 * Drawings stretch to any width; the texts around them do not.
 */
const width = 1000;
const height = 160;

/** Approximate number of grid lines. */
const gridLines = 3;

export interface TimeChart {
  readonly metric: ReportMetric;

  readonly axis: TimeAxis;

  /** Part of the heading after the metric's name. */
  readonly caption: string;

  /** Shown below the chart. */
  readonly remark?: string | undefined;

  readonly series: readonly TimeSeries[];

  /** The earlier report as a whole. */
  readonly before?: EarlierSeries | undefined;
}

/** Values by slot; `undefined` for a missing one. */
type Values = readonly (number | undefined)[];

/** Converts a value to its distance from the top. */
type VerticalScale = (value: number) => number;

/**
 * Draws one or more lines; returns an empty string if the metric has no value other
 * than 0.
 */
export function renderTimeChart(chart: TimeChart): string {
  const { metric, axis, caption, remark, series, before } = chart;
  const lines = series.map(({ sums }) => listValues(metric, sums));
  const values = lines.flat().filter((value) => value !== undefined);
  const beforeValues = before && listValues(metric, before.sums);
  const beforeKnown = (beforeValues ?? []).filter((value) => value !== undefined);
  const isFlat = [...values, ...beforeKnown].every((value) => value === 0);
  if (values.length === 0 || isFlat) return '';

  const min = Math.min(...values);
  const max = Math.max(...values);
  const scale = scaleLinear()
    .domain([Math.min(0, min, ...beforeKnown), Math.max(0, max, ...beforeKnown)])
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
      : (metric.derived ? '' : drawArea(first, y)) + drawLine(first, y, 'line'),
  ];

  const name = htmlText(metric.label);
  return `<figure${isByGroup ? ' class="wide"' : ''}>
<figcaption><b>${name}</b> ${htmlText(caption)}</figcaption>
<div class="plot"><div class="y" aria-hidden="true">${renderScale(metric, ticks)}</div>
<svg viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" role="img" aria-label="${describe(chart, min, max)}">${drawing.join('')}</svg>
<div class="slots" aria-hidden="true">${renderSlots(chart)}</div>
<svg class="x" aria-hidden="true">${renderTicks(axis)}</svg></div>
${isByGroup ? `<p class="legend">${renderLegend(series)}</p>\n` : ''}${remark === undefined ? '' : `<p class="by">${htmlText(remark)}</p>\n`}</figure>
`;
}

function listValues(metric: ReportMetric, sums: readonly Sums[]): Values {
  return sums.map((slot) => metricValue(metric, slot));
}

/**
 * Draws a line with gaps for missing values. A single point is visible as a dot because of round
 * line ends.
 */
function drawLine(values: Values, y: VerticalScale, name: string): string {
  const path = buildShape(values, y).lineY1().digits(1);
  return `<path class="${name}" d="${path(values) ?? ''}"/>`;
}

function drawArea(values: Values, y: VerticalScale): string {
  return `<path class="area" d="${buildShape(values, y)(values) ?? ''}"/>`;
}

/** Returns the area between the values and zero; its upper edge is the line. */
function buildShape({ length }: Values, y: VerticalScale) {
  const x = findCentres(length);
  return area<number | undefined>()
    .defined((value) => value !== undefined)
    .x((_, i) => x(i))
    .y0(y(0))
    .y1((value) => y(value ?? 0))
    .digits(1);
}

/** Returns the distance of each slot's center from the left edge. */
function findCentres(count: number): (index: number) => number {
  const scale = scalePoint<number>()
    .domain(Array.from({ length: count }, (_, i) => i))
    .range([0, width])
    .padding(0.5);
  return (index) => round(scale(index) ?? 0);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** Formats round numbers in few characters: `250K`, `1.5M`, `0.05`. */
const shortNumbers = new Intl.NumberFormat('en', {
  notation: 'compact',
  maximumSignificantDigits: 4,
});

/** Renders the scale, highest number first. */
function renderScale(metric: ReportMetric, ticks: readonly number[]): string {
  const unit = metric.type === 'percent' ? '%' : '';
  const texts = ticks.map((tick) => {
    const number = withCurrency(metric, shortNumbers.format(tick));
    return `<span>${htmlText(number + unit)}</span>`;
  });
  return texts.reverse().join('');
}

/** Renders the labels of the axis, centered below their slots. */
function renderTicks({ ticks, slots }: TimeAxis): string {
  const x = findCentres(slots.length);
  const texts = ticks.map(({ index, text }) => {
    const place = `${round((100 * x(index)) / width)}%`;
    return `<line x1="${place}" x2="${place}" y1="0" y2="4"/><text x="${place}" y="17">${htmlText(text)}</text>`;
  });
  return texts.join('');
}

/**
 * Returns the data for the tips. For each slot, this is the label, then the values of all series
 * and of the earlier report.
 */
function renderSlots({ metric, axis, series, before }: TimeChart): string {
  const slots = axis.labels.map((label, i) => {
    const texts = [label];
    for (const { sums } of series) texts.push(formatWithCurrency(metric, sums[i] ?? noSums));
    if (before) texts.push(nameEarlier(metric, before, i));
    return `<i data-v="${texts.map(htmlText).join('\n')}"></i>`;
  });
  return slots.join('');
}

/**
 * Formats the earlier value of a slot. The label is the one that the slot has in the earlier
 * report.
 */
function nameEarlier(metric: ReportMetric, { sums, labels }: EarlierSeries, slot: number): string {
  const value = formatWithCurrency(metric, sums[slot] ?? noSums);
  const label = labels[slot] ?? '';
  return label === '' ? `${value} before` : `${label}: ${value}`;
}

const noSums: Sums = new Map<string, number>();

function renderLegend(series: readonly TimeSeries[]): string {
  const names = series.map(({ name }, i) => {
    const key = `<svg class="key" aria-hidden="true"><line class="line s${i}" x1="0" x2="100%" y1="50%" y2="50%"/></svg>`;
    return `<span>${key}${nameHtml(name)}</span>`;
  });
  return names.join(' ');
}

/** Describes the chart for screen readers. */
function describe({ metric, axis, caption }: TimeChart, min: number, max: number): string {
  const from = withCurrency(metric, formatOnScale(metric, min));
  const to = withCurrency(metric, formatOnScale(metric, max));
  const period = `${axis.labels[0]} to ${axis.labels.at(-1)}`;
  return htmlText(`${metric.label} ${caption}, ${period}: from ${from} to ${to}`);
}
