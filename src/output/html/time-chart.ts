import { scaleLinear, scalePoint } from 'd3-scale';
import { area, line } from 'd3-shape';
import { fieldLabel } from '../../contract/columns.ts';
import { type Figure, figureValue, scaleText } from '../../view/figures.ts';
import type { Sums } from '../../view/grouping.ts';
import type { TimeAxis } from '../../view/time-axis.ts';
import { figureOnPage, htmlNumber, htmlText, withCurrency } from './page-text.ts';

/**
 * The charts of a page. They are SVG drawn here, not by a script in the page: so they are there in a mail program's
 * preview and on paper. A drawing stretches to any width; the texts around it do not.
 */
const width = 1000;
const height = 160;

/** Up to so many slots each get a column; more become a line. */
const mostColumns = 62;

/** A column takes so much of its slot, and a single one does not fill the whole chart. */
const columnShare = 0.72;
const widestColumn = 90;

/** About so many lines of a grid. */
const gridLines = 3;

/** The sums of something in each slot of an axis. */
interface TimeSeries {
  /** Empty for the report as a whole. */
  readonly name: string;

  readonly sums: readonly Sums[];
}

/** A figure over time. */
export interface TimeChart {
  readonly figure: Figure;

  readonly axis: TimeAxis;

  /** What the heading says beside the name of the figure. */
  readonly caption: string;

  readonly series: readonly TimeSeries[];

  /** The report as a whole in an earlier window, slot by slot. */
  readonly before?: readonly Sums[];
}

/** The values of a series, slot by slot; `undefined` where it has none. */
type Values = readonly (number | undefined)[];

/** Turns a value into its distance from the upper edge. */
type VerticalScale = (value: number) => number;

/** The chart as HTML: columns or a line, or several lines; empty where the figure has no value anywhere. */
export function renderTimeChart(chart: TimeChart): string {
  const { figure, axis, caption, series, before } = chart;
  const lines = series.map(({ sums }) => valuesOf(figure, sums));
  const values = lines.flat().filter((value) => value !== undefined);
  if (values.length === 0) return '';

  const beforeValues = before && valuesOf(figure, before);
  const beforeKnown = (beforeValues ?? []).filter((value) => value !== undefined);
  const least = Math.min(...values);
  const most = Math.max(...values);
  const scale = scaleLinear()
    .domain([Math.min(0, least, ...beforeKnown), Math.max(0, most, ...beforeKnown)])
    .range([height, 0])
    .nice(gridLines);
  // Where all is zero, there is room above it.
  if (scale.domain()[0] === scale.domain()[1]) scale.domain([0, 1]);

  const y: VerticalScale = (value) => rounded(scale(value));
  const ticks = scale.ticks(gridLines);
  const grid = ticks.map((tick) => {
    return `<path class="${tick === 0 ? 'zero' : 'grid'}" d="M0 ${y(tick)}H${width}"/>`;
  });
  const drawing = [
    ...grid,
    drawSeries(lines, y),
    // On the columns it would be dark on dark: a lighter line below it sets it off.
    beforeValues ? drawLine(beforeValues, y, 'halo') : '',
    beforeValues ? drawLine(beforeValues, y, 'before') : '',
  ];

  const isWide = series.length > 1;
  const name = htmlText(fieldLabel(figure.field));
  return `<figure class="time${isWide ? ' wide' : ''}">
<figcaption><b>${name}</b> ${htmlText(caption)}</figcaption>
<div class="plot"><div class="y" aria-hidden="true">${scaleTexts(figure, ticks)}</div>
<svg viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" role="img" aria-label="${describe(chart, least, most)}">${drawing.join('')}</svg>
<div class="slots" aria-hidden="true">${slotsOf(chart)}</div>
<svg class="x" aria-hidden="true">${tickTexts(axis)}</svg></div>
${isWide ? `<p class="legend">${legendOf(series)}</p>\n` : ''}</figure>
`;
}

function valuesOf(figure: Figure, sums: readonly Sums[]): Values {
  return sums.map((each) => figureValue(figure, each));
}

function drawSeries(lines: readonly Values[], y: VerticalScale): string {
  const [first, second] = lines;
  if (second) return lines.map((values, i) => drawLine(values, y, `line s${i}`)).join('');
  if (!first) return '';
  if (first.length <= mostColumns) return drawColumns(first, y);
  return drawArea(first, y) + drawLine(first, y, 'line');
}

function drawColumns(values: Values, y: VerticalScale): string {
  const x = centresOf(values.length);
  const columnWidth = Math.min((width / values.length) * columnShare, widestColumn);

  let columns = '';
  for (const [i, value] of values.entries()) {
    if (value === undefined || y(value) === y(0)) continue;
    const left = rounded(x(i) - columnWidth / 2);
    const right = rounded(x(i) + columnWidth / 2);
    columns += `M${left} ${y(0)}V${y(value)}H${right}V${y(0)}Z`;
  }
  return `<path class="column" d="${columns}"/>`;
}

/** A line, broken where nothing is known; a single point is a dot, which round ends make visible. */
function drawLine(values: Values, y: VerticalScale, name: string): string {
  const x = centresOf(values.length);
  const path = line<number | undefined>()
    .defined((value) => value !== undefined)
    .x((_, i) => x(i))
    .y((value) => y(value ?? 0))
    .digits(1);
  return `<path class="${name}" d="${path(values) ?? ''}"/>`;
}

function drawArea(values: Values, y: VerticalScale): string {
  const x = centresOf(values.length);
  const path = area<number | undefined>()
    .defined((value) => value !== undefined)
    .x((_, i) => x(i))
    .y0(y(0))
    .y1((value) => y(value ?? 0))
    .digits(1);
  return `<path class="area" d="${path(values) ?? ''}"/>`;
}

/** Where the middle of each slot is, from the left edge. */
function centresOf(count: number): (index: number) => number {
  const scale = scalePoint<number>()
    .domain(Array.from({ length: count }, (_, i) => i))
    .range([0, width])
    .padding(0.5);
  return (index) => rounded(scale(index) ?? 0);
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}

/** Round numbers for a scale, in few characters: `250K`, `1.5M`, `0.05`. */
const shortNumbers = new Intl.NumberFormat('en', {
  notation: 'compact',
  maximumSignificantDigits: 4,
});

/** The numbers of the scale, the highest first, as they stand above each other. */
function scaleTexts(figure: Figure, ticks: readonly number[]): string {
  const unit = figure.type === 'percent' ? ' %' : '';
  const texts = ticks.map((tick) => {
    const number = withCurrency(figure, shortNumbers.format(tick));
    return `<span>${htmlNumber(number + unit)}</span>`;
  });
  return texts.reverse().join('');
}

/** The labels of the axis of time, each under the middle of its slot. */
function tickTexts({ ticks, slots }: TimeAxis): string {
  const x = centresOf(slots.length);
  const texts = ticks.map(({ index, text }) => {
    const place = `${rounded((100 * x(index)) / width)}%`;
    return `<line x1="${place}" x2="${place}" y1="0" y2="4"/><text x="${place}" y="17">${htmlText(text)}</text>`;
  });
  return texts.join('');
}

/** What the script of the page shows of each slot: its name, then a line for each series and the one before. */
function slotsOf({ figure, axis, series, before }: TimeChart): string {
  const slots = axis.labels.map((label, i) => {
    const texts = [label];
    for (const { name, sums } of series) {
      const value = figureOnPage(figure, sums[i] ?? noSums);
      texts.push(name === '' ? value : `${name}: ${value}`);
    }
    if (before) texts.push(`${figureOnPage(figure, before[i] ?? noSums)} before`);
    return `<i data-v="${texts.map(htmlText).join('\n')}"></i>`;
  });
  return slots.join('');
}

const noSums: Sums = new Map<string, number>();

function legendOf(series: readonly TimeSeries[]): string {
  const names = series.map(({ name }, i) => {
    return `<span><b class="k${i}"></b>${htmlText(name)}</span>`;
  });
  return names.join(' ');
}

/** The chart in words, for those who do not see it. */
function describe({ figure, axis, caption }: TimeChart, least: number, most: number): string {
  const from = withCurrency(figure, scaleText(figure, least));
  const to = withCurrency(figure, scaleText(figure, most));
  const period = `${axis.labels[0]} to ${axis.labels.at(-1)}`;
  return htmlText(`${fieldLabel(figure.field)} ${caption}, ${period}: from ${from} to ${to}`);
}
