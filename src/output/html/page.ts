import { createHash } from 'node:crypto';
import { escapeHtml } from '../../text/escape-html.ts';
import { printable } from '../../text/printable.ts';
import { hourText } from '../table/cell-texts.ts';
import type { Figure } from './charts.ts';
import { type CellType, escapeJson, type TableColumn } from './embedded-table.ts';
import { showCount, showNumber } from './number-text.ts';
import { pageRows, pageScript } from './page-script.ts';
import { pageStyle } from './page-style.ts';

/** Everything that a page says. The members that are HTML have been escaped; the other texts have not. */
export interface Page {
  readonly title: string;
  /** Under the title: the window, its zone, how many rows. */
  readonly facts: readonly string[];
  /** What the reader must know to read the numbers right. */
  readonly notices: readonly string[];
  readonly figures: readonly Figure[];
  /** HTML of the charts over time, and the texts of their values: by chart, by slot. */
  readonly time:
    | { readonly html: string; readonly labels: readonly string[]; readonly numbers: (string | null)[][] }
    | undefined;
  /** HTML of the rankings, by breakdown. */
  readonly breakdowns: readonly { readonly title: string; readonly html: string }[];
  /** The metrics that rankings can go by, and which of them does at first. */
  readonly ranks: { readonly labels: readonly string[]; readonly lead: number };
  readonly table: Table;
}

interface Table {
  readonly title: string;
  readonly columns: readonly TableColumn[];
  readonly rowCount: number;
  /** One a column: its total as a number's text, or `undefined`. */
  readonly totals: readonly (string | undefined)[];
}

/** Nothing runs and nothing is loaded but what stands in the page, whatever a name in the data says. */
const policy =
  `default-src 'none'; script-src '${hashOf(pageScript)}'; style-src '${hashOf(pageStyle)}'; ` +
  "img-src data:; base-uri 'none'; form-action 'none'";

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

/** The page in pieces, to be written one after the other. */
export function renderPage(page: Page): string[] {
  const { title, facts, notices, figures, time, breakdowns, table } = page;
  return [
    `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="content-security-policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="adreport">
<title>${escapeHtml(printable([title, ...facts.slice(0, 1)].join(', ')))}</title>
<link rel="icon" href="data:,">
<style>${pageStyle}</style>
</head>
<body>
<main>
<header>
<h1>${escapeHtml(printable(title))}</h1>
<p>${facts.map((fact) => `<span>${escapeHtml(printable(fact))}</span>`).join(' ')}</p>
</header>
${notices.map((notice) => `<p class="notice">${escapeHtml(printable(notice))}</p>\n`).join('')}`,
    figures.length > 0
      ? `<section aria-label="Totals"><dl class="cards">\n${figures.map(renderFigure).join('')}</dl></section>\n`
      : '',
    time ? `<section><h2>Over time</h2>\n<div class="charts">\n${time.html}</div></section>\n` : '',
    breakdowns.length > 0 ? renderBreakdowns(page) : '',
    renderTable(table),
    `</main>
<div id="tip" role="status" hidden></div>
<script type="application/json" id="data">{"times":${escapeJson(JSON.stringify(time ? { labels: time.labels, numbers: time.numbers } : null))},"rowCount":${table.rowCount},"columns":[`,
    ...table.columns.map(({ json }, i) => (i === 0 ? '' : ',\n') + escapeJson(json)),
    `]}</script>
<script>${pageScript}</script>
</body>
</html>
`,
  ];
}

function renderFigure({ label, text, hint }: Figure): string {
  const long = text.length > 11 ? ' class="long"' : '';
  return `<div title="${escapeHtml(hint)}"><dt>${escapeHtml(label)}</dt><dd${long}>${escapeHtml(text)}</dd></div>\n`;
}

function renderBreakdowns({ breakdowns, ranks }: Page): string {
  const options = ranks.labels.map((label, i) => {
    return `<option value="${i}"${i === ranks.lead ? ' selected' : ''}>${escapeHtml(label)}</option>`;
  });
  const lead = ranks.labels[ranks.lead];
  const note = lead === undefined ? '' : `<p class="by">by <b>${escapeHtml(lead)}</b></p>`;
  const choice = `<label class="by" hidden>by <select id="rank">${options.join('')}</select></label>`;
  const charts = breakdowns.map(
    ({ title, html }) => `<section class="bars"><h3>${escapeHtml(printable(title))}</h3>${html}</section>\n`,
  );
  return `<section><div class="head"><h2>Top values</h2>${note}${choice}</div>
<div class="ranks">
${charts.join('')}</div></section>
`;
}

function renderTable({ title, columns, rowCount, totals }: Table): string {
  if (columns.length === 0) return '';
  const count = Math.min(pageRows, rowCount);
  const heads = columns.map(({ label, name, type }) => {
    const text = escapeHtml(printable(label));
    return `<th scope="col"${classOf(type)} title="${escapeHtml(printable(name))}">${text}`;
  });
  const rows = Array.from({ length: count }, (_, row) => {
    return `<tr>${columns.map(({ head, type }) => renderCell(head[row] ?? null, type)).join('')}`;
  });
  const sums = columns.map(({ type }, i) => {
    const total = totals[i];
    if (total !== undefined) return renderCell(total, type);
    return i === 0 ? '<td>Total' : '<td>';
  });
  const [shown, all] = [count, rowCount].map(showCount);
  const some =
    rowCount > count ? `Rows 1 to ${shown} of ${all}; the file holds the others, for a browser that runs scripts.` : '';
  const counted = columns.find(({ type }) => type === 'integer');
  const hint = counted ? `words, or ${printable(counted.name)}>100` : 'words';
  return `<section><div class="head"><h2>${escapeHtml(title)}</h2>
<div class="tools" hidden><label>Filter <input id="filter" type="search" autocomplete="off" spellcheck="false" placeholder="${escapeHtml(hint)}"></label><span id="count" role="status"></span><span class="pager"><button type="button" id="back" aria-label="Previous rows">‹</button><button type="button" id="on" aria-label="Next rows">›</button></span></div></div>
<div class="scroll" tabindex="0" role="region" aria-label="Table of rows"><table>
<thead><tr>${heads.join('')}</thead>
<tbody>${rows.join('\n')}</tbody>
${rowCount > 1 && totals.some((total) => total !== undefined) ? `<tfoot><tr>${sums.join('')}</tfoot>\n` : ''}</table></div>
<p id="more">${rowCount === 0 ? 'The report has no rows.' : some}</p>
</section>
`;
}

function renderCell(cell: string | null, type: CellType): string {
  if (cell === null) return `<td${classOf(type, 'none')}>–`;
  return `<td${classOf(type)}>${escapeHtml(printable(showCell(cell, type)))}`;
}

function showCell(cell: string, type: CellType): string {
  if (type === 'integer' || type === 'money') return showNumber(cell, type);
  return type === 'key' ? hourText(cell) : cell;
}

const classNames: Readonly<Record<CellType, string>> = { text: '', key: 'k', integer: 'n', money: 'n' };

function classOf(type: CellType, extra = ''): string {
  const names = `${classNames[type]} ${extra}`.trim();
  if (names === '') return '';
  return names.includes(' ') ? ` class="${names}"` : ` class=${names}`;
}
