import type { ReportModel } from '../report-model.ts';
import type { PageTable } from './page-table.ts';
import { htmlText } from './page-text.ts';

/**
 * The foot of a page: what is not printed, the notes in small print, and what else is known of the
 * report, which unfolds on a screen.
 */
export class PageFoot {
  readonly #model: ReportModel;

  /** On tables that are not printed. */
  readonly #notPrinted: readonly string[];

  /** @param tables of the page */
  constructor(model: ReportModel, tables: readonly PageTable[]) {
    this.#model = model;
    const unprinted = tables.filter(({ paper }) => !paper.isPrinted);
    this.#notPrinted = unprinted.flatMap(({ paper }) => paper.sentences);
  }

  /** @param isPrinted whether it is on paper, too: no table has it there */
  render(isPrinted: boolean): string {
    const { about, notes } = this.#model;
    const onPaper = isPrinted ? this.onPaper() : '';
    if (about.size === 0 && notes.length === 0 && onPaper === '') return '';

    const paragraphs = notes.map((note) => `<p class="screen">Note: ${htmlText(note)}</p>\n`);
    return `<footer${isPrinted ? '' : ' class="screen"'}>\n${paragraphs.join('')}${unfolding(about)}${onPaper}</footer>\n`;
  }

  /** The same as paragraphs that are on paper alone. */
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
