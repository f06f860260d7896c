import { maxPhoneRows, maxTableRows } from '../../table-size.ts';
import { type Cell, changeClass, type EmbeddedTable } from '../embedded-table.ts';
import { plainText, type TableColumnData, TableData } from './table-data.ts';

/** `sign` is 1 for ascending, -1 for descending. */
interface Sorting {
  readonly column: TableColumnData;
  readonly sign: 1 | -1;
}

/** Number of rows printed on the same sheet as the totals. */
const rowsWithTotal = 3;

/** Makes the table of a section sortable, filterable and paged. */
export class TableControls {
  readonly #section: HTMLElement;

  readonly #data: TableData;

  readonly #table: HTMLTableElement | null;

  /** Cells of the totals row, and their contents for all rows. */
  readonly #totalCells: readonly HTMLElement[];
  readonly #firstTotals: readonly (readonly Node[])[];

  /** Words of the filter. */
  #words: readonly string[] = [];

  /** Rows that match the filter, in order. */
  #rows: readonly number[];

  #sorting: Sorting | undefined;

  /** Rows that are kept next to the totals in print. */
  #lastRows: readonly HTMLTableRowElement[] = [];

  /** First visible row, and the number of rows per page. */
  #from = 0;
  #pageSize: number;

  constructor(section: HTMLElement, table: EmbeddedTable) {
    this.#section = section;
    this.#data = new TableData(table);
    this.#table = section.querySelector('table');
    this.#totalCells = [...section.querySelectorAll<HTMLElement>('.total td')];
    this.#firstTotals = this.#totalCells.map((cell) => [...cell.childNodes]);
    this.#rows = everyRow(this.#data);
    this.#pageSize = defaultPageSize();
  }

  /** Shows the controls, unless there is nothing to sort. */
  begin(): void {
    if (this.#data.rowCount < 2) return;

    this.#addSortButtons();
    this.#find('.back')?.addEventListener('click', () => this.#turn(-1));
    this.#find('.on')?.addEventListener('click', () => this.#turn(1));
    addEventListener('beforeprint', () => {
      this.#setPageSize(maxTableRows);
      this.#keepLastRowsTogether();
    });
    addEventListener('afterprint', () => this.#setPageSize(defaultPageSize()));

    const pager = this.#find('.pager');
    if (pager) pager.hidden = this.#data.rowCount <= this.#pageSize;
    const tools = this.#find('.tools');
    if (tools) tools.hidden = false;
    this.#draw(0);
  }

  #find<Found extends HTMLElement>(selector: string): Found | null {
    return this.#section.querySelector<Found>(selector);
  }

  #addSortButtons(): void {
    const heads = [...this.#section.querySelectorAll('th')];
    for (const [i, head] of heads.entries()) {
      const column = this.#data.columns[i];
      if (!column) continue;

      if (head.ariaSort === 'descending') this.#sorting = { column, sign: -1 };
      const button = document.createElement('button');
      button.type = 'button';
      button.append(...head.childNodes);
      button.addEventListener('click', () => {
        for (const other of heads) other.removeAttribute('aria-sort');
        this.#sortBy(column, head);
      });
      head.append(button);
    }
  }

  /**
   * The first click sorts numbers in descending and texts in ascending order, the second reverses
   * it, the third restores the original order.
   */
  #sortBy(column: TableColumnData, head: Element): void {
    const first = column.isNumeric ? -1 : 1;
    const sorting = this.#sorting;
    if (sorting?.column !== column) this.#sorting = { column, sign: first };
    else
      this.#sorting = sorting.sign === first ? { column, sign: first === 1 ? -1 : 1 } : undefined;

    if (this.#sorting) {
      head.setAttribute('aria-sort', this.#sorting.sign > 0 ? 'ascending' : 'descending');
    }
    this.#update();
  }

  /** Shows the rows that contain every word. */
  filter(text: string): void {
    this.#words = text
      .split(/\s+/)
      .filter((word) => word !== '')
      .map(plainText);
    this.#update();
  }

  /** Filters and sorts the rows, and shows the first page. */
  #update(): void {
    const wanted = this.#words;
    const searched = this.#data.columns.filter(({ isNumeric }) => !isNumeric);
    const hasWord = (row: number, word: string): boolean => {
      return searched.some((column) => column.plainTexts()[row]?.includes(word));
    };

    const rows = everyRow(this.#data).filter((row) => wanted.every((word) => hasWord(row, word)));
    if (this.#sorting) sortRows(rows, this.#sorting);
    this.#rows = rows;
    this.#updateTotals();
    this.#draw(0);
  }

  /** Adds up the rows that match the filter. */
  #updateTotals(): void {
    const isWhole = this.#rows.length === this.#data.rowCount;
    for (const [i, column] of this.#data.columns.entries()) {
      const cell = this.#totalCells[i];
      const firstTotal = this.#firstTotals[i] ?? [];
      if (!cell || !column.isNumeric || firstTotal.length === 0) continue;

      if (isWhole) cell.replaceChildren(...firstTotal);
      else fill(cell, column, this.#data.sumOver(column, this.#rows));
    }
  }

  #turn(step: 1 | -1): void {
    this.#draw(this.#from + step * this.#pageSize);
    this.#section.scrollIntoView();
  }

  #setPageSize(count: number): void {
    this.#pageSize = count;
    this.#draw(this.#from);
  }

  /** Moves the last rows next to the totals, so that they stay on one sheet of paper. */
  #keepLastRowsTogether(): void {
    const rows = [...(this.#table?.tBodies[0]?.rows ?? [])];
    this.#lastRows = rows.slice(Math.max(1, rows.length - rowsWithTotal));
    this.#table?.tFoot?.prepend(...this.#lastRows);
  }

  #draw(from: number): void {
    this.#from = Math.max(0, from);
    const rows = this.#rows.slice(this.#from, this.#from + this.#pageSize);
    for (const row of this.#lastRows) row.remove();
    this.#table?.tBodies[0]?.replaceChildren(...rows.map((row) => this.#lineOf(row)));
    this.#describe(this.#from + rows.length);
  }

  #lineOf(row: number): HTMLTableRowElement {
    const line = document.createElement('tr');
    for (const column of this.#data.columns) {
      const value = column.values[row] ?? null;
      const cell = line.insertCell();
      fill(cell, column, value);
      cell.className = value === null ? `${column.look} none` : (column.look ?? '');
      const title = column.titleOf(value);
      if (title !== undefined) cell.title = title;
    }
    return line;
  }

  /** Shows which rows are visible, and enables the page buttons. */
  #describe(to: number): void {
    const count = this.#rows.length;
    const { rowCount } = this.#data;
    const from = this.#from + 1;
    const isWhole = to - from + 1 === count;
    setText(
      this.#find('.count'),
      isWhole ? '' : `${counted(from)}–${counted(to)} of ${counted(count)}`,
    );
    if (isWhole && count < rowCount) {
      setText(this.#find('.count'), `${counted(count)} of ${counted(rowCount)}`);
    }

    const back = this.#find<HTMLButtonElement>('.back');
    if (back) back.disabled = this.#from === 0;
    const on = this.#find<HTMLButtonElement>('.on');
    if (on) on.disabled = to === count;

    setText(this.#find('.below'), count === 0 ? 'No rows match the filter.' : '');
  }
}

function everyRow({ rowCount }: TableData): number[] {
  return Array.from({ length: rowCount }, (_, row) => row);
}

function defaultPageSize(): number {
  return matchMedia('(max-width: 40rem)').matches ? maxPhoneRows : maxTableRows;
}

/** Puts rows without a value last in both directions. */
function sortRows(rows: number[], { column, sign }: Sorting): void {
  const keys = column.sortKeys();
  rows.sort((a, b) => {
    const [first = Number.NaN, second = Number.NaN] = [keys[a], keys[b]];
    const isMissing = Number(Number.isNaN(first)) - Number(Number.isNaN(second));
    return isMissing || sign * (first - second) || a - b;
  });
}

/** Shows changes in color. */
function fill(cell: HTMLElement, column: TableColumnData, value: Cell): void {
  const text = column.textOf(value);
  if (column.type !== 'change' || value === null) {
    cell.textContent = text;
    return;
  }
  const mark = document.createElement('b');
  mark.className = changeClass(text);
  mark.textContent = text;
  cell.replaceChildren(mark);
}

function setText(element: HTMLElement | null, text: string): void {
  if (element) element.textContent = text;
}

function counted(number: number): string {
  return number.toLocaleString('en');
}
