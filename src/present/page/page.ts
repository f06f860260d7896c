import { createHash } from 'node:crypto';
import type { ReportModel } from '../report-model.ts';
import pageScript from './browser/page-script.ts?bundled';
import { renderBars } from './page-bars.ts';
import { renderCards } from './page-cards.ts';
import { renderCharts } from './page-charts.ts';
import { pageStyle } from './page-style.ts';
import { renderTable } from './page-table.ts';
import { renderParagraph, toHtml } from './page-text.ts';

/** Allows only the page's own script and style, even if names in the data contain others. */
const securityPolicy =
  `default-src 'none'; script-src '${hashSource(pageScript)}'; style-src '${hashSource(pageStyle)}'; ` +
  "img-src data:; base-uri 'none'; form-action 'none'";

function hashSource(text: string): string {
  const hash = createHash('sha256').update(text).digest('base64');
  return `sha256-${hash}`;
}

/** Renders a page that opens without a network connection. */
export function renderPage(model: ReportModel): string {
  const { title, details, emptyMessage, tables } = model;
  const heading = toHtml(title);
  const period = details.get('Period');
  const periodText = period === undefined ? '' : `, ${toHtml(period)}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="content-security-policy" content="${securityPolicy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="adreport">
<title>${heading}${periodText}</title>
<link rel="icon" href="data:,">
<style>${pageStyle}</style>
</head>
<body>
<main>
${renderHeader(model)}${renderParagraph('empty', toHtml(emptyMessage ?? ''))}
${renderCards(model)}${renderCharts(model)}${renderBars(model)}
${tables.map((table) => renderTable(table, model)).join('')}
${renderAbout(model)}</main>
<script>${pageScript}</script>
</body>
</html>
`;
}

function renderHeader(model: ReportModel): string {
  const { title, details, headline, comparisonNote, senderNote, warnings } = model;
  const items: string[] = [];
  for (const [name, text] of details) {
    items.push(toHtml(name === 'Compared with' ? `compared with ${text}` : text));
  }
  if (warnings.length > 0) {
    const count = warnings.length === 1 ? '1 warning' : `${warnings.length} warnings`;
    items.push(`<a href="#about">${count}</a>`);
  }
  return [
    `<header>\n<h1>${toHtml(title)}</h1>`,
    `<p>${items.map((fact) => `<span>${fact}</span>`).join(' ')}</p>`,
    renderParagraph('headline', toHtml(headline ?? '')),
    renderParagraph('small', toHtml(comparisonNote ?? '')),
    renderParagraph('sender-note', senderNote.map(toHtml).join('<br>')),
    '</header>\n',
  ].join('\n');
}

/** Renders the warnings, the notes and the origin of the report. */
function renderAbout({ about, warnings, notes }: ReportModel): string {
  if (about.size + warnings.length + notes.length === 0) return '';

  const entries: string[] = [];
  for (const [name, text] of about) {
    entries.push(`<dt>${toHtml(name)}</dt><dd>${toHtml(text)}</dd>`);
  }
  return `<footer id="about"><h2>About this report</h2>
${warnings.map((warning) => renderParagraph('warning', `Warning: ${toHtml(warning)}`)).join('')}${notes.map((note) => renderParagraph('note', `Note: ${toHtml(note)}`)).join('')}<dl>${entries.join('\n')}</dl>
</footer>
`;
}
