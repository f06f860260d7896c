import { hiddenCharacters } from '../../text/printable.ts';
import { pageRows, printedRows } from './page-table.ts';

/**
 * The script of a page: sorts, filters and turns the pages of its table, chooses what breakdowns are ranked by, and
 * shows the values under the pointer. What stands in the page without it is whole in itself.
 *
 * It shows text of the report as text only (`textContent`), and makes only the rows that are seen: 50,000 rows are
 * sorted and searched as arrays.
 */
export const pageScript = String.raw`
'use strict';
(() => {
const one = (id) => document.getElementById(id);
const { columns, rowCount, times } = JSON.parse(one('data').textContent);

// Texts and numbers, shown as they are in the rows that stood in the page already.
const hidden = new RegExp(${JSON.stringify(hiddenCharacters.source)}, 'g');
const visible = (text) => text.replace(hidden, (character) => {
  const code = character.charCodeAt(0);
  return code < 0x20 ? String.fromCharCode(0x2400 + code) : code === 0x7f ? '␡' : '\\u' + code.toString(16).padStart(4, '0');
});
const grouped = (text) => text.length > 400 ? text
  : text.replace(/^-?\d+(?=(\.\d+)?$)/, (digits) => digits.replace(/(\d)(?=(\d{3})+$)/g, '$1,'));
const shown = (value, type) => {
  if (type === 'text') return visible(value);
  if (type === 'key') return visible(value.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:00):00(?=[+-]\d{4}$)/, '$1 $2'));
  const text = String(value);
  if (type === 'integer') return visible(grouped(text));
  const unit = type === 'percent' ? '%' : '';
  const [, whole, cents = ''] = /^(-?\d+)(?:\.(\d{1,2}))?$/.exec(text) || [];
  if (whole) return grouped(whole + '.' + cents.padEnd(2, '0')) + unit;
  const number = text === '' ? NaN : Number(text);
  return Number.isFinite(number) && Math.abs(number) < 1e21 ? grouped(number.toFixed(2)) + unit : visible(text);
};

// A column is its values, or the different texts and where each stands.
const isNumeric = ({ values }) => values !== undefined;
const classOf = ({ type }) => (type === 'text' ? '' : type === 'key' ? 'k' : 'n');
const valueOf = ({ values, words, codes }, row) => (values ? values[row] : words[codes[row]]);
const texts = new Intl.Collator('en', { numeric: true });
/** For each row what it is sorted by: its number, or the place of its text among the sorted ones; NaN for none. */
const keysOf = (column) => {
  if (column.keys) return column.keys;
  if (isNumeric(column)) return (column.keys = column.values.map((value) => (value === null || value === '' ? NaN : Number(value))));
  const sorted = column.words.filter((text) => text !== null).sort(texts.compare);
  const ranks = new Map(sorted.map((text, rank) => [text, rank]));
  return (column.keys = column.codes.map((code) => ranks.get(column.words[code]) ?? NaN));
};
const plain = (text) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
const comparisons = {
  '>': (a, b) => a > b, '<': (a, b) => a < b, '>=': (a, b) => a >= b, '<=': (a, b) => a <= b, '=': (a, b) => a === b,
};
/** What a word of the filter asks of a row: clicks>100 compares, any other is searched for in its texts. */
const testOf = (word) => {
  const [, name, sign, number] = /^(.+?)([<>]=?|=)(-?[\d.,]+)$/.exec(word) || [];
  const compared = name && columns.find((each) => isNumeric(each) && plain(each.name) === plain(name));
  if (compared) return (row) => comparisons[sign](keysOf(compared)[row], Number(number.replaceAll(',', '')));
  const found = columns.filter((column) => !isNumeric(column)).map((column) => {
    column.plain ??= column.words.map((text) => (text === null ? '' : plain(visible(text))));
    return [column.codes, column.plain.map((text) => text.includes(plain(word)))];
  });
  return (row) => found.some(([codes, hits]) => hits[codes[row]]);
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
      const value = valueOf(column, row);
      const td = tr.insertCell();
      td.textContent = value === null ? '–' : shown(value, column.type);
      td.className = classOf(column) + (value === null ? ' none' : '');
    }
    return tr;
  };
  const describe = () => {
    const to = Math.min(rows.length, from + pageRows);
    const [first, last, count, every] = [from + 1, to, rows.length, rowCount].map((number) => grouped(String(number)));
    const isWhole = to - from === rows.length;
    one('count').textContent = (isWhole ? '' : first + '–' + last + ' of ') + count + (rows.length === 1 ? ' row' : ' rows')
      + (rows.length === rowCount ? '' : ' (of ' + every + ')');
    one('back').disabled = from === 0;
    one('on').disabled = to === rows.length;
    one('more').textContent = rowCount === 0 ? 'The report has no rows.' : rows.length === 0 ? 'No row fits the filter.'
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

const rank = one('rank');
if (rank) {
  const onPaper = document.querySelector('p.by');
  onPaper.classList.add('paper');
  rank.parentElement.hidden = false;
  const rankBy = () => {
    for (const list of document.querySelectorAll('[data-metric]')) list.hidden = list.dataset.metric !== rank.value;
    onPaper.lastChild.textContent = rank.selectedOptions[0].textContent;
  };
  rank.addEventListener('change', rankBy);
  // A browser that comes back to the page may have kept another choice.
  rankBy();
}

const tip = one('tip');
for (const [series, figure] of [...document.querySelectorAll('figure')].entries()) {
  const svg = figure.querySelector('svg');
  const { labels, numbers } = times;
  const box = svg.viewBox.baseVal;
  const cursor = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
  const sizes = { class: 'cursor', height: box.height, width: Math.max(box.width / labels.length, 1.5) };
  for (const [name, value] of Object.entries(sizes)) cursor.setAttribute(name, value);
  const follow = (event) => {
    const { left, top, width } = svg.getBoundingClientRect();
    const slot = Math.max(0, Math.min(labels.length - 1, Math.floor(((event.clientX - left) / width) * labels.length)));
    cursor.setAttribute('x', (slot * box.width) / labels.length);
    svg.append(cursor);
    const value = document.createElement('b');
    value.textContent = numbers[series][slot] ?? '–';
    tip.replaceChildren(labels[slot], value);
    tip.hidden = false;
    const half = tip.offsetWidth / 2 + 8;
    const middle = left + (width * (slot + 0.5)) / labels.length;
    tip.style.left = Math.max(half, Math.min(document.documentElement.clientWidth - half, middle)) + 'px';
    tip.style.top = top + 'px';
  };
  for (const name of ['pointermove', 'pointerdown']) svg.addEventListener(name, follow);
  svg.addEventListener('pointerleave', () => {
    tip.hidden = true;
    cursor.remove();
  });
}
addEventListener('scroll', () => { tip.hidden = true; }, { passive: true });
})();
`;
