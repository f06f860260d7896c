import { escapeHtml, printable } from '../../text/printable.ts';
import type { Change } from '../../totals/change.ts';

/** Escapes text of the report, which may contain control characters. */
export function htmlText(text: string): string {
  return escapeHtml(printable(text));
}

/** Converts a sentence with marked names (`nameInSentence`) to HTML. */
export function sentenceHtml(sentence: string): string {
  const parts = sentence.split(/\u2068([^\u2068\u2069]*)\u2069/);
  return parts.map((part, i) => (i % 2 === 1 ? bdi(part) : htmlText(part))).join('');
}

/** Gives the text its own writing direction. */
export function bdi(text: string): string {
  return `<bdi>${htmlText(text)}</bdi>`;
}

/** Colors a change by direction; the arrow shows it without color too. */
export function changeHtml({ direction, text, isNeutral }: Change): string {
  return `<b class="${isNeutral ? 'same' : direction}">${htmlText(text)}</b>`;
}
