import type { TableLook } from '../encoder.ts';
import { shorten, widthOf } from './table-layout.ts';

/** Charts made of characters; each fits the width that it is given, and has an ASCII form. */

const blocks = ' ▁▂▃▄▅▆▇█';

/**
 * The course of some numbers in one line, from the lowest to the highest of them; as many neighbours as must are drawn
 * as their mean. Numbers that are all the same are drawn at half the height.
 */
export function sparkline(values: readonly number[], width: number, unicode = true): string {
  const steps = unicode ? blocks.slice(1) : '_.-:=+*#';
  const levels = levelsOf(means(values, Math.max(1, Math.min(width, values.length))));
  return levels.map((level) => steps[Math.round(level * (steps.length - 1))]).join('');
}

/** As many numbers as are wanted: each is a value, or the mean of those that come to stand in one place. */
function means(values: readonly number[], count: number): number[] {
  if (values.length === 0) return [];
  return Array.from({ length: count }, (_, i) => {
    const from = Math.floor((i * values.length) / count);
    const part = values.slice(
      from,
      Math.max(from + 1, Math.floor(((i + 1) * values.length) / count)),
    );
    return part.reduce((sum, value) => sum + value, 0) / part.length;
  });
}

/** Where each value stands between the lowest, 0, and the highest, 1. */
function levelsOf(values: readonly number[]): number[] {
  const [least, greatest] = rangeOf(values);
  return values.map((value) => (greatest > least ? (value - least) / (greatest - least) : 0.5));
}

/** The lowest and the highest of any number of values. */
export function rangeOf(values: readonly number[]): [least: number, greatest: number] {
  return [
    values.reduce((a, b) => Math.min(a, b), Infinity),
    values.reduce((a, b) => Math.max(a, b), -Infinity),
  ];
}

/**
 * Horizontal bars to the eighth of a cell: a line each of label, bar, and the value as people read it. Below zero nothing
 * is drawn.
 */
export function barChart(
  bars: readonly { label: string; value: number; text: string }[],
  { width: lineWidth = 80, unicode = true }: TableLook = {},
): string[] {
  const valueWidth = Math.max(0, ...bars.map(({ text }) => widthOf(text)));
  const room = lineWidth - valueWidth - 4;
  const widest = Math.max(0, ...bars.map(({ label }) => widthOf(label)));
  const labelWidth = Math.max(1, Math.min(widest, Math.floor(room / 2)));
  const barWidth = Math.max(1, room - labelWidth);
  const greatest = Math.max(...bars.map(({ value }) => value), 0) || 1;
  return bars.map(({ label, value, text }) => {
    const shown = shorten(label, labelWidth, unicode ? '…' : '...');
    const eighths = Math.round((Math.max(0, value) / greatest) * barWidth * 8);
    const rest = eighths % 8 > 0 ? String.fromCodePoint(0x2590 - (eighths % 8)) : '';
    const bar = unicode
      ? '█'.repeat(Math.floor(eighths / 8)) + rest
      : '#'.repeat(Math.round(eighths / 8));
    const name = shown + ' '.repeat(Math.max(0, labelWidth - widthOf(shown)));
    return `${name}  ${bar.padEnd(barWidth)}  ${' '.repeat(valueWidth - widthOf(text))}${text}`;
  });
}

/** Lines of characters that a chart over time takes, without its two of times. */
const chartHeight = 10;

/** The course of values over time, from the lowest to the highest, which its scale names, to the eighth of a line. */
export function lineChart(
  {
    values,
    from,
    to,
    text,
  }: { values: readonly number[]; from: string; to: string; text(value: number): string },
  look: TableLook = {},
): string[] {
  const { width: lineWidth = 80, unicode = true, style } = look;
  const [least, greatest] = rangeOf(values);
  const labels: Record<number, string> =
    least < greatest
      ? { 0: text(greatest), 5: text((least + greatest) / 2), 9: text(least) }
      : { 5: text(values[0] ?? 0) };
  const scaleWidth = Math.max(...Object.values(labels).map(widthOf));
  const width = Math.max(4, lineWidth - scaleWidth - 2);
  // What is lowest is still seen.
  const heights = levelsOf(means(values, width)).map((level) =>
    Math.round(1 + level * (8 * chartHeight - 1)),
  );
  const [tick, side, corner, floor = ''] = unicode ? '┤│└─' : '+|+-';
  const lines = Array.from({ length: chartHeight }, (_, row) => {
    const cells = heights.map((height) => {
      const eighths = Math.max(0, Math.min(8, height - 8 * (chartHeight - 1 - row)));
      return unicode ? blocks[eighths] : eighths > 0 ? '#' : ' ';
    });
    return `${(labels[row] ?? '').padStart(scaleWidth)} ${labels[row] ? tick : side}${cells.join('')}`.trimEnd();
  });
  const margin = ' '.repeat(scaleWidth + 1);
  const axis = `${margin}${corner}${floor.repeat(width)}`;
  const times =
    from === to || from.length + to.length >= width ? to : from + to.padStart(width - from.length);
  return [...lines, style?.dim(axis) ?? axis, `${margin} ${times.slice(0, width)}`];
}
