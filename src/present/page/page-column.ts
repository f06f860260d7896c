import { fieldLabel } from '../../contract/columns.ts';
import type { PlannedColumn } from '../../output/column-plan.ts';
import type { Row } from '../../rows/row-batch.ts';
import { printable } from '../../text/printable.ts';
import {
  changeOf,
  type Figure,
  figureDigits,
  figureValue,
  isPrice,
  sumsOfRow,
} from '../../totals/figures.ts';
import { type DateUnit, keyText, type Sums } from '../../totals/grouping.ts';
import { hourText, numberIn } from '../../totals/numbers.ts';
import { shortNames } from '../short-names.ts';
import { formatTimes } from '../time-labels.ts';
import { type Cell, type CellType, cellText } from './embedded-table.ts';

export interface PageColumn {
  /** Name used in rates. */
  readonly field: string;

  /** Name in the report. */
  readonly name: string;

  readonly label: string;

  readonly type: CellType;

  /** Absent for names, times and changes. */
  readonly figure?: Figure | undefined;

  /** An id next to its name, omitted on phones and on paper. */
  readonly isIdOfName?: boolean;

  /** Shown under “All figures”. */
  readonly isExtra?: boolean;

  /** Set for the changes of prices, which have no color. */
  readonly isNeutral?: boolean;

  readonly cells: readonly Cell[];

  /** Display texts for times and for names that are too long. */
  readonly texts?: ReadonlyMap<string, string>;

  /** For display; absent if there is none. */
  readonly total?: string;
}

export interface TableRows {
  readonly rows: readonly Row[];

  readonly totals: Sums;

  /** Unit that their dates represent. */
  readonly dateUnit: DateUnit;
}

const dateLabels: Readonly<Record<DateUnit, string>> = {
  day: 'Date',
  week: 'Week',
  month: 'Month',
  window: 'From',
};

/** Builds the column of a field, or of a rate computed from others. */
export function pageColumn(
  column: PlannedColumn,
  { rows, totals, dateUnit }: TableRows,
): PageColumn {
  const { field, name, type, figure } = column;
  if (figure?.derived) return rateColumn(figure, name, rows, totals);

  const cells = rows.map((row) => cellOf(row[field], column));
  const total = figure && figureDigits(figure, totals);
  const texts = formatCells(cells, type, dateUnit);
  return {
    field,
    name,
    label: type === 'date' ? dateLabels[dateUnit] : column.label,
    type: figure?.type ?? cellTypeOf(type),
    figure,
    cells,
    ...(texts && { texts }),
    total: total ?? undefined,
  };
}

/** Returns `undefined` if cells are shown unchanged. */
function formatCells(
  cells: readonly Cell[],
  type: PlannedColumn['type'],
  dateUnit: DateUnit,
): Map<string, string> | undefined {
  if (type === 'date' || type === 'hour') return formatTimes(cells, dateUnit);
  if (type !== 'text' && type !== undefined) return undefined;

  const texts = cells.filter((cell) => typeof cell === 'string');
  const shortByName = shortNames(texts);
  return shortByName.size > 0 ? shortByName : undefined;
}

/** Matches names and other texts, but no ids or times. */
export function isTextColumn({ type }: Pick<PageColumn, 'type'>): boolean {
  return type === 'name' || type === 'text';
}

function cellTypeOf(type: PlannedColumn['type']): CellType {
  if (type === undefined) return 'text';
  return type === 'text' ? 'name' : 'key';
}

function rateColumn(figure: Figure, name: string, rows: readonly Row[], totals: Sums): PageColumn {
  const { field, type } = figure;
  const rateOf = (sums: Sums): number | null => {
    const value = figureValue(figure, sums);
    return value === undefined ? null : Number(value.toFixed(6));
  };
  const total = rateOf(totals);
  return {
    field,
    name,
    label: fieldLabel(field),
    type,
    figure,
    cells: rows.map((row) => rateOf(sumsOfRow(row))),
    total: total === null ? undefined : String(total),
  };
}

/** Earlier sums of a table's rows. */
export interface EarlierRows {
  /** Sums of each row in the earlier report; `undefined` for a new row. */
  readonly before: readonly (Sums | undefined)[];

  readonly totals: Sums;
  readonly totalsBefore: Sums;

  /** Set if rows have times: one that the earlier report lacks is not “new”. */
  readonly hasTime: boolean;
}

export function changeColumn(
  figure: Figure,
  { before, totals, totalsBefore, hasTime }: EarlierRows,
  rows: readonly Row[],
): PageColumn {
  const { field } = figure;
  const cells = rows.map((row, i) => {
    const { direction, text } = changeOf(figure, sumsOfRow(row), before[i]);
    const isUnknown = direction === 'none' || (hasTime && direction === 'new');
    return isUnknown ? null : text;
  });
  return {
    field: `${field} change`,
    name: `change of ${field}`,
    label: 'Change',
    type: 'change',
    isNeutral: isPrice(figure),
    cells,
    total: changeOf(figure, totals, totalsBefore).text,
  };
}

function cellOf(value: Row[string], { numeric, type }: PlannedColumn): Cell {
  const number = numeric ? numberIn(value) : undefined;
  if (typeof number === 'number') return number;
  if (number) return String(number);

  const text = keyText(value);
  if (text === null) return null;
  return printable(type === 'hour' ? hourText(text) : text);
}

export function displayText({ texts, type }: PageColumn, cell: string | number): string {
  return texts?.get(String(cell)) ?? cellText(type, cell);
}
