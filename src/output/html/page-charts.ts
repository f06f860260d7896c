import { currencyOf, fieldLabel } from '../../contract/columns.ts';
import { formatCount } from '../../text/quantity.ts';
import {
  type Comparison,
  changeText,
  type Figure,
  figureText,
  figureValue,
  scaleText,
} from '../../view/figures.ts';
import { addSums, type Sums } from '../../view/grouping.ts';
import { byFigure } from '../../view/ranked-groups.ts';
import { nameOfGroup, nounOfUnit, type ReportSums, type Unit } from '../../view/report-sums.ts';
import { layOutTime, type TimeAxis } from '../../view/time-axis.ts';
import { htmlText, roundedText } from './page-table.ts';

/**
 * The charts of a page. They are SVG drawn here, not by a script in the page: so they are there in a mail program's
 * preview and on paper. A drawing stretches to any width; the texts around it are HTML, which does not.
 */
const width = 1000;
const height = 160;

/** Up to so many slots each get a column; more become a line. */
const mostColumns = 62;

/** How many values of a breakdown get a bar, and how many a line; the others are added up. */
const mostBars = 10;
const mostLines = 5;

/** Round numbers for an axis, in few characters: `250K`, `1.5M`, `0.05`. */
const shortNumbers = new Intl.NumberFormat('en', {
  notation: 'compact',
  maximumSignificantDigits: 4,
});

/** A figure of a page as it is shown: money with its sign and two decimals, `–` where there is none. */
export function shownFigure(figure: Figure, sums: Sums): string {
  const sum = figure.type === 'money' && !figure.derived ? sums.get(figure.field) : undefined;
  const text = sum === undefined ? figureText(figure, sums) : roundedText(String(sum));
  return text === null ? '–' : withCurrency(figure, text);
}

function withCurrency({ field, type }: Figure, text: string): string {
  return type === 'money' ? text.replace(/^-?/, (sign) => sign + currencyOf(field)) : text;
}

/** The charts over time: the first figure by the greatest values of a breakdown, then every figure as a whole. */
export function renderTime(
  report: ReportSums,
  leading: readonly Figure[],
  others: readonly Figure[],
  monthly: boolean,
) {
  const axis = layOutTime([...(report.units.find(({ isTime }) => isTime)?.groups ?? [])], monthly);
  const [lead] = leading;
  if (!axis || !lead) return '';
  const sums = axis.slots.map((slot) => addSums(slot, report.total.metrics));
  const [first, more] = [leading, others].map((figures) =>
    figures
      .map((figure) => drawChart(figure, axis, [{ name: '', sums }], `per ${axis.step}`))
      .join(''),
  );
  const details = `<details><summary>Other figures over time</summary>\n<div class="charts">\n${more}</div></details>`;
  return `<section><h2>Over time</h2>\n${renderCourse(lead, axis, report)}<div class="charts">\n${first}</div>${more && details}</section>\n`;
}

/** The greatest five values of the first breakdown over time as lines, by one figure; none where there is but one value. */
function renderCourse(figure: Figure, axis: TimeAxis, { units, course }: ReportSums): string {
  const unit = units.find(({ isTime }) => !isTime);
  const groups = unit?.groups;
  if (!groups || !course || groups.size < 2 || axis.slots.length < 2) return '';
  const top = [...groups].sort(byFigure(figure)).slice(0, mostLines);
  const lines = top.map((group) => ({
    name: nameOfGroup(unit.fields, group).name,
    sums: axis.slots.map((slot) =>
      addSums(
        slot.flatMap(({ key: [time] }) => course.find([time ?? null, ...group.key]) ?? []),
        course.metrics,
      ),
    ),
  }));
  const rest =
    groups.size > mostLines ? `the first ${mostLines} of ${formatCount(groups.size)}` : 'all';
  return drawChart(figure, axis, lines, `per ${axis.step} by ${nounOfUnit(unit)}, ${rest}`);
}

type Values = readonly (number | undefined)[];

/** A figure over time, as columns, as a line, or as several; nothing where it has no value anywhere. */
function drawChart(
  figure: Figure,
  { labels, marks }: TimeAxis,
  lines: readonly { readonly name: string; readonly sums: readonly Sums[] }[],
  what: string,
): string {
  const series = lines.map(({ sums }): Values => sums.map((each) => figureValue(figure, each)));
  const known = series.flat().filter((value) => value !== undefined);
  if (known.length === 0) return '';
  const [least, most] = [Math.min(...known), Math.max(...known)];
  const ticks = ticksOf(Math.min(0, least), Math.max(0, most));
  const [low, high] = [ticks[0] ?? 0, ticks.at(-1) ?? 1];
  const y = (value: number): number => round(height - (height * (value - low)) / (high - low));
  const grid = ticks.map(
    (tick) => `<path class="${tick === 0 ? 'zero' : 'grid'}" d="M0 ${y(tick)}H${width}"/>`,
  );
  const [only] = series.length === 1 ? series : [];
  const drawing = only
    ? only.length > mostColumns
      ? drawLine(only, y, 'line', true)
      : drawColumns(only, y)
    : series.map((values, i) => drawLine(values, y, `line s${i}`, false)).join('');
  const unit = figure.type === 'percent' ? '%' : '';
  const tickTexts = ticks.map(
    (tick) => `<span>${withCurrency(figure, shortNumbers.format(tick))}${unit}</span>`,
  );
  // The style shows the text of the slot under the pointer.
  const slots = labels.map((label, i) => {
    const texts = lines.map(
      ({ name, sums }) => `${name && `${name}: `}${shownFigure(figure, sums[i] ?? new Map())}`,
    );
    return `<i data-v="${[label, ...texts].map(htmlText).join('\n')}"></i>`;
  });
  const legend = lines
    .map(({ name }, i) => `<span><b class="k${i}"></b>${htmlText(name)}</span>`)
    .join(' ');
  const [from, to] = [least, most].map((value) => withCurrency(figure, scaleText(figure, value)));
  const period = `${labels[0]} to ${labels.at(-1)}`;
  const label = htmlText(`${fieldLabel(figure.field)} ${what}, ${period}: from ${from} to ${to}`);
  return `<figure class="time${only ? '' : ' wide'}">
<figcaption><b>${htmlText(fieldLabel(figure.field))}</b> ${htmlText(what)}</figcaption>
<div class="plot"><div class="y" aria-hidden="true">${tickTexts.reverse().join('')}</div>
<svg viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" role="img" aria-label="${label}">${grid.join('')}${drawing}</svg>
<div class="slots" aria-hidden="true">${slots.join('')}</div></div>
<div class="x${marks.length === 1 ? ' one' : ''}" aria-hidden="true">${marks.map((text) => `<span>${htmlText(text)}</span>`).join('')}</div>
${only ? '' : `<p class="legend">${legend}</p>\n`}</figure>
`;
}

/** Round numbers at equal distances that hold a range, zero among them. */
function ticksOf(least: number, most: number): number[] {
  const rough = (most - least || 1) / 3;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 2.5, 5, 10].find((size) => size * power >= rough * 0.999) ?? 10);
  const first = Math.floor(least / step + 1e-9);
  const last = Math.max(first + 1, Math.ceil(most / step - 1e-9));
  return Array.from({ length: last - first + 1 }, (_, i) =>
    Number(((first + i) * step).toPrecision(12)),
  );
}

function drawColumns(values: Values, y: (value: number) => number): string {
  const slot = width / values.length;
  // A single column would fill the whole chart.
  const columnWidth = Math.min(slot * 0.72, 90);
  const columns = values.map((value, i) => {
    if (value === undefined || y(value) === y(0)) return '';
    const left = round(i * slot + (slot - columnWidth) / 2);
    return `M${left} ${y(0)}V${y(value)}H${round(left + columnWidth)}V${y(0)}Z`;
  });
  return `<path class="column" d="${columns.join('')}"/>`;
}

/** A line, over its area or without; broken where nothing is known. */
function drawLine(
  values: Values,
  y: (value: number) => number,
  name: string,
  hasArea: boolean,
): string {
  const x = (i: number) => round(((i + 0.5) * width) / values.length);
  let [lines, areas] = ['', ''];
  for (const [i, value] of values.entries()) {
    if (value === undefined) continue;
    const [begins, ends] = [values[i - 1] === undefined, values[i + 1] === undefined];
    // A run of one point has no length, which a round cap makes visible.
    lines += `${begins ? 'M' : 'L'}${x(i)} ${y(value)}${begins && ends ? 'h0' : ''}`;
    areas += `${begins ? `M${x(i)} ${y(0)}` : ''}L${x(i)} ${y(value)}${ends ? `L${x(i)} ${y(0)}Z` : ''}`;
  }
  return `${hasArea ? `<path class="area" d="${areas}"/>` : ''}<path class="${name}" d="${lines}"/>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/**
 * The greatest values of each breakdown by one figure. The bars are SVG, whose widths need no inline style (which the
 * page's security policy forbids) and which print without background graphics.
 */
export function renderRankings(
  { units, total }: ReportSums,
  figure: Figure | undefined,
  comparison?: Comparison,
) {
  const ranked = units.filter(({ isTime }) => !isTime);
  if (!figure || ranked.length === 0) return '';
  const charts = ranked.map((each) => {
    const items = rankedItems(each, figure, total.totals(), comparison);
    const list = each.groups
      ? `<ol>${items.join('')}</ol>`
      : '<p class="by">Too many different values to rank.</p>';
    return `<section class="bars"><h3>${htmlText(nounOfUnit(each))}</h3>${list}</section>\n`;
  });
  return `<section><div class="head"><h2>Top values</h2><p class="by">by <b>${htmlText(fieldLabel(figure.field))}</b></p></div>
<div class="ranks">
${charts.join('')}</div></section>
`;
}

function rankedItems(unit: Unit, figure: Figure, totals: Sums, comparison?: Comparison): string[] {
  const { fields, groups } = unit;
  const all = figureValue(figure, totals) ?? 0;
  const ranked = [...(groups ?? [])]
    .filter(({ sums }) => sums.get(figure.field) !== undefined)
    .sort(byFigure(figure));
  // "1 other" would take as much room as that one itself.
  const shown = ranked.slice(0, ranked.length > mostBars + 1 ? mostBars : ranked.length);
  const rest = ranked.slice(shown.length);
  const most = figureValue(figure, shown[0]?.sums ?? new Map()) ?? 0;
  const numbers = (sums: Sums) => {
    const value = figureValue(figure, sums) ?? 0;
    const share = all > 0 && value >= 0 ? `${((100 * value) / all).toFixed(1)}%` : '–';
    return `<span class="n">${htmlText(shownFigure(figure, sums))}<small>${share}</small></span>`;
  };
  const items = shown.map((group) => {
    const { name, detail } = nameOfGroup(fields, group);
    const length =
      most > 0 ? Math.max(0, (100 * (figureValue(figure, group.sums) ?? 0)) / most) : 0;
    const change = comparison && changeText(figure, group.sums, comparison.sums.find(unit, group));
    return [
      `<li><span title="${htmlText(detail === '' ? name : `${name} (${detail})`)}"><i>${htmlText(name)}</i>`,
      `${detail && `<small>${htmlText(detail)}</small>`}</span>${numbers(group.sums)}`,
      change ? `<small class="change">${change}</small>` : '',
      `<svg aria-hidden="true"><rect width="${round(length)}%" height="100%" rx="2"/></svg>`,
    ].join('');
  });
  if (rest.length === 0) return items;
  return [
    ...items,
    `<li class="rest"><span>${formatCount(rest.length)} others</span>${numbers(addSums(rest, groups?.metrics ?? []))}`,
  ];
}
