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
const { columns, rowCount, times } = JSON.parse(one('data').textContent);

// Texts and numbers, shown as they are in the rows that stood in the page already.
const hidden = new RegExp(${JSON.stringify(hiddenCharacters.source)}, 'g');
const visible = (text) => text.replace(hidden, (character) => {
  const code = character.charCodeAt(0);
  return code < 0x20 ? String.fromCharCode(0x2400 + code) : code === 0x7f ? '␡' : '\\u' + code.toString(16).padStart(4, '0');
});
const grouped = (text) => {
  const [, sign, digits, rest = ''] = /^(-?)(\d+)(\.\d+)?$/.exec(text) || [];
  if (!digits || digits.length < 4) return text;
  const head = digits.length % 3;
  return sign + digits.slice(0, head) + (head ? ',' : '') + digits.slice(head).match(/\d{3}/g).join(',') + rest;
};
const shown = (value, type) => {
  if (type === 'text') return visible(value);
  if (type === 'key') return visible(value.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:00):00(?=[+-]\d{4}$)/, '$1 $2'));
  const text = String(value);
  if (type === 'integer') return visible(grouped(text));
  const unit = type === 'percent' ? '%' : '';
  const [, whole, cents = ''] = /^(-?\d+)(?:\.(\d{1,2}))?$/.exec(text) || [];
  if (whole) return grouped(whole + '.' + cents.padEnd(2, '0')) + unit;
  const number = numberOf(text);
  return Number.isFinite(number) && Math.abs(number) < 1e21 ? grouped(number.toFixed(2)) + unit : visible(text);
};

// A column is its values, or the different ones and where each stands.
const isNumeric = ({ type }) => type !== 'text' && type !== 'key';
const classOf = ({ type }) => (type === 'text' ? '' : type === 'key' ? 'k' : 'n');
const valueOf = ({ values, words, codes }, row) => (words ? words[codes[row]] : values[row]);
const numberOf = (value) => (value === null || value === '' ? NaN : Number(value));
const numbersOf = (column) => (column.numbers ??= Float64Array.from({ length: rowCount }, (_, row) => numberOf(valueOf(column, row))));
/** For each row the place of its text among the sorted ones; NaN for none. */
const ranksOf = (column) => {
  if (column.ranks) return column.ranks;
  const texts = (column.words || [...new Set(column.values)]).filter((text) => text !== null);
  const ranks = new Map(texts.sort(new Intl.Collator('en', { numeric: true }).compare).map((text, rank) => [text, rank]));
  return (column.ranks = Float64Array.from({ length: rowCount }, (_, row) => ranks.get(valueOf(column, row)) ?? NaN));
};

const plain = (text) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
const comparisons = {
  '>': (a, b) => a > b, '<': (a, b) => a < b, '>=': (a, b) => a >= b, '<=': (a, b) => a <= b, '=': (a, b) => a === b,
};
/** What a term of the filter asks of a row: clicks>100 compares, all else is searched for. */
const testOf = (term) => {
  const [, name, sign, number] = /^(.+?)([<>]=?|=)(-?[\d.,]+)$/.exec(term) || [];
  const bare = (text) => plain(text).replace(/[^\p{L}\p{N}€$]/gu, '');
  const column = name && columns.find((each) => isNumeric(each) && [each.name, each.label].map(bare).includes(bare(name)));
  if (column) {
    const [numbers, compare, limit] = [numbersOf(column), comparisons[sign], Number(number.replaceAll(',', ''))];
    return (row) => compare(numbers[row], limit);
  }
  const marks = new Uint8Array(rowCount);
  for (const column of columns) {
    if (isNumeric(column)) continue;
    column.plain ??= (column.words || column.values).map((text) => (text === null ? '' : plain(visible(text))));
    const found = column.plain.map((text) => text.includes(plain(term)));
    for (let row = 0; row < rowCount; row++) if (found[column.codes ? column.codes[row] : row]) marks[row] = 1;
  }
  return (row) => marks[row] === 1;
};

const table = document.querySelector('table');
if (table) {
  const heads = all('th', table);
  const totals = table.tFoot && all('td', table.tFoot);
  const firstTotals = totals && totals.map((cell) => cell.textContent);
  let rows = Array.from({ length: rowCount }, (_, row) => row);
  let [from, pageRows, sorting] = [0, ${pageRows}, null];

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
    const [first, last, count] = [from + 1, to, rows.length].map((number) => grouped(String(number)));
    const isWhole = to - from === rows.length;
    const of = rows.length === rowCount ? '' : ' (of ' + grouped(String(rowCount)) + ')';
    one('count').textContent = (isWhole ? '' : first + '–' + last + ' of ') + count + (rows.length === 1 ? ' row' : ' rows') + of;
    one('back').disabled = from === 0;
    one('on').disabled = to === rows.length;
    one('more').textContent = rowCount === 0 ? 'The report has no rows.' : rows.length === 0 ? 'No row fits the filter.'
      : isWhole ? '' : 'Rows ' + first + ' to ' + last + ' of ' + count + '; the file holds the others.';
    one('more').classList.toggle('paper', rows.length > 0);
  };
  const draw = () => {
    from = Math.max(0, Math.min(from, Math.floor((rows.length - 1) / pageRows) * pageRows));
    table.tBodies[0].replaceChildren(...rows.slice(from, from + pageRows).map(line));
    describe();
  };
  const addUp = (filtered) => columns.forEach((column, i) => {
    if (!totals || !isNumeric(column) || firstTotals[i] === '') return;
    // What was computed from sums cannot be added up.
    if (!filtered || column.computed) return void (totals[i].textContent = filtered ? '–' : firstTotals[i]);
    // Cents are whole: their sum is exact where that of decimals is not.
    const numbers = numbersOf(column);
    const isMoney = column.type === 'money';
    let sum = 0;
    for (const row of rows) if (numbers[row] === numbers[row]) sum += isMoney ? numbers[row] * 1e6 : numbers[row];
    totals[i].textContent = shown(isMoney ? (Math.round(sum / 1e4) / 100).toFixed(2) : sum, column.type);
  });
  const choose = () => {
    const tests = one('filter').value.split(/\s+/).filter((term) => term !== '').map(testOf);
    rows = [];
    for (let row = 0; row < rowCount; row++) if (tests.every((test) => test(row))) rows.push(row);
    if (sorting) {
      const keys = isNumeric(sorting.column) ? numbersOf(sorting.column) : ranksOf(sorting.column);
      // Rows without a value come last, whatever the direction.
      rows.sort((a, b) => {
        const [x, y] = [keys[a], keys[b]];
        return x === y ? a - b : x !== x ? (y !== y ? a - b : 1) : y !== y ? -1 : sorting.sign * (x - y);
      });
    }
    from = table.parentElement.scrollTop = 0;
    addUp(tests.length > 0);
    draw();
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
  const turn = (by) => {
    from += by;
    table.parentElement.scrollTop = 0;
    draw();
  };
  one('back').addEventListener('click', () => turn(-pageRows));
  one('on').addEventListener('click', () => turn(pageRows));
  document.querySelector('.pager').hidden = rowCount <= pageRows;
  document.querySelector('.tools').hidden = rowCount === 0;
  describe();
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
  const { labels } = times;
  const box = svg.viewBox.baseVal;
  const cursor = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
  const sizes = { class: 'cursor', height: box.height, width: Math.max(box.width / labels.length, 1.5) };
  for (const [name, value] of Object.entries(sizes)) cursor.setAttribute(name, value);
  let at = -1;
  const point = (slot) => {
    at = Math.max(0, Math.min(labels.length - 1, slot));
    cursor.setAttribute('x', (at * box.width) / labels.length);
    svg.append(cursor);
    const value = document.createElement('b');
    value.textContent = times.numbers[series][at] ?? '–';
    tip.replaceChildren(labels[at], value);
    tip.hidden = false;
    const { left, top, width } = svg.getBoundingClientRect();
    const half = tip.offsetWidth / 2 + 8;
    const middle = left + (width * (at + 0.5)) / labels.length;
    tip.style.left = Math.max(half, Math.min(document.documentElement.clientWidth - half, middle)) + 'px';
    tip.style.top = top + 'px';
  };
  const leave = () => {
    [tip.hidden, at] = [true, -1];
    cursor.remove();
  };
  const follow = (event) => {
    const { left, width } = svg.getBoundingClientRect();
    point(Math.floor(((event.clientX - left) / width) * labels.length));
  };
  svg.tabIndex = 0;
  for (const name of ['pointermove', 'pointerdown']) svg.addEventListener(name, follow);
  for (const name of ['pointerleave', 'blur']) svg.addEventListener(name, leave);
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
