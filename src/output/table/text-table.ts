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
  const given = columns.map((column, i) => {
    const values = rows.map((row) => column.value(row) ?? undefined);
    return {
      name: column.name,
      numeric: values.length > 0 && values.every((value) => value === undefined || typeof value === 'number'),
      dispensable: column.keep ? 0 : i,
      rigid: column.whole ?? false,
      cells: values.map((value) => (value === undefined ? undefined : clip(printable(String(value))))),
    };
  });
  const layout = new TableLayout(given, look);
  const lines = rows.map((_, row) => layout.line(given.map(({ cells }) => cells[row])));
  return [...layout.head(), ...lines, ''].join('\n');
}
