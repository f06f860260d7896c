import type { ReportModel } from '../report-model.ts';
import type { PageTable } from './page-table.ts';
import { htmlText } from './page-text.ts';

/** Lists on paper the tables that are not printed, the notes, and “About this report”. */
export function paperFoot({ about, notes }: ReportModel, tables: readonly PageTable[]): string {
  const unprinted = tables.filter(({ paper }) => !paper.isPrinted);
  const paragraphs = unprinted.flatMap(({ paper }) => paper.sentences).map(htmlText);
  for (const note of notes) paragraphs.push(`Note: ${htmlText(note)}`);
  if (about.size > 0) paragraphs.push(`<b>About this report</b> ${inOneLine(about)}`);
  return paragraphs.map((html) => `<p class="paper">${html}</p>\n`).join('');
}

/**
 * Renders the notes, and “About this report”, which can be expanded on screen.
 * @param onPaper printed part of the footer; `undefined` if a table includes that
 */
export function renderFoot({ about, notes }: ReportModel, onPaper: string | undefined): string {
  if (about.size === 0 && notes.length === 0 && !onPaper) return '';

  const paragraphs = notes.map((note) => `<p class="screen">Note: ${htmlText(note)}</p>\n`);
  const onScreenOnly = onPaper === undefined ? ' class="screen"' : '';
  return `<footer${onScreenOnly}>\n${paragraphs.join('')}${renderAboutSection(about)}${onPaper ?? ''}</footer>\n`;
}

function renderAboutSection(about: ReadonlyMap<string, string>): string {
  if (about.size === 0) return '';

  const entries: string[] = [];
  for (const [name, text] of about) {
    entries.push(`<dt>${htmlText(name)}</dt><dd>${htmlText(text)}</dd>`);
  }
  return `<details class="about"><summary>About this report</summary>
<dl>${entries.join('\n')}</dl></details>
`;
}

function inOneLine(about: ReadonlyMap<string, string>): string {
  const texts = [...about].map(([name, text]) => `${htmlText(name)}: ${htmlText(text)}`);
  return texts.join(' · ');
}
