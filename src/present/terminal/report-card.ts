import type { Change } from '../../figures/change.ts';
import {
  type Comparison,
  everyFigureOf,
  type Figure,
  figuresOf,
  figureText,
  figureValue,
  leadingFirst,
  scaleText,
} from '../../figures/figures.ts';
import {
  type DateUnit,
  type Grouping,
  inTimeOrder,
  type Sums,
  type TimedGroup,
} from '../../figures/grouping.ts';
import type { TableLook, TableStyle } from '../../output/encoder.ts';
import { widthOf } from '../../text/cell-width.ts';
import { chooseFigures, totalsOf } from '../report-model.ts';
import { headingOf } from './headings.ts';
import { comparisonLines, paintOf } from './terminal-table.ts';
import { rangeOf, sparkline } from './text-charts.ts';

const gap = '  ';

/** What a card shows besides the sums of a report. */
export interface CardOptions {
  /**
   * The row fields and derived metrics to show, in this order. Default: those that are read first.
   */
  readonly fields?: readonly string[];

  /** An earlier report, whose change is shown beside each figure. */
  readonly comparison?: Comparison;
}

/**
 * The figures of a report in a few lines: the sum of each metric, what they give, and the course of
 * one over time.
 * @param report the report by time
 */
export function reportCard(
  report: Grouping,
  look: TableLook = {},
  { fields, comparison }: CardOptions = {},
): string[] {
  const figures = figuresToShow(report, fields);
  const lines = inColumns(cardItems(figures, report.totals(), look, comparison), look);

  const course = courseOf(report, figures, look);
  if (course !== undefined) lines.push(gap + course);

  const { width = 80 } = look;
  const comparisonText = comparison ? comparisonLines(comparison, width - gap.length) : [];
  return [...lines, ...comparisonText.map((line) => gap + line)];
}

/** The figures that are read first, or those of the given fields. */
function figuresToShow(report: Grouping, fields: readonly string[] | undefined): Figure[] {
  const totals = report.totals();
  if (!fields) {
    const { shown } = chooseFigures(figuresOf(report.metrics), totals);
    return shown.filter(({ derived, field }) => derived || totals.get(field) !== undefined);
  }

  const all = everyFigureOf(report.metrics);
  const chosen: Figure[] = [];
  for (const name of fields) {
    const figure = all.find(({ field }) => field === name);
    const hasValue = figure?.derived || totals.get(name) !== undefined;
    if (figure && hasValue) chosen.push(figure);
  }
  return chosen;
}

/** A figure of the card: what it is called, and its value with its change. */
interface CardItem {
  readonly label: string;
  readonly text: string;

  /** Against an earlier report. */
  readonly change?: Change | undefined;
}

function cardItems(
  figures: readonly Figure[],
  totals: Sums,
  { unicode }: TableLook,
  comparison: Comparison | undefined,
): CardItem[] {
  return totalsOf(figures, totals, comparison, unicode).map(({ figure, change }) => {
    const text = figureText(figure, totals) ?? '–';
    return { label: headingOf(figure.field, unicode), text, change };
  });
}

/** Items beside each other, as many as a line holds; they are read down, column by column. */
function inColumns(items: readonly CardItem[], { width = 80, style }: TableLook): string[] {
  const labelWidth = Math.max(0, ...items.map(({ label }) => widthOf(label)));
  const textWidth = Math.max(0, ...items.map(({ text }) => widthOf(text)));
  const changeWidth = Math.max(0, ...items.map(({ change }) => widthOf(change?.text ?? '')));
  const itemWidth = labelWidth + 1 + textWidth + (changeWidth > 0 ? gap.length + changeWidth : 0);
  const perLine = Math.max(1, Math.floor(width / (itemWidth + gap.length)));
  const height = Math.ceil(items.length / perLine);

  const lines = Array.from({ length: height }, () => '');
  for (const [i, { label, text, change }] of items.entries()) {
    const padding = ' '.repeat(labelWidth + 1 + textWidth - widthOf(label) - widthOf(text));
    const line = i % height;
    lines[line] += `${gap}${style?.dim(label) ?? label}${padding}${text}`;
    if (change) lines[line] += gap + changeCell(change, changeWidth, style);
  }
  return lines;
}

/** A change, set to the right. */
function changeCell(change: Change, width: number, style: TableStyle | undefined): string {
  const paint = style && paintOf(change, style);
  return ' '.repeat(width - widthOf(change.text)) + (paint?.(change.text) ?? change.text);
}

/** A sparkline is worth its line from so many cells on, and is never longer than so many. */
const leastCourse = 8;
const longestCourse = 60;

/**
 * Revenue over time, or the metric that leads in its place, as columns in a line, and how low and
 * how high it was; `undefined` where there is no time, only one, or no room.
 */
function courseOf(
  report: Grouping,
  figures: readonly Figure[],
  { width = 80, unicode, style }: TableLook,
): string | undefined {
  const [figure] = leadingFirst(figures.filter(({ derived }) => !derived)).leading;
  const points = inTimeOrder(report);
  if (!figure || points.length < 2) return undefined;

  const dim = style?.dim ?? ((text: string) => text);
  const name = `${headingOf(figure.field, unicode)} by ${stepOf(report, points)}`;
  const from = points[0]?.time.slice(0, 10) ?? '';
  const to = points.at(-1)?.time.slice(0, 10) ?? '';

  const values = points.map(({ sums }) => figureValue(figure, sums) ?? 0);
  const { least, greatest } = rangeOf(values);
  const lowest = scaleText(figure, least);
  const highest = scaleText(figure, greatest);
  const range = lowest === highest ? '' : `  ${lowest} to ${highest}`;

  const room = width - 2 * gap.length - name.length - range.length;
  if (room < leastCourse) return undefined;

  // The first and the last date stand beside the line where they leave it enough room.
  const roomBesideDates = room - from.length - to.length - 2;
  const isDated = roomBesideDates >= leastCourse;
  const length = Math.min(isDated ? roomBesideDates : room, longestCourse);
  const line = sparkline(values, length, unicode);
  const datedLine = isDated ? `${dim(from)} ${line} ${dim(to)}` : line;
  return `${dim(name)}${gap}${datedLine}${range && dim(range)}`;
}

/** The step of time that the points of a report stand for. */
function stepOf(report: Grouping, points: readonly TimedGroup[]): 'hour' | DateUnit {
  if (report.by[0]?.field === 'hour') return 'hour';
  if (points.every(({ time }) => time.endsWith('-01'))) return 'month';
  return points.every(({ time }) => isMonday(time)) ? 'week' : 'day';
}

function isMonday(time: string): boolean {
  return new Date(time).getUTCDay() === 1;
}
