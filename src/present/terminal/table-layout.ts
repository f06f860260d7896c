import type { FieldType } from '../../contract/columns.ts';
import type { TableLook } from '../../output/encoder.ts';
import { shorten, widthOf, wrap } from '../../text/cell-width.ts';
import { isolated, printable } from '../../text/printable.ts';
import { droppedColumnsMessage, type FitColumn, fitColumns, minNameWidth } from '../fit-columns.ts';
import { shortNames } from '../short-names.ts';
import { headingOf } from './headings.ts';

/** Printable text, null, or no value at all. */
export type CellText = string | null | undefined;

export interface TableColumn {
  readonly name: string;

  /** Right-aligned. */
  readonly numeric: boolean;

  /** Metrics are dropped before other columns. */
  readonly isMetric: boolean;

  /** Names may be shortened. */
  readonly isName: boolean;

  readonly cells: readonly CellText[];

  /** Shown for null. Default: a dash. */
  readonly blank?: string;

  /** For later content such as totals. */
  readonly minWidth?: number;
}

/** `index` is the position in the table. */
interface MeasuredColumn extends TableColumn {
  readonly index: number;

  /** Width in terminal cells, without the heading. */
  readonly cellWidth: number;
}

/** Applies a terminal style. */
type Paint = (text: string) => string;

/** `index` is the position in the table, `width` is in terminal cells. */
interface PlacedColumn {
  readonly index: number;
  readonly heading: readonly string[];
  readonly numeric: boolean;
  readonly width: number;
  readonly blank: string;
  readonly shorten: (text: string) => string;
}

const gap = 2;

/** Decides which columns are shown and how wide they are, and formats the lines. */
export class TableLayout {
  readonly columns: readonly PlacedColumn[];

  /** Names of the columns that did not fit. */
  readonly hidden: readonly string[];

  readonly #look: TableLook;

  /**
   * Omits columns without values (a buyer's row has every dimension, null if it was not requested),
   * and fits the others into the width: headings are wrapped, then `fitColumns` decides.
   */
  constructor(tableColumns: readonly TableColumn[], look: TableLook = {}) {
    this.#look = look;
    const { width: lineWidth = Number.POSITIVE_INFINITY, unicode = true } = look;
    const columns = measureColumns(tableColumns, unicode ? '–' : '-');

    const whole = columns.map(({ name }) => [name]);
    const folded = columns.map(({ name, cellWidth }) => {
      return widthOf(name) > cellWidth ? foldHeading(name) : [name];
    });
    const fits = (headings: readonly (readonly string[])[]): boolean => {
      let width = gap * (columns.length - 1);
      for (const [i, column] of columns.entries()) width += fullWidthOf(column, headings[i]);
      return width <= lineWidth;
    };
    const headings = fits(whole) ? whole : folded;

    const { kept, widths } = fitColumns(
      columns.map((column, i) => fitColumnOf(column, headings[i])),
      lineWidth,
      gap,
    );
    this.hidden = columns.filter((_, i) => !kept.includes(i)).map(({ name }) => name);
    this.columns = kept.map((index, i) => {
      const column = columns[index] as MeasuredColumn;
      const width = widths[i] ?? 0;
      return {
        index: column.index,
        heading: (headings[index] ?? []).map((line) => shorten(line, width)),
        numeric: column.numeric,
        width,
        blank: column.blank ?? '',
        shorten: shortenerFor(column, { width, unicode }),
      };
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

  /** Names the columns that did not fit, in wrapped lines; empty if all did. */
  droppedColumnsMessage(advice: string): string[] {
    const { width = Number.POSITIVE_INFINITY } = this.#look;
    if (this.hidden.length === 0) return [];
    return wrap(droppedColumnsMessage(this.hidden, advice), width);
  }

  #cell(cell: CellText, column: PlacedColumn, paint?: Paint): string {
    const { style, unicode } = this.#look;
    const { numeric, width } = column;
    const whole = cell === null ? column.blank : (cell ?? '');

    const isWhole = numeric && this.columns.length > 1;
    const text = isWhole ? whole : column.shorten(whole);
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
function measureColumns(columns: readonly TableColumn[], dash: string): MeasuredColumn[] {
  const isFilled = ({ cells }: TableColumn) => {
    return cells.some((cell) => cell !== undefined && cell !== null);
  };
  const anyFilled = columns.some(isFilled);

  const measured: MeasuredColumn[] = [];
  for (const [index, column] of columns.entries()) {
    if (anyFilled && !isFilled(column)) continue;

    const { cells, minWidth = 0, blank = dash } = column;
    let cellWidth = minWidth;
    for (const cell of cells) {
      cellWidth = Math.max(cellWidth, widthOf(cell === null ? blank : (cell ?? '')));
    }
    measured.push({ ...column, index, blank, cellWidth });
  }
  return measured;
}

function fullWidthOf({ cellWidth }: MeasuredColumn, heading: readonly string[] = []): number {
  return Math.max(cellWidth, ...heading.map(widthOf));
}

function fitColumnOf(column: MeasuredColumn, heading: readonly string[] = []): FitColumn {
  const { isMetric, isName } = column;
  const width = fullWidthOf(column, heading);
  return { isMetric, width, minWidth: isName ? Math.min(width, minNameWidth) : width };
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

/** Names of the column's first rows stay different if possible. */
function shortenerFor(
  { cells }: MeasuredColumn,
  { width, unicode }: { readonly width: number; readonly unicode: boolean },
): (text: string) => string {
  const mark = unicode ? '…' : '...';
  const names = cells.filter((cell) => typeof cell === 'string');
  const shortByName = shortNames(names, width, mark);
  return (text) => shortByName.get(text) ?? shorten(text, width, mark);
}

/** Heading of a small table's column, and its value in a row. */
export interface TextColumn<Row> {
  readonly name: string;
  readonly value: (row: Row) => string | number | boolean | null | undefined;

  /** Type in typed formats. Default: text. */
  readonly type?: FieldType;

  /** Must not be shortened, such as an id. */
  readonly whole?: boolean;
}

/**
 * Formats a small table (campaigns, fields, the history) as aligned lines, ending in a line break.
 * Columns that do not fit are dropped from the right, and named below.
 */
export function textTable<Row>(
  rows: readonly Row[],
  columns: readonly TextColumn<Row>[],
  look: TableLook = {},
): string {
  const tableColumns = columns.map((column) => {
    const name = headingOf(column.name, look.unicode);
    return { ...tableColumnOf(column, rows), name };
  });
  const layout = new TableLayout(tableColumns, look);
  const lines = rows.map((_, row) => layout.line(tableColumns.map(({ cells }) => cells[row])));
  return [
    ...layout.head(),
    ...lines,
    ...layout.droppedColumnsMessage('--json has all columns.'),
    '',
  ].join('\n');
}

function tableColumnOf<Row>(
  { name, value, whole = false }: TextColumn<Row>,
  rows: readonly Row[],
): TableColumn {
  const values = rows.map((row) => value(row) ?? undefined);
  const numeric = rows.length > 0 && values.every((cell) => typeof cell !== 'string');
  return {
    name,
    numeric,
    isMetric: false,
    isName: !numeric && !whole,
    cells: values.map((cell) => (cell === undefined ? undefined : clip(printable(String(cell))))),
  };
}
