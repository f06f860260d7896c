import { escapeHtml } from '../../text/escape-html.ts';
import type { Step } from '../../view/time-axis.ts';
import { shortNumber } from './number-text.ts';

/** What a chart of one metric over time shows. */
export interface TimeSeries {
  readonly label: string;
  readonly step: Step;
  /** What each slot of time is called, and what a few of them along the axis. */
  readonly labels: readonly string[];
  readonly marks: readonly string[];
  /** One a slot; `undefined` where the report has nothing for it, which is not everywhere. */
  readonly values: readonly (number | undefined)[];
  readonly currency: string;
  readonly percent: boolean;
  /** A value as it is shown in full. */
  readonly show: (value: number) => string;
}

/** Up to so many slots each get a column; more become a line. */
const mostColumns = 62;

const width = 1000;
const height = 160;

/**
 * A figure with one chart. It is SVG drawn here, not by a script in the page: so it is there in a mail program's preview
 * and on paper, follows the theme through the style sheet, and brings no library with it. The page's script only adds
 * the values under the pointer. The drawing stretches to any width; the texts around it are HTML, which does not.
 */
export function drawTimeChart(series: TimeSeries, index: number): string {
  const { label, step, marks, values, currency, percent } = series;
  const known = values.filter((value) => value !== undefined);
  const ticks = ticksOf(Math.min(0, ...known), Math.max(0, ...known));
  const [low, high] = [ticks[0] ?? 0, ticks.at(-1) ?? 1];
  const y = (value: number): number => round(height - (height * (value - low)) / (high - low));
  const lines = ticks.map((tick) => `<path class="${tick === 0 ? 'zero' : 'grid'}" d="M0 ${y(tick)}H${width}"/>`);
  const drawing = values.length > mostColumns ? drawLine(values, y) : drawColumns(values, y);
  const tickTexts = [...ticks].reverse().map((tick) => {
    return `<span>${tick < 0 ? '-' : ''}${currency}${shortNumber(Math.abs(tick))}${percent ? '%' : ''}</span>`;
  });
  return `<figure class="time" data-series="${index}">
<figcaption><b>${escapeHtml(label)}</b> per ${step}</figcaption>
<div class="plot"><div class="y" aria-hidden="true">${tickTexts.join('')}</div>
<svg viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" role="img" aria-label="${escapeHtml(describe(series))}">${lines.join('')}${drawing}</svg>
</div>
<div class="x${marks.length === 1 ? ' one' : ''}" aria-hidden="true">${marks.map((text) => `<span>${escapeHtml(text)}</span>`).join('')}</div>
</figure>
`;
}

/** The chart in words, for who does not see it. */
function describe({ label, step, labels, values, show }: TimeSeries): string {
  const range = `${label} per ${step}, ${labels[0]} to ${labels.at(-1)}`;
  const known = values.flatMap((value, i) => (value === undefined ? [] : [{ value, name: labels[i] }]));
  const least = known.reduce((a, b) => (b.value < a.value ? b : a));
  const most = known.reduce((a, b) => (b.value > a.value ? b : a));
  return `${range}: from ${show(least.value)} (${least.name}) to ${show(most.value)} (${most.name})`;
}

/** Round numbers at equal distances that hold a range, zero among them. */
function ticksOf(least: number, most: number): number[] {
  const rough = (most - least || 1) / 3;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 2.5, 5, 10].find((size) => size * power >= rough * 0.999) ?? 10);
  const first = Math.floor(least / step + 1e-9);
  const last = Math.max(first + 1, Math.ceil(most / step - 1e-9));
  return Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

function drawColumns(values: readonly (number | undefined)[], y: (value: number) => number): string {
  const slot = width / values.length;
  // One column alone would be a wall.
  const columnWidth = Math.min(slot * (values.length > 20 ? 0.76 : 0.68), 90);
  const columns = values.map((value, i) => {
    if (value === undefined || y(value) === y(0)) return '';
    const left = round(i * slot + (slot - columnWidth) / 2);
    return `M${left} ${y(0)}V${y(value)}H${round(left + columnWidth)}V${y(0)}Z`;
  });
  return `<path class="column" d="${columns.join('')}"/>`;
}

/** A line over its area; broken where nothing is known. */
function drawLine(values: readonly (number | undefined)[], y: (value: number) => number): string {
  const slot = width / values.length;
  const runs: string[][] = [];
  for (const [i, value] of values.entries()) {
    if (value === undefined) continue;
    if (values[i - 1] === undefined) runs.push([]);
    runs.at(-1)?.push(`${round((i + 0.5) * slot)} ${y(value)}`);
  }
  const areas = runs.map((run) => {
    const [first, last] = [run[0], run.at(-1)].map((point) => point?.split(' ')[0]);
    return `M${first} ${y(0)}L${run.join('L')}L${last} ${y(0)}Z`;
  });
  // A run of one point has no length, which a round cap makes visible.
  const lines = runs.map((run) => `M${run.join('L')}${run.length === 1 ? 'h0' : ''}`);
  return `<path class="area" d="${areas.join('')}"/><path class="line" d="${lines.join('')}"/>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
