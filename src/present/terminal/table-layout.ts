import type { FieldType } from '../../contract/columns.ts';
import type { TableLook } from '../../output/encoder.ts';
import { shorten, widthOf } from '../../text/cell-width.ts';
import { printable } from '../../text/printable.ts';
import { headingOf } from './headings.ts';

/** A text fit for a terminal, a value that is null, or nothing at all. */
export type CellText = string | null | undefined;

/** A column of a table, before the layout gives it a place and a width. */
export interface TableColumn {
  readonly name: string;

  /** Set to the right, never shortened. */
  readonly numeric: boolean;

  /** Text that says nothing when it is shortened: a date, an hour. */
  readonly rigid?: boolean;

  /** Which columns are left out first where there is no room: those with the highest number. */
  readonly dispensable: number;

  readonly cells: readonly CellText[];

  /** The least width, for what comes later (a total). */
  readonly minWidth?: number;
}

/**
 * A column with what is known of its widths in cells; `index` is its place among all columns of the
 * table.
 */
interface MeasuredColumn {
  readonly index: number;
  readonly name: string;
  readonly numeric: boolean;
  readonly dispensable: number;
  readonly isFixed: boolean;
  readonly foldedHeading: readonly string[];

  /** What its cells need, without its heading. */
  readonly cellWidth: number;
}

/**
 * How narrow a layout makes its columns: texts are cut to so many cells, and headings perhaps
 * folded.
 */
interface Squeeze {
  readonly isFolded: boolean;

  /** Of texts in columns that are not to be left out. */
  readonly leastMainText: number;

  readonly leastOtherText: number;
}

/** Dresses a text for a terminal. */
type Paint = (text: string) => string;

/** A column with its place among all columns of the table and its width in cells. */
interface PlacedColumn {
  readonly index: number;
  readonly heading: readonly string[];
  readonly numeric: boolean;
  readonly width: number;
  readonly cut: (text: string) => string;
}

const gap = 2;

/** A text is cut to so many cells at the least; one that may be left out, to fewer. */
const leastText = 14;
const leastOtherText = 12;

/** The ways to make a table narrower, in the order in which they are tried. */
interface Squeezes {
  readonly none: Squeeze;
  readonly folded: Squeeze;
  readonly otherTextsCut: Squeeze;
  readonly allTextsCut: Squeeze;
}

/** A text that is longer than half of the line is cut to that half from the beginning. */
function squeezesFor(lineWidth: number): Squeezes {
  const half = Math.max(leastText, Math.floor(lineWidth / 2));
  return {
    none: { isFolded: false, leastMainText: half, leastOtherText: half },
    folded: { isFolded: true, leastMainText: half, leastOtherText: half },
    otherTextsCut: { isFolded: true, leastMainText: half, leastOtherText },
    allTextsCut: { isFolded: true, leastMainText: leastText, leastOtherText },
  };
}

/** A table for people, its columns placed: which are there and how wide, and its lines. */
export class TableLayout {
  readonly columns: readonly PlacedColumn[];

  /** The indexes of the columns that had no room. */
  readonly dropped: readonly number[];

  readonly #look: TableLook;

  /**
   * Leaves out the columns without any value (a buyer's row has every dimension, null where it was
   * not asked for), then fits the rest into the width: headings are folded, the most dispensable
   * columns go, and last of all texts are cut at their end. At least one column stays, cut to the
   * width.
   */
  constructor(tableColumns: readonly TableColumn[], look: TableLook = {}) {
    this.#look = look;
    const lineWidth = look.width ?? Number.POSITIVE_INFINITY;

    const measured = measureColumns(tableColumns);
    const squeezes = squeezesFor(lineWidth);
    const kept = columnsThatFit(measured, squeezes, lineWidth);
    const fitting = Object.values(squeezes).find((each) => fits(kept, each, lineWidth));
    const squeeze = fitting ?? squeezes.allTextsCut;
    const widths = fitWidths(kept, squeeze, lineWidth);

    const dropped = measured.filter((column) => !kept.includes(column));
    this.dropped = dropped.map(({ index }) => index);
    const mark = look.unicode === false ? '...' : '…';
    this.columns = kept.map((column, i) => {
      const width = widths[i] ?? 0;
      const heading = headingLines(column, squeeze);
      const cut = cutterOf(width, mark);
      return { index: column.index, heading, numeric: column.numeric, width, cut };
    });
  }

  /**
   * One line: `cells`, and how they are painted, are by the index of all columns of the table.
   * Numbers are never cut.
   */
  line(cells: readonly CellText[], paints: readonly (Paint | undefined)[] = []): string {
    const texts = this.columns.map((column) => {
      return this.#cell(cells[column.index], column, paints[column.index]);
    });
    return texts.join(' '.repeat(gap)).trimEnd();
  }

  head(): string[] {
    if (this.columns.length === 0) return [];

    // Headings of one line stand on the last one.
    const height = Math.max(...this.columns.map(({ heading }) => heading.length));
    const lines: string[] = [];
    for (let line = 0; line < height; line++) {
      const names: string[] = [];
      for (const { index, heading } of this.columns)
        names[index] = heading[line - height + heading.length] ?? '';
      lines.push(this.#heading(this.line(names)));
    }
    return [...lines, this.#rule()];
  }

  foot(cells: readonly CellText[]): string[] {
    return [this.#rule(), this.#bold(this.line(cells))];
  }

  #cell(cell: CellText, { numeric, width, cut }: PlacedColumn, paint?: Paint): string {
    const { style, unicode } = this.#look;
    const dash = unicode === false ? '-' : '–';
    const whole = cell === null ? dash : (cell ?? '');

    const isWhole = numeric && this.columns.length > 1;
    const text = isWhole ? whole : cut(whole);
    const padding = ' '.repeat(Math.max(0, width - widthOf(text)));
    const dress = cell === null ? style?.dim : paint;
    const styled = dress?.(text) ?? text;
    return numeric ? padding + styled : styled + padding;
  }

  #rule(): string {
    const dash = this.#look.unicode === false ? '-' : '─';
    const rules = this.columns.map((column) => dash.repeat(column.width));
    const rule = rules.join(' '.repeat(gap));
    return this.#look.style?.dim(rule) ?? rule;
  }

  #heading(text: string): string {
    const { style } = this.#look;
    return style ? style.bold(style.cyan(text)) : text;
  }

  #bold(text: string): string {
    return this.#look.style?.bold(text) ?? text;
  }
}

/** The columns that have a value, or all where none has, with their widths. */
function measureColumns(columns: readonly TableColumn[]): MeasuredColumn[] {
  const isFilled = ({ cells }: TableColumn) => {
    return cells.some((cell) => cell !== undefined && cell !== null);
  };
  const anyFilled = columns.some(isFilled);

  const measured: MeasuredColumn[] = [];
  for (const [index, column] of columns.entries()) {
    if (anyFilled && !isFilled(column)) continue;

    let cellWidth = column.minWidth ?? 0;
    for (const cell of column.cells) cellWidth = Math.max(cellWidth, widthOf(cell ?? ''));

    const { name, numeric, dispensable, rigid = false } = column;
    const isFixed = numeric || rigid;
    const foldedHeading = widthOf(name) > cellWidth ? foldHeading(name) : [name];
    measured.push({ index, name, numeric, dispensable, isFixed, foldedHeading, cellWidth });
  }
  return measured;
}

/**
 * The columns, in their order, without those that have to go so that the others fit a line. A
 * number goes before any text is cut, and the other texts are cut before one of them goes.
 */
function columnsThatFit(
  columns: readonly MeasuredColumn[],
  { folded, otherTextsCut, allTextsCut }: Squeezes,
  lineWidth: number,
): MeasuredColumn[] {
  // The most dispensable one is the last.
  const kept = [...columns].sort((a, b) => a.dispensable - b.dispensable || a.index - b.index);
  let last = kept.at(-1);
  while (last && last.dispensable > 0) {
    if (fits(kept, last.numeric ? folded : otherTextsCut, lineWidth)) break;
    kept.pop();
    last = kept.at(-1);
  }

  while (kept.length > 1 && !fits(kept, allTextsCut, lineWidth)) kept.pop();
  return kept.sort((a, b) => a.index - b.index);
}

/** Whether columns have room in a line when each is as narrow as it may be. */
function fits(columns: readonly MeasuredColumn[], squeeze: Squeeze, lineWidth: number): boolean {
  let sum = 0;
  for (const column of columns) sum += leastWidthOf(column, squeeze);
  return sum <= roomFor(columns, lineWidth);
}

/** What a line has for its columns, without the gaps between them. */
function roomFor(columns: readonly MeasuredColumn[], lineWidth: number): number {
  return lineWidth - gap * (columns.length - 1);
}

function headingLines({ name, foldedHeading }: MeasuredColumn, { isFolded }: Squeeze) {
  return isFolded ? foldedHeading : [name];
}

function wholeWidthOf(column: MeasuredColumn, squeeze: Squeeze): number {
  return Math.max(column.cellWidth, ...headingLines(column, squeeze).map(widthOf));
}

function leastWidthOf(column: MeasuredColumn, squeeze: Squeeze): number {
  const whole = wholeWidthOf(column, squeeze);
  if (column.isFixed) return whole;
  const isMain = column.dispensable === 0;
  return Math.min(whole, isMain ? squeeze.leastMainText : squeeze.leastOtherText);
}

/**
 * The width of each column: cells are taken from the widest texts until all fit, or each is at its
 * least.
 */
function fitWidths(
  columns: readonly MeasuredColumn[],
  squeeze: Squeeze,
  lineWidth: number,
): number[] {
  const widths = columns.map((column) => wholeWidthOf(column, squeeze));
  // A column that is alone is cut to the width, whatever is in it.
  const leastWidths = columns.map((column) => {
    return columns.length === 1 ? 1 : leastWidthOf(column, squeeze);
  });

  let excess = -roomFor(columns, lineWidth);
  for (const width of widths) excess += width;

  for (; excess > 0; excess--) {
    const spare = widths.map((width, i) => (width > (leastWidths[i] ?? 0) ? width : 0));
    const widest = spare.lastIndexOf(Math.max(...spare));
    if (spare[widest] === 0) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}

/** A heading on two lines, parted between two words where that is narrowest: `revenue`, `(€)`. */
function foldHeading(name: string): string[] {
  const words = name.split(' ');
  let best = [name];
  for (let count = 1; count < words.length; count++) {
    const heading = [words.slice(0, count).join(' '), words.slice(count).join(' ')];
    if (widestOf(heading) < widestOf(best)) best = heading;
  }
  return best;
}

function widestOf(lines: readonly string[]): number {
  return Math.max(...lines.map(widthOf));
}

/**
 * Names of more than this many characters are cut before they are measured: no table shows them
 * whole.
 */
const longestName = 2000;

/** The beginning of a long text: what is longer is never seen, and takes long to measure. */
export function clip(text: string): string {
  if (text.length <= longestName) return text;

  const beginning = `${text.slice(0, longestName)}…`;
  // A cut may have parted the halves of a character.
  return beginning.replace(/\p{Surrogate}/gu, '');
}

/** So many names are kept apart, in columns of this width at least. */
const namesKeptApart = 10_000;
const bareWidth = 8;

/** Shortens the names of a column; two that differ stay different, if need be with a number. */
function cutterOf(width: number, mark: string): (text: string) => string {
  const shortNames = new Map<string, string>();
  const taken = new Set<string>();

  return (text) => {
    if (widthOf(text) <= width) return text;

    const known = shortNames.get(text);
    if (known !== undefined) return known;

    let name = shorten(text, width, mark);
    if (width < bareWidth || shortNames.size >= namesKeptApart) return name;

    if (taken.has(name)) {
      const ending = `~${shortNames.size + 1}`;
      name = shorten(text, width - ending.length, mark) + ending;
    }
    taken.add(name);
    shortNames.set(text, name);
    return name;
  };
}

/** A column of a small table: its heading, and the text or number of a row in it. */
export interface TextColumn<Row> {
  readonly name: string;
  readonly value: (row: Row) => string | number | boolean | null | undefined;

  /** What its texts are to formats that have types. Default: text. */
  readonly type?: FieldType;

  /** Given up late where there is no room. Default: by its place, the last first. */
  readonly keep?: boolean;

  /** Never shortened, because a part of it is of no use: an id. */
  readonly whole?: boolean;
}

/** A small table (campaigns, fields, the ledger) as aligned lines, ended by a line break. */
export function textTable<Row>(
  rows: readonly Row[],
  columns: readonly TextColumn<Row>[],
  look: TableLook = {},
): string {
  const tableColumns = columns.map((column, i) => {
    const name = headingOf(column.name, look.unicode);
    return { ...tableColumnOf(column, rows, i), name };
  });
  const layout = new TableLayout(tableColumns, look);
  const lines = rows.map((_, row) => layout.line(tableColumns.map(({ cells }) => cells[row])));
  return [...layout.head(), ...lines, ''].join('\n');
}

function tableColumnOf<Row>(
  { name, value, keep = false, whole = false }: TextColumn<Row>,
  rows: readonly Row[],
  place: number,
): TableColumn {
  const values = rows.map((row) => value(row) ?? undefined);
  const isNumeric = values.every((each) => each === undefined || typeof each === 'number');
  return {
    name,
    numeric: rows.length > 0 && isNumeric,
    dispensable: keep ? 0 : place,
    rigid: whole,
    cells: values.map((each) => (each === undefined ? undefined : clip(printable(String(each))))),
  };
}
