import { scaleLinear } from 'd3-scale';
import type { TableLook } from '../../output/encoder.ts';
import { measureWidth, shorten } from '../../text/cell-width.ts';
import { isolate } from '../../text/printable.ts';
import type { AxisTick } from '../../totals/time-axis.ts';

export interface Bar {
  readonly label: string;
  readonly value: number;

  /** Formatted value. */
  readonly text: string;
}

/**
 * Draws horizontal bars, accurate to half a cell. Each line has a label, a bar and a value.
 * Negative values have no bar.
 */
export function drawBars(bars: readonly Bar[], { width = 80 }: TableLook = {}): string[] {
  const valueWidth = Math.max(0, ...bars.map(({ text }) => measureWidth(text)));
  const room = width - valueWidth - 4;

  const maxLabelWidth = Math.max(0, ...bars.map(({ label }) => measureWidth(label)));
  const labelWidth = Math.max(1, Math.min(maxLabelWidth, Math.floor(room / 2)));
  const barWidth = Math.max(1, room - labelWidth);
  const greatest = Math.max(...bars.map(({ value }) => value), 0) || 1;

  return bars.map(({ label, value, text }) => {
    const name = shorten(label, labelWidth);
    const namePadding = ' '.repeat(Math.max(0, labelWidth - measureWidth(name)));
    const halves = Math.round((Math.max(0, value) / greatest) * barWidth * 2);
    const bar = '━'.repeat(Math.floor(halves / 2)) + (halves % 2 === 1 ? '╸' : '');
    const valuePadding = ' '.repeat(valueWidth - measureWidth(text));
    return `${isolate(name)}${namePadding}  ${bar.padEnd(barWidth)}  ${valuePadding}${text}`;
  });
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

  formatValue(value: number): string;
}

/** Draws a line over a time axis. Its scale has round numbers and includes zero. */
export function drawLineChart(
  { values, ticks, formatValue }: ValuesOverTime,
  { width: lineWidth = 80, style }: TableLook = {},
): string[] {
  const known = values.filter((value) => value !== undefined);
  const min = Math.min(0, ...known);
  const max = Math.max(0, ...known);
  const isFlat = min === max;
  // A scale needs a range, even for a line of zeros.
  const scale = scaleLinear()
    .domain([min, isFlat ? 1 : max])
    .nice(scaleNumbers);

  // Places the numbers of the scale at equal distances, each next to a line of characters.
  const numbers = scale.ticks(scaleNumbers);
  const linesBetween = Math.max(2, Math.floor(chartHeight / (numbers.length - 1)));
  const height = linesBetween * (numbers.length - 1) + 1;
  const labels = new Map<number, string>();
  for (const [i, number] of numbers.reverse().entries())
    labels.set(linesBetween * i, formatValue(number));
  const scaleWidth = Math.max(...[...labels.values()].map(measureWidth));
  const width = Math.max(4, lineWidth - scaleWidth - 2);

  const canvas = new Canvas(width, height);
  scale.range([canvas.findMiddle(height - 1), canvas.findMiddle(0)]);
  const dots = values.map((value, i): Dot | undefined => {
    const x = Math.floor(((i + 0.5) * canvas.dotsAcross) / values.length);
    return value === undefined ? undefined : { x, y: Math.round(scale(value)) };
  });
  drawDots(canvas, dots);

  const dim = style?.dim ?? ((text: string) => text);
  const paint = style?.cyan ?? ((text: string) => text);
  const lines = canvas.lines().map((drawn, row) => {
    const label = labels.get(row);
    const margin = `${(label ?? '').padStart(scaleWidth)} ${label === undefined ? '│' : '┤'}`;
    return drawn === '' ? dim(margin) : dim(margin) + paint(drawn);
  });
  const margin = ' '.repeat(scaleWidth + 1);
  const axis = drawTimeAxis(ticks, { count: values.length, width });
  return [...lines, ...axis.map((line) => dim(margin + line))];
}

/** Connects neighboring dots. A dot between two gaps is drawn alone. */
function drawDots(canvas: Canvas, dots: readonly (Dot | undefined)[]): void {
  let last: Dot | undefined;
  for (const dot of dots) {
    if (dot) canvas.drawLine(last ?? dot, dot);
    last = dot;
  }
}

/** A position, counted in dots from the top left. */
interface Dot {
  readonly x: number;
  readonly y: number;
}

/** Bit of each dot in a braille character, by row and column. */
const brailleBits = [
  [0x01, 0x08],
  [0x02, 0x10],
  [0x04, 0x20],
  [0x40, 0x80],
];
const brailleStart = 0x2800;

/** Draws with braille characters, which have eight dots each. */
class Canvas {
  readonly dotsAcross: number;

  /** Bits of each character, by line. */
  readonly #cells: number[][];

  constructor(width: number, height: number) {
    this.dotsAcross = 2 * width;
    this.#cells = Array.from({ length: height }, () => new Array<number>(width).fill(0));
  }

  /** Returns the row of dots in the middle of a line of characters. */
  findMiddle(line: number): number {
    return 4 * line + 1;
  }

  /** Draws a straight line that includes both ends. */
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
        return bits === 0 ? ' ' : String.fromCodePoint(brailleStart + bits);
      });
      return characters.join('').trimEnd();
    });
  }

  #set(x: number, y: number): void {
    const row = this.#cells[Math.floor(y / 4)];
    const cell = Math.floor(x / 2);
    const bit = brailleBits[y % 4]?.[x % 2] ?? 0;
    if (row?.[cell] !== undefined) row[cell] |= bit;
  }
}

/**
 * Draws a time axis with as many ticks and labels as fit.
 * @param count number of values
 */
function drawTimeAxis(
  ticks: readonly AxisTick[],
  { count, width }: { count: number; width: number },
): string[] {
  const axis = new Array<string>(width).fill('─');
  let labels = '';
  for (const { index, text } of ticks) {
    const x = Math.floor(((index + 0.5) * width) / count);
    const start = Math.max(0, Math.min(x - Math.floor(text.length / 2), width - text.length));
    const hasRoom = labels === '' ? text.length <= width : start > labels.length;
    if (!hasRoom) continue;
    axis[x] = '┬';
    labels = labels.padEnd(start) + text;
  }
  return [`└${axis.join('')}`, ` ${labels}`];
}
