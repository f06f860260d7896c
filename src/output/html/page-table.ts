import { fieldLabel } from '../../contract/columns.ts';
import type { Row } from '../../rows/row-batch.ts';
import { escapeHtml, printable } from '../../text/printable.ts';
import { formatCount } from '../../text/quantity.ts';
import { figureDigits, figureValue, sumsOfRow } from '../../view/figures.ts';
import { keyText, type Sums } from '../../view/grouping.ts';
import { Decimal, groupedText, hourText, numberIn } from '../../view/numbers.ts';
import type { PlannedColumn } from '../columns.ts';

/** So many rows stand in the page as HTML and are shown at once; so many are printed. */
export const pageRows = 100;
export const printedRows = 2000;

/** What a cell holds: a number that a script reads to its last digit, any other number as text, a text fit to be shown. */
type Cell = string | number | null;

/** A column of a page's table; `name` is its name in the report. */
export interface PageColumn {
  readonly name: string;
  readonly label: string;
  /** How cells are shown: a `key` is an id or a time, which is never broken into lines. */
  readonly type: 'integer' | 'money' | 'percent' | 'text' | 'key';
  /** Whether the values are computed from those of other columns, and cannot be added up. */
  readonly computed: boolean;
  readonly cells: readonly Cell[];
  readonly total: string | undefined;
}

export function pageColumn(column: PlannedColumn, rows: readonly Row[], totals: Sums): PageColumn {
  const { field, name, type, figure } = column;
  const percent = (sums: Sums): number | null => {
    const value = figure && figureValue(figure, sums);
    return value === undefined ? null : Number(value.toFixed(6));
  };
  const total = figure?.derived ? percent(totals) : figure && figureDigits(figure, totals);
  return {
    name,
    label: fieldLabel(field),
    type: figure?.type ?? (type === undefined || type === 'text' ? 'text' : 'key'),
    computed: figure?.derived !== undefined,
    cells: rows.map((row) =>
      figure?.derived ? percent(sumsOfRow(row)) : cellOf(row[field], column),
    ),
    total: total === null || total === undefined ? undefined : String(total),
  };
}

function cellOf(value: Row[string], { numeric, type }: PlannedColumn): Cell {
  const number = numeric ? numberIn(value) : undefined;
  if (typeof number === 'number' || number)
    return typeof number === 'number' ? number : String(number);
  const text = keyText(value);
  return text === null ? null : printable(type === 'hour' ? hourText(text) : text);
}

/** The table: its first rows stand in it, the others come from what is embedded. */
export function renderTable(
  title: string,
  columns: readonly PageColumn[],
  rowCount: number,
): string {
  if (columns.length === 0) return '';
  const count = Math.min(pageRows, rowCount);
  const heads = columns.map(
    ({ label, name, type }) =>
      `<th scope="col"${classOf(type)} title="${htmlText(name)}">${htmlText(label)}`,
  );
  const rows = Array.from({ length: count }, (_, row) => {
    return `<tr>${columns.map(({ cells, type }) => renderCell(cells[row] ?? null, type)).join('')}`;
  });
  const sums = columns.map(({ type, total }, i) => {
    return total !== undefined ? renderCell(total, type) : i === 0 ? '<td>Total' : '<td>';
  });
  const shown = `Rows 1 to ${formatCount(count)} of ${formatCount(rowCount)}`;
  const some =
    rowCount > count ? `${shown}; the file holds the others, for a browser that runs scripts.` : '';
  const hasTotals = rowCount > 1 && columns.some(({ total }) => total !== undefined);
  return `<section><div class="head"><h2>${title}</h2>
<div class="tools" hidden><label>Filter <input id="filter" type="search" autocomplete="off" spellcheck="false"></label><span id="count" role="status"></span><span class="pager"><button type="button" id="back" aria-label="Previous rows">‹</button><button type="button" id="on" aria-label="Next rows">›</button></span></div></div>
<div class="scroll" tabindex="0" role="region" aria-label="Table of rows"><table>
<thead><tr>${heads.join('')}</thead>
<tbody>${rows.join('\n')}</tbody>
${hasTotals ? `<tfoot><tr>${sums.join('')}</tfoot>\n` : ''}</table></div>
<p id="more">${rowCount === 0 ? 'The report has no rows.' : some}</p>
</section>
`;
}

function renderCell(cell: Cell, type: PageColumn['type']): string {
  if (cell === null) return `<td${classOf(type, ' none')}>–`;
  const text = String(cell);
  const isText = type === 'text' || type === 'key';
  const shown = isText ? text : type === 'integer' ? groupedText(text) : roundedText(text);
  return `<td${classOf(type)}>${escapeHtml(shown)}${type === 'percent' ? '%' : ''}`;
}

function classOf(type: PageColumn['type'], extra = ''): string {
  const names = (
    { text: '', key: 'k', integer: 'n', money: 'n', percent: 'n' }[type] + extra
  ).trim();
  return names && ` class="${names}"`;
}

/** JSON for a `<script type="application/json">`: nothing in it can end the element or begin a comment. */
export function embedColumn({ name, type, computed, cells }: PageColumn): string {
  return JSON.stringify({ name: printable(name), type, computed, cells }).replaceAll(
    '<',
    '\\u003c',
  );
}

/** Text of the report as HTML. */
export function htmlText(text: string): string {
  return escapeHtml(printable(text));
}

const cents = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** A number with its thousands apart and two decimals, rounded where it has more; what is no number stays. */
export function roundedText(number: string): string {
  return Decimal.parse(number) ? cents.format(number as `${number}`) : number;
}
