import { hiddenCharacters } from '../../text/printable.ts';
import type { PlannedColumn } from '../columns.ts';
import type { TableRows } from './held-rows.ts';
import { labelOf } from './labels.ts';
import { pageRows } from './page-script.ts';

/** How cells are shown: a `key` is an id or a time, which is never broken into lines. */
export type CellType = 'integer' | 'money' | 'text' | 'key';

/** A column as the page's script reads it: each value, or its place among the different ones. */
export interface EmbeddedColumn {
  /** Its name in the report. */
  readonly name: string;
  readonly label: string;
  readonly type: CellType;
  readonly values?: readonly (string | number | null)[];
  readonly words?: readonly (string | null)[];
  /** Indexes into `words`, one a row. */
  readonly codes?: readonly number[];
}

/** A column of the table, and its cells in the rows that stand in the page as HTML. */
export interface TableColumn {
  readonly label: string;
  readonly name: string;
  readonly type: CellType;
  /** Whether any row has a value. */
  readonly isFilled: boolean;
  /** The texts of its first `pageRows` cells. */
  readonly head: readonly (string | null)[];
  /** The column as JSON, fit for an `EmbeddedColumn`. */
  readonly json: string;
}

/** Reads a column of a table. */
export function readColumn(column: PlannedColumn, rows: TableRows): TableColumn {
  const type = typeOf(column);
  const facts = { name: column.name, label: labelOf(column.field), type };
  const cells = [...rows.cells(column)];
  return {
    ...facts,
    head: cells.slice(0, pageRows),
    isFilled: cells.some((cell) => cell !== null),
    json: `{${JSON.stringify(facts).slice(1, -1)},${column.numeric ? embedNumbers(cells) : embedTexts(cells)}}`,
  };
}

function typeOf({ numeric, type }: PlannedColumn): CellType {
  if (numeric) return type === 'money' ? 'money' : 'integer';
  return type === undefined || type === 'text' ? 'text' : 'key';
}

/** Numbers as they stand; what a script could not read to the last digit, and what is no number, as text. */
function embedNumbers(cells: readonly (string | null)[]): string {
  const isPlain = (cell: string): boolean => cell.length <= 15 && /^(?:0|-?[1-9]\d*|-?(?:0|[1-9]\d*)\.\d+)$/.test(cell);
  return `"values":[${cells.map((cell) => (cell === null ? 'null' : isPlain(cell) ? cell : JSON.stringify(cell))).join()}]`;
}

/** Most columns have few different texts: each is written once, unless they are nearly all different. */
function embedTexts(cells: readonly (string | null)[]): string {
  const places = new Map<string | null, number>();
  const codes = cells.map((cell) => {
    const place = places.get(cell) ?? places.size;
    places.set(cell, place);
    return place;
  });
  if (2 * places.size > cells.length) return `"values":${JSON.stringify(cells)}`;
  return `"words":${JSON.stringify([...places.keys()])},"codes":[${codes.join()}]`;
}

/**
 * JSON for a `<script type="application/json">`: nothing in it can end the element or begin a comment, and nothing acts
 * on a terminal or an editor that shows the file.
 */
export function escapeJson(json: string): string {
  return json
    .replaceAll('<', '\\u003c')
    .replace(hiddenCharacters, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
