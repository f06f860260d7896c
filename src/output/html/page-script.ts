import { pageRows, printedRows } from './page-table.ts';

/**
 * The script of a page: sorts, filters and turns the pages of its table. What stands in the page without it is whole in
 * itself. It shows text of the report as text only (`textContent`), and makes only the rows that are seen.
 */
export const pageScript = String.raw`
'use strict';
(() => {
const one = (id) => document.getElementById(id);
const { columns, rowCount } = JSON.parse(one('data').textContent);

// Numbers are shown as in the rows that stood in the page already; texts were made fit for that.
const cents = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const shown = (value, type) => {
  if (type === 'text' || type === 'key' || !/^-?\d[\d.]{0,399}$/.test(value)) return value;
  return type === 'integer' ? String(value).replace(/^-?\d+/, (digits) => digits.replace(/(\d)(?=(\d{3})+$)/g, '$1,'))
    : cents.format(value) + (type === 'percent' ? '%' : '');
};

const isNumeric = ({ type }) => type !== 'text' && type !== 'key';
const classOf = ({ type }) => (type === 'text' ? '' : type === 'key' ? 'k' : 'n');
const texts = new Intl.Collator('en', { numeric: true });
/** For each row what it is sorted by: its number, or the place of its text among the sorted ones; NaN for none. */
const keysOf = (column) => {
  if (column.keys) return column.keys;
  const sorted = isNumeric(column) ? [] : [...new Set(column.cells)].filter((cell) => cell !== null).sort(texts.compare);
  const ranks = new Map(sorted.map((text, rank) => [text, rank]));
  return (column.keys = column.cells.map((cell) =>
    isNumeric(column) ? (cell === null || cell === '' ? NaN : Number(cell)) : ranks.get(cell) ?? NaN));
};
const plain = (text) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
/** Whether a row has a word of the filter in one of its texts. */
const testOf = (word) => {
  const wanted = plain(word);
  const searched = columns.filter((column) => !isNumeric(column));
  for (const column of searched) column.plain ??= column.cells.map((cell) => plain(cell ?? ''));
  return (row) => searched.some((column) => column.plain[row].includes(wanted));
};

const table = document.querySelector('table');
if (table) {
  const heads = [...table.querySelectorAll('th')];
  const totals = table.tFoot && [...table.tFoot.querySelectorAll('td')];
  const firstTotals = totals && totals.map((cell) => cell.textContent);
  const all = Array.from({ length: rowCount }, (_, row) => row);
  let [rows, from, pageRows, sorting] = [all, 0, ${pageRows}, null];

  const line = (row) => {
    const tr = document.createElement('tr');
    for (const column of columns) {
      const value = column.cells[row];
      const td = tr.insertCell();
      td.textContent = value === null ? '–' : shown(value, column.type);
      td.className = classOf(column) + (value === null ? ' none' : '');
    }
    return tr;
  };
  const describe = () => {
    const to = Math.min(rows.length, from + pageRows);
    const [first, last, count, every] = [from + 1, to, rows.length, rowCount].map((number) => number.toLocaleString('en'));
    const isWhole = to - from === rows.length;
    one('count').textContent = (isWhole ? '' : first + '–' + last + ' of ') + count + (rows.length === 1 ? ' row' : ' rows')
      + (rows.length === rowCount ? '' : ' (of ' + every + ')');
    one('back').disabled = from === 0;
    one('on').disabled = to === rows.length;
    one('more').textContent = rows.length === 0 ? (rowCount === 0 ? 'The report has no rows.' : 'No row fits the filter.')
      : isWhole ? '' : 'Rows ' + first + ' to ' + last + ' of ' + count + '; the file holds the others.';
    one('more').classList.toggle('paper', rows.length > 0);
  };
  const draw = (start) => {
    from = Math.max(0, start);
    table.tBodies[0].replaceChildren(...rows.slice(from, from + pageRows).map(line));
    describe();
  };
  const addUp = () => columns.forEach((column, i) => {
    if (!totals || !isNumeric(column) || firstTotals[i] === '') return;
    const isFiltered = rows.length < rowCount;
    // What was computed from sums cannot be added up.
    if (!isFiltered || column.computed) return void (totals[i].textContent = isFiltered ? '–' : firstTotals[i]);
    // Cents are whole: their sum is exact where that of decimals is not.
    const isMoney = column.type === 'money';
    const numbers = rows.map((row) => keysOf(column)[row]).filter((number) => !Number.isNaN(number));
    const sum = numbers.reduce((total, number) => total + (isMoney ? number * 1e6 : number), 0);
    totals[i].textContent = shown(isMoney ? (Math.round(sum / 1e4) / 100).toFixed(2) : sum, column.type);
  });
  const choose = () => {
    const tests = one('filter').value.split(/\s+/).filter((word) => word !== '').map(testOf);
    rows = all.filter((row) => tests.every((test) => test(row)));
    if (sorting) {
      const keys = keysOf(sorting.column);
      // Rows without a value come last, whatever the direction.
      rows.sort((a, b) => Number.isNaN(keys[a]) - Number.isNaN(keys[b]) || sorting.sign * (keys[a] - keys[b]) || a - b);
    }
    table.parentElement.scrollTop = 0;
    addUp();
    draw(0);
  };
  heads.forEach((head, i) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.append(...head.childNodes);
    button.addEventListener('click', () => {
      const [column, first] = [columns[i], isNumeric(columns[i]) ? -1 : 1];
      if (sorting?.column !== column) sorting = { column, sign: first };
      else sorting = sorting.sign === first ? { column, sign: -first } : null;
      for (const each of heads) each.removeAttribute('aria-sort');
      if (sorting) head.setAttribute('aria-sort', sorting.sign > 0 ? 'ascending' : 'descending');
      choose();
    });
    head.append(button);
  });
  one('filter').addEventListener('input', choose);
  for (const [id, step] of [['back', -1], ['on', 1]]) one(id).addEventListener('click', () => {
    table.parentElement.scrollTop = 0;
    draw(from + step * pageRows);
  });
  document.querySelector('.pager').hidden = rowCount <= pageRows;
  document.querySelector('.tools').hidden = rowCount === 0;
  describe();
  // On paper there are no pages to turn.
  addEventListener('beforeprint', () => { pageRows = ${printedRows}; draw(from); });
  addEventListener('afterprint', () => { pageRows = ${pageRows}; draw(from); });
}
})();
`;
