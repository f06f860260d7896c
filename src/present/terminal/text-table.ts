import { type FieldType, fieldLabel } from '../../contract/columns.ts';
import type { TableLook } from '../../output/encoder.ts';
import { measureWidth, shorten, shortenMiddle, wrap } from '../../text/cell-width.ts';
import { isolate, printable, truncate } from '../../text/printable.ts';
import { fitColumns } from './fit-columns.ts';

type Paint = (text: string) => string;

export interface TextCell {
  /** Printable string, or `null` if there is no value. */
  readonly text: string | null;
  readonly paint?: Paint | undefined;
}

export interface DrawnColumn {
  readonly heading: string;

  /** Whether cells are right-aligned. */
  readonly isNumeric: boolean;

  /** Whether cells are names, which may be shortened. */
  readonly isName: boolean;
}

export interface TextTable {
  readonly columns: readonly DrawnColumn[];
  readonly rows: readonly (readonly TextCell[])[];

  /** Rows below a line. The first row is bold. */
  readonly foot?: readonly (readonly TextCell[])[];

  /** Hint that follows the names of hidden columns. */
  readonly advice: string;
}

/** A column that fits. */
interface FittedColumn extends DrawnColumn {
  /** Position in the table. */
  readonly index: number;

  /** Lines of the heading. */
  readonly lines: readonly string[];

  /** In terminal cells. */
  readonly width: number;
}

const gap = 2;

/** Draws aligned columns that fit the width of the terminal, and lists the others. */
export function drawTable(table: TextTable, look: TableLook = {}): string[] {
  const { rows, foot = [], advice } = table;
  const { style, width = Number.POSITIVE_INFINITY } = look;
  const { columns, hidden } = chooseColumns(table, look);
  if (columns.length === 0) return [];

  const rule = columns.map((column) => '─'.repeat(column.width));
  const ruleText = rule.join(' '.repeat(gap));
  const ruleLine = style?.dim(ruleText) ?? ruleText;
  const lines = formatHeadings(columns).map((line) => style?.bold(style.cyan(line)) ?? line);
  lines.push(ruleLine, ...rows.map((cells) => formatLine(cells, columns, look)));

  const [first, ...others] = foot.map((cells) => formatLine(cells, columns, look));
  if (first !== undefined) lines.push(ruleLine, style?.bold(first) ?? first, ...others);
  if (hidden.length > 0) lines.push(...wrap(`Not shown: ${hidden.join(', ')}. ${advice}`, width));
  return lines;
}

/** Chooses the columns that fit. If not everything fits, wraps headings first. */
function chooseColumns(
  { columns, rows, foot = [] }: TextTable,
  { width: lineWidth = Number.POSITIVE_INFINITY }: TableLook,
): { readonly columns: readonly FittedColumn[]; readonly hidden: readonly string[] } {
  const cellWidths = columns.map((_, i) => {
    let width = 0;
    for (const cells of [...rows, ...foot])
      width = Math.max(width, measureWidth(cellText(cells[i])));
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

  const fitted = kept.flatMap((index, i): FittedColumn[] => {
    const column = columns[index];
    const width = widths[i] ?? 0;
    const lines = (headings[index] ?? []).map((line) => shorten(line, width));
    return column ? [{ ...column, index, width, lines }] : [];
  });
  const hidden = columns.filter((_, i) => !kept.includes(i)).map(({ heading }) => heading);
  return { columns: fitted, hidden };
}

/** Formats the headings. Shorter headings are aligned with the last line. */
function formatHeadings(columns: readonly FittedColumn[]): string[] {
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
  columns: readonly FittedColumn[],
  { style, width }: TableLook,
): string {
  const line = columns.map((column) => {
    const cell = cells[column.index];
    const whole = cellText(cell);
    // Numbers are never shortened. The ends of names often tell them apart.
    const isWhole = column.isNumeric && columns.length > 1;
    const text = isWhole ? whole : shortenMiddle(whole, column.width);
    // In a terminal that reorders text, the numbers after a right-to-left name would change places.
    const isolated = width !== undefined ? isolate(text) : text;
    const paint = cell?.text === null ? style?.dim : cell?.paint;
    return align(paint?.(isolated) ?? isolated, text, column);
  });
  return line.join(' '.repeat(gap)).trimEnd();
}

/** @param text the same text without styles, which is measured */
function align(
  styled: string,
  text: string,
  { width, isNumeric }: Pick<FittedColumn, 'width' | 'isNumeric'>,
): string {
  const padding = ' '.repeat(Math.max(0, width - measureWidth(text)));
  return isNumeric ? padding + styled : styled + padding;
}

function cellText(cell: TextCell | undefined): string {
  if (cell?.text === null) return '–';
  return truncate(cell?.text ?? '', maxTextLength);
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

/** Maximum length to measure. No table shows longer strings in full. */
const maxTextLength = 2_000;

/** A column of a list. */
export interface TextColumn<Item> {
  readonly name: string;
  readonly value: (item: Item) => string | number | boolean | null | undefined;

  /** Type in typed formats. Default: text. */
  readonly type?: FieldType;

  /** Whether values, such as IDs, must not be shortened. */
  readonly neverShortened?: boolean;
}

/** Draws a list, such as campaigns or fields. Ends in a line break. */
export function drawList<Item>(
  items: readonly Item[],
  textColumns: readonly TextColumn<Item>[],
  look: TableLook = {},
): string {
  const values = items.map((item) => textColumns.map(({ value }) => value(item) ?? ''));
  const filled = [...textColumns.keys()].filter((i) => {
    return items.length === 0 || values.some((row) => row[i] !== '');
  });
  const columns = filled.map((i): DrawnColumn => {
    const { name = '', neverShortened = false } = textColumns[i] ?? {};
    const isNumeric = items.length > 0 && values.every((row) => typeof row[i] !== 'string');
    return {
      heading: fieldLabel(name),
      isNumeric,
      isName: !isNumeric && !neverShortened,
    };
  });
  const rows = values.map((row) => filled.map((i) => ({ text: printable(String(row[i])) })));
  const lines = drawTable({ columns, rows, advice: '--json has all columns.' }, look);
  return [...lines, ''].join('\n');
}
