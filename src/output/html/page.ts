import { createHash } from 'node:crypto';
import { escapeHtml, printable } from '../../text/printable.ts';
import { groupedText, hourText, roundedMoney } from '../../view/number-text.ts';
import { type CellType, embedColumn, escapeJson, type PageColumn, pageRows } from './page-rows.ts';
import { pageScript } from './page-script.ts';
import { pageStyle } from './page-style.ts';

/** Everything that a page says. The members named `html` and the charts have been escaped; the other texts have not. */
export interface Page {
  readonly title: string;
  /** Under the title: the window, its zone, how many rows. */
  readonly facts: readonly string[];
  /** What the reader must know to read the numbers right. */
  readonly notices: readonly string[];
  readonly cards: readonly Card[];
  /** How many of the cards come first, larger than the others. */
  readonly leadingCards: number;
  /** Charts over time, and the texts of their values: by chart, by slot. */
  readonly time:
    | {
        readonly lines: readonly string[];
        readonly first: readonly string[];
        readonly more: readonly string[];
        readonly labels: readonly string[];
        readonly texts: readonly (readonly (string | null)[])[];
      }
    | undefined;
  /** By breakdown. */
  readonly rankings: readonly { readonly title: string; readonly html: string }[];
  /** The figures that rankings can go by; they go by the first unless the reader chooses. */
  readonly rankLabels: readonly string[];
  readonly table: { readonly title: string; readonly columns: readonly PageColumn[]; readonly rowCount: number };
}

/** A number of a page as it is shown, and what it is called. */
export interface Card {
  readonly label: string;
  readonly text: string;
  readonly hint: string;
  /** How it has changed, where it was compared. */
  readonly change: string | undefined;
}

/** Nothing runs and nothing is loaded but what stands in the page, whatever a name in the data says. */
const policy =
  `default-src 'none'; script-src '${hashOf(pageScript)}'; style-src '${hashOf(pageStyle)}'; ` +
  "img-src data:; base-uri 'none'; form-action 'none'";

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

/** Text of the report as HTML. */
function html(text: string): string {
  return escapeHtml(printable(text));
}

/** The page in pieces, to be written one after the other. */
export function renderReport(page: Page): string[] {
  const { title, facts, notices, time, rankings, table } = page;
  const times = time ? { labels: time.labels, numbers: time.texts } : null;
  return [
    `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="content-security-policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="adreport">
<title>${html([title, ...facts.slice(0, 1)].join(', '))}</title>
<link rel="icon" href="data:,">
<style>${pageStyle}</style>
</head>
<body>
<main>
<header>
<h1>${html(title)}</h1>
<p>${facts.map((fact) => `<span>${html(fact)}</span>`).join(' ')}</p>
</header>
${notices.map((notice) => `<p class="notice">${html(notice)}</p>\n`).join('')}`,
    renderCards(page),
    time ? renderTime(time) : '',
    rankings.length > 0 ? renderRankings(page) : '',
    renderTable(table),
    `</main>
<div id="tip" role="status" hidden></div>
<script type="application/json" id="data">{"times":${escapeJson(JSON.stringify(times))},"rowCount":${table.rowCount},"columns":[`,
    ...table.columns.map((column, i) => (i === 0 ? '' : ',\n') + embedColumn(column)),
    `]}</script>
<script>${pageScript}</script>
</body>
</html>
`,
  ];
}

function renderCards({ cards, leadingCards }: Page): string {
  if (cards.length === 0) return '';
  const items = cards.map(({ label, text, hint, change }) => {
    const long = text.length > 11 ? ' class="long"' : '';
    const below = change === undefined ? '' : `<dd class="change">${html(change)}</dd>`;
    return `<div title="${escapeHtml(hint)}"><dt>${html(label)}</dt><dd${long}>${html(text)}</dd>${below}</div>\n`;
  });
  const others = items.slice(leadingCards);
  const more = others.length > 0 ? `<dl class="cards more">\n${others.join('')}</dl>` : '';
  return `<section aria-label="Totals"><dl class="cards">\n${items.slice(0, leadingCards).join('')}</dl>${more}</section>\n`;
}

function renderTime({ lines, first, more }: NonNullable<Page['time']>): string {
  const others =
    more.length > 0
      ? `<details><summary>Other figures over time</summary>\n<div class="charts">\n${more.join('')}</div></details>`
      : '';
  return `<section><h2>Over time</h2>\n${lines.join('')}<div class="charts">\n${first.join('')}</div>${others}</section>\n`;
}

function renderRankings({ rankings, rankLabels }: Page): string {
  const options = rankLabels.map((label, i) => `<option value="${i}">${html(label)}</option>`);
  const note = `<p class="by">by <b>${html(rankLabels[0] ?? '')}</b></p>`;
  const choice = `<label class="by" hidden>by <select id="rank">${options.join('')}</select></label>`;
  const charts = rankings.map((each) => `<section class="bars"><h3>${html(each.title)}</h3>${each.html}</section>\n`);
  return `<section><div class="head"><h2>Top values</h2>${note}${choice}</div>
<div class="ranks">
${charts.join('')}</div></section>
`;
}

function renderTable({ title, columns, rowCount }: Page['table']): string {
  if (columns.length === 0) return '';
  const count = Math.min(pageRows, rowCount);
  const heads = columns.map(
    ({ label, name, type }) => `<th scope="col"${classOf(type)} title="${html(name)}">${html(label)}`,
  );
  const rows = Array.from({ length: count }, (_, row) => {
    return `<tr>${columns.map(({ cells, type }) => renderCell(cells[row] ?? null, type)).join('')}`;
  });
  const sums = columns.map(({ type, total }, i) => {
    return total !== undefined ? renderCell(total, type) : i === 0 ? '<td>Total' : '<td>';
  });
  const [shown, all] = [count, rowCount].map((number) => groupedText(String(number)));
  const some =
    rowCount > count ? `Rows 1 to ${shown} of ${all}; the file holds the others, for a browser that runs scripts.` : '';
  const counted = columns.find(({ type }) => type === 'integer');
  const hint = counted ? `words, or ${printable(counted.name)}>100` : 'words';
  const hasTotals = rowCount > 1 && columns.some(({ total }) => total !== undefined);
  return `<section><div class="head"><h2>${html(title)}</h2>
<div class="tools" hidden><label>Filter <input id="filter" type="search" autocomplete="off" spellcheck="false" placeholder="${escapeHtml(hint)}"></label><span id="count" role="status"></span><span class="pager"><button type="button" id="back" aria-label="Previous rows">‹</button><button type="button" id="on" aria-label="Next rows">›</button></span></div></div>
<div class="scroll" tabindex="0" role="region" aria-label="Table of rows"><table>
<thead><tr>${heads.join('')}</thead>
<tbody>${rows.join('\n')}</tbody>
${hasTotals ? `<tfoot><tr>${sums.join('')}</tfoot>\n` : ''}</table></div>
<p id="more">${rowCount === 0 ? 'The report has no rows.' : some}</p>
</section>
`;
}

function renderCell(cell: string | number | null, type: CellType): string {
  if (cell === null) return `<td${classOf(type, 'none')}>–`;
  return `<td${classOf(type)}>${html(shownCell(String(cell), type))}`;
}

function shownCell(cell: string, type: CellType): string {
  if (type === 'text') return cell;
  if (type === 'key') return hourText(cell);
  if (type === 'integer') return groupedText(cell);
  return groupedText(roundedMoney(cell)) + (type === 'percent' ? '%' : '');
}

function classOf(type: CellType, extra = ''): string {
  const names = `${{ text: '', key: 'k', integer: 'n', money: 'n', percent: 'n' }[type]} ${extra}`.trim();
  return names === '' ? '' : ` class="${names}"`;
}
