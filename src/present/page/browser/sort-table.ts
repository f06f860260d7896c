/** Turns headings into buttons that sort the rows. */
export function makeSortable(table: HTMLTableElement): void {
  const body = table.tBodies[0];
  if (!body || body.rows.length < 2) return;

  const heads = [...table.querySelectorAll('th')];
  for (const [column, head] of heads.entries()) {
    const button = document.createElement('button');
    button.type = 'button';
    button.append(...head.childNodes);
    button.addEventListener('click', () => {
      const order = nextOrder(head);
      for (const other of heads) other.removeAttribute('aria-sort');
      head.ariaSort = order;
      body.append(...sortRows([...body.rows], column, order === 'ascending' ? 1 : -1));
    });
    head.append(button);
  }
}

/**
 * Returns the order after a click. The first click sorts numbers descending and strings ascending.
 * Each further click reverses the order.
 */
function nextOrder(head: HTMLElement): 'ascending' | 'descending' {
  const isNumeric = head.classList.contains('n');
  if (head.ariaSort === null) return isNumeric ? 'descending' : 'ascending';
  return head.ariaSort === 'ascending' ? 'descending' : 'ascending';
}

const collator = new Intl.Collator('en', { numeric: true });

/** Sorts rows by a column. Rows without a value come last in either order. */
function sortRows(
  rows: HTMLTableRowElement[],
  column: number,
  sign: 1 | -1,
): HTMLTableRowElement[] {
  return rows.sort((one, other) => {
    const [a, b] = [one.cells[column], other.cells[column]];
    if (!a || !b) return 0;

    const isMissing = Number(isEmpty(a)) - Number(isEmpty(b));
    return isMissing || sign * compareCells(a, b);
  });
}

function isEmpty(cell: HTMLElement): boolean {
  return cell.classList.contains('none');
}

function compareCells(a: HTMLElement, b: HTMLElement): number {
  if (a.classList.contains('n')) return parseCellNumber(a) - parseCellNumber(b);
  return collator.compare(readSortText(a), readSortText(b));
}

/** Parses the number of a cell, which a change may follow. */
function parseCellNumber(cell: HTMLElement): number {
  return Number.parseFloat(cell.firstChild?.textContent?.replaceAll(',', '') ?? '');
}

/** Returns the string by which a cell is sorted. A time is shown in another form. */
function readSortText(cell: HTMLElement): string {
  return cell.dataset.v ?? cell.textContent ?? '';
}
