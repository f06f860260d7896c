import { metricOfField } from '../../contract/columns.ts';
import { type Comparison, changeText, type Figure, figuresOf, figureText, figureValue } from '../../view/figures.ts';
import { type Grouping, inTimeOrder } from '../../view/grouping.ts';
import type { TableLook } from '../encoder.ts';
import { comparisonNotices, plainName } from '../formats/table.ts';
import { widthOf } from './table-layout.ts';
import { sparkline } from './text-charts.ts';

const gap = 2;

/**
 * The figures of a report in a few lines: the sum of each metric, what they give, and the first one's course.
 * @param report the report by time
 * @param only the row fields and derived metrics to show, in this order. Default: all
 * @param comparison an earlier report, whose change is shown beside each figure
 */
export function reportCard(
  report: Grouping,
  look: TableLook = {},
  only?: readonly string[],
  comparison?: Comparison,
): string[] {
  const { columns = 80, unicode } = look;
  const totals = report.totals();
  const before = comparison?.sums.total.totals();
  const known = figuresOf(report.metrics).filter((figure) => figure.derived || totals.get(figure.field) !== undefined);
  const chosen = only ? only.flatMap((field) => known.filter((figure) => figure.field === field)) : known;
  const items = chosen.map((figure) => {
    const change = before ? ` ${changeText(figure, totals, before, unicode)}` : '';
    return { label: labelOf(figure, unicode), text: (figureText(figure, totals) ?? '–') + change };
  });
  // Figures are read down; the fewest lines into which they fit are best.
  const grids = [4, 3, 2, 1].map((count) => grid(items, count, look));
  const lines = grids.find((each) => each.width <= columns)?.lines ?? grids.at(-1)?.lines ?? [];
  const notices = comparison ? comparisonNotices(comparison) : [];
  return [...lines, ...course(report, look, chosen), ...notices.map((notice) => ' '.repeat(gap) + notice)];
}

function labelOf({ field, name, derived }: Figure, unicode?: boolean): string {
  const label = derived ? name : (metricOfField(field)?.name ?? field);
  return plainName(
    { revenueEuro: 'revenue €', revenueDollar: 'revenue $', eyesTrackings: 'eyes' }[label] ?? label,
    unicode,
  );
}

function grid(items: readonly { label: string; text: string }[], columnCount: number, { style }: TableLook) {
  const height = Math.max(1, Math.ceil(items.length / columnCount));
  const count = Math.ceil(items.length / height);
  const columns = Array.from({ length: count }, (_, i) => items.slice(i * height, (i + 1) * height)).map((column) => {
    const labelWidth = Math.max(...column.map(({ label }) => widthOf(label)));
    const width = labelWidth + 1 + Math.max(...column.map(({ text }) => widthOf(text)));
    const cells = column.map(({ label, text }) => {
      return (style?.dim(label) ?? label) + ' '.repeat(width - widthOf(label) - widthOf(text)) + text;
    });
    return { cells, width };
  });
  const lines = Array.from({ length: items.length > 0 ? height : 0 }, (_, row) => {
    return ' '.repeat(gap) + columns.flatMap(({ cells }) => cells[row] ?? []).join(' '.repeat(gap));
  });
  return { lines, width: columns.reduce((sum, { width }) => sum + width + gap, 0) };
}

/** The first metric over time, in a line from its lowest to its highest; none where there is no time, or only one. */
function course(report: Grouping, look: TableLook, chosen: readonly Figure[]): string[] {
  const figure = chosen.find(({ derived }) => !derived);
  const points = inTimeOrder(report);
  if (!figure || points.length < 2) return [];
  const { columns = 80, unicode, style } = look;
  const [from = '', to = ''] = [points[0], points.at(-1)].map((point) => point?.time.slice(0, 10));
  const isMonthly = points.every(({ time }) => time.endsWith('-01'));
  const step = report.by[0]?.field === 'hour' ? 'hour' : isMonthly ? 'month' : 'day';
  const name = `${metricOfField(figure.field)?.name ?? figure.field} by ${step}`;
  const known = points.filter(({ sums }) => sums.get(figure.field) !== undefined);
  known.sort((a, b) => (figureValue(figure, a.sums) ?? 0) - (figureValue(figure, b.sums) ?? 0));
  const [least, most] = [known[0], known.at(-1)].map((point) => point && figureText(figure, point.sums));
  const range = least && most && least !== most ? `  ${least} to ${most}` : '';
  const dim = style?.dim ?? ((text: string) => text);
  const values = points.map(({ sums }) => figureValue(figure, sums) ?? 0);
  // The range stands beside the line, and its first and last date where both leave it eight cells.
  const room = columns - gap - name.length - 2 - range.length;
  const datesWidth = from.length + to.length + 2;
  const isDated = room - datesWidth >= 8;
  if (room < 8) return [];
  const line = sparkline(values, Math.min(isDated ? room - datesWidth : room, 60), unicode);
  const dated = isDated ? `${dim(from)} ${line} ${dim(to)}` : line;
  return [`${' '.repeat(gap)}${dim(name)}  ${dated}${range && dim(range)}`];
}
