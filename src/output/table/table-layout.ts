import stringWidth from 'string-width';
import type { TableLook } from '../encoder.ts';

/** What stands in a table: a text fit for a terminal, a value that is null, or nothing at all. */
export type Cell = string | null | undefined;

/** A column of a table while its place is being found. */
export interface TableColumn {
  readonly name: string;
  /** Set to the right, never shortened. */
  readonly numeric: boolean;
  /** Text that says nothing when it is shortened: a date, an hour. */
  readonly rigid?: boolean;
  /** How gladly it is given up where there is no room: the highest go first, 0 last of all. */
  readonly dispensable: number;
  readonly cells: readonly Cell[];
  /** The least width, for what comes later (a total). */
  readonly minWidth?: number;
}

/** A column whose place has been found. */
export interface PlacedColumn {
  /** Its index among the columns that were given. */
  readonly index: number;
  /** The lines of its heading. */
  readonly heading: readonly string[];
  readonly numeric: boolean;
  readonly rigid: boolean;
  /** Cells that it takes. */
  readonly width: number;
}

/** Which columns are shown, and how wide. */
export interface Layout {
  /** From left to right. */
  readonly columns: readonly PlacedColumn[];
  /** Indexes of columns that were left out for lack of room. */
  readonly dropped: readonly number[];
}

/** Cells between two columns. */
const gap = 2;

/** Names are shortened to this many cells before headings are folded. */
const easyWidth = 28;

/** Names are shortened to this many cells before a column is left out. */
const leastWidth = 16;

/** Names are shortened to this many before the first columns of all are left out. */
const bareWidth = 8;

/** Columns no more dispensable than this go only where names are at their barest. */
const essential = 2;

interface MeasuredColumn extends TableColumn {
  readonly index: number;
  /** Cells that its values take. */
  readonly width: number;
}

/**
 * Leaves out the columns without any value (a buyer's row has every dimension, null where it was not asked for), then
 * fits the rest into the width: long texts are shortened, headings folded, then the most dispensable columns go.
 * At least one column stays, cut to the width.
 * @param columns the width, in cells of a terminal. Default: as wide as the rows are
 */
export function layOut(given: readonly TableColumn[], columns: number = Number.POSITIVE_INFINITY): Layout {
  const measured = given.map((column, index): MeasuredColumn => {
    const width = column.cells.reduce((widest, cell) => Math.max(widest, widthOf(cell ?? '')), column.minWidth ?? 0);
    return { ...column, index, width };
  });
  const isEmpty = ({ cells }: MeasuredColumn) => cells.every((cell) => cell === undefined || cell === null);
  let kept = measured.every(isEmpty) ? measured : measured.filter((column) => !isEmpty(column));
  const dropped: number[] = [];
  for (;;) {
    const whole = shrink(
      kept.map((column) => place(column, [column.name])),
      columns,
      easyWidth,
    );
    if (totalWidth(whole) <= columns) return { columns: whole, dropped };
    const floor = kept.every(({ dispensable }) => dispensable <= essential) ? bareWidth : leastWidth;
    const shrunk = shrink(
      kept.map((column) => place(column, foldHeading(column))),
      columns,
      floor,
    );
    if (totalWidth(shrunk) <= columns || kept.length <= 1) return { columns: shrunk, dropped };
    const victim = kept.reduce((worst, column) => (column.dispensable >= worst.dispensable ? column : worst));
    dropped.push(victim.index);
    kept = kept.filter((column) => column !== victim);
  }
}

function place({ index, numeric, rigid, width }: MeasuredColumn, heading: readonly string[]): PlacedColumn {
  return { index, heading, numeric, rigid: rigid ?? false, width: Math.max(width, ...heading.map(widthOf)) };
}

/** The heading of a number on two lines, parted between two words where that is narrowest: `revenue`, `Euro`. */
function foldHeading({ name, numeric }: MeasuredColumn): string[] {
  const words = numeric ? name.split(name.includes(' ') ? ' ' : /(?<=[a-z])(?=[A-Z])/) : [name];
  const folds = words.map((_, at) => [words.slice(0, at), words.slice(at)]);
  const glue = name.includes(' ') ? ' ' : '';
  const headings = folds.map((lines) => lines.filter((line) => line.length > 0).map((line) => line.join(glue)));
  const widest = (heading: readonly string[]) => Math.max(...heading.map(widthOf));
  return headings.reduce((best, heading) => (widest(heading) < widest(best) ? heading : best));
}

/** Cells that a text takes on a terminal. Printable ASCII, which most texts are, takes one each. */
export function widthOf(text: string): number {
  return /^[ -~]*$/.test(text) ? text.length : stringWidth(text);
}

function totalWidth(columns: readonly PlacedColumn[]): number {
  return columns.reduce((sum, column) => sum + column.width, gap * (columns.length - 1));
}

/** Takes cells from the widest texts until the whole fits, or no text is wider than the least. */
function shrink(columns: readonly PlacedColumn[], target: number, least: number): PlacedColumn[] {
  const floor = columns.length === 1 ? Math.max(1, target) : least;
  const excess = () => totalWidth(columns.map((column, i) => ({ ...column, width: widths[i] ?? 0 }))) - target;
  const widths = columns.map((column) => column.width);
  const canShrink = (i: number) =>
    (columns.length === 1 || !(columns[i]?.numeric || columns[i]?.rigid)) && (widths[i] ?? 0) > floor;
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
export function tableLine(cells: readonly Cell[], columns: readonly PlacedColumn[], look: TableLook = {}): string {
  const isAscii = look.unicode === false;
  const texts = columns.map(({ numeric, width }, i) => {
    const cell = cells[i];
    const text = cell === null ? (isAscii ? '-' : '–') : (cell ?? '');
    const shown = numeric && columns.length > 1 ? text : shorten(text, width, isAscii ? '...' : '…');
    const blanks = ' '.repeat(Math.max(0, width - widthOf(shown)));
    const dressed = cell === null ? (look.style?.dim(shown) ?? shown) : shown;
    return numeric ? blanks + dressed : dressed + blanks;
  });
  return texts.join(' '.repeat(gap)).trimEnd();
}

/** The heading, its lines ending level, and the rule below it. */
export function tableHead(columns: readonly PlacedColumn[], look: TableLook = {}): string[] {
  const height = Math.max(...columns.map(({ heading }) => heading.length));
  const lines = Array.from({ length: height }, (_, line) => {
    const names = columns.map(({ heading }) => heading[line - height + heading.length]);
    const text = tableLine(names, columns, look);
    return look.style?.bold(text) ?? text;
  });
  return [...lines, tableRule(columns, look)];
}

/** The rule below the heading, and above the totals. */
export function tableRule(columns: readonly PlacedColumn[], look: TableLook = {}): string {
  const dash = look.unicode === false ? '-' : '─';
  const rule = columns.map((column) => dash.repeat(column.width)).join(' '.repeat(gap));
  return look.style?.dim(rule) ?? rule;
}

/** Made when the first text is shortened: it takes longer than the rest of a small table. */
let graphemes: Intl.Segmenter | undefined;

/** A text of at most so many cells: both its ends, with a mark for what was left out between them. */
export function shorten(text: string, width: number, mark = '…'): string {
  if (widthOf(text) <= width) return text;
  const room = width - mark.length;
  if (room <= 0) return mark.slice(0, width);
  graphemes ??= new Intl.Segmenter();
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
