import type { Change } from '../../figures/change.ts';
import { escapeHtml, printable } from '../../text/printable.ts';

/** Text of the report as HTML. */
export function htmlText(text: string): string {
  return escapeHtml(printable(text));
}

/** A sentence with names (`nameInSentence`) as HTML. */
export function sentenceHtml(sentence: string): string {
  const parts = sentence.split(/\u2068([^\u2068\u2069]*)\u2069/);
  return parts.map((part, i) => (i % 2 === 1 ? bdi(part) : htmlText(part))).join('');
}

/** A text of the report as HTML that keeps its own direction, whatever stands around it. */
export function bdi(text: string): string {
  return `<bdi>${htmlText(text)}</bdi>`;
}

/** A change as HTML, coloured by its direction, which its arrow tells without colour too. */
export function changeHtml({ direction, text }: Change): string {
  return `<b class="${direction}">${htmlText(text)}</b>`;
}
