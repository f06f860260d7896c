import { fieldLabel } from '../../contract/columns.ts';
import type { Row } from '../../rows/row-batch.ts';
import { escapeHtml, printable } from '../../text/printable.ts';
import { formatCount } from '../../text/quantity.ts';
import { changeOf, type Figure, figureDigits, figureValue, sumsOfRow } from '../../view/figures.ts';
import { keyText, type Sums } from '../../view/grouping.ts';
import { groupedText, hourText, numberIn } from '../../view/numbers.ts';
import { noName } from '../../view/report-sums.ts';
import type { PlannedColumn } from '../columns.ts';
import { changeHtml, htmlText, roundedText } from './page-text.ts';
import { timeTexts } from './time-texts.ts';

/** So many rows stand in the page as HTML and are shown at once; so many are printed. */
export const pageRows = 100;
export const printedRows = 2000;

/** More columns than these are printed in small letters. */
const mostEasyColumns = 9;

/** More columns than these have little room on a screen. */
const mostRoomyColumns = 13;

/** So many rows, of a month of days with some to spare, stand on a screen without a window of their own to scroll. */
const mostRowsAtOnce = 40;

/** What a cell holds: a number that a script reads to its last digit, any other number as text, a text fit to be shown. */
type Cell = string | number | null;

/**
 * How the cells of a column are shown: a `key` is an id or a time, which is never broken into lines; a `name` that is missing
 * is unknown.
 */
type CellType = 'integer' | 'money' | 'percent' | 'change' | 'text' | 'name' | 'key';

/** How a cell is computed from those of other columns, which are named by their field; sums are computed like rows. */
type Formula =
  | {
      readonly kind: 'ratio';
      readonly over: string;
      readonly under: string;
      readonly factor: number;
    }
  | {
      readonly kind: 'change';
      readonly now: string;
      readonly before: string;
      /** Whether rows are times, which are not new where the earlier report lacks one: its month was shorter. */
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

  /** An id beside a name, which has no room on a phone and on paper. */
  readonly isBesideName?: boolean;

  /** Present where the cells are computed. */
  readonly formula?: Formula;

  readonly cells: readonly Cell[];

  /** What is shown in place of cells that are times. */
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

  /** Whether their dates stand for months. */
  readonly isMonthly: boolean;
}

/** The column of a field, or of a rate that is computed from others. */
export function pageColumn(
  column: PlannedColumn,
  { rows, totals, isMonthly }: TableRows,
): PageColumn {
  const { field, name, type, figure } = column;
  if (figure?.derived) return rateColumn(figure, name, rows, totals);

  const cells = rows.map((row) => cellOf(row[field], column));
  const isTime = type === 'date' || type === 'hour';
  const total = figure && figureDigits(figure, totals);
  return {
    field,
    name,
    label: isMonthly && type === 'date' ? 'Month' : fieldLabel(field),
    type: figure?.type ?? cellTypeOf(type),
    cells,
    ...(isTime ? { texts: timeTexts({ cells, isMonthly }) } : {}),
    total: total ?? undefined,
  };
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
    formula: derived && {
      kind: 'ratio',
      over: derived.over,
      under: derived.under,
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

/** A column with the change of each row; `hidden` holds what it is computed from beside the figure itself. */
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

/** The table of a page. */
export interface PageTable {
  readonly title: string;

  readonly columns: readonly PageColumn[];

  /** What is not shown, and is there for what the script computes. */
  readonly hidden: readonly PageColumn[];

  readonly rowCount: number;

  /** The field that the rows are sorted by, the greatest first. */
  readonly sortedBy: string | undefined;
}

/** What filters the rows and turns their pages; a script makes it work, and shows it. */
const filterTools =
  '<div class="tools" hidden><label>Filter <input id="filter" type="search" autocomplete="off" spellcheck="false"></label>' +
  '<span id="count" role="status"></span><span class="pager"><button type="button" id="back" aria-label="Previous rows">‹</button>' +
  '<button type="button" id="on" aria-label="Next rows">›</button></span></div>';

/** The table: its first rows stand in it, the others come from what is embedded. */
export function renderTable({ title, columns, rowCount, sortedBy }: PageTable): string {
  if (columns.length === 0) return '';

  const count = Math.min(pageRows, rowCount);
  const heads = columns.map((column) => {
    const sort = column.field === sortedBy ? ' aria-sort="descending"' : '';
    return `<th scope="col"${classOf(column)}${sort} title="${htmlText(column.name)}">${htmlText(column.label)}`;
  });
  const rows = Array.from({ length: count }, (_, row) => {
    return `<tr>${columns.map((column) => renderCell(column, row)).join('')}`;
  });

  const hasTotals = rowCount > 1 && columns.some(({ total }) => total !== undefined);
  // An id beside a name is not always shown.
  const labelled = columns.find(({ isBesideName }) => !isBesideName);
  const totals = columns.map((column) => renderTotal(column, column === labelled));
  const foot = hasTotals ? `<tfoot><tr>${totals.join('')}</tfoot>\n` : '';
  const printedColumns = columns.filter(({ isBesideName }) => !isBesideName);
  const density = [
    printedColumns.length > mostEasyColumns ? 'dense' : '',
    columns.length > mostRoomyColumns ? 'crowded' : '',
  ];
  const looks = density.filter((name) => name !== '').join(' ');
  // A single row has nothing to be filtered from.
  const tools = rowCount > 1 ? filterTools : '';
  const scroll = rowCount > mostRowsAtOnce ? 'scroll' : 'scroll whole';
  return `<section class="rows"><div class="head"><h2>${htmlText(title)}</h2>
${tools}</div>
<div class="${scroll}" tabindex="0" role="region" aria-label="Table of rows"><table${looks === '' ? '' : ` class="${looks}"`}>
<thead><tr>${heads.join('')}</thead>
<tbody>${rows.join('\n')}</tbody>
${foot}</table></div>
<p id="more">${sentenceBelow(count, rowCount)}</p>
</section>
`;
}

/** What is said below the table where it does not show every row. */
function sentenceBelow(count: number, rowCount: number): string {
  if (rowCount === 0) return 'The report has no rows.';
  if (rowCount === count) return '';
  return `Rows 1 to ${formatCount(count)} of ${formatCount(rowCount)}; the file holds the others, for a browser that runs scripts.`;
}

function renderCell(column: PageColumn, row: number): string {
  const cell = column.cells[row] ?? null;
  if (cell === null) return `<td${classOf(column, 'none')}>${emptyText(column)}`;

  const text = column.texts?.get(String(cell)) ?? cellText(column.type, cell);
  return `<td${classOf(column)}>${column.cellHtml?.(row) ?? escapeHtml(text)}`;
}

function renderTotal(column: PageColumn, isLabelled: boolean): string {
  const { type, total, totalHtml } = column;
  if (total === undefined) return `<td${classOf(column)}>${isLabelled ? 'Total' : ''}`;
  return `<td${classOf(column)}>${totalHtml ?? escapeHtml(cellText(type, total))}`;
}

/** What stands in a cell that holds nothing. */
function emptyText({ type }: PageColumn): string {
  return type === 'name' ? noName : '–';
}

/** A cell as people read it; its text was made fit for that already. */
function cellText(type: CellType, cell: string | number): string {
  const text = String(cell);
  if (type === 'integer') return groupedText(text);
  if (type === 'money') return roundedText(text);
  if (type === 'percent') return `${roundedText(text)}\u00a0%`;
  return text;
}

/** `n` numbers, `k` keys, `id` ids beside a name. */
function classOf({ type, isBesideName }: PageColumn, extra = ''): string {
  const names: string[] = [];
  if (type === 'key') names.push('k');
  else if (type !== 'text' && type !== 'name') names.push('n');
  if (isBesideName) names.push('id');
  if (extra !== '') names.push(extra);
  return names.length > 0 ? ` class="${names.join(' ')}"` : '';
}

/** The columns as JSON for a `<script type="application/json">`: nothing in it can end the element or begin a comment. */
export function embedColumns({ columns, hidden }: PageTable): string[] {
  const all = [...columns, ...hidden];
  const indexOf = (field: string): number => all.findIndex((column) => column.field === field);

  return all.map((column, i) => {
    const { name, type, isBesideName, cells, texts } = column;
    const shape = {
      name: printable(name),
      type,
      isId: isBesideName,
      isHidden: i >= columns.length || undefined,
      texts: texts && Object.fromEntries(texts),
      ...(formulaOf(column, indexOf) ?? { cells }),
    };
    const json = JSON.stringify(shape).replaceAll('<', '\\u003c');
    return i === 0 ? json : `,\n${json}`;
  });
}

/** A formula with the places of its columns; `undefined` where a column that it needs is not embedded. */
function formulaOf({ formula }: PageColumn, indexOf: (field: string) => number) {
  if (!formula) return undefined;

  const isRatio = formula.kind === 'ratio';
  const first = indexOf(isRatio ? formula.over : formula.now);
  const second = indexOf(isRatio ? formula.under : formula.before);
  if (first < 0 || second < 0) return undefined;
  return isRatio
    ? { over: first, under: second, factor: formula.factor }
    : { now: first, before: second, isOfTime: formula.isOfTime };
}
