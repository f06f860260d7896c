import { metricOfField } from '../../contract/columns.ts';
import { deriveMetrics } from '../../contract/derived.ts';
import { type Figures, sumOfMetric } from '../../view/figures.ts';
import type { TableLook } from '../encoder.ts';
import { derivedName, derivedText, groupedText, moneyText } from './cell-texts.ts';
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
 */
export function reportCard(figures: Figures, look: TableLook = {}, only?: readonly string[]): string[] {
  const { columns = 80 } = look;
  const items = chosen(itemsOf(figures, look.unicode), only);
  // Figures are read down; the fewest lines into which they fit are best.
  const grids = [4, 3, 2, 1].flatMap((count) => [
    grid(items, count, { look, short: false }),
    grid(items, count, { look, short: true }),
  ]);
  const lines = grids.find(({ width }) => width <= columns)?.lines ?? grids.at(-1)?.lines ?? [];
  return [...lines, ...course(figures, look, only)];
}

function chosen(items: readonly Item[], only: readonly string[] | undefined): readonly Item[] {
  return only ? only.flatMap((field) => items.filter((item) => item.field === field)) : items;
}

function itemsOf({ totals }: Figures, unicode = true): Item[] {
  const sums = [...totals].map(([field, sum]): Item => {
    const metric = metricOfField(field);
    const text = groupedText(metric?.type === 'money' ? moneyText(sum.toString()) : sum.toString());
    const label = metric?.name ?? field;
    const currency = { revenueEuro: unicode ? 'revenue €' : 'revenue EUR', revenueDollar: 'revenue $' }[label];
    return { field, label: currency ?? label, short: currency ?? (label === 'eyesTrackings' ? 'eyes' : label), text };
  });
  const derived = deriveMetrics(sumOfMetric(totals)).map(({ metric, value }): Item => {
    const label = derivedName(metric, unicode);
    return { field: metric.field, label, short: label, text: groupedText(derivedText(metric, value)) };
  });
  return [...sums, ...derived];
}

function grid(items: readonly Item[], columnCount: number, { look, short }: { look: TableLook; short: boolean }) {
  const height = Math.ceil(items.length / columnCount);
  const count = Math.ceil(items.length / Math.max(1, height));
  const columns = Array.from({ length: count }, (_, i) => items.slice(i * height, (i + 1) * height)).map((column) => {
    const labels = column.map((item) => (short ? item.short : item.label));
    const labelWidth = Math.max(...labels.map(widthOf));
    const valueWidth = Math.max(...column.map(({ text }) => text.length));
    const cells = column.map(({ text }, i) => {
      const label = labels[i] ?? '';
      const padding = ' '.repeat(labelWidth - widthOf(label) + 1 + valueWidth - text.length);
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

/** The first metric over time, in a line; none where there is no time, or only one. */
function course({ points, totals, timeField }: Figures, look: TableLook, only?: readonly string[]): string[] {
  const field = only ? only.find((name) => totals.has(name)) : [...totals.keys()][0];
  const [first, last] = [points[0], points.at(-1)];
  if (field === undefined || !first || !last || first === last) return [];
  const { columns = 80, unicode } = look;
  const [from, to] = [first.time, last.time].map((time) => time.slice(0, 10));
  const name = `${metricOfField(field)?.name ?? field} by ${timeField === 'hour' ? 'hour' : stepOf(points.map(({ time }) => time))}`;
  const width = columns - margin - name.length - 2;
  // Its first and its last date stand beside it where they leave it eight cells.
  const besideDates = width - 2 * 12;
  const hasDates = besideDates >= 8;
  const room = hasDates ? besideDates : width;
  // Less than that shows no course.
  if (room < Math.min(4, points.length)) return [];
  const values = points.map(({ sums }) => sums.get(field)?.toNumber() ?? 0);
  const line = sparkline(values, Math.min(room, 60), unicode);
  const dim = look.style?.dim ?? ((text: string) => text);
  return [' '.repeat(margin) + dim(name) + (hasDates ? `  ${dim(from ?? '')} ${line} ${dim(to ?? '')}` : `  ${line}`)];
}

/** Whether the dates are those of days or of months. */
function stepOf(times: readonly string[]): string {
  return times.every((time) => time.endsWith('-01')) ? 'month' : 'day';
}
