import { fieldLabel } from '../../contract/columns.ts';
import {
  changeOf,
  type Figure,
  figureDigits,
  figureValue,
  sumsOfRow,
} from '../../figures/figures.ts';
import { type DateUnit, keyText, type Sums } from '../../figures/grouping.ts';
import { hourText, numberIn } from '../../figures/numbers.ts';
import type { PlannedColumn } from '../../output/columns.ts';
import type { Row } from '../../rows/row-batch.ts';
import { printable } from '../../text/printable.ts';
import { shortNames } from '../short-names.ts';
import { timeTexts } from '../time-texts.ts';
import { type Cell, type CellType, cellText } from './embedded-table.ts';
import { changeHtml } from './page-text.ts';

/**
 * How a cell is computed from those of other columns, which are named by their field; sums are
 * computed like rows.
 */
type Formula =
  | {
      readonly kind: 'ratio';
      readonly numerator: string;
      readonly denominator: string;
      readonly factor: number;
    }
  | {
      readonly kind: 'change';
      readonly now: string;
      readonly before: string;

      /**
       * Whether rows are times, which are not new where the earlier report lacks one: its month was
       * shorter.
       */
      readonly isOfTime: boolean;
    };

/** A column of a page's table. */
export interface PageColumn {
  /** What formulas call it. */
  readonly field: string;

  /** Its name in the report. */
  readonly name: string;

  readonly label: string;

  readonly type: CellType;

  /** The figure that the column shows; absent for what tells rows apart, and for a change. */
  readonly figure?: Figure | undefined;

  /** An id beside a name, which has no room on a phone and on paper. */
  readonly isBesideName?: boolean;

  /** A figure behind “All figures”. */
  readonly isExtra?: boolean;

  /** Present where the cells are computed. */
  readonly formula?: Formula;

  readonly cells: readonly Cell[];

  /** What is shown in place of cells that are times, or names that are too long. */
  readonly texts?: ReadonlyMap<string, string>;

  /** Each cell as HTML where its text is not enough. */
  readonly cellHtml?: (row: number) => string;

  /** The sum as it is shown; absent where there is none. */
  readonly total?: string;

  readonly totalHtml?: string;
}

/** The rows that a table shows. */
export interface TableRows {
  readonly rows: readonly Row[];

  readonly totals: Sums;

  /** What their dates stand for. */
  readonly dateUnit: DateUnit;
}

/** The heading of dates, by what they stand for. */
const dateLabels: Readonly<Record<DateUnit, string>> = {
  day: 'Date',
  week: 'Week',
  month: 'Month',
  window: 'From',
};

/** The column of a field, or of a rate that is computed from others. */
export function pageColumn(
  column: PlannedColumn,
  { rows, totals, dateUnit }: TableRows,
): PageColumn {
  const { field, name, type, figure } = column;
  if (figure?.derived) return rateColumn(figure, name, rows, totals);

  const cells = rows.map((row) => cellOf(row[field], column));
  const total = figure && figureDigits(figure, totals);
  const texts = textsFor(cells, type, dateUnit);
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

/** The texts shown in place of cells; `undefined` for cells that are shown as they are. */
function textsFor(
  cells: readonly Cell[],
  type: PlannedColumn['type'],
  dateUnit: DateUnit,
): Map<string, string> | undefined {
  if (type === 'date' || type === 'hour') return timeTexts({ cells, dateUnit });
  if (type !== 'text' && type !== undefined) return undefined;

  const texts = cells.filter((cell) => typeof cell === 'string');
  const shortByName = shortNames(texts);
  return shortByName.size > 0 ? shortByName : undefined;
}

/** Whether a column holds names or other texts, neither ids nor times. */
export function isOfNames({ type }: Pick<PageColumn, 'type'>): boolean {
  return type === 'name' || type === 'text';
}

function cellTypeOf(type: PlannedColumn['type']): CellType {
  if (type === undefined) return 'text';
  return type === 'text' ? 'name' : 'key';
}

function rateColumn(figure: Figure, name: string, rows: readonly Row[], totals: Sums): PageColumn {
  const { field, type, derived } = figure;
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
    formula: derived && {
      kind: 'ratio',
      numerator: derived.numeratorField,
      denominator: derived.denominatorField,
      factor: derived.factor,
    },
    cells: rows.map((row) => rateOf(sumsOfRow(row))),
    total: total === null ? undefined : String(total),
  };
}

/** What the rows of a table came to before, and their changes. */
export interface RowChanges {
  readonly figure: Figure;

  /** The sums of each row in the earlier report; `undefined` for a row that is new. */
  readonly before: readonly (Sums | undefined)[];

  readonly totals: Sums;
  readonly totalsBefore: Sums;

  /** Whether the rows are times, each held against one as far from the beginning of its window. */
  readonly isOfTime: boolean;
}

/**
 * A column with the change of each row; `hidden` holds what it is computed from beside the figure
 * itself.
 */
export interface ChangeColumns {
  readonly hidden: PageColumn;
  readonly change: PageColumn;
}

/** The columns of a figure in an earlier report, which is not shown, and of its change. */
export function changeColumns(
  { figure, before, totals, totalsBefore, isOfTime }: RowChanges,
  rows: readonly Row[],
): ChangeColumns {
  const beforeField = `${figure.field} before`;
  const changes = rows.map((row, i) => {
    const change = changeOf(figure, sumsOfRow(row), before[i]);
    return isOfTime && change.direction === 'new' ? undefined : change;
  });
  const totalChange = changeOf(figure, totals, totalsBefore);
  const beforeValues = before.map((sums) => (sums && figureValue(figure, sums)) ?? null);
  return {
    hidden: {
      field: beforeField,
      name: beforeField,
      label: '',
      type: 'money',
      cells: beforeValues,
    },
    change: {
      field: `${figure.field} change`,
      name: `change of ${figure.field}`,
      label: 'Change',
      type: 'change',
      formula: { kind: 'change', now: figure.field, before: beforeField, isOfTime },
      cells: changes.map((change) => change?.text ?? null),
      cellHtml: (row) => {
        const change = changes[row];
        return change ? changeHtml(change) : '';
      },
      total: totalChange.text,
      totalHtml: changeHtml(totalChange),
    },
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

/** A cell that holds something as people read it. */
export function shownText({ texts, type }: PageColumn, cell: string | number): string {
  return texts?.get(String(cell)) ?? cellText(type, cell);
}
