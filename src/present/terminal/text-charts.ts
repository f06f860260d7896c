import { scaleLinear } from 'd3-scale';
import type { TableLook } from '../../output/encoder.ts';
import { measureWidth, shorten } from '../../text/cell-width.ts';
import { isolated } from '../../text/printable.ts';
import type { AxisTick } from '../../totals/time-axis.ts';

/** Charts made of characters. Each fits a given width and has an ASCII form. */

/** A bar; `text` is its value for display. */
export interface Bar {
  readonly label: string;
  readonly value: number;
  readonly text: string;
}

/**
 * Draws thin horizontal bars with a resolution of half a cell, one line each with label, bar and
 * value. Negative values have no bar.
 */
export function barChart(
  bars: readonly Bar[],
  { width = 80, unicode = true }: TableLook = {},
): string[] {
  const valueWidth = Math.max(0, ...bars.map(({ text }) => measureWidth(text)));
  const room = width - valueWidth - 4;

  const maxLabelWidth = Math.max(0, ...bars.map(({ label }) => measureWidth(label)));
  const labelWidth = Math.max(1, Math.min(maxLabelWidth, Math.floor(room / 2)));
  const barWidth = Math.max(1, room - labelWidth);
  const greatest = Math.max(...bars.map(({ value }) => value), 0) || 1;

  return bars.map(({ label, value, text }) => {
    const name = shorten(label, labelWidth, unicode ? '…' : '...');
    const namePadding = ' '.repeat(Math.max(0, labelWidth - measureWidth(name)));
    const halves = Math.round((Math.max(0, value) / greatest) * barWidth * 2);
    const bar = unicode ? thinBar(halves) : '-'.repeat(Math.round(halves / 2));
    const valuePadding = ' '.repeat(valueWidth - measureWidth(text));
    return `${unicode ? isolated(name) : name}${namePadding}  ${bar.padEnd(barWidth)}  ${valuePadding}${text}`;
  });
}

function thinBar(halves: number): string {
  return '━'.repeat(Math.floor(halves / 2)) + (halves % 2 === 1 ? '╸' : '');
}

/** Approximate height of a chart in lines, without its time axis. */
const chartHeight = 10;

/** Approximate number of labels on the scale. */
const scaleNumbers = 4;

export interface ValuesOverTime {
  /** `undefined` leaves a gap in the line. */
  readonly values: readonly (number | undefined)[];

  /** Labels below the axis. */
  readonly ticks: readonly AxisTick[];

  /** Formats a number of the scale. */
  formatValue(value: number): string;
}

/** Draws a scale of round numbers that includes zero. */
export function lineChart(
  { values, ticks, formatValue }: ValuesOverTime,
  { width: lineWidth = 80, unicode = true, style }: TableLook = {},
): string[] {
  const known = values.filter((value) => value !== undefined);
  const least = Math.min(0, ...known);
  const greatest = Math.max(0, ...known);
  const isFlat = least === greatest;
  // A line of zeros has room above it.
  const scale = scaleLinear()
    .domain([least, isFlat ? 1 : greatest])
    .nice(scaleNumbers);

  // Every number of the scale is next to a line, at equal distances.
  const numbers = scale.ticks(scaleNumbers);
  const linesBetween = Math.max(2, Math.floor(chartHeight / (numbers.length - 1)));
  const height = linesBetween * (numbers.length - 1) + 1;
  const labels = new Map<number, string>();
  for (const [i, number] of numbers.reverse().entries())
    labels.set(linesBetween * i, formatValue(number));
  const scaleWidth = Math.max(...[...labels.values()].map(measureWidth));
  const width = Math.max(4, lineWidth - scaleWidth - 2);

  const canvas = new Canvas(width, height, unicode);
  scale.range([canvas.findMiddle(height - 1), canvas.findMiddle(0)]);
  const places = values.map((_, i) => Math.floor(((i + 0.5) * canvas.dotsAcross) / values.length));
  const rows = values.map((value) => (value === undefined ? undefined : Math.round(scale(value))));
  drawValues(canvas, places, rows);

  const tickMark = unicode ? '┤' : '+';
  const side = unicode ? '│' : '|';
  const dim = style?.dim ?? ((text: string) => text);
  const paint = style?.cyan ?? ((text: string) => text);
  const lines = canvas.lines().map((drawn, row) => {
    const label = labels.get(row);
    const margin = `${(label ?? '').padStart(scaleWidth)} ${label === undefined ? side : tickMark}`;
    return drawn === '' ? dim(margin) : dim(margin) + paint(drawn);
  });
  const margin = ' '.repeat(scaleWidth + 1);
  const axis = timeAxisLines(ticks, { count: values.length, width, unicode });
  return [...lines, ...axis.map((line) => dim(margin + line))];
}

/** @param rows dot row of each value, if any */
function drawValues(
  canvas: Canvas,
  places: readonly number[],
  rows: readonly (number | undefined)[],
): void {
  let last: Dot | undefined;
  for (const [i, y] of rows.entries()) {
    const dot = y === undefined ? undefined : { x: places[i] ?? 0, y };
    if (dot) canvas.drawLine(last ?? dot, dot);
    last = dot;
  }
}

/** A position in dots from the top left. */
interface Dot {
  readonly x: number;
  readonly y: number;
}

/** Bits of a braille character's dots, from the top left. */
const brailleBits = [
  [0x01, 0x08],
  [0x02, 0x10],
  [0x04, 0x20],
  [0x40, 0x80],
];
const brailleStart = 0x2800;

/** Draws braille with eight dots per cell, or ASCII with one asterisk per cell. */
class Canvas {
  readonly dotsAcross: number;

  readonly #isBraille: boolean;

  /** Bits of each cell, by rows. */
  readonly #cells: number[][];

  constructor(width: number, height: number, isBraille: boolean) {
    this.dotsAcross = isBraille ? 2 * width : width;
    this.#isBraille = isBraille;
    this.#cells = Array.from({ length: height }, () => new Array<number>(width).fill(0));
  }

  /** Returns the dot row in the middle of a line of characters. */
  findMiddle(line: number): number {
    return this.#isBraille ? 4 * line + 1 : line;
  }

  /** Draws a straight line including both ends. */
  drawLine(from: Dot, to: Dot): void {
    const steps = Math.max(1, Math.abs(to.x - from.x), Math.abs(to.y - from.y));
    for (let step = 0; step <= steps; step++) {
      const x = from.x + ((to.x - from.x) * step) / steps;
      const y = from.y + ((to.y - from.y) * step) / steps;
      this.#set(Math.round(x), Math.round(y));
    }
  }

  lines(): string[] {
    return this.#cells.map((cells) => {
      const characters = cells.map((bits) => {
        if (bits === 0) return ' ';
        return this.#isBraille ? String.fromCodePoint(brailleStart + bits) : '*';
      });
      return characters.join('').trimEnd();
    });
  }

  #set(x: number, y: number): void {
    const across = this.#isBraille ? 2 : 1;
    const down = this.#isBraille ? 4 : 1;
    const row = this.#cells[Math.floor(y / down)];
    const cell = Math.floor(x / across);
    const bit = brailleBits[y % down]?.[x % across] ?? 0;
    if (row?.[cell] !== undefined) row[cell] |= bit;
  }
}

/**
 * Draws the axis with its ticks, and as many labels as fit.
 * @param count number of steps
 */
function timeAxisLines(
  ticks: readonly AxisTick[],
  { count, width, unicode }: { count: number; width: number; unicode: boolean },
): string[] {
  const axis = new Array<string>(width).fill(unicode ? '─' : '-');
  let labels = '';
  for (const { index, text } of ticks) {
    const place = Math.floor(((index + 0.5) * width) / count);
    const start = Math.max(0, Math.min(place - Math.floor(text.length / 2), width - text.length));
    const hasRoom = labels === '' ? text.length <= width : start > labels.length;
    if (!hasRoom) continue;
    axis[place] = unicode ? '┬' : '+';
    labels = labels.padEnd(start) + text;
  }
  return [(unicode ? '└' : '+') + axis.join(''), ` ${labels}`];
}
