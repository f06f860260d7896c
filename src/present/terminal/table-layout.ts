import type { FieldType } from '../../contract/columns.ts';
import type { TableLook } from '../../output/encoder.ts';
import { shorten, widthOf } from '../../text/cell-width.ts';
import { isolated, printable } from '../../text/printable.ts';
import { headingOf } from './headings.ts';

/** Printable text, null, or no value at all. */
export type CellText = string | null | undefined;

/** A column of a table before layout. */
export interface TableColumn {
  readonly name: string;

  /** Right-aligned and never shortened. */
  readonly numeric: boolean;

  /** Text that must not be shortened, such as a date. */
  readonly rigid?: boolean;

  /** Columns with the highest number are dropped first if the table is too wide. */
  readonly dispensable: number;

  readonly cells: readonly CellText[];

  /** Minimum width, for later content such as totals. */
  readonly minWidth?: number;
}

/** A column with its measured widths in cells; `index` is its position in the table. */
interface MeasuredColumn {
  readonly index: number;
  readonly name: string;
  readonly numeric: boolean;
  readonly dispensable: number;
  readonly isFixed: boolean;
  readonly foldedHeading: readonly string[];

  /** Width of its cells, without the heading. */
  readonly cellWidth: number;
}

/** How far columns may be narrowed. */
interface Squeeze {
  readonly isFolded: boolean;

  /** Minimum width of texts in essential columns. */
  readonly minMainText: number;

  readonly minOtherText: number;
}

/** Applies a terminal style to a text. */
type Paint = (text: string) => string;

/** A column with its position in the table and its width in cells. */
interface PlacedColumn {
  readonly index: number;
  readonly heading: readonly string[];
  readonly numeric: boolean;
  readonly width: number;
  readonly cut: (text: string) => string;
}

const gap = 2;

/** Minimum width of texts, and of texts in columns that may be dropped. */
const minText = 14;
const minOtherText = 12;

/** Ways to narrow a table, in the order in which they are tried. */
interface Squeezes {
  readonly none: Squeeze;
  readonly folded: Squeeze;
  readonly otherTextsCut: Squeeze;
  readonly allTextsCut: Squeeze;
}

/** Texts longer than half a line are always shortened to that half. */
function squeezesFor(lineWidth: number): Squeezes {
  const half = Math.max(minText, Math.floor(lineWidth / 2));
  return {
    none: { isFolded: false, minMainText: half, minOtherText: half },
    folded: { isFolded: true, minMainText: half, minOtherText: half },
    otherTextsCut: { isFolded: true, minMainText: half, minOtherText },
    allTextsCut: { isFolded: true, minMainText: minText, minOtherText },
  };
}

/** A table for people: the columns that are shown, their widths, and the lines. */
export class TableLayout {
  readonly columns: readonly PlacedColumn[];

  /** Indexes of the columns that did not fit. */
  readonly dropped: readonly number[];

  readonly #look: TableLook;

  /**
   * Omits columns without values (a buyer's row has every dimension, null if it was not requested),
   * then fits the others into the width: headings are wrapped, the most dispensable columns are
   * dropped, and finally texts are shortened. At least one column remains.
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
      const cut = shortenerFor(width, mark);
      return { index: column.index, heading, numeric: column.numeric, width, cut };
    });
  }

  /**
   * Formats one line; `cells` and `paints` are indexed by column of the table. Numbers are never
   * shortened.
   */
  line(cells: readonly CellText[], paints: readonly (Paint | undefined)[] = []): string {
    const texts = this.columns.map((column) => {
      return this.#cell(cells[column.index], column, paints[column.index]);
    });
    return texts.join(' '.repeat(gap)).trimEnd();
  }

  head(): string[] {
    if (this.columns.length === 0) return [];

    // Single-line headings are aligned with the last line.
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
    // In a terminal that reorders, the numbers after a right-to-left name would change places.
    const isReordered = this.#look.width !== undefined && unicode !== false;
    const placed = isReordered ? isolated(text) : text;
    const styled = dress?.(placed) ?? placed;
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

/** Measures the columns with values, or all columns if none has values. */
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
 * The columns that fit a line, in their original order. Numbers are dropped before texts are
 * shortened, and texts are shortened before text columns are dropped.
 */
function columnsThatFit(
  columns: readonly MeasuredColumn[],
  { folded, otherTextsCut, allTextsCut }: Squeezes,
  lineWidth: number,
): MeasuredColumn[] {
  // Most dispensable last.
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

/** True if columns fit a line at their minimum widths. */
function fits(columns: readonly MeasuredColumn[], squeeze: Squeeze, lineWidth: number): boolean {
  let sum = 0;
  for (const column of columns) sum += minWidthOf(column, squeeze);
  return sum <= roomFor(columns, lineWidth);
}

/** The space for columns on a line, without the gaps. */
function roomFor(columns: readonly MeasuredColumn[], lineWidth: number): number {
  return lineWidth - gap * (columns.length - 1);
}

function headingLines({ name, foldedHeading }: MeasuredColumn, { isFolded }: Squeeze) {
  return isFolded ? foldedHeading : [name];
}

function fullWidthOf(column: MeasuredColumn, squeeze: Squeeze): number {
  return Math.max(column.cellWidth, ...headingLines(column, squeeze).map(widthOf));
}

function minWidthOf(column: MeasuredColumn, squeeze: Squeeze): number {
  const whole = fullWidthOf(column, squeeze);
  if (column.isFixed) return whole;
  const isMain = column.dispensable === 0;
  return Math.min(whole, isMain ? squeeze.minMainText : squeeze.minOtherText);
}

/**
 * Column widths: reduces the widest texts until the line fits or each column has its minimum width.
 */
function fitWidths(
  columns: readonly MeasuredColumn[],
  squeeze: Squeeze,
  lineWidth: number,
): number[] {
  const widths = columns.map((column) => fullWidthOf(column, squeeze));
  // A single column is always shortened to fit.
  const minWidths = columns.map((column) => {
    return columns.length === 1 ? 1 : minWidthOf(column, squeeze);
  });

  let excess = -roomFor(columns, lineWidth);
  for (const width of widths) excess += width;

  for (; excess > 0; excess--) {
    const spare = widths.map((width, i) => (width > (minWidths[i] ?? 0) ? width : 0));
    const widest = spare.lastIndexOf(Math.max(...spare));
    if (spare[widest] === 0) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}

/** Wraps a heading to two lines at the best position: `revenue`, `(€)`. */
function foldHeading(name: string): string[] {
  const words = name.split(' ');
  let best = [name];
  for (let count = 1; count < words.length; count++) {
    const heading = [words.slice(0, count).join(' '), words.slice(count).join(' ')];
    if (maxWidthOf(heading) < maxWidthOf(best)) best = heading;
  }
  return best;
}

function maxWidthOf(lines: readonly string[]): number {
  return Math.max(...lines.map(widthOf));
}

/** Longer names are cut before they are measured; no table shows them in full. */
const maxNameLength = 2000;

/** Cuts a text that is too long to be shown and slow to measure. */
export function clip(text: string): string {
  if (text.length <= maxNameLength) return text;

  const beginning = `${text.slice(0, maxNameLength)}…`;
  // The cut may have split a surrogate pair.
  return beginning.replace(/\p{Surrogate}/gu, '');
}

/**
 * Limits for keeping shortened names distinct: the number of names, and the minimum column width.
 */
const maxDistinctNames = 10_000;
const minDistinctWidth = 8;

/** Shortens the names of a column. Different names stay different, with a number if necessary. */
function shortenerFor(width: number, mark: string): (text: string) => string {
  const shortNames = new Map<string, string>();
  const taken = new Set<string>();

  return (text) => {
    if (widthOf(text) <= width) return text;

    const known = shortNames.get(text);
    if (known !== undefined) return known;

    let name = shorten(text, width, mark);
    if (width < minDistinctWidth || shortNames.size >= maxDistinctNames) return name;

    if (taken.has(name)) {
      const ending = `~${shortNames.size + 1}`;
      name = shorten(text, width - ending.length, mark) + ending;
    }
    taken.add(name);
    shortNames.set(text, name);
    return name;
  };
}

/** A column of a small table: its heading, and its value in a row. */
export interface TextColumn<Row> {
  readonly name: string;
  readonly value: (row: Row) => string | number | boolean | null | undefined;

  /** The type of its values in typed formats. Default: text. */
  readonly type?: FieldType;

  /** True for a column that is dropped last. By default columns are dropped from the right. */
  readonly keep?: boolean;

  /** True for text that must not be shortened, such as an id. */
  readonly whole?: boolean;
}

/**
 * Formats a small table (campaigns, fields, the ledger) as aligned lines, ending in a line break.
 */
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
