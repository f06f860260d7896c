import type { TableLook } from '../encoder.ts';
import { shorten, widthOf } from './table-layout.ts';

/** Charts made of characters; each fits the width that it is given, and has an ASCII form. */

/** A cell filled from below by 0 to 8 eighths. */
const blocks = ' ▁▂▃▄▅▆▇█';

/**
 * The course of some numbers in one line, from the lowest to the highest of them; as many neighbours as must are drawn
 * as their mean. Numbers that are all the same are drawn at half the height.
 */
export function sparkline(values: readonly number[], width: number, unicode = true): string {
  const steps = unicode ? blocks.slice(1) : '_.-:=+*#';
  const count = Math.max(1, Math.min(width, values.length));
  const levels = levelsOf(means(values, count));
  return levels.map((level) => steps[Math.round(level * (steps.length - 1))]).join('');
}

/** As many numbers as are wanted: each is a value, or the mean of those that come to stand in one place. */
function means(values: readonly number[], count: number): number[] {
  if (values.length === 0) return [];

  return Array.from({ length: count }, (_, i) => {
    const from = Math.floor((i * values.length) / count);
    const to = Math.floor(((i + 1) * values.length) / count);
    const part = values.slice(from, Math.max(from + 1, to));
    const sum = part.reduce((total, value) => total + value, 0);
    return sum / part.length;
  });
}

/** Where each value stands between the lowest, 0, and the highest, 1. */
function levelsOf(values: readonly number[]): number[] {
  const { least, greatest } = rangeOf(values);
  if (greatest <= least) return values.map(() => 0.5);
  return values.map((value) => (value - least) / (greatest - least));
}

/** The lowest and the highest of some numbers. */
interface Range {
  readonly least: number;
  readonly greatest: number;
}

/** The lowest and the highest of any number of values. */
export function rangeOf(values: readonly number[]): Range {
  let least = Number.POSITIVE_INFINITY;
  let greatest = Number.NEGATIVE_INFINITY;
  for (const value of values) {
    least = Math.min(least, value);
    greatest = Math.max(greatest, value);
  }
  return { least, greatest };
}

/** A line of a bar chart; `text` is its value as people read it. */
export interface Bar {
  readonly label: string;
  readonly value: number;
  readonly text: string;
}

/** Horizontal bars to the eighth of a cell: a line each of label, bar and value. Below zero nothing is drawn. */
export function barChart(
  bars: readonly Bar[],
  { width = 80, unicode = true }: TableLook = {},
): string[] {
  const valueWidth = Math.max(0, ...bars.map(({ text }) => widthOf(text)));
  const room = width - valueWidth - 4;

  const widestLabel = Math.max(0, ...bars.map(({ label }) => widthOf(label)));
  const labelWidth = Math.max(1, Math.min(widestLabel, Math.floor(room / 2)));
  const barWidth = Math.max(1, room - labelWidth);
  const greatest = Math.max(...bars.map(({ value }) => value), 0) || 1;

  return bars.map(({ label, value, text }) => {
    const name = shorten(label, labelWidth, unicode ? '…' : '...');
    const namePadding = ' '.repeat(Math.max(0, labelWidth - widthOf(name)));
    const eighths = Math.round((Math.max(0, value) / greatest) * barWidth * 8);
    const bar = unicode ? blockBar(eighths) : '#'.repeat(Math.round(eighths / 8));
    const valuePadding = ' '.repeat(valueWidth - widthOf(text));
    return `${name}${namePadding}  ${bar.padEnd(barWidth)}  ${valuePadding}${text}`;
  });
}

/** A bar of so many eighths of a cell. */
function blockBar(eighths: number): string {
  const whole = '█'.repeat(Math.floor(eighths / 8));
  const rest = eighths % 8;
  // The blocks that are filled from the left follow each other from ▉, seven eighths, to ▏, one.
  return rest === 0 ? whole : whole + String.fromCodePoint(0x2590 - rest);
}

/** Lines of characters that a chart over time takes, without its two of times. */
const chartHeight = 10;

/** Numbers over time, their first and last time, and how a number is written on the scale. */
export interface ValuesOverTime {
  readonly values: readonly number[];
  readonly from: string;
  readonly to: string;
  textOf(value: number): string;
}

/** The course of values over time, from the lowest to the highest, which its scale names, to the eighth of a line. */
export function lineChart(
  { values, from, to, textOf }: ValuesOverTime,
  { width: lineWidth = 80, unicode = true, style }: TableLook = {},
): string[] {
  const range = values.length > 0 ? rangeOf(values) : { least: 0, greatest: 0 };
  const labels = scaleLabels(range, textOf);
  const scaleWidth = Math.max(...[...labels.values()].map(widthOf));
  const width = Math.max(4, lineWidth - scaleWidth - 2);

  // What is lowest is still seen.
  const heights = levelsOf(means(values, width)).map((level) => {
    return Math.round(1 + level * (8 * chartHeight - 1));
  });
  const tick = unicode ? '┤' : '+';
  const side = unicode ? '│' : '|';
  const lines: string[] = [];
  for (let row = 0; row < chartHeight; row++) {
    const label = labels.get(row);
    const filled = heights.map((height) => height - 8 * (chartHeight - 1 - row));
    const cells = filled.map((eighths) => (unicode ? blockOf(eighths) : eighths > 0 ? '#' : ' '));
    const scale = `${(label ?? '').padStart(scaleWidth)} ${label === undefined ? side : tick}`;
    lines.push(`${scale}${cells.join('')}`.trimEnd());
  }

  const margin = ' '.repeat(scaleWidth + 1);
  const axis = margin + (unicode ? `└${'─'.repeat(width)}` : `+${'-'.repeat(width)}`);
  const hasRoomForBoth = from.length + to.length < width;
  const times = from !== to && hasRoomForBoth ? from + to.padStart(width - from.length) : to;
  return [...lines, style?.dim(axis) ?? axis, `${margin} ${times.slice(0, width)}`];
}

/** The numbers of the scale, by the line that they stand on: at the top, in the middle, at the foot. */
function scaleLabels(
  { least, greatest }: Range,
  textOf: (value: number) => string,
): Map<number, string> {
  const middle = chartHeight / 2;
  if (least >= greatest) return new Map([[middle, textOf(least)]]);

  return new Map([
    [0, textOf(greatest)],
    [middle, textOf((least + greatest) / 2)],
    [chartHeight - 1, textOf(least)],
  ]);
}

/** The cell of a column that is filled up to so many eighths; fewer than none is none, more than eight is all. */
function blockOf(eighths: number): string {
  return blocks[Math.max(0, Math.min(8, eighths))] ?? ' ';
}
