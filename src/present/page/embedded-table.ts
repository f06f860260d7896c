import { nameText, noName } from '../../totals/group-name.ts';
import { addThousandsSeparators, roundedText } from '../../totals/numbers.ts';

/** Table data embedded in a page for its script, and the display of cells, shared by both. */

/** A number that JavaScript represents exactly, any other number as text, or printable text. */
export type Cell = string | number | null;

/** A `key` is an id or a time, which is never wrapped; a missing `name` is shown as unknown. */
export type CellType = 'integer' | 'money' | 'percent' | 'change' | 'text' | 'name' | 'key';

/** Computes a rate from two other columns, given as indexes. */
export interface EmbeddedRate {
  readonly numerator: number;
  readonly denominator: number;
  readonly factor: number;
}

/** With either cells or a rate. */
export interface EmbeddedColumn {
  readonly name: string;

  readonly type: CellType;

  /** CSS classes of its cells; absent for hidden columns. */
  readonly look?: string | undefined;

  /** Display texts for times and for names that are too long. */
  readonly texts?: Readonly<Record<string, string>> | undefined;

  readonly cells?: readonly Cell[];
  readonly rate?: EmbeddedRate;
}

export interface EmbeddedTable {
  readonly rowCount: number;
  readonly columns: readonly EmbeddedColumn[];
}

/** Formats a cell, whose text is already printable. */
export function cellText(type: CellType, cell: string | number): string {
  const text = String(cell);
  if (type === 'integer') return addThousandsSeparators(text);
  if (type === 'money') return roundedText(text);
  if (type === 'percent') return `${roundedText(text)}%`;
  if (type === 'name') return nameText(text);
  return text;
}

/** Returns the CSS class of a change: `▲ 12.3%`, `▼ 3.0%`, `= 0.0%`, `new`. */
export function changeClass(text: string): 'up' | 'down' | 'same' {
  if (text.startsWith('▲')) return 'up';
  return text.startsWith('▼') ? 'down' : 'same';
}

export function emptyText(type: CellType): string {
  return type === 'name' ? noName : '–';
}
