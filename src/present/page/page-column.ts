import { fieldLabel } from '../../contract/columns.ts';
import {
  changeOf,
  type Figure,
  figureDigits,
  figureValue,
  isPrice,
  sumsOfRow,
} from '../../figures/figures.ts';
import { type DateUnit, keyText, type Sums } from '../../figures/grouping.ts';
import { hourText, numberIn } from '../../figures/numbers.ts';
import type { PlannedColumn } from '../../output/column-plan.ts';
import type { Row } from '../../rows/row-batch.ts';
import { printable } from '../../text/printable.ts';
import { shortNames } from '../short-names.ts';
import { timeTexts } from '../time-texts.ts';
import { type Cell, type CellType, cellText } from './embedded-table.ts';
import { changeHtml } from './page-text.ts';

/**
 * Computes a cell from other columns, which are named by field. Totals are computed in the
 * same way.
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
       * Set if rows are times. A time that is missing in the earlier report is not “new”: its month
       * was shorter.
       */
      readonly isOfTime: boolean;

      /** Set for prices, whose changes have no color. */
      readonly isNeutral: boolean;
    };

export interface PageColumn {
  /** Name used in formulas. */
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

  /** Present if the cells are computed. */
  readonly formula?: Formula;

  readonly cells: readonly Cell[];

  /** Display texts for times and for names that are too long. */
  readonly texts?: ReadonlyMap<string, string>;

  /** Present if the text of the cell is not enough. */
  readonly cellHtml?: (row: number) => string;

  /** For display; absent if there is none. */
  readonly total?: string;

  readonly totalHtml?: string;
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

/** Returns `undefined` if cells are shown unchanged. */
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

/** Matches names and other texts, but no ids or times. */
export function isTextColumn({ type }: Pick<PageColumn, 'type'>): boolean {
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

/** Earlier sums of a table's rows, for computing changes. */
export interface EarlierRows {
  /** Sums of each row in the earlier report; `undefined` for a new row. */
  readonly before: readonly (Sums | undefined)[];

  readonly totals: Sums;
  readonly totalsBefore: Sums;

  /** Set if rows are times, compared by their distance from the beginning of the window. */
  readonly isOfTime: boolean;
}

export function changeColumn(
  figure: Figure,
  { before, totals, totalsBefore, isOfTime }: EarlierRows,
  rows: readonly Row[],
): PageColumn {
  const { field } = figure;
  const changes = rows.map((row, i) => {
    const change = changeOf(figure, sumsOfRow(row), before[i]);
    return isOfTime && change.direction === 'new' ? undefined : change;
  });
  const total = changeOf(figure, totals, totalsBefore);
  const isNeutral = isPrice(figure);
  return {
    field: `${field} change`,
    name: `change of ${field}`,
    label: 'Change',
    type: 'change',
    formula: { kind: 'change', now: field, before: earlierField(field), isOfTime, isNeutral },
    cells: changes.map((change) => change?.text ?? null),
    cellHtml: (row) => {
      const change = changes[row];
      return change ? changeHtml(change) : '';
    },
    total: total.text,
    totalHtml: changeHtml(total),
  };
}

/** Holds the earlier values of a metric, for the script to compute changes from; not shown. */
export function earlierColumn(figure: Figure, { before }: EarlierRows): PageColumn {
  const { field, type, derived } = figure;
  const name = earlierField(field);
  const hidden = { field: name, name, label: '', type };
  const values = before.map((sums) => (sums && figureValue(figure, sums)) ?? null);
  if (!derived) return { ...hidden, cells: values };

  const { numeratorField, denominatorField, factor } = derived;
  const numerator = earlierField(numeratorField);
  const denominator = earlierField(denominatorField);
  return { ...hidden, cells: values, formula: { kind: 'ratio', numerator, denominator, factor } };
}

function earlierField(field: string): string {
  return `${field} before`;
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
