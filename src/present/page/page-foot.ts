import type { ReportModel } from '../report-model.ts';
import { htmlText } from './page-text.ts';

/**
 * What stands at the foot of a page: the notes in small print, and what else is known of the
 * report, which unfolds.
 */
export function renderFoot({ about, notes }: ReportModel): string {
  const paragraphs = notes.map((note) => `<p>Note: ${htmlText(note)}</p>\n`);
  if (about.size === 0 && paragraphs.length === 0) return '';

  const facts: string[] = [];
  for (const [name, text] of about) {
    facts.push(`<dt>${htmlText(name)}</dt><dd>${htmlText(text)}</dd>`);
  }
  const details =
    facts.length === 0
      ? ''
      : `<details class="about"><summary>About this report</summary>\n<dl>${facts.join('\n')}</dl></details>\n`;
  return `<footer>\n${paragraphs.join('')}${details}</footer>\n`;
}
