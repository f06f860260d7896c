import type { ReportModel } from '../report-model.ts';
import type { PageTable } from './page-table.ts';
import { htmlText } from './page-text.ts';

/**
 * The footer of a page: what is not printed, the notes, and “About this report”, which can be
 * expanded on screen.
 */
export class PageFoot {
  readonly #model: ReportModel;

  /** Sentences on tables that are not printed. */
  readonly #notPrinted: readonly string[];

  /** @param tables the tables of the page */
  constructor(model: ReportModel, tables: readonly PageTable[]) {
    this.#model = model;
    const unprinted = tables.filter(({ paper }) => !paper.isPrinted);
    this.#notPrinted = unprinted.flatMap(({ paper }) => paper.sentences);
  }

  /** @param isPrinted true if the footer is printed, because no table includes it */
  render(isPrinted: boolean): string {
    const { about, notes } = this.#model;
    const onPaper = isPrinted ? this.onPaper() : '';
    if (about.size === 0 && notes.length === 0 && onPaper === '') return '';

    const paragraphs = notes.map((note) => `<p class="screen">Note: ${htmlText(note)}</p>\n`);
    return `<footer${isPrinted ? '' : ' class="screen"'}>\n${paragraphs.join('')}${unfolding(about)}${onPaper}</footer>\n`;
  }

  /** The footer as paragraphs for print only. */
  onPaper(): string {
    const { about, notes } = this.#model;
    const paragraphs = this.#notPrinted.map(htmlText);
    for (const note of notes) paragraphs.push(`Note: ${htmlText(note)}`);
    if (about.size > 0) paragraphs.push(`<b>About this report</b> ${inOneLine(about)}`);
    return paragraphs.map((html) => `<p class="paper">${html}</p>\n`).join('');
  }
}

function unfolding(about: ReadonlyMap<string, string>): string {
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
