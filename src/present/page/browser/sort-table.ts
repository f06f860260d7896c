/** Lets a click on a heading sort the rows. */
export function makeSortable(table: HTMLTableElement): void {
  const body = table.tBodies[0];
  if (!body || body.rows.length < 2) return;

  const heads = [...table.querySelectorAll('th')];
  for (const [place, head] of heads.entries()) {
    const button = document.createElement('button');
    button.type = 'button';
    button.append(...head.childNodes);
    button.addEventListener('click', () => {
      const order = nextOrder(head);
      for (const other of heads) other.removeAttribute('aria-sort');
      head.ariaSort = order;
      body.append(...sortedRows([...body.rows], place, order === 'ascending' ? 1 : -1));
    });
    head.append(button);
  }
}

/**
 * Returns the next order of a column. The first order is descending for numbers and ascending for
 * strings. Each further click reverses it.
 */
function nextOrder(head: HTMLElement): 'ascending' | 'descending' {
  const isNumeric = head.classList.contains('n');
  if (head.ariaSort === null) return isNumeric ? 'descending' : 'ascending';
  return head.ariaSort === 'ascending' ? 'descending' : 'ascending';
}

const collator = new Intl.Collator('en', { numeric: true });

/** Sorts rows. Those without a value are last in either order. */
function sortedRows(
  rows: HTMLTableRowElement[],
  place: number,
  sign: 1 | -1,
): HTMLTableRowElement[] {
  return rows.sort((one, other) => {
    const [a, b] = [one.cells[place], other.cells[place]];
    if (!a || !b) return 0;

    const isMissing = Number(isEmpty(a)) - Number(isEmpty(b));
    return isMissing || sign * compareCells(a, b);
  });
}

function isEmpty(cell: HTMLElement): boolean {
  return cell.classList.contains('none');
}

function compareCells(a: HTMLElement, b: HTMLElement): number {
  if (a.classList.contains('n')) return numberIn(a) - numberIn(b);
  return collator.compare(readSortText(a), readSortText(b));
}

/** Reads the number at the beginning of a cell. A change may follow the number. */
function numberIn(cell: HTMLElement): number {
  return Number.parseFloat(cell.firstChild?.textContent?.replaceAll(',', '') ?? '');
}

/** Returns the string by which a cell is sorted. Times have a sort string of their own. */
function readSortText(cell: HTMLElement): string {
  return cell.dataset.v ?? cell.textContent ?? '';
}
