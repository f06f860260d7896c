import type { FieldType } from '../../contract/columns.ts';
import type { TableLook } from '../../output/encoder.ts';
import { measureWidth, shorten, shortenMiddle, wrap } from '../../text/cell-width.ts';
import { isolated, printable, shortened } from '../../text/printable.ts';
import { fitColumns } from './fit-columns.ts';
import { chooseHeading } from './headings.ts';

/** Applies a terminal style. */
type Paint = (text: string) => string;

export interface TextCell {
  /** Printable string; `null` if there is no value. */
  readonly text: string | null;
  readonly paint?: Paint | undefined;
}

export interface DrawnColumn {
  readonly heading: string;

  /** True if cells are aligned to the right. */
  readonly isNumeric: boolean;

  /** True for a name, which may be shortened. */
  readonly isName: boolean;
}

export interface TextTable {
  readonly columns: readonly DrawnColumn[];
  readonly rows: readonly (readonly TextCell[])[];

  /** Rows below a line; the first of them is bold. */
  readonly foot?: readonly (readonly TextCell[])[];

  /** Sentence after the names of the columns that did not fit. */
  readonly advice: string;
}

/** `index` is the position in the table, `width` is in terminal cells. */
interface PlacedColumn extends DrawnColumn {
  readonly index: number;
  readonly lines: readonly string[];
  readonly width: number;
}

const gap = 2;

/**
 * Draws aligned lines that fit the width of the terminal, and names the columns that do not fit.
 */
export function drawTable(table: TextTable, look: TableLook = {}): string[] {
  const { rows, foot = [], advice } = table;
  const { style, width = Number.POSITIVE_INFINITY } = look;
  const { columns, hidden } = placeColumns(table, look);
  if (columns.length === 0) return [];

  const rule = columns.map((column) => '─'.repeat(column.width));
  const ruleText = rule.join(' '.repeat(gap));
  const ruleLine = style?.dim(ruleText) ?? ruleText;
  const lines = headLines(columns).map((line) => style?.bold(style.cyan(line)) ?? line);
  lines.push(ruleLine, ...rows.map((cells) => formatLine(cells, columns, look)));

  const [first, ...others] = foot.map((cells) => formatLine(cells, columns, look));
  if (first !== undefined) lines.push(ruleLine, style?.bold(first) ?? first, ...others);
  if (hidden.length > 0) lines.push(...wrap(`Not shown: ${hidden.join(', ')}. ${advice}`, width));
  return lines;
}

/** Decides which columns are shown and how wide they are; headings are wrapped if necessary. */
function placeColumns(
  { columns, rows, foot = [] }: TextTable,
  { width: lineWidth = Number.POSITIVE_INFINITY }: TableLook,
): { readonly columns: readonly PlacedColumn[]; readonly hidden: readonly string[] } {
  const cellWidths = columns.map((_, i) => {
    let width = 0;
    for (const cells of [...rows, ...foot])
      width = Math.max(width, measureWidth(displayText(cells[i])));
    return width;
  });
  const fitHeadings = (headings: readonly (readonly string[])[]) => {
    const fitting = columns.map(({ isNumeric, isName }, i) => {
      return {
        isNumeric,
        isName,
        width: Math.max(cellWidths[i] ?? 0, maxWidth(headings[i] ?? [])),
      };
    });
    return { fitting, headings, ...fitColumns(fitting, lineWidth, gap) };
  };

  const whole = fitHeadings(columns.map(({ heading }) => [heading]));
  const isWhole = whole.fitting.every(({ width }, i) => whole.widths[i] === width);
  const folded = columns.map(({ heading }, i) => {
    return measureWidth(heading) > (cellWidths[i] ?? 0) ? wrapHeading(heading) : [heading];
  });
  const { headings, kept, widths } = isWhole ? whole : fitHeadings(folded);

  const placed = kept.flatMap((index, i): PlacedColumn[] => {
    const column = columns[index];
    const width = widths[i] ?? 0;
    const lines = (headings[index] ?? []).map((line) => shorten(line, width));
    return column ? [{ ...column, index, width, lines }] : [];
  });
  const hidden = columns.filter((_, i) => !kept.includes(i)).map(({ heading }) => heading);
  return { columns: placed, hidden };
}

/** Single-line headings are aligned with the last line. */
function headLines(columns: readonly PlacedColumn[]): string[] {
  const height = Math.max(...columns.map(({ lines }) => lines.length));
  return Array.from({ length: height }, (_, line) => {
    const names = columns.map(({ lines, width, isNumeric }) => {
      const name = lines[line - height + lines.length] ?? '';
      return align(name, name, { width, isNumeric });
    });
    return names.join(' '.repeat(gap)).trimEnd();
  });
}

function formatLine(
  cells: readonly TextCell[],
  columns: readonly PlacedColumn[],
  { style, width }: TableLook,
): string {
  const texts = columns.map((column) => {
    const cell = cells[column.index];
    const whole = displayText(cell);
    // Numbers are never shortened. The ends of names often tell them apart.
    const isWhole = column.isNumeric && columns.length > 1;
    const text = isWhole ? whole : shortenMiddle(whole, column.width);
    // In a terminal that reorders text, the numbers after a right-to-left name would change places.
    const placed = width !== undefined ? isolated(text) : text;
    const paint = cell?.text === null ? style?.dim : cell?.paint;
    return align(paint?.(placed) ?? placed, text, column);
  });
  return texts.join(' '.repeat(gap)).trimEnd();
}

/** @param text what the styled text measures */
function align(
  styled: string,
  text: string,
  { width, isNumeric }: Pick<PlacedColumn, 'width' | 'isNumeric'>,
): string {
  const padding = ' '.repeat(Math.max(0, width - measureWidth(text)));
  return isNumeric ? padding + styled : styled + padding;
}

function displayText(cell: TextCell | undefined): string {
  if (cell?.text === null) return '–';
  return shortened(cell?.text ?? '', maxTextLength);
}

/** Wraps a heading to two lines at the best position: `revenue`, `(€)`. */
function wrapHeading(heading: string): string[] {
  const words = heading.split(' ');
  let best = [heading];
  for (let count = 1; count < words.length; count++) {
    const lines = [words.slice(0, count).join(' '), words.slice(count).join(' ')];
    if (maxWidth(lines) < maxWidth(best)) best = lines;
  }
  return best;
}

function maxWidth(lines: readonly string[]): number {
  return Math.max(0, ...lines.map(measureWidth));
}

/** Longer strings are cut before they are measured, because no table shows them in full. */
const maxTextLength = 2_000;

/** Heading of a list's column, and its value in a record. */
export interface TextColumn<Item> {
  readonly name: string;
  readonly value: (item: Item) => string | number | boolean | null | undefined;

  /** Type in typed formats. Default: text. */
  readonly type?: FieldType;

  /** Set if values must not be shortened, such as an ID. */
  readonly whole?: boolean;
}

/** Draws a list (campaigns, fields, the history), ending in a line break. */
export function textTable<Item>(
  items: readonly Item[],
  textColumns: readonly TextColumn<Item>[],
  look: TableLook = {},
): string {
  const values = items.map((item) => textColumns.map(({ value }) => value(item) ?? ''));
  const filled = [...textColumns.keys()].filter((i) => {
    return items.length === 0 || values.some((row) => row[i] !== '');
  });
  const columns = filled.map((i): DrawnColumn => {
    const { name = '', whole = false } = textColumns[i] ?? {};
    const isNumeric = items.length > 0 && values.every((row) => typeof row[i] !== 'string');
    return {
      heading: chooseHeading(name),
      isNumeric,
      isName: !isNumeric && !whole,
    };
  });
  const rows = values.map((row) => filled.map((i) => ({ text: printable(String(row[i])) })));
  const lines = drawTable({ columns, rows, advice: '--json has all columns.' }, look);
  return [...lines, ''].join('\n');
}
