import { noName } from '../../figures/report-sums.ts';
import { pageRows, phoneRows, printedRows } from './page-table.ts';

/**
 * The script of a page: sorts, filters and turns the pages of its table, and names the values of a
 * chart beside the pointer. What stands in the page without it is whole in itself. It shows text of
 * the report as text only (`textContent`), and makes only the rows that are seen.
 */
export const pageScript = String.raw`
'use strict';
(() => {
const one = (id) => document.getElementById(id);
const { columns: all, rowCount } = JSON.parse(one('data').textContent);
const everyRow = Array.from({ length: rowCount }, (_, row) => row);

// --- What the cells hold ---

const isNumeric = ({ type }) => type !== 'text' && type !== 'name' && type !== 'key';

const ratioOf = (over, under, factor) =>
  Number.isNaN(over) || !under ? null : Number((factor * over / under).toFixed(6));

/** A change in percent; 'new' where there was nothing before, but for times. */
const changeOf = (now, before, isOfTime) => {
  if (Number.isNaN(now)) return null;
  if (Number.isNaN(before) || (before === 0 && now !== 0)) return isOfTime ? null : 'new';
  return now === before ? 0 : 100 * (now - before) / Math.abs(before);
};

/** A cell as a number; NaN for none. */
const numberOf = (cell) => (cell === null || cell === '' ? NaN : Number(cell));

const isComputed = (column) => column.under !== undefined || column.before !== undefined;

/** What a column that is computed comes to, from the numbers of the two columns that it needs. */
const computed = (column, numberIn) =>
  column.under !== undefined
    ? ratioOf(numberIn(all[column.over]), numberIn(all[column.under]), column.factor)
    : changeOf(numberIn(all[column.now]), numberIn(all[column.before]), column.isOfTime);

for (const column of all.filter(isComputed)) {
  column.cells = everyRow.map((row) => computed(column, (other) => numberOf(other.cells[row])));
}
const columns = all.filter((column) => !column.isHidden);

// --- How they are shown ---

const cents = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/**
 * Numbers are shown as in the rows that stood in the page already; texts were made fit for that.
 */
const shown = (value, { type, texts = {} }) => {
  if (value === null) return type === 'name' ? '${noName}' : '–';
  if (Object.hasOwn(texts, value)) return texts[value];
  if (!isNumeric({ type }) || !/^-?\d[\d.]{0,399}$/.test(value)) return value;
  if (type === 'integer') {
    return String(value).replace(/^-?\d+/, (digits) => digits.replace(/(\d)(?=(\d{3})+$)/g, '$1,'));
  }
  return cents.format(value) + (type === 'percent' ? '%' : '');
};

/** A change with its arrow, in the colour of its direction. */
const changeMark = (change) => {
  const mark = document.createElement('b');
  const amount = change === 'new' ? '' : Math.abs(change).toFixed(1) + '%';
  const isSame = amount === '0.0%';
  mark.className = change === 'new' ? 'new' : isSame ? 'same' : change > 0 ? 'up' : 'down';
  mark.textContent = change === 'new' ? 'new' : (isSame ? '= ' : change > 0 ? '▲ ' : '▼ ') + amount;
  return mark;
};

const fill = (cell, column, value) => {
  if (column.type === 'change' && value !== null) cell.replaceChildren(changeMark(value));
  else cell.textContent = shown(value, column);
};

const classOf = ({ look }, value) => (value === null ? look + ' none' : look);

const lineOf = (row) => {
  const line = document.createElement('tr');
  for (const column of columns) {
    const value = column.cells[row];
    const cell = line.insertCell();
    fill(cell, column, value);
    cell.className = classOf(column, value);
  }
  return line;
};

// --- Sorting and filtering ---

const texts = new Intl.Collator('en', { numeric: true });

/**
 * For each row what it is sorted by: its number, or the place of its text among the sorted ones;
 * NaN for none.
 */
const keysOf = (column) => {
  if (column.keys) return column.keys;
  if (isNumeric(column)) return (column.keys = column.cells.map(numberOf));
  const sorted = [...new Set(column.cells)].filter((cell) => cell !== null).sort(texts.compare);
  const places = new Map(sorted.map((text, place) => [text, place]));
  return (column.keys = column.cells.map((cell) => places.get(cell) ?? NaN));
};

const plain = (text) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();

/** Whether a row has a word of the filter in one of its texts. */
const testOf = (word) => {
  const wanted = plain(word);
  const searched = columns.filter((column) => !isNumeric(column));
  for (const column of searched) column.plain ??= column.cells.map((cell) => plain(shown(cell, column)));
  return (row) => searched.some((column) => column.plain[row].includes(wanted));
};

/** The sum of a column over some rows; NaN where none has a number. */
const sumOf = (column, rows) => {
  const numbers = rows.map((row) => numberOf(column.cells[row])).filter((number) => !Number.isNaN(number));
  if (numbers.length === 0) return NaN;
  // Cents are whole: their sum is exact where that of decimals is not.
  const isMoney = column.type === 'money';
  const sum = numbers.reduce((total, number) => total + (isMoney ? number * 1e6 : number), 0);
  return isMoney ? Math.round(sum / 1e4) / 100 : sum;
};

const table = document.querySelector('section.rows table');
if (table && one('filter')) {
  const heads = [...table.querySelectorAll('th')];
  const totals = table.tFoot && [...table.tFoot.querySelectorAll('td')];
  const firstTotals = totals && totals.map((cell) => [...cell.childNodes]);
  let rows = everyRow;
  let from = 0;
  const isPhone = matchMedia('(max-width: 40rem)').matches;
  const rowsAtOnce = isPhone ? ${phoneRows} : ${pageRows};
  let pageRows = rowsAtOnce;
  let sorting = null;

  const describe = () => {
    const to = Math.min(rows.length, from + pageRows);
    const [first, last, count, every] = [from + 1, to, rows.length, rowCount].map((number) => number.toLocaleString('en'));
    const isWhole = to - from === rows.length;
    const span = isWhole ? '' : first + '–' + last + ' of ';
    const noun = rows.length === 1 ? ' row' : ' rows';
    one('count').textContent = span + count + noun + (rows.length === rowCount ? '' : ' (of ' + every + ')');
    one('back').disabled = from === 0;
    one('on').disabled = to === rows.length;
    if (rowCount === 0) one('more').textContent = 'The report has no rows.';
    else if (rows.length === 0) one('more').textContent = 'No row fits the filter.';
    else one('more').textContent = isWhole ? '' : 'Rows ' + first + ' to ' + last + ' of ' + count + '; the file holds the others.';
    one('more').classList.toggle('paper', rows.length > 0);
  };

  const draw = (start) => {
    from = Math.max(0, start);
    table.tBodies[0].replaceChildren(...rows.slice(from, from + pageRows).map(lineOf));
    describe();
  };

  const addUp = () => columns.forEach((column, i) => {
    if (!totals || !isNumeric(column) || firstTotals[i].length === 0) return;
    if (rows.length === rowCount) return totals[i].replaceChildren(...firstTotals[i]);
    const sum = isComputed(column)
      ? computed(column, (other) => sumOf(other, rows))
      : column.type === 'percent' ? NaN : sumOf(column, rows);
    fill(totals[i], column, Number.isNaN(sum) ? null : sum);
  });

  const choose = () => {
    const tests = one('filter').value.split(/\s+/).filter((word) => word !== '').map(testOf);
    rows = everyRow.filter((row) => tests.every((test) => test(row)));
    if (sorting) {
      const keys = keysOf(sorting.column);
      // Rows without a value come last, whatever the direction.
      rows.sort((a, b) => Number.isNaN(keys[a]) - Number.isNaN(keys[b]) || sorting.sign * (keys[a] - keys[b]) || a - b);
    }
    table.parentElement.scrollTop = 0;
    addUp();
    draw(0);
  };

  /**
   * A first click sorts numbers downwards and texts upwards, a second the other way, a third not at
   * all.
   */
  const sortBy = (column, head) => {
    const first = isNumeric(column) ? -1 : 1;
    if (sorting?.column !== column) sorting = { column, sign: first };
    else sorting = sorting.sign === first ? { column, sign: -first } : null;
    for (const each of heads) each.removeAttribute('aria-sort');
    if (sorting) head.setAttribute('aria-sort', sorting.sign > 0 ? 'ascending' : 'descending');
    choose();
  };

  heads.forEach((head, i) => {
    const column = columns[i];
    if (head.ariaSort === 'descending') sorting = { column, sign: -1 };
    const button = document.createElement('button');
    button.type = 'button';
    button.append(...head.childNodes);
    button.addEventListener('click', () => sortBy(column, head));
    head.append(button);
  });

  one('filter').addEventListener('input', choose);
  for (const [id, step] of [['back', -1], ['on', 1]]) {
    one(id).addEventListener('click', () => {
      draw(from + step * pageRows);
      table.parentElement.scrollTop = 0;
    });
  }
  document.querySelector('.pager').hidden = rowCount <= pageRows;
  document.querySelector('.tools').hidden = rowCount === 0;
  if (isPhone) draw(0);
  describe();
  // On paper there are no pages to turn.
  addEventListener('beforeprint', () => { pageRows = ${printedRows}; draw(from); });
  addEventListener('afterprint', () => { pageRows = rowsAtOnce; draw(from); });
}

// --- The values of a chart beside the pointer ---

const tip = document.createElement('div');
tip.className = 'tip';
tip.hidden = true;
document.body.append(tip);

/** The lines of a slot: its name, then its values, each with the colour of its line. */
const tipLines = (slot) => {
  const [label, ...values] = slot.dataset.v.split('\n');
  const name = document.createElement('strong');
  name.textContent = label;
  const key = slot.closest('figure').querySelectorAll('.legend .key');
  return [name, ...values.map((value, i) => {
    const line = document.createElement('div');
    if (key[i]) line.append(key[i].cloneNode(true));
    line.append(value);
    return line;
  })];
};

const showTip = ({ target, clientY }) => {
  tip.hidden = true;
  const slot = target.closest?.('.slots i');
  if (!slot) return;
  tip.replaceChildren(...tipLines(slot));
  tip.hidden = false;
  const place = slot.getBoundingClientRect();
  const { width, height } = tip.getBoundingClientRect();
  const hasRoom = place.right + 8 + width < document.documentElement.clientWidth;
  tip.style.left = Math.max(4, hasRoom ? place.right + 8 : place.left - 8 - width) + 'px';
  tip.style.top = Math.max(4, Math.min(clientY - height / 2, innerHeight - height - 4)) + 'px';
};
for (const kind of ['pointermove', 'pointerdown']) addEventListener(kind, showTip);
addEventListener('scroll', () => { tip.hidden = true; }, true);
})();
`;
