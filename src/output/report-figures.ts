import { type FigureColumn, figuresOf } from '../view/figure-columns.ts';
import type { PlannedColumn } from './columns.ts';
import type { EncodeOptions } from './encoder.ts';

/** The figures of planned columns by field, and those that derive from them; `fields` are the keys of the rows. */
export function figuresOfColumns(
  columns: readonly PlannedColumn[],
  fields: readonly string[],
): ReadonlyMap<string, FigureColumn> {
  const has = (field: string) => columns.some((column) => column.field === field);
  const known = figuresOf([...new Set([...fields, ...columns.map(({ field }) => field)])]);
  const shown = known.filter(
    ({ field, derived }) => has(field) || (derived && has(derived.over) && has(derived.under)),
  );
  return new Map(shown.map((figure) => [figure.field, figure]));
}

/** The planned columns and, unless columns were chosen, one for each figure that derives from them. */
export function withDerived(
  columns: readonly PlannedColumn[],
  figures: ReadonlyMap<string, FigureColumn>,
  { select }: EncodeOptions,
): readonly PlannedColumn[] {
  if (select !== undefined && select !== 'all') return columns;
  const derived = [...figures.values()].filter(
    (figure) => figure.derived && columns.every(({ field }) => field !== figure.field),
  );
  return [...columns, ...derived.map(({ field }) => ({ field, name: field, type: undefined, numeric: false }))];
}
