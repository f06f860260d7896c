import { metricOfField } from '../../contract/columns.ts';
import { type Comparison, changeText } from '../../view/comparison.ts';
import { type FigureColumn, figuresOf, figureText, figureValue } from '../../view/figure-columns.ts';
import type { Figures } from '../../view/figures.ts';
import type { TableLook } from '../encoder.ts';
import { comparisonNotices, plainName } from './report-table.ts';
import { widthOf } from './table-layout.ts';
import { sparkline } from './text-charts.ts';

/** One figure of the card: what it is called, and its value as people read it. */
interface Item {
  readonly field: string;
  readonly label: string;
  /** For where there is little room. */
  readonly short: string;
  readonly text: string;
}

/** Cells between two columns of figures, and before the first. */
const gap = 3;
const margin = 2;

/**
 * The figures of a report in a few lines: the sum of each metric, what they give, and the first one's course.
 * @param only the row fields and derived metrics to show, in this order. Default: all
 * @param comparison an earlier report, whose change is shown beside each figure
 */
export function reportCard(
  figures: Figures,
  look: TableLook = {},
  only?: readonly string[],
  comparison?: Comparison,
): string[] {
  const { columns = 80 } = look;
  const known = figuresOf([...figures.totals.keys()]);
  const chosen = only ? only.flatMap((field) => known.filter((figure) => figure.field === field)) : known;
  const items = chosen.map((figure) => itemOf(figure, figures, look, comparison));
  // Figures are read down; the fewest lines into which they fit are best.
  const grids = [4, 3, 2, 1].flatMap((count) => [
    grid(items, count, { look, short: false }),
    grid(items, count, { look, short: true }),
  ]);
  const lines = grids.find(({ width }) => width <= columns)?.lines ?? grids.at(-1)?.lines ?? [];
  const notices = comparison ? comparisonNotices(comparison) : [];
  return [...lines, ...course(figures, look, chosen), ...notices.map((notice) => ' '.repeat(margin) + notice)];
}

function itemOf(figure: FigureColumn, { totals }: Figures, { unicode }: TableLook, comparison?: Comparison): Item {
  const { field, name, derived } = figure;
  const label = derived ? name : (metricOfField(field)?.name ?? field);
  const currency = { revenueEuro: 'revenue €', revenueDollar: 'revenue $' }[label] ?? label;
  const value = figureText(figure, totals) ?? '–';
  const change =
    comparison && changeText(figureValue(figure, totals), figureValue(figure, comparison.sums.total.totals()), unicode);
  return {
    field,
    label: plainName(currency, unicode),
    short: plainName(label === 'eyesTrackings' ? 'eyes' : currency, unicode),
    text: change === undefined ? value : `${value} ${change}`,
  };
}

function grid(items: readonly Item[], columnCount: number, { look, short }: { look: TableLook; short: boolean }) {
  const height = Math.ceil(items.length / columnCount);
  const count = Math.ceil(items.length / Math.max(1, height));
  const columns = Array.from({ length: count }, (_, i) => items.slice(i * height, (i + 1) * height)).map((column) => {
    const labels = column.map((item) => (short ? item.short : item.label));
    const labelWidth = Math.max(...labels.map(widthOf));
    const valueWidth = Math.max(...column.map(({ text }) => widthOf(text)));
    const cells = column.map(({ text }, i) => {
      const label = labels[i] ?? '';
      const padding = ' '.repeat(labelWidth - widthOf(label) + 1 + valueWidth - widthOf(text));
      return (look.style?.dim(label) ?? label) + padding + text;
    });
    return { cells, width: labelWidth + 1 + valueWidth };
  });
  const between = ' '.repeat(short ? gap - 1 : gap);
  const lines = Array.from(
    { length: height },
    (_, row) => ' '.repeat(margin) + columns.flatMap(({ cells }) => cells[row] ?? []).join(between),
  );
  const width = columns.reduce((sum, column) => sum + column.width + between.length, margin - between.length);
  return { lines, width };
}

/** The first metric over time, in a line from its lowest to its highest; none where there is no time, or only one. */
function course({ points, timeField }: Figures, look: TableLook, chosen: readonly FigureColumn[]): string[] {
  const figure = chosen.find(({ derived }) => !derived);
  const [first, last] = [points[0], points.at(-1)];
  if (!figure || !first || !last || first === last) return [];
  const { columns = 80, unicode } = look;
  const [from = '', to = ''] = [first.time, last.time].map((time) => time.slice(0, 10));
  const name = `${metricOfField(figure.field)?.name ?? figure.field} by ${timeField === 'hour' ? 'hour' : stepOf(points.map(({ time }) => time))}`;
  const known = points.filter(({ sums }) => sums.get(figure.field));
  const ordered = [...known].sort((a, b) => (figureValue(figure, a.sums) ?? 0) - (figureValue(figure, b.sums) ?? 0));
  const [least, most] = [ordered[0], ordered.at(-1)].map((point) => point && figureText(figure, point.sums));
  const range = least && most && least !== most ? `  ${least} to ${most}` : '';
  const dim = look.style?.dim ?? ((text: string) => text);
  const values = points.map(({ sums }) => figureValue(figure, sums) ?? 0);
  const lead = margin + name.length + 2;
  const dates = from.length + to.length + 2;
  // The lowest and the highest stand beside the line, and its first and last date where all leave it eight cells.
  for (const [besides, least] of [
    [dates + range.length, 8],
    [range.length, 8],
    [0, 4],
  ] as const) {
    const room = columns - lead - besides;
    if (room < Math.min(least, least === 4 ? points.length : least)) continue;
    const line = sparkline(values, Math.min(room, 60), unicode);
    const dated = besides > range.length ? `${dim(from)} ${line} ${dim(to)}` : line;
    return [`${' '.repeat(margin)}${dim(name)}  ${dated}${besides > 0 && range ? dim(range) : ''}`];
  }
  return [];
}

/** Whether the dates are those of days or of months. */
function stepOf(times: readonly string[]): string {
  return times.every((time) => time.endsWith('-01')) ? 'month' : 'day';
}
