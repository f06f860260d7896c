import type { FieldType } from '../../contract/columns.ts';
import { printable } from '../../text/printable.ts';
import type { TableLook } from '../encoder.ts';
import { clip, TableLayout } from './table-layout.ts';

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
      numeric: rows.length > 0 && values.every((each) => each === undefined || typeof each === 'number'),
      dispensable: keep ? 0 : i,
      rigid: whole,
      cells: values.map((each) => (each === undefined ? undefined : clip(printable(String(each))))),
    };
  });
  const layout = new TableLayout(given, look);
  const lines = rows.map((_, row) => layout.line(given.map(({ cells }) => cells[row])));
  return [...layout.head(), ...lines, ''].join('\n');
}
