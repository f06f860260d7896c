import { escapeHtml, printable } from '../../text/printable.ts';
import { mostInTable } from '../table-size.ts';
import {
  cellText,
  type EmbeddedColumn,
  type EmbeddedFormula,
  emptyText,
} from './embedded-table.ts';
import { isOfNames, type PageColumn, shownText } from './page-column.ts';
import { bdi, htmlText } from './page-text.ts';
import type { PaperPlan } from './paper.ts';

/**
 * So many rows, of a month of days with some to spare, stand on a screen without a window of their
 * own to scroll.
 */
const mostRowsAtOnce = 40;

/** A table of more rows may be parted between two sheets of paper. */
const mostOnOneSheet = 25;

/** More columns than these have little room on a screen. */
const mostRoomyColumns = 13;

/** The table of a page. */
export interface PageTable {
  readonly title: string;

  readonly columns: readonly PageColumn[];

  /** What is not shown, and is there for what the script computes. */
  readonly hidden: readonly PageColumn[];

  readonly rowCount: number;

  /** The field that the rows are sorted by, the greatest first. */
  readonly sortedBy: string | undefined;

  readonly paper: PaperPlan;
}

/** What filters the rows and turns their pages; a script makes it work, and shows it. */
const filterTools =
  '<div class="tools" hidden><label>Filter <input type="search" autocomplete="off" spellcheck="false"></label>' +
  '<span class="count" role="status"></span><span class="pager"><button type="button" class="back" aria-label="Previous rows">‹</button>' +
  '<button type="button" class="on" aria-label="Next rows">›</button></span></div>';

/** What shows the figures that are not seen first; the style of the page makes it work. */
const allFigures = '<label class="switch">All figures<input type="checkbox"></label>';

const restSentence = 'The first rows; a browser that runs scripts shows the others.';

/**
 * The table: its first rows stand in it, the others come from what is embedded.
 *
 * @param paperFoot paragraphs that are printed below it
 */
export function renderTable(table: PageTable, paperFoot: string): string {
  const { title, columns, rowCount, sortedBy, paper } = table;
  const count = Math.min(mostInTable, rowCount);
  const heads = columns.map((column) => {
    const sort = column.field === sortedBy ? ' aria-sort="descending"' : '';
    return `<th scope="col" class="${lookOf(column, table)}"${sort} title="${htmlText(column.name)}">${htmlText(column.label)}`;
  });
  const rows = Array.from({ length: count }, (_, row) => {
    return `<tr>${columns.map((column) => renderCell(column, row, table)).join('')}`;
  });

  const foot = renderTotals(table) + renderPaperRow(table, paperFoot);
  const inSight = columns.filter(({ isExtra }) => !isExtra).length;
  const looks = inSight > mostRoomyColumns ? ' class="crowded"' : '';
  // A single row has nothing to be filtered from.
  const tools = rowCount > 1 ? filterTools : '';
  const scroll = rowCount > mostRowsAtOnce ? 'scroll long' : 'scroll';
  const section = [
    'rows',
    paper.isAppendix ? 'appendix' : '',
    paper.isLandscape ? 'turned' : '',
    paper.isPrinted ? '' : 'unprinted',
    rowCount <= mostOnOneSheet ? 'short' : '',
  ];
  const switchOfAll = columns.some(({ isExtra }) => isExtra) ? allFigures : '';
  return `<section class="${section.filter((name) => name !== '').join(' ')}"><div class="head"><h2>${htmlText(title)}</h2>${switchOfAll}
${tools}</div>
<div class="${scroll}" tabindex="0" role="region" aria-label="Table: ${htmlText(title)}"><table${looks}>
<thead><tr>${heads.join('')}</thead>
<tbody>${rows.join('\n')}</tbody>
<tfoot>${foot}</tfoot>
</table></div>
<p class="below">${rowCount > count ? restSentence : ''}</p>
</section>
`;
}

/** The line of totals; empty where it would say nothing more. */
function renderTotals(table: PageTable): string {
  const { columns, rowCount } = table;
  if (rowCount < 2 || columns.every(({ total }) => total === undefined)) return '';

  // An id beside a name is not always shown.
  const labelled = columns.find(({ isBesideName }) => !isBesideName);
  const totals = columns.map((column) => renderTotal(column, table, column === labelled));
  return `<tr class="total">${totals.join('')}`;
}

/** What is printed below a table: a row of it, so that no sheet of paper begins between them. */
function renderPaperRow({ columns, paper }: PageTable, paperFoot: string): string {
  const { sentences, wholeNames, leftOut } = paper;
  const paragraphs: string[] = [];
  if (sentences.length > 0) paragraphs.push(htmlText(sentences.join(' ')));
  if (wholeNames.length > 0) paragraphs.push(`Names in full: ${wholeNames.map(bdi).join(' · ')}`);
  const html = paragraphs.map((each) => `<p class="paper">${each}</p>\n`).join('') + paperFoot;
  if (html === '') return '';

  const printed = columns.filter(({ field, isBesideName }) => !leftOut.has(field) && !isBesideName);
  return `<tr class="paper"><td colspan="${printed.length}"><div>${html}</div>`;
}

function renderCell(column: PageColumn, row: number, table: PageTable): string {
  const look = lookOf(column, table);
  const cell = column.cells[row] ?? null;
  if (cell === null) return `<td class="${look} none">${emptyText(column.type)}`;

  const text = shownText(column, cell);
  const isShortened = isOfNames(column) && column.texts?.has(String(cell));
  const title = isShortened ? ` title="${escapeHtml(String(cell))}"` : '';
  return `<td class="${look}"${title}>${column.cellHtml?.(row) ?? escapeHtml(text)}`;
}

function renderTotal(column: PageColumn, table: PageTable, isLabelled: boolean): string {
  const { type, total, totalHtml } = column;
  const opening = `<td class="${lookOf(column, table)}">`;
  if (total === undefined) return `${opening}${isLabelled ? 'Total' : ''}`;
  return `${opening}${totalHtml ?? escapeHtml(cellText(type, total))}`;
}

/**
 * The classes of the cells of a column: `n` numbers, `k` keys, `t` texts, `id` ids beside a name,
 * `first` what names the rows, `then` the time behind it, `more` what stands behind “All figures”,
 * `s` what is not printed.
 */
function lookOf(column: PageColumn, { columns, paper }: PageTable): string {
  const { type, isBesideName, isExtra } = column;
  const names: string[] = [];
  if (type === 'key') names.push('k');
  else names.push(type === 'text' || type === 'name' ? 't' : 'n');
  if (isBesideName) names.push('id');
  if (column === columns[0] && !isBesideName) names.push('first');
  if (column === columns[1] && type === 'key' && column.texts) names.push('then');
  if (isExtra) names.push('more');
  if (paper.leftOut.has(column.field)) names.push('s');
  return names.join(' ');
}

/**
 * A table as JSON for a `<script type="application/json">`: nothing in it can end the element or
 * begin a comment.
 */
export function embedTable(table: PageTable): string[] {
  const { columns, hidden } = table;
  const all = [...columns, ...hidden];
  const indexOf = (field: string): number => all.findIndex((column) => column.field === field);

  const embeddedColumns = all.map((column, i) => {
    const { name, type, cells, texts } = column;
    const formula = formulaOf(column, indexOf);
    const embedded: EmbeddedColumn = {
      name: printable(name),
      type,
      look: i < columns.length ? lookOf(column, table) : undefined,
      texts: texts && Object.fromEntries(texts),
      ...(formula ? { formula } : { cells }),
    };
    const json = JSON.stringify(embedded).replaceAll('<', '\\u003c');
    return i === 0 ? json : `,\n${json}`;
  });
  return [`{"rowCount":${table.rowCount},"columns":[`, ...embeddedColumns, ']}'];
}

/**
 * A formula with the indexes of its columns; `undefined` where a column that it needs is not
 * embedded.
 */
function formulaOf(
  { formula }: PageColumn,
  indexOf: (field: string) => number,
): EmbeddedFormula | undefined {
  if (!formula) return undefined;

  const isRatio = formula.kind === 'ratio';
  const first = indexOf(isRatio ? formula.numerator : formula.now);
  const second = indexOf(isRatio ? formula.denominator : formula.before);
  if (first < 0 || second < 0) return undefined;
  return isRatio
    ? { kind: 'ratio', numerator: first, denominator: second, factor: formula.factor }
    : { kind: 'change', now: first, before: second, isOfTime: formula.isOfTime };
}
