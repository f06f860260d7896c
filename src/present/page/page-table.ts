import { escapeHtml, printable } from '../../text/printable.ts';
import { maxTableRows } from '../table-size.ts';
import {
  type CellType,
  cellText,
  changeClass,
  type EmbeddedColumn,
  type EmbeddedRate,
  emptyText,
} from './embedded-table.ts';
import { displayText, isTextColumn, type PageColumn } from './page-column.ts';
import { bdi, htmlText } from './page-text.ts';
import type { PaperPlan } from './paper.ts';

/** Tables with more rows may be split across sheets of paper. */
const maxUnsplitRows = 25;

/** Tables with more columns are set tightly, and very tightly. */
const maxWideColumns = 13;
const maxCrowdedColumns = 17;

export interface PageTable {
  readonly title: string;

  readonly columns: readonly PageColumn[];

  /** Not shown, but needed for the script to compute rates. */
  readonly hidden: readonly PageColumn[];

  readonly rowCount: number;

  /** Sorted in descending order. */
  readonly sortedBy: string | undefined;

  readonly paper: PaperPlan;
}

/** Number of visible rows and the page buttons; the script shows and operates them. */
const pager =
  '<div class="tools" hidden><span class="count" role="status"></span><span class="pager">' +
  '<button type="button" class="back" aria-label="Previous rows">‹</button>' +
  '<button type="button" class="on" aria-label="Next rows">›</button></span></div>';

/** Filter of all tables; the script shows and operates it. */
export const pageFilter =
  '<p class="filter" hidden><input type="search" id="filter" autocomplete="off" spellcheck="false" ' +
  'placeholder="Filter the tables: a campaign, country, day …" aria-label="Filter the tables"></p>\n';

const restSentence = 'Showing the first 300 rows. Enable JavaScript to see all.';

/**
 * Renders the table with its first rows; the script gets the others from the embedded data.
 *
 * @param paperFoot paragraphs printed below the table
 */
export function renderTable(table: PageTable, paperFoot: string): string {
  const { title, columns, rowCount, sortedBy, paper } = table;
  const count = Math.min(maxTableRows, rowCount);
  const heads = columns.map((column) => {
    const sort = column.field === sortedBy ? ' aria-sort="descending"' : '';
    return `<th scope="col" class="${cellClasses(column, table)}"${sort} title="${htmlText(column.name)}">${htmlText(column.label)}`;
  });
  const rows = Array.from({ length: count }, (_, row) => {
    return `<tr>${columns.map((column) => renderCell(column, row, table)).join('')}`;
  });

  const foot = renderTotals(table) + renderPaperRow(table, paperFoot);
  const inSight = columns.filter(({ isExtra }) => !isExtra).length;
  const packed = inSight > maxCrowdedColumns ? ' packed' : '';
  const looks = inSight > maxWideColumns ? ` class="crowded${packed}"` : '';
  const section = [
    'rows',
    paper.isAppendix ? 'appendix' : '',
    paper.isPrinted ? '' : 'unprinted',
    rowCount <= maxUnsplitRows ? 'short' : '',
  ];
  return `<section class="${section.filter((name) => name !== '').join(' ')}"><div class="head"><h2>${htmlText(title)}</h2>
${pager}</div>
<div class="scroll" tabindex="0" role="region" aria-label="Table: ${htmlText(title)}"><table${looks}>
<thead><tr>${heads.join('')}</thead>
<tbody>${rows.join('\n')}</tbody>
<tfoot>${foot}</tfoot>
</table></div>
<p class="below">${rowCount > count ? restSentence : ''}</p>
</section>
`;
}

/** Returns an empty string if the totals would repeat the only row. */
function renderTotals(table: PageTable): string {
  const { columns, rowCount } = table;
  if (rowCount < 2 || columns.every(({ total }) => total === undefined)) return '';

  // Ids next to names are not always visible.
  const labelled = rowNameOf(columns) ?? columns[0];
  const totals = columns.map((column) => renderTotal(column, table, column === labelled));
  return `<tr class="total">${totals.join('')}`;
}

/**
 * Renders text below a printed table. It is a table row, so that no page break can separate them.
 */
function renderPaperRow({ columns, paper }: PageTable, paperFoot: string): string {
  const { sentences, fullNames, leftOut } = paper;
  const paragraphs: string[] = [];
  if (sentences.length > 0) paragraphs.push(htmlText(sentences.join(' ')));
  if (fullNames.length > 0) paragraphs.push(`Names in full: ${fullNames.map(bdi).join(' · ')}`);
  const html = paragraphs.map((html) => `<p class="paper">${html}</p>\n`).join('') + paperFoot;
  if (html === '') return '';

  const printed = columns.filter(({ field }) => !leftOut.has(field));
  return `<tr class="paper"><td colspan="${printed.length}"><div>${html}</div>`;
}

function renderCell(column: PageColumn, row: number, table: PageTable): string {
  const look = cellClasses(column, table);
  const cell = column.cells[row] ?? null;
  if (cell === null) return `<td class="${look} none">${emptyText(column.type)}`;

  const text = displayText(column, cell);
  const isShortened = isTextColumn(column) && column.texts?.has(String(cell));
  const title = isShortened ? ` title="${escapeHtml(String(cell))}"` : '';
  return `<td class="${look}"${title}>${textHtml(column.type, text)}`;
}

function renderTotal(column: PageColumn, table: PageTable, isLabelled: boolean): string {
  const { type, total } = column;
  const opening = `<td class="${cellClasses(column, table)}">`;
  if (total === undefined) return `${opening}${isLabelled ? 'Total' : ''}`;
  return `${opening}${textHtml(type, cellText(type, total))}`;
}

/** Colors a change. */
function textHtml(type: CellType, text: string): string {
  return type === 'change' ? `<b class="${changeClass(text)}">${text}</b>` : escapeHtml(text);
}

/** Finds the column that names the rows: the first name, or the first id or time. */
function rowNameOf(columns: readonly PageColumn[]): PageColumn | undefined {
  return columns.find(isTextColumn) ?? columns.find(({ type }) => type === 'key');
}

/**
 * Returns CSS classes: `n` numbers, `k` keys, `t` texts, `id` ids next to names, `first` the names
 * of rows, `time` the time before them, `change` changes, `neutral` those of prices, `more` metrics
 * under “All figures”, `s` not printed.
 */
function cellClasses(column: PageColumn, { columns, paper }: PageTable): string {
  const { type, isIdOfName, isExtra, isNeutral } = column;
  const rowName = rowNameOf(columns);
  const names: string[] = [];
  if (type === 'key') names.push('k');
  else names.push(isTextColumn(column) ? 't' : 'n');
  if (type === 'change') names.push('change');
  if (isNeutral) names.push('neutral');
  if (isIdOfName) names.push('id');
  if (column === rowName) names.push('first');
  if (column === columns[0] && column !== rowName && column.texts) names.push('time');
  if (isExtra) names.push('more');
  if (paper.leftOut.has(column.field)) names.push('s');
  return names.join(' ');
}

/**
 * Serializes a table for a `<script type="application/json">`. The text cannot end the element or
 * start a comment.
 */
export function embedTable(table: PageTable): string[] {
  const { columns, hidden } = table;
  const all = [...columns, ...hidden];
  const indexOf = (field: string): number => all.findIndex((column) => column.field === field);

  const embeddedColumns = all.map((column, i) => {
    const { name, type, cells, texts } = column;
    const rate = embeddedRate(column, indexOf);
    const embedded: EmbeddedColumn = {
      name: printable(name),
      type,
      look: i < columns.length ? cellClasses(column, table) : undefined,
      texts: texts && Object.fromEntries(texts),
      ...(rate ? { rate } : { cells }),
    };
    const json = JSON.stringify(embedded).replaceAll('<', '\\u003c');
    return i === 0 ? json : `,\n${json}`;
  });
  return [`{"rowCount":${table.rowCount},"columns":[`, ...embeddedColumns, ']}'];
}

/** Returns `undefined` for other columns than rates. */
function embeddedRate(
  { figure }: PageColumn,
  indexOf: (field: string) => number,
): EmbeddedRate | undefined {
  if (!figure?.derived) return undefined;

  const { numeratorField, denominatorField, factor } = figure.derived;
  return { numerator: indexOf(numeratorField), denominator: indexOf(denominatorField), factor };
}
