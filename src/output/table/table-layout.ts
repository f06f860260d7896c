import stringWidth from 'fast-string-width';
import type { FieldType } from '../../contract/columns.ts';
import { printable } from '../../text/printable.ts';
import type { TableLook } from '../encoder.ts';

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

/** A column with its place (`index` among those that were given) and its width in cells. */
interface PlacedColumn {
  readonly index: number;
  readonly heading: readonly string[];
  readonly numeric: boolean;
  readonly width: number;
  readonly cut: (text: string) => string;
}

const gap = 2;

/** Names are shortened to so many cells before headings are folded; then before a column is left out. */
const easyWidth = 28;
const leastWidth = 14;

/** A table for people, its columns placed: which are shown and how wide, and its lines. */
export class TableLayout {
  readonly columns: readonly PlacedColumn[];
  readonly dropped: readonly number[];
  readonly #look: TableLook;

  /**
   * Leaves out the columns without any value (a buyer's row has every dimension, null where it was not asked for), then
   * fits the rest into the width: long texts are shortened, headings folded, then the most dispensable columns go.
   * At least one column stays, cut to the width.
   */
  constructor(given: readonly TableColumn[], look: TableLook = {}) {
    this.#look = look;
    const isFilled = ({ cells }: TableColumn) =>
      cells.some((cell) => cell !== undefined && cell !== null);
    const anyFilled = given.some(isFilled);
    const measured = given.flatMap((column, index) => {
      if (anyFilled && !isFilled(column)) return [];
      const width = column.cells.reduce(
        (widest, cell) => Math.max(widest, widthOf(cell ?? '')),
        column.minWidth ?? 0,
      );
      return [
        {
          ...column,
          index,
          width,
          folded: foldHeading(column),
          isFixed: column.numeric || column.rigid,
        },
      ];
    });
    const victims = [...measured].sort(
      (a, b) => b.dispensable - a.dispensable || b.index - a.index,
    );
    const room = () => (look.width ?? Number.POSITIVE_INFINITY) - gap * (victims.length - 1);
    const widthsOf = (columns: typeof measured, least: number, isFolded: boolean) =>
      columns.map(({ name, folded, width, isFixed }) => {
        const whole = Math.max(width, ...(isFolded ? folded : [name]).map(widthOf));
        return { whole, least: isFixed ? whole : Math.min(whole, least) };
      });
    const fits = (least: number, isFolded: boolean) =>
      widthsOf(victims, least, isFolded).reduce((sum, each) => sum + each.least, 0) <= room();
    while (victims.length > 1 && !fits(easyWidth, false) && !fits(leastWidth, true))
      victims.shift();
    const isFolded = !fits(easyWidth, false);
    const kept = measured.filter((column) => victims.includes(column));
    const bounds = widthsOf(kept, isFolded ? leastWidth : easyWidth, isFolded);
    const widths = bounds.map(({ whole }) => whole);
    // Cells are taken from the widest texts until all fit, or each is at its least.
    for (let excess = widths.reduce((sum, width) => sum + width, -room()); excess > 0; excess--) {
      const soft = widths.map((width, i) =>
        width > (kept.length === 1 ? 1 : (bounds[i]?.least ?? 0)) ? width : 0,
      );
      const widest = soft.lastIndexOf(Math.max(...soft));
      if (soft[widest] === 0) break;
      widths[widest] = (widths[widest] ?? 0) - 1;
    }
    this.dropped = measured.filter((column) => !victims.includes(column)).map(({ index }) => index);
    const mark = look.unicode === false ? '...' : '…';
    this.columns = kept.map(({ index, name, folded, numeric }, i) => {
      const width = widths[i] ?? 0;
      return {
        index,
        heading: isFolded ? folded : [name],
        numeric,
        width,
        cut: cutterOf(width, mark),
      };
    });
  }

  /** One line: `cells` are by the index of the columns that were given. Numbers are never cut. */
  line(cells: readonly CellText[]): string {
    const { style, unicode } = this.#look;
    const texts = this.columns.map(({ index, numeric, width, cut }) => {
      const cell = cells[index];
      const text = cell === null ? (unicode === false ? '-' : '–') : (cell ?? '');
      const shown = numeric && this.columns.length > 1 ? text : cut(text);
      const blanks = ' '.repeat(Math.max(0, width - widthOf(shown)));
      const dressed = cell === null ? (style?.dim(shown) ?? shown) : shown;
      return numeric ? blanks + dressed : dressed + blanks;
    });
    return texts.join(' '.repeat(gap)).trimEnd();
  }

  head(): string[] {
    if (this.columns.length === 0) return [];
    const height = Math.max(...this.columns.map(({ heading }) => heading.length));
    const lines = Array.from({ length: height }, (_, line) => {
      const names: string[] = [];
      for (const { index, heading } of this.columns)
        names[index] = heading[line - height + heading.length] ?? '';
      return this.#bold(this.line(names));
    });
    return [...lines, this.#rule()];
  }

  foot(cells: readonly CellText[]): string[] {
    return [this.#rule(), this.#bold(this.line(cells))];
  }

  #rule(): string {
    const dash = this.#look.unicode === false ? '-' : '─';
    const rule = this.columns.map((column) => dash.repeat(column.width)).join(' '.repeat(gap));
    return this.#look.style?.dim(rule) ?? rule;
  }

  #bold(text: string): string {
    return this.#look.style?.bold(text) ?? text;
  }
}

/** The heading of a number on two lines, parted between two words where that is narrowest: `revenue`, `Euro`. */
function foldHeading({ name, numeric }: TableColumn): string[] {
  const glue = name.includes(' ') ? ' ' : '';
  const parts = name.split(glue || /(?<=[a-z])(?=[A-Z])/);
  if (!numeric || parts.length < 2) return [name];
  const widest = (heading: readonly string[]) => Math.max(...heading.map(widthOf));
  const headings = parts
    .slice(1)
    .map((_, at) => [parts.slice(0, at + 1).join(glue), parts.slice(at + 1).join(glue)]);
  return headings.reduce((best, heading) => (widest(heading) < widest(best) ? heading : best));
}

/** Cells that a text takes on a terminal. Printable ASCII, which most texts are, takes one each. */
export function widthOf(text: string): number {
  return /^[ -~]*$/.test(text) ? text.length : stringWidth(text);
}

/** Names of more than this many characters are cut before they are measured: no table shows them whole. */
const longestName = 2000;

/** A long text as both its ends: what is longer is never seen, and takes long to measure. */
export function clip(text: string): string {
  if (text.length <= longestName) return text;
  return `${text.slice(0, longestName / 2)}…${text.slice(-longestName / 2)}`.replace(
    /\p{Surrogate}/gu,
    '',
  );
}

/** Made when the first text is shortened: it takes longer than the rest of a small table. */
let graphemes: Intl.Segmenter | undefined;

/** A text of at most so many cells: both its ends, with a mark for what was left out. */
export function shorten(text: string, width: number, mark = '…'): string {
  if (widthOf(text) <= width) return text;
  const room = width - mark.length;
  if (room <= 0) return mark.slice(0, width);
  graphemes ??= new Intl.Segmenter();
  const parts = Array.from(graphemes.segment(text), ({ segment }) => segment);
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

/** So many names are kept apart, in columns of this width at least. */
const namesKeptApart = 10_000;
const bareWidth = 8;

/** Shortens the names of a column; two that differ stay different, if need be with a number. */
function cutterOf(width: number, mark: string): (text: string) => string {
  const shown = new Map<string, string>();
  const taken = new Set<string>();
  return (text) => {
    if (widthOf(text) <= width) return text;
    let found = shown.get(text) ?? shorten(text, width, mark);
    if (shown.has(text) || width < bareWidth || shown.size >= namesKeptApart) return found;
    const ending = `~${shown.size + 1}`;
    if (taken.has(found)) found = shorten(text, width - ending.length, mark) + ending;
    taken.add(found);
    shown.set(text, found);
    return found;
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
  const given = columns.map(({ name, value, keep, whole = false }, i) => {
    const values = rows.map((row) => value(row) ?? undefined);
    return {
      name,
      numeric:
        rows.length > 0 && values.every((each) => each === undefined || typeof each === 'number'),
      dispensable: keep ? 0 : i,
      rigid: whole,
      cells: values.map((each) => (each === undefined ? undefined : clip(printable(String(each))))),
    };
  });
  const layout = new TableLayout(given, look);
  const lines = rows.map((_, row) => layout.line(given.map(({ cells }) => cells[row])));
  return [...layout.head(), ...lines, ''].join('\n');
}
