import stringWidth from 'string-width';
import type { TableLook } from '../encoder.ts';

/** What stands in a table: a text fit for a terminal, a value that is null, or nothing at all. */
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

/** A column with its place and width. */
interface PlacedColumn {
  /** Its index among the columns that were given. */
  readonly index: number;
  /** The lines of its heading. */
  readonly heading: readonly string[];
  readonly numeric: boolean;
  readonly rigid: boolean;
  /** Cells that it takes. */
  readonly width: number;
  /** Shortens its names so that two that differ stay different. */
  readonly cut: (text: string) => string;
}

/** Cells between two columns. */
const gap = 2;

/** Names are shortened to this many cells before headings are folded. */
const easyWidth = 28;

/** Names are shortened to this many cells before a column is left out. */
const leastWidth = 16;

/** Names are shortened to this many before the first columns of all are left out. */
const bareWidth = 8;

/** Columns no more dispensable than this are left out only where names are as short as they can be. */
const essential = 2;

/** A table for people, its columns placed: which are shown and how wide, and its lines. */
export class TableLayout {
  /** From left to right. */
  readonly columns: readonly PlacedColumn[];
  /** Indexes of columns that were left out for lack of room. */
  readonly dropped: readonly number[];
  readonly #look: TableLook;

  /**
   * Leaves out the columns without any value (a buyer's row has every dimension, null where it was not asked for), then
   * fits the rest into the width: long texts are shortened, headings folded, then the most dispensable columns go.
   * At least one column stays, cut to the width.
   */
  constructor(given: readonly TableColumn[], look: TableLook = {}) {
    this.#look = look;
    const room = look.columns ?? Number.POSITIVE_INFINITY;
    const isFilled = ({ cells }: TableColumn) => cells.some((cell) => cell !== undefined && cell !== null);
    const anyFilled = given.some(isFilled);
    const measured = given.flatMap((column, index) => {
      if (anyFilled && !isFilled(column)) return [];
      const width = column.cells.reduce((widest, cell) => Math.max(widest, widthOf(cell ?? '')), column.minWidth ?? 0);
      return [{ ...column, index, width, folded: foldHeading(column) }];
    });
    const widthIn = ({ width }: { width: number }, heading: readonly string[]) =>
      Math.max(width, ...heading.map(widthOf));
    const leastIn = (column: (typeof measured)[number], heading: readonly string[], least: number) => {
      const width = widthIn(column, heading);
      return column.numeric || column.rigid ? width : Math.min(width, least);
    };
    // Columns in the order in which they are given up, and how much room the rest needs at each step.
    const victims = [...measured].sort((a, b) => b.dispensable - a.dispensable || b.index - a.index);
    const needs = { easy: -gap, folded: -gap, bare: -gap };
    const change = (column: (typeof measured)[number], sign: number): void => {
      needs.easy += sign * (leastIn(column, [column.name], easyWidth) + gap);
      needs.folded += sign * (leastIn(column, column.folded, leastWidth) + gap);
      needs.bare += sign * (leastIn(column, column.folded, bareWidth) + gap);
    };
    for (const column of measured) change(column, 1);
    let goneCount = 0;
    const needed = (): number => {
      const worst = victims[goneCount]?.dispensable ?? 0;
      return Math.min(needs.easy, worst <= essential ? needs.bare : needs.folded);
    };
    while (goneCount < victims.length - 1 && needed() > room) {
      const victim = victims[goneCount++];
      if (victim) change(victim, -1);
    }
    const dropped = new Set(victims.slice(0, goneCount));
    const kept = measured.filter((column) => !dropped.has(column));
    const isEasy = needs.easy <= room;
    const worst = victims[goneCount]?.dispensable ?? 0;
    const least =
      kept.length === 1 ? Math.max(1, room) : isEasy ? easyWidth : worst <= essential ? bareWidth : leastWidth;
    const headings = kept.map((column) => (isEasy ? [column.name] : column.folded));
    const widths = shrink(
      kept.map((column, i) => ({
        width: widthIn(column, headings[i] ?? []),
        least: kept.length > 1 && (column.numeric || column.rigid) ? Number.POSITIVE_INFINITY : least,
      })),
      room - gap * (kept.length - 1),
    );
    this.dropped = [...dropped].map(({ index }) => index);
    this.columns = kept.map(({ index, numeric, rigid = false }, i) => {
      const width = widths[i] ?? 0;
      const cut = cutterOf(width, look.unicode === false ? '...' : '…');
      return { index, heading: headings[i] ?? [], numeric, rigid, width, cut };
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

  /** The heading, its lines ending level, and the rule below it. */
  head(): string[] {
    const height = Math.max(...this.columns.map(({ heading }) => heading.length));
    const lines = Array.from({ length: height }, (_, line) => {
      const names: string[] = [];
      for (const { index, heading } of this.columns) names[index] = heading[line - height + heading.length] ?? '';
      const text = this.line(names);
      return this.#look.style?.bold(text) ?? text;
    });
    return this.columns.length > 0 ? [...lines, this.rule()] : [];
  }

  /** The rule below the heading, and above the totals. */
  rule(): string {
    const dash = this.#look.unicode === false ? '-' : '─';
    const rule = this.columns.map((column) => dash.repeat(column.width)).join(' '.repeat(gap));
    return this.#look.style?.dim(rule) ?? rule;
  }
}

/** The heading of a number on two lines, parted between two words where that is narrowest: `revenue`, `Euro`. */
function foldHeading({ name, numeric }: TableColumn): string[] {
  const words = numeric ? name.split(name.includes(' ') ? ' ' : /(?<=[a-z])(?=[A-Z])/) : [name];
  const glue = name.includes(' ') ? ' ' : '';
  const headings = words.map((_, at) =>
    [words.slice(0, at), words.slice(at)].filter((line) => line.length > 0).map((line) => line.join(glue)),
  );
  const widest = (heading: readonly string[]) => Math.max(...heading.map(widthOf));
  return headings.reduce((best, heading) => (widest(heading) < widest(best) ? heading : best));
}

/** Takes cells from the widest texts until all fit into the room, or each is at its least. */
function shrink(columns: readonly { readonly width: number; readonly least: number }[], room: number): number[] {
  const widths = columns.map(({ width }) => width);
  let excess = widths.reduce((sum, width) => sum + width, -room);
  while (excess > 0) {
    const soft = widths.flatMap((width, i) => (width > (columns[i]?.least ?? 0) ? [i] : []));
    const widest = Math.max(...soft.map((i) => widths[i] ?? 0));
    const group = soft.filter((i) => widths[i] === widest);
    if (group.length === 0) break;
    const below = soft.map((i) => widths[i] ?? 0).filter((width) => width < widest);
    const next = Math.max(...below, ...group.map((i) => columns[i]?.least ?? 0));
    const step = Math.max(1, Math.min(widest - next, Math.floor(excess / group.length)));
    for (const i of group) widths[i] = widest - step;
    excess -= step * group.length;
  }
  return widths;
}

/** Cells that a text takes on a terminal. Printable ASCII, which most texts are, takes one each. */
export function widthOf(text: string): number {
  return /^[ -~]*$/.test(text) ? text.length : stringWidth(text);
}

/** Names of more than this many characters are cut before they are measured: no table shows them whole. */
const longestName = 2000;

/** A long text as both its ends: what is longer is never seen, and takes long to measure. */
export function clip(text: string, mark = '…'): string {
  if (text.length <= longestName) return text;
  const [head, tail] = [text.slice(0, longestName / 2), text.slice(-longestName / 2)];
  return head.replace(/[\ud800-\udbff]$/, '') + mark + tail.replace(/^[\udc00-\udfff]/, '');
}

/** Made when the first text is shortened: it takes longer than the rest of a small table. */
let graphemes: Intl.Segmenter | undefined;

/**
 * A text of at most so many cells, with a mark for what was left out.
 * @param headShare how much of the room the beginning of the text gets, from 0 to 1; its end gets the rest
 */
export function shorten(text: string, width: number, mark = '…', headShare = 0.5): string {
  if (widthOf(text) <= width) return text;
  const room = width - mark.length;
  if (room <= 0) return mark.slice(0, width);
  graphemes ??= new Intl.Segmenter();
  const parts = [...graphemes.segment(text)].map((part) => part.segment);
  const head = fitting(parts, Math.ceil(room * headShare));
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

/**
 * Shortens the names of a column so that two that differ stay different: by both ends, else by one, at last with a
 * number (`Summer~2`).
 */
function cutterOf(width: number, mark: string): (text: string) => string {
  const shown = new Map<string, string>();
  const taken = new Set<string>();
  let lastNumber = 1;
  return (text) => {
    if (widthOf(text) <= width) return text;
    const known = shown.get(text);
    if (known !== undefined) return known;
    if (width < bareWidth || shown.size >= namesKeptApart) return shorten(text, width, mark);
    let found = [0.5, 0, 0.25, 0.75, 1]
      .map((headShare) => shorten(text, width, mark, headShare))
      .find((candidate) => !taken.has(candidate));
    if (found === undefined) {
      const ending = `~${++lastNumber}`;
      found = shorten(text, width - ending.length, mark) + ending;
    }
    taken.add(found);
    shown.set(text, found);
    return found;
  };
}
