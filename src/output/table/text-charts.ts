import type { TableLook } from '../encoder.ts';
import { shorten, widthOf } from './table-layout.ts';

/** Charts made of characters; each fits the width that it is given, and has an ASCII form. */

const levels = { unicode: '▁▂▃▄▅▆▇█', ascii: '_.-:=+*#' };

/**
 * The course of some numbers in one line, from the lowest to the highest of them; as many neighbours as must are drawn
 * as their mean. Numbers that are all the same are drawn at half the height.
 */
export function sparkline(values: readonly number[], width: number, unicode = true): string {
  const shown = means(values, width);
  const [least, greatest] = [Math.min(...shown), Math.max(...shown)];
  const steps = [...(unicode ? levels.unicode : levels.ascii)];
  const level = (value: number) => (greatest > least ? (value - least) / (greatest - least) : 0.5);
  return shown.map((value) => steps[Math.round(level(value) * (steps.length - 1))]).join('');
}

/** At most so many numbers: each the mean of neighbours. */
function means(values: readonly number[], count: number): number[] {
  if (values.length <= count) return [...values];
  return Array.from({ length: Math.max(1, count) }, (_, i) => {
    const from = Math.floor((i * values.length) / count);
    const part = values.slice(from, Math.max(from + 1, Math.floor(((i + 1) * values.length) / count)));
    return part.reduce((sum, value) => sum + value, 0) / part.length;
  });
}

/** One bar, with what stands beside it. */
export interface Bar {
  /** Fit for a terminal. */
  readonly label: string;
  /** `undefined`: there is none. */
  readonly value: number | undefined;
  /** The value as people read it. */
  readonly text: string;
}

/** The least that a label keeps, and a bar gets. */
const leastLabel = 8;
const leastBar = 6;

/** Horizontal bars to the eighth of a cell: a line each of label, bar and value. Below zero nothing is drawn. */
export function barChart(bars: readonly Bar[], look: TableLook = {}): string[] {
  const { columns = 80, unicode = true } = look;
  const valueWidth = Math.max(0, ...bars.map(({ text }) => widthOf(text)));
  const room = columns - valueWidth - 4;
  const widest = Math.max(0, ...bars.map(({ label }) => widthOf(label)));
  const labelWidth = Math.max(1, Math.min(widest, Math.max(leastLabel, Math.floor(room / 2)), room - leastBar));
  const barWidth = Math.max(1, room - labelWidth);
  const greatest = Math.max(...bars.map(({ value }) => value ?? 0), 0);
  return bars.map(({ label, value = 0, text }) => {
    const shown = shorten(label, labelWidth, unicode ? '…' : '...');
    const bar = barOf((Math.max(0, value) / (greatest || 1)) * barWidth, unicode);
    const name = shown + ' '.repeat(Math.max(0, labelWidth - widthOf(shown)));
    return `${name}  ${bar}${' '.repeat(barWidth - bar.length)}  ${' '.repeat(valueWidth - widthOf(text))}${text}`;
  });
}

function barOf(length: number, unicode: boolean): string {
  if (!unicode) return '#'.repeat(Math.round(length));
  const eighths = Math.round(length * 8);
  const rest = eighths % 8;
  return '█'.repeat(Math.floor(eighths / 8)) + (rest > 0 ? String.fromCodePoint(0x2590 - rest) : '');
}

/** One line over time, with what stands beside it. */
export interface Line {
  /** At equal distances, from the first time to the last. */
  readonly values: readonly number[];
  /** The first and the last time. */
  readonly from: string;
  readonly to: string;
  /** A value as people read it, for the scale. */
  readonly text: (value: number) => string;
}

/** Lines of characters that a chart over time takes, without its two of times. */
const chartHeight = 10;

/** A line over time, from the lowest value to the highest, which its scale names, in dots of a quarter of a line. */
export function lineChart({ values, from, to, text }: Line, look: TableLook = {}): string[] {
  const { columns = 80, unicode = true, style } = look;
  const [least, greatest] = [Math.min(...values), Math.max(...values)];
  const isFlat = values.length === 0 || least === greatest;
  const scale = isFlat ? ['', text(values[0] ?? 0), ''] : [greatest, (least + greatest) / 2, least].map(text);
  const scaleWidth = Math.max(...scale.map(widthOf));
  const width = Math.max(4, columns - scaleWidth - 2);
  const across = unicode ? 2 * width : width;
  const down = unicode ? 4 * chartHeight : chartHeight;
  const shown = means(values, across);
  const dots = joinedDots(
    Array.from({ length: across }, (_, x) => {
      const value = valueAt(shown, x / Math.max(1, across - 1));
      return Math.round((isFlat ? 0.5 : (greatest - value) / (greatest - least)) * (down - 1));
    }),
  );
  const labels = new Map(
    scale.flatMap((label, i) => (label === '' ? [] : [[Math.round((i * (chartHeight - 1)) / 2), label] as const])),
  );
  const [tick, side, corner, floor] = unicode ? '┤│└─' : '+|+-';
  const lines = Array.from({ length: chartHeight }, (_, row) => {
    const cells = Array.from({ length: width }, (_, column) => cellOf(dots, { across, row, column, unicode })).join('');
    return `${(labels.get(row) ?? '').padStart(scaleWidth)} ${labels.has(row) ? tick : side}${cells}`.trimEnd();
  });
  const margin = ' '.repeat(scaleWidth + 1);
  const axis = `${margin}${corner}${floor?.repeat(width)}`;
  const times = from === to || from.length + to.length >= width ? to : from + to.padStart(width - from.length);
  return [...lines, style?.dim(axis) ?? axis, `${margin} ${times.slice(0, width)}`];
}

/** Dots at the given heights from left to right, and those between two neighbours; each as `height × width + place`. */
function joinedDots(heights: readonly number[]): ReadonlySet<number> {
  const dots = new Set<number>();
  for (const [x, height] of heights.entries()) {
    const before = heights[x - 1] ?? height;
    const step = Math.sign(height - before);
    for (let y = before + step; y !== height; y += step || 1) dots.add(y * heights.length + x);
    dots.add(height * heights.length + x);
  }
  return dots;
}

/** The value at a place from 0 to 1, between two of the values where it is. */
function valueAt(values: readonly number[], place: number): number {
  const at = place * (values.length - 1);
  const before = values[Math.floor(at)] ?? 0;
  return before + ((values[Math.ceil(at)] ?? before) - before) * (at - Math.floor(at));
}

/** The bits of a braille character, by row and column of its dots. */
const brailleBits = [
  [0x01, 0x08],
  [0x02, 0x10],
  [0x04, 0x20],
  [0x40, 0x80],
];

interface ChartCell {
  readonly across: number;
  readonly row: number;
  readonly column: number;
  readonly unicode: boolean;
}

function cellOf(dots: ReadonlySet<number>, { across, row, column, unicode }: ChartCell): string {
  if (!unicode) return dots.has(row * across + column) ? '*' : ' ';
  let bits = 0;
  for (const [y, pair] of brailleBits.entries()) {
    for (const [x, bit] of pair.entries()) if (dots.has((4 * row + y) * across + 2 * column + x)) bits |= bit;
  }
  return bits === 0 ? ' ' : String.fromCodePoint(0x2800 + bits);
}
