import { currencyOf, fieldLabel } from '../../contract/columns.ts';
import { escapeHtml, printable } from '../../text/printable.ts';
import { type Comparison, changeText } from '../../view/comparison.ts';
import { type FigureColumn, figureText, figureValue, scaleText } from '../../view/figure-columns.ts';
import { addSums, type Group, type Grouping, type Sums } from '../../view/grouping.ts';
import { groupedText, roundedMoney, shortNumber } from '../../view/number-text.ts';
import { byFigure } from '../../view/ranked-groups.ts';
import { nameOfGroup, nounOfUnit, type ReportSums, type UnitSums } from '../../view/report-sums.ts';
import type { TimeAxis } from '../../view/time-axis.ts';

/**
 * The charts of a page. They are SVG drawn here, not by a script in the page: so they are there in a mail program's
 * preview and on paper, follow the theme through the style sheet, and bring no library with them. The page's script
 * only adds the values under the pointer. A drawing stretches to any width; the texts around it are HTML, which does not.
 */
const width = 1000;
const height = 160;

/** Up to so many slots each get a column; more become a line. */
const mostColumns = 62;

/** How many values of a breakdown get a bar, and how many a line; the others are added up. */
const mostBars = 10;
const mostLines = 5;

/** A figure of a page as it is shown: money with its sign and two decimals, `–` where there is none. */
export function shownFigure(figure: FigureColumn, sums: Sums): string {
  const digits = figure.derived ? undefined : sums.get(figure.field)?.toString();
  const text =
    digits === undefined
      ? figureText(figure, sums)
      : groupedText(figure.type === 'money' ? roundedMoney(digits) : digits);
  return text === null ? '–' : withCurrency(figure, text);
}

function withCurrency({ field, type }: FigureColumn, text: string): string {
  const sign = type === 'money' ? currencyOf(field) : '';
  return text.startsWith('-') ? `-${sign}${text.slice(1)}` : sign + text;
}

/** Charts, and for the script of the page the texts of each one's values, slot by slot. */
export interface Charts {
  readonly html: string[];
  readonly texts: (string | null)[][];
}

/** What a chart over time shows, one line or column a slot. */
interface Series {
  readonly name: string;
  readonly values: readonly (number | undefined)[];
}

/** A chart of each figure over time, of those that have a value anywhere. */
export function timeCharts(figures: readonly FigureColumn[], axis: TimeAxis): Charts {
  const sums = axis.slots.map((groups) => addSums(groups.map((group) => group.sums)));
  const charts: Charts = { html: [], texts: [] };
  for (const figure of figures) {
    const values = sums.map((sum) => figureValue(figure, sum));
    if (values.every((value) => value === undefined)) continue;
    charts.texts.push(sums.map((sum, i) => (values[i] === undefined ? null : shownFigure(figure, sum))));
    charts.html.push(drawChart(figure, axis, [{ name: '', values }], `per ${axis.step}`));
  }
  return charts;
}

/** The greatest five values of a breakdown over time as lines, by one figure; none where there is but one value. */
export function courseChart(
  figure: FigureColumn,
  axis: TimeAxis,
  { unit, groups }: UnitSums,
  course: Grouping,
): Charts {
  if (!groups || groups.size < 2) return { html: [], texts: [] };
  const top = [...groups].sort(byFigure(figure)).slice(0, mostLines);
  const lines = top.map((group) => {
    const sums = axis.slots.map((slot) =>
      addSums(slot.flatMap(({ key: [time] }) => course.find([time ?? null, ...group.key])?.sums ?? [])),
    );
    return { name: printable(nameOfGroup(unit.fields, group).name), sums };
  });
  const series = lines.map(({ name, sums }) => ({ name, values: sums.map((sum) => figureValue(figure, sum)) }));
  const texts = axis.slots.map((_, slot) =>
    lines.map(({ name, sums }) => `${name}: ${shownFigure(figure, sums[slot] ?? new Map())}`).join('\n'),
  );
  const rest = groups.size > mostLines ? `the first ${mostLines} of ${groupedText(String(groups.size))}` : 'all';
  return {
    html: [drawChart(figure, axis, series, `per ${axis.step} by ${nounOfUnit(unit)}, ${rest}`)],
    texts: [texts],
  };
}

function drawChart(figure: FigureColumn, { labels, marks }: TimeAxis, series: readonly Series[], what: string): string {
  const known = series.flatMap(({ values }) => values.filter((value) => value !== undefined));
  const ticks = ticksOf(
    known.reduce((a, b) => Math.min(a, b), 0),
    known.reduce((a, b) => Math.max(a, b), 0),
  );
  const [low, high] = [ticks[0] ?? 0, ticks.at(-1) ?? 1];
  const y = (value: number): number => round(height - (height * (value - low)) / (high - low));
  const grid = ticks.map((tick) => `<path class="${tick === 0 ? 'zero' : 'grid'}" d="M0 ${y(tick)}H${width}"/>`);
  const [only] = series.length === 1 ? series : [];
  const drawing = only
    ? only.values.length > mostColumns
      ? drawLine(only.values, y, 'line', true)
      : drawColumns(only.values, y)
    : series.map(({ values }, i) => drawLine(values, y, `line s${i}`, false)).join('');
  const unit = figure.type === 'percent' ? '%' : '';
  const tickTexts = [...ticks]
    .reverse()
    .map((tick) => `<span>${withCurrency(figure, shortNumber(tick))}${unit}</span>`);
  const legend = series.map(({ name }, i) =>
    name === '' ? '' : `<span><b class="k${i}"></b>${escapeHtml(name)}</span>`,
  );
  const label = fieldLabel(figure.field);
  return `<figure class="time${only ? '' : ' wide'}">
<figcaption><b>${escapeHtml(label)}</b> ${escapeHtml(what)}</figcaption>
<div class="plot"><div class="y" aria-hidden="true">${tickTexts.join('')}</div>
<svg viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" role="img" aria-label="${escapeHtml(describe(figure, what, labels, known, only))}">${grid.join('')}${drawing}</svg>
</div>
<div class="x${marks.length === 1 ? ' one' : ''}" aria-hidden="true">${marks.map((text) => `<span>${escapeHtml(text)}</span>`).join('')}</div>
${only ? '' : `<p class="legend">${legend.join(' ')}</p>\n`}</figure>
`;
}

/** The chart in words, for readers who do not see it. */
function describe(
  figure: FigureColumn,
  what: string,
  labels: readonly string[],
  known: readonly number[],
  only: Series | undefined,
): string {
  const [least, most] = [known.reduce((a, b) => Math.min(a, b)), known.reduce((a, b) => Math.max(a, b))];
  const when = (value: number) => (only ? ` (${labels[only.values.indexOf(value)]})` : '');
  const shown = (value: number) => withCurrency(figure, scaleText(figure, value)) + when(value);
  const range = `${fieldLabel(figure.field)} ${what}, ${labels[0]} to ${labels.at(-1)}`;
  return `${range}: from ${shown(least)} to ${shown(most)}`;
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

function drawColumns(values: Series['values'], y: (value: number) => number): string {
  const slot = width / values.length;
  // A single column would fill the whole chart.
  const columnWidth = Math.min(slot * (values.length > 20 ? 0.76 : 0.68), 90);
  const columns = values.map((value, i) => {
    if (value === undefined || y(value) === y(0)) return '';
    const left = round(i * slot + (slot - columnWidth) / 2);
    return `M${left} ${y(0)}V${y(value)}H${round(left + columnWidth)}V${y(0)}Z`;
  });
  return `<path class="column" d="${columns.join('')}"/>`;
}

/** A line, over its area or without; broken where nothing is known. */
function drawLine(values: Series['values'], y: (value: number) => number, name: string, hasArea: boolean): string {
  const slot = width / values.length;
  const runs: [number, number][][] = [];
  for (const [i, value] of values.entries()) {
    if (value === undefined) continue;
    if (values[i - 1] === undefined) runs.push([]);
    runs.at(-1)?.push([round((i + 0.5) * slot), y(value)]);
  }
  const points = (run: [number, number][]) => run.map((point) => point.join(' ')).join('L');
  const areas = runs.map((run) => `M${run[0]?.[0]} ${y(0)}L${points(run)}L${run.at(-1)?.[0]} ${y(0)}Z`);
  // A run of one point has no length, which a round cap makes visible.
  const lines = runs.map((run) => `M${points(run)}${run.length === 1 ? 'h0' : ''}`);
  return `${hasArea ? `<path class="area" d="${areas.join('')}"/>` : ''}<path class="${name}" d="${lines.join('')}"/>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/**
 * The rankings of a breakdown's values, one by each figure, of which the first is seen. The bars are SVG, whose widths
 * need no inline style (which the page's security policy forbids) and which print without background graphics.
 */
export function rankings(
  { unit, groups }: UnitSums,
  figures: readonly FigureColumn[],
  { total }: ReportSums,
  comparison: Comparison | undefined,
): string {
  if (!groups) return '<p class="by">Too many different values to rank.</p>';
  const totals = total.totals();
  const before = comparison?.sums.units.find((each) => each.unit.fields.join() === unit.fields.join())?.groups;
  return figures
    .map((figure, i) => {
      const all = figureValue(figure, totals);
      if (all === undefined) return '';
      const ranked = [...groups].filter(({ sums }) => sums.get(figure.field)).sort(byFigure(figure));
      // "1 other" would take as much room as that one itself.
      const shown = ranked.slice(0, ranked.length > mostBars + 1 ? mostBars : ranked.length);
      const rest = addSums(ranked.slice(shown.length).map(({ sums }) => sums));
      const most = shown.reduce((greatest, { sums }) => Math.max(greatest, figureValue(figure, sums) ?? 0), 0);
      const changed = (group: Group) => {
        const earlier = before?.find(group.key)?.sums;
        const change = changeText(figureValue(figure, group.sums), earlier && figureValue(figure, earlier));
        return comparison ? `<small class="change">${change}</small>` : '';
      };
      const items = shown.map((group) => {
        const names = nameOfGroup(unit.fields, group);
        const [name, detail] = [printable(names.name), printable(names.detail)];
        const value = figureValue(figure, group.sums) ?? 0;
        const length = most > 0 ? Math.max(0, Math.round((10_000 * value) / most) / 100) : 0;
        const small = detail === '' ? '' : `<small>${escapeHtml(detail)}</small>`;
        const title = escapeHtml(detail === '' ? name : `${name} (${detail})`);
        return `<li><span title="${title}"><i>${escapeHtml(name)}</i>${small}</span>${numbers(shownFigure(figure, group.sums), share(value, all))}${changed(group)}<svg aria-hidden="true"><rect width="${length}%" height="100%" rx="2"/></svg>`;
      });
      const others = ranked.length - shown.length;
      const last = `<li class="rest"><span>${groupedText(String(others))} others</span>${numbers(shownFigure(figure, rest), share(figureValue(figure, rest) ?? 0, all))}`;
      return `<ol data-metric="${i}"${i === 0 ? '' : ' hidden'}>${items.join('')}${others > 0 ? last : ''}</ol>`;
    })
    .join('');
}

function numbers(text: string, part: string): string {
  return `<span class="n">${escapeHtml(text)}<small>${part}</small></span>`;
}

function share(value: number, total: number): string {
  return total > 0 && value >= 0 ? `${((100 * value) / total).toFixed(1)}%` : '–';
}
