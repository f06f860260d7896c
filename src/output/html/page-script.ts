import { hiddenCharacters } from '../../text/printable.ts';
import { pageRows, printedRows } from './page-rows.ts';

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
const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const data = JSON.parse(one('data').textContent);
const { columns, rowCount } = data;

// Texts and numbers, shown as they are in the rows that stood in the page already.
const hidden = new RegExp(${JSON.stringify(hiddenCharacters.source)}, 'g');
const visible = (text) => text.replace(hidden, (character) => {
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? '␡' : '\\u' + code.toString(16).padStart(4, '0');
});
const grouped = (text) => {
  const [, sign, digits, rest = ''] = /^(-?)(\d+)(\.\d+)?$/.exec(text) || [];
  if (!digits || digits.length < 4) return text;
  const head = digits.length % 3;
  return sign + digits.slice(0, head) + (head ? ',' : '') + digits.slice(head).match(/\d{3}/g).join(',') + rest;
};
function shown(value, type) {
  if (type === 'text') return visible(value);
  if (type === 'key') return visible(value.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:00):00(?=[+-]\d{4}$)/, '$1 $2'));
  const text = String(value);
  if (type === 'integer') return visible(grouped(text));
  const short = /^(-?\d+)(?:\.(\d{1,2}))?$/.exec(text);
  const unit = type === 'percent' ? '%' : '';
  if (short) return grouped(short[1] + '.' + (short[2] || '').padEnd(2, '0')) + unit;
  const number = numberOf(text);
  return Number.isFinite(number) && Math.abs(number) < 1e21 ? grouped(number.toFixed(2)) + unit : visible(text);
}

// A column is its values, or the different ones and where each stands.
const classes = { text: '', key: 'k', integer: 'n', money: 'n', percent: 'n' };
const isNumeric = ({ type }) => classes[type] === 'n';
const valueOf = ({ values, words, codes }, row) => (words ? words[codes[row]] : values[row]);
const numberOf = (value) => (value === null || value === '' ? NaN : Number(value));
function numbersOf(column) {
  return (column.numbers ??= Float64Array.from({ length: rowCount }, (_, row) => numberOf(valueOf(column, row))));
}
/** For each row the place of its text among the sorted ones; NaN for none. */
function ranksOf(column) {
  if (column.ranks) return column.ranks;
  const texts = column.words || [...new Set(column.values)];
  const { compare } = new Intl.Collator('en', { numeric: true });
  const order = texts.filter((text) => text !== null).sort(compare);
  const ranks = new Map(order.map((text, rank) => [text, rank]));
  return (column.ranks = Float64Array.from({ length: rowCount }, (_, row) => ranks.get(valueOf(column, row)) ?? NaN));
}

const plain = (text) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
/** Whether each row has a text with the word in it. */
function marksOf(word) {
  const marks = new Uint8Array(rowCount);
  for (const column of columns) {
    if (isNumeric(column)) continue;
    const texts = column.words || column.values;
    column.plain ??= texts.map((text) => (text === null ? '' : plain(visible(text))));
    const found = column.plain.map((text) => text.includes(word));
    for (let row = 0; row < rowCount; row++) if (found[column.codes ? column.codes[row] : row]) marks[row] = 1;
  }
  return marks;
}
const comparisons = {
  '>': (a, b) => a > b, '<': (a, b) => a < b, '>=': (a, b) => a >= b, '<=': (a, b) => a <= b, '=': (a, b) => a === b,
};
/** What a term of the filter asks of a row: clicks>100 compares, all else is searched for. */
function testOf(term) {
  const [, name, sign, number] = /^(.+?)([<>]=?|=)(-?[\d.,]+)$/.exec(term) || [];
  const bare = (text) => plain(text).replace(/[^\p{L}\p{N}€$]/gu, '');
  const column = name && columns.find(
    (each) => isNumeric(each) && (bare(each.name) === bare(name) || bare(each.label) === bare(name)),
  );
  if (column) {
    const [numbers, compare, limit] = [numbersOf(column), comparisons[sign], Number(number.replaceAll(',', ''))];
    return (row) => compare(numbers[row], limit);
  }
  const marks = marksOf(plain(term));
  return (row) => marks[row] === 1;
}

const table = document.querySelector('table');
if (table) {
  const heads = all('th', table);
  const totals = table.tFoot && all('td', table.tFoot);
  const firstTotals = totals && totals.map((cell) => cell.textContent);
  let rows = Array.from({ length: rowCount }, (_, row) => row);
  let from = 0;
  let pageRows = ${pageRows};
  let sorting = null;

  function line(row) {
    const tr = document.createElement('tr');
    for (const column of columns) {
      const value = valueOf(column, row);
      const td = tr.insertCell();
      td.textContent = value === null ? '–' : shown(value, column.type);
      td.className = classes[column.type] + (value === null ? ' none' : '');
    }
    return tr;
  }
  function draw() {
    from = Math.max(0, Math.min(from, Math.floor((rows.length - 1) / pageRows) * pageRows));
    const to = Math.min(rows.length, from + pageRows);
    table.tBodies[0].replaceChildren(...rows.slice(from, to).map(line));
    describe(to);
  }
  function describe(to) {
    const count = grouped(String(rows.length));
    const of = rows.length === rowCount ? '' : ' (of ' + grouped(String(rowCount)) + ')';
    const range = to - from === rows.length ? '' : grouped(String(from + 1)) + '–' + grouped(String(to)) + ' of ';
    one('count').textContent = range + count + (rows.length === 1 ? ' row' : ' rows') + of;
    one('back').disabled = from === 0;
    one('on').disabled = to === rows.length;
    const rest = rows.length - (to - from);
    one('more').textContent = rowCount === 0 ? 'The report has no rows.' : rows.length === 0 ? 'No row fits the filter.'
      : rest > 0 ? 'Rows ' + grouped(String(from + 1)) + ' to ' + grouped(String(to)) + ' of ' + count +
        '; the file holds the others.' : '';
    one('more').classList.toggle('paper', rows.length > 0);
  }
  function choose() {
    const tests = one('filter').value.split(/\s+/).filter((term) => term !== '').map(testOf);
    rows = [];
    for (let row = 0; row < rowCount; row++) if (tests.every((test) => test(row))) rows.push(row);
    if (sorting) {
      const { column, sign } = sorting;
      const keys = isNumeric(column) ? numbersOf(column) : ranksOf(column);
      // Rows without a value come last, whatever the direction.
      rows.sort((a, b) => {
        const [x, y] = [keys[a], keys[b]];
        return x === y ? a - b : x !== x ? (y !== y ? a - b : 1) : y !== y ? -1 : sign * (x - y);
      });
    }
    from = 0;
    table.parentElement.scrollTop = 0;
    addUp(tests.length > 0);
    draw();
  }
  function addUp(filtered) {
    if (!totals) return;
    columns.forEach((column, i) => {
      if (!isNumeric(column) || firstTotals[i] === '') return;
      if (!filtered) return void (totals[i].textContent = firstTotals[i]);
      // What was computed from sums cannot be added up.
      if (column.computed) return void (totals[i].textContent = '–');
      // Cents are whole: their sum is exact where that of decimals is not.
      const scale = column.type === 'money' ? 100 : 1;
      const numbers = numbersOf(column);
      let sum = 0;
      for (const row of rows) if (numbers[row] === numbers[row]) sum += scale === 1 ? numbers[row] : numbers[row] * 1e6;
      totals[i].textContent = shown(scale === 1 ? sum : (Math.round(sum / 1e4) / 100).toFixed(2), column.type);
    });
  }
  function sortBy(i) {
    const column = columns[i];
    const first = isNumeric(column) ? -1 : 1;
    if (!sorting || sorting.column !== column) sorting = { column, sign: first };
    else sorting = sorting.sign === first ? { column, sign: -first } : null;
    heads.forEach((head, j) => {
      if (j === i && sorting) head.setAttribute('aria-sort', sorting.sign > 0 ? 'ascending' : 'descending');
      else head.removeAttribute('aria-sort');
    });
    choose();
  }
  heads.forEach((head, i) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.append(...head.childNodes);
    button.addEventListener('click', () => sortBy(i));
    head.append(button);
  });
  one('filter').addEventListener('input', choose);
  const turn = (by) => {
    from += by;
    table.parentElement.scrollTop = 0;
    draw();
  };
  one('back').addEventListener('click', () => turn(-pageRows));
  one('on').addEventListener('click', () => turn(pageRows));
  document.querySelector('.pager').hidden = rowCount <= pageRows;
  document.querySelector('.tools').hidden = rowCount === 0;
  describe(Math.min(rowCount, pageRows));
  // On paper there are no pages to turn.
  let shownFrom = 0;
  addEventListener('beforeprint', () => { [shownFrom, pageRows] = [from, ${printedRows}]; draw(); });
  addEventListener('afterprint', () => { [from, pageRows] = [shownFrom, ${pageRows}]; draw(); });
}

const rank = one('rank');
if (rank) {
  const onPaper = document.querySelector('p.by');
  onPaper.classList.add('paper');
  rank.parentElement.hidden = false;
  const rankBy = () => {
    for (const list of all('[data-metric]')) list.hidden = list.dataset.metric !== rank.value;
    onPaper.lastChild.textContent = rank.selectedOptions[0].textContent;
  };
  rank.addEventListener('change', rankBy);
  // A browser that comes back to the page may have kept another choice.
  rankBy();
}

const tip = one('tip');
for (const [series, figure] of all('figure').entries()) {
  const svg = figure.querySelector('svg');
  const { labels } = data.times;
  const texts = data.times.numbers[series];
  const cursor = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
  const box = svg.viewBox.baseVal;
  cursor.setAttribute('class', 'cursor');
  cursor.setAttribute('height', box.height);
  cursor.setAttribute('width', Math.max(box.width / labels.length, 1.5));
  let at = -1;
  const point = (slot) => {
    at = Math.max(0, Math.min(labels.length - 1, slot));
    cursor.setAttribute('x', (at * box.width) / labels.length);
    svg.append(cursor);
    const value = document.createElement('b');
    value.textContent = texts[at] ?? '–';
    tip.replaceChildren(labels[at], value);
    tip.hidden = false;
    const { left, top, width } = svg.getBoundingClientRect();
    const middle = left + (width * (at + 0.5)) / labels.length;
    const half = tip.offsetWidth / 2 + 8;
    tip.style.left = Math.max(half, Math.min(document.documentElement.clientWidth - half, middle)) + 'px';
    tip.style.top = top + 'px';
  };
  const leave = () => {
    tip.hidden = true;
    cursor.remove();
    at = -1;
  };
  svg.tabIndex = 0;
  const follow = (event) => {
    const { left, width } = svg.getBoundingClientRect();
    point(Math.floor(((event.clientX - left) / width) * labels.length));
  };
  svg.addEventListener('pointermove', follow);
  svg.addEventListener('pointerdown', follow);
  svg.addEventListener('pointerleave', leave);
  svg.addEventListener('blur', leave);
  svg.addEventListener('keydown', (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (event.key === 'Escape') leave();
    if (!step) return;
    event.preventDefault();
    point(at < 0 ? (step > 0 ? 0 : labels.length - 1) : at + step);
  });
}
addEventListener('scroll', () => { tip.hidden = true; }, { passive: true });
})();
`;
