import { fieldLabel } from '../../contract/columns.ts';
import {
  type Comparison,
  changeText,
  type Figure,
  figuresOf,
  figureText,
  figureValue,
  scaleText,
} from '../../view/figures.ts';
import { type Grouping, inTimeOrder } from '../../view/grouping.ts';
import type { TableLook } from '../encoder.ts';
import { comparisonNotices, plainName } from '../formats/table.ts';
import { widthOf } from './table-layout.ts';
import { rangeOf, sparkline } from './text-charts.ts';

const gap = '  ';

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
  const { width: lineWidth = 80, unicode, style } = look;
  const totals = report.totals();
  const before = comparison?.sums.total.totals();
  const known = figuresOf(report.metrics).filter(
    (figure) => figure.derived || totals.get(figure.field) !== undefined,
  );
  const chosen = only
    ? only.flatMap((field) => known.filter((figure) => figure.field === field))
    : known;
  const items = chosen.map((figure) => {
    const change = before ? ` ${changeText(figure, totals, before, unicode)}` : '';
    return { label: wordsOf(figure, unicode), text: (figureText(figure, totals) ?? '–') + change };
  });
  // Figures are read down.
  const labelWidth = Math.max(0, ...items.map(({ label }) => widthOf(label)));
  const width = labelWidth + 1 + Math.max(0, ...items.map(({ text }) => widthOf(text)));
  const height = Math.ceil(
    items.length / Math.max(1, Math.floor(lineWidth / (width + gap.length))),
  );
  const lines = Array.from({ length: height }, (_, line) => {
    const cells = items
      .filter((_, i) => i % height === line)
      .map(({ label, text }) => {
        const blanks = ' '.repeat(width - widthOf(label) - widthOf(text));
        return `${gap}${style?.dim(label) ?? label}${blanks}${text}`;
      });
    return cells.join('');
  });
  const notices = comparison ? comparisonNotices(comparison) : [];
  return [...lines, ...course(report, look, chosen), ...notices.map((notice) => gap + notice)];
}

/** What a figure is called in a line: `revenue (€)`, `CTR`. */
function wordsOf({ field }: Figure, unicode?: boolean): string {
  return plainName(fieldLabel(field), unicode).replace(/^[A-Z](?=[a-z])/, (letter) =>
    letter.toLowerCase(),
  );
}

/** The first metric over time, in a line from its lowest to its highest; none where there is no time, or only one. */
function course(
  report: Grouping,
  { width: lineWidth = 80, unicode, style }: TableLook,
  chosen: readonly Figure[],
): string[] {
  const figure = chosen.find(({ derived }) => !derived);
  const points = inTimeOrder(report);
  if (!figure || points.length < 2) return [];
  const [from = '', to = ''] = [points[0], points.at(-1)].map((point) => point?.time.slice(0, 10));
  const isMonthly = points.every(({ time }) => time.endsWith('-01'));
  const step = report.by[0]?.field === 'hour' ? 'hour' : isMonthly ? 'month' : 'day';
  const name = `${wordsOf(figure, unicode)} by ${step}`;
  const values = points.map(({ sums }) => figureValue(figure, sums) ?? 0);
  const [least, most] = rangeOf(values).map((value) => scaleText(figure, value));
  const range = least === most ? '' : `  ${least} to ${most}`;
  const dim = style?.dim ?? ((text: string) => text);
  // The range stands beside the line, and its first and last date where both leave it eight cells.
  const room = lineWidth - 2 * gap.length - name.length - range.length;
  const isDated = room - from.length - to.length - 2 >= 8;
  if (room < 8) return [];
  const line = sparkline(
    values,
    Math.min(isDated ? room - from.length - to.length - 2 : room, 60),
    unicode,
  );
  return [
    `${gap}${dim(name)}${gap}${isDated ? `${dim(from)} ${line} ${dim(to)}` : line}${range && dim(range)}`,
  ];
}
