import { measureWidth } from '../../text/cell-width.ts';
import type { SheetCell } from './sheet-cells.ts';

/**
 * Computes the width at which a heading and its cells are shown in full. Widths are in digits.
 *
 * @param oneLine maximum width of a heading on one line
 */
export function measureColumn(
  heading: string,
  cells: Iterable<SheetCell | undefined>,
  { min, max, oneLine = 16 }: { min: number; max: number; oneLine?: number },
): number {
  let width = Math.max(min, measureHeading(heading, oneLine));
  for (const cell of cells) width = Math.max(width, measureCell(cell, max) + 2);
  return Math.min(max, width);
}

/** Measures a heading, which is bold. A long heading wraps between words. */
function measureHeading(heading: string, oneLine: number): number {
  let characters = Math.min(measureWidth(heading), oneLine);
  for (const word of heading.split(' ')) characters = Math.max(characters, measureWidth(word));
  return Math.ceil(1.15 * characters) + 2;
}

/** Lengths of times in characters, by style. */
const timeWidths: Readonly<Record<string, number>> = { date: 10, hour: 16, wallTime: 19 };

/** Measures a cell. Numbers are shown with thousands separators. */
function measureCell(cell: SheetCell | undefined, maxWidth: number): number {
  if (!cell) return 0;

  const { style, content } = cell;
  if (typeof content === 'string') return measureText(content, maxWidth);

  const timeWidth = timeWidths[style];
  if (timeWidth !== undefined) return timeWidth;

  const isWhole = style === 'integer' || style === 'plain';
  const digits = isWhole ? String(content) : content.toFixed(2);
  return Math.ceil(1.3 * Math.max(digits.length, 4));
}

/** Measures the longest line. */
function measureText(text: string, maxWidth: number): number {
  let width = 0;
  for (const line of text.split('\n', maxWidth))
    width = Math.max(width, measureWidth(line.slice(0, maxWidth)));
  return width;
}
