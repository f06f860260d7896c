import { nameText, noName } from '../../figures/group-name.ts';
import { groupedText, roundedText } from '../../figures/numbers.ts';

/**
 * The table of a page as the page embeds it for its script, and how both show a cell.
 */

/**
 * What a cell holds: a number that a script reads to its last digit, any other number as text, a
 * text fit to be shown.
 */
export type Cell = string | number | null;

/**
 * How the cells of a column are shown: a `key` is an id or a time, which is never broken into
 * lines; a `name` that is missing is unknown.
 */
export type CellType = 'integer' | 'money' | 'percent' | 'change' | 'text' | 'name' | 'key';

/** How a cell is computed from those of two other columns, named by their indexes. */
export type EmbeddedFormula =
  | {
      readonly kind: 'ratio';
      readonly numerator: number;
      readonly denominator: number;
      readonly factor: number;
    }
  | {
      readonly kind: 'change';
      readonly now: number;
      readonly before: number;
      readonly isOfTime: boolean;
    };

/** A column as JSON: it has either cells or a formula. */
export interface EmbeddedColumn {
  readonly name: string;

  readonly type: CellType;

  /** The class of its cells; absent for a column that only formulas need. */
  readonly look?: string | undefined;

  /** Texts shown in place of cells: of times, and of names that are too long. */
  readonly texts?: Readonly<Record<string, string>> | undefined;

  readonly cells?: readonly Cell[];
  readonly formula?: EmbeddedFormula;
}

/** A table as JSON. */
export interface EmbeddedTable {
  readonly rowCount: number;
  readonly columns: readonly EmbeddedColumn[];
}

/** A cell as people read it; its text was made fit for that already. */
export function cellText(type: CellType, cell: string | number): string {
  const text = String(cell);
  if (type === 'integer') return groupedText(text);
  if (type === 'money') return roundedText(text);
  if (type === 'percent') return `${roundedText(text)}%`;
  if (type === 'name') return nameText(text);
  return text;
}

/** The text of a cell that holds nothing. */
export function emptyText(type: CellType): string {
  return type === 'name' ? noName : '–';
}
