import type { TableLook } from '../encoder.ts';
import { shorten, widthOf } from './table-layout.ts';

/** Charts made of characters; each fits the width that it is given, and has an ASCII form. */

/**
 * The course of some numbers in one line, from the lowest to the highest of them; as many neighbours as must are drawn
 * as their mean. Numbers that are all the same are drawn at half the height.
 */
export function sparkline(values: readonly number[], width: number, unicode = true): string {
  const shown = means(values, width);
  const [least, greatest] = [Math.min(...shown), Math.max(...shown)];
  const steps = [...(unicode ? '▁▂▃▄▅▆▇█' : '_.-:=+*#')];
  const level = (value: number) => (greatest > least ? (value - least) / (greatest - least) : 0.5);
  return shown.map((value) => steps[Math.round(level(value) * (steps.length - 1))]).join('');
}

function means(values: readonly number[], count: number): number[] {
  if (values.length <= count) return [...values];
  return Array.from({ length: Math.max(1, count) }, (_, i) => {
    const from = Math.floor((i * values.length) / count);
    const part = values.slice(from, Math.max(from + 1, Math.floor(((i + 1) * values.length) / count)));
    return part.reduce((sum, value) => sum + value, 0) / part.length;
  });
}

/** One bar: a label that is fit for a terminal, a value, and the value as people read it. */
interface Bar {
  readonly label: string;
  readonly value: number;
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
  const greatest = Math.max(...bars.map(({ value }) => value), 0) || 1;
  return bars.map(({ label, value, text }) => {
    const shown = shorten(label, labelWidth, unicode ? '…' : '...');
    const bar = barOf((Math.max(0, value) / greatest) * barWidth, unicode);
    const name = shown + ' '.repeat(Math.max(0, labelWidth - widthOf(shown)));
    return `${name}  ${bar.padEnd(barWidth)}  ${' '.repeat(valueWidth - widthOf(text))}${text}`;
  });
}

function barOf(length: number, unicode: boolean): string {
  if (!unicode) return '#'.repeat(Math.round(length));
  const eighths = Math.round(length * 8);
  const rest = eighths % 8;
  return '█'.repeat(Math.floor(eighths / 8)) + (rest > 0 ? String.fromCodePoint(0x2590 - rest) : '');
}

interface Line {
  readonly values: readonly number[];
  readonly from: string;
  readonly to: string;
  readonly text: (value: number) => string;
}

/** Lines of characters that a chart over time takes, without its two of times. */
const chartHeight = 10;

const braille = [
  [0x01, 0x08],
  [0x02, 0x10],
  [0x04, 0x20],
  [0x40, 0x80],
];

/** A line over time, from the lowest value to the highest, which its scale names, in dots of a quarter of a line. */
export function lineChart({ values, from, to, text }: Line, look: TableLook = {}): string[] {
  const { columns = 80, unicode = true, style } = look;
  const [least, greatest] = [Math.min(...values), Math.max(...values)];
  const isFlat = values.length === 0 || least === greatest;
  const labels: Record<number, string> = isFlat
    ? { 5: text(values[0] ?? 0) }
    : { 0: text(greatest), 5: text((least + greatest) / 2), 9: text(least) };
  const scaleWidth = Math.max(...Object.values(labels).map(widthOf));
  const width = Math.max(4, columns - scaleWidth - 2);
  // So many dots across and down make one character.
  const [across, down] = unicode ? [2, 4] : [1, 1];
  const shown = means(values, across * width);
  const heights = Array.from({ length: across * width }, (_, x) => {
    const value = valueAt(shown, x / (across * width - 1));
    return Math.round((isFlat ? 0.5 : (greatest - value) / (greatest - least)) * (down * chartHeight - 1));
  });
  const bits = Array.from({ length: chartHeight }, () => new Uint8Array(width));
  for (const [x, height] of heights.entries()) {
    // A dot, and those between it and the one before.
    const before = heights[x - 1] ?? height;
    const step = Math.sign(height - before);
    for (let y = before + step; ; y += step) {
      const row = bits[Math.floor(y / down)];
      const column = Math.floor(x / across);
      if (row) row[column] = (row[column] ?? 0) | (braille[y % down]?.[x % across] ?? 0);
      if (y === height) break;
    }
  }
  const [tick, side, corner, floor = ''] = unicode ? '┤│└─' : '+|+-';
  const lines = bits.map((cells, row) => {
    const drawn = [...cells].map((cell) => (cell === 0 ? ' ' : unicode ? String.fromCodePoint(0x2800 + cell) : '*'));
    return `${(labels[row] ?? '').padStart(scaleWidth)} ${labels[row] ? tick : side}${drawn.join('')}`.trimEnd();
  });
  const margin = ' '.repeat(scaleWidth + 1);
  const axis = `${margin}${corner}${floor.repeat(width)}`;
  const times = from === to || from.length + to.length >= width ? to : from + to.padStart(width - from.length);
  return [...lines, style?.dim(axis) ?? axis, `${margin} ${times.slice(0, width)}`];
}

/** The value at a place from 0 to 1, between two of the values where it is. */
function valueAt(values: readonly number[], place: number): number {
  const at = place * (values.length - 1);
  const before = values[Math.floor(at)] ?? 0;
  return before + ((values[Math.ceil(at)] ?? before) - before) * (at - Math.floor(at));
}
