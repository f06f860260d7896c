import stringWidth from 'string-width';
import type { TableLook } from './encoder.ts';

/** A column of a table while its place is being found; the cells are texts that are fit for a terminal. */
export interface TableColumn {
  readonly name: string;
  /** Set to the right, never shortened. */
  readonly numeric: boolean;
  /** How gladly it is given up where there is no room: the highest go first, 0 never does. */
  readonly dispensable: number;
  /** `undefined`: nothing there. */
  readonly cells: readonly (string | undefined)[];
  /** The least width, for what comes later (a total). */
  readonly minWidth?: number;
}

export interface PlacedColumn {
  /** Its index among the columns that were given. */
  readonly index: number;
  readonly name: string;
  readonly numeric: boolean;
  readonly width: number;
}

export interface Layout {
  readonly columns: readonly PlacedColumn[];
  /** Names of columns that were left out for lack of room. */
  readonly dropped: readonly string[];
}

/** Cells between two columns. */
const gap = 2;

/** Names are shortened to this many cells before a column is left out. */
const leastWidth = 16;

/**
 * Leaves out the columns without any value (a buyer's row has every dimension, null where it was not asked for), then
 * fits the rest into the width: long texts are shortened, then the most dispensable columns go. At least one column
 * stays, cut to the width.
 */
export function layOut(given: readonly TableColumn[], columns: number = Number.POSITIVE_INFINITY): Layout {
  let placed = given.map(
    (column, index): PlacedColumn => ({
      index,
      name: column.name,
      numeric: column.numeric,
      width: widestOf([column.name, ...column.cells], column.minWidth ?? 0),
    }),
  );
  const isEmpty = ({ index }: PlacedColumn) => given[index]?.cells.every((cell) => cell === undefined) ?? true;
  if (!placed.every(isEmpty)) placed = placed.filter((column) => !isEmpty(column));
  if (totalWidth(placed) <= columns) return { columns: placed, dropped: [] };
  const dropped: string[] = [];
  for (;;) {
    const shrunk = shrink(placed, columns);
    if (totalWidth(shrunk) <= columns || placed.length === 1) return { columns: shrunk, dropped };
    const victim = placed.reduce((worst, column) =>
      (given[column.index]?.dispensable ?? 0) >= (given[worst.index]?.dispensable ?? 0) ? column : worst,
    );
    dropped.push(victim.name);
    placed = placed.filter((column) => column !== victim);
  }
}

function widestOf(texts: readonly (string | undefined)[], least: number): number {
  return texts.reduce((widest, text) => Math.max(widest, text === undefined ? 0 : widthOf(text)), least);
}

/** Cells that a text takes on a terminal. Printable ASCII, which most texts are, takes one each. */
function widthOf(text: string): number {
  return /^[ -~]*$/.test(text) ? text.length : stringWidth(text);
}

function totalWidth(columns: readonly PlacedColumn[]): number {
  return columns.reduce((sum, column) => sum + column.width, gap * (columns.length - 1));
}

/** Takes cells from the widest texts until the whole fits, or no text is wider than the least. */
function shrink(columns: readonly PlacedColumn[], target: number): PlacedColumn[] {
  const floor = columns.length === 1 ? Math.max(1, target) : leastWidth;
  const excess = () => totalWidth(columns.map((column, i) => ({ ...column, width: widths[i] ?? 0 }))) - target;
  const widths = columns.map((column) => column.width);
  const canShrink = (i: number) => (columns.length === 1 || !columns[i]?.numeric) && (widths[i] ?? 0) > floor;
  while (excess() > 0) {
    const candidates = widths.map((_, i) => i).filter(canShrink);
    const widest = Math.max(0, ...candidates.map((i) => widths[i] ?? 0));
    if (widest === 0) break;
    const group = candidates.filter((i) => widths[i] === widest);
    const next = Math.max(floor, ...candidates.map((i) => widths[i] ?? 0).filter((width) => width < widest));
    const step = Math.max(1, Math.min(widest - next, Math.floor(excess() / group.length)));
    for (const i of group) widths[i] = widest - step;
  }
  return columns.map((column, i) => ({ ...column, width: widths[i] ?? column.width }));
}

/** One line of a table. Texts that are too long keep both ends; numbers are never cut. */
export function tableLine(
  cells: readonly (string | undefined)[],
  columns: readonly PlacedColumn[],
  look: TableLook = {},
): string {
  const texts = columns.map(({ numeric, width }, i) => {
    const text = cells[i] ?? '';
    const shown = numeric && columns.length > 1 ? text : shorten(text, width, look.unicode === false ? '...' : '…');
    const blanks = ' '.repeat(Math.max(0, width - widthOf(shown)));
    return numeric ? blanks + shown : shown + blanks;
  });
  return texts.join(' '.repeat(gap)).trimEnd();
}

/** The header line and the rule below it. */
export function tableHead(columns: readonly PlacedColumn[], look: TableLook = {}): string[] {
  const names = tableLine(
    columns.map((column) => column.name),
    columns,
    look,
  );
  return [look.style?.bold(names) ?? names, tableRule(columns, look)];
}

export function tableRule(columns: readonly PlacedColumn[], look: TableLook = {}): string {
  const dash = look.unicode === false ? '-' : '─';
  const rule = columns.map((column) => dash.repeat(column.width)).join(' '.repeat(gap));
  return look.style?.dim(rule) ?? rule;
}

const graphemes = new Intl.Segmenter();

/** A text of at most so many cells: both its ends, with a mark for what was left out between them. */
export function shorten(text: string, width: number, mark = '…'): string {
  if (widthOf(text) <= width) return text;
  const room = width - mark.length;
  if (room <= 0) return mark.slice(0, width);
  const parts = [...graphemes.segment(text)].map((part) => part.segment);
  const head = fitting(parts, Math.ceil(room / 2));
  const tail = fitting(parts.reverse(), room - widthOf(head.join('')));
  return head.join('') + mark + tail.reverse().join('');
}

function fitting(parts: readonly string[], width: number): string[] {
  let used = 0;
  const end = parts.findIndex((part) => {
    used += widthOf(part);
    return used > width;
  });
  return parts.slice(0, end < 0 ? parts.length : end);
}
