import { escapeHtml, printable } from '../../text/printable.ts';
import type { Change } from '../../totals/change.ts';

/** Escapes a string of the report, which may contain control characters. */
export function htmlText(text: string): string {
  return escapeHtml(printable(text));
}

/**
 * Gives a name its own writing direction. Browsers may break the name after its separators:
 * `ACME_2026-Q4_FR_Retargeting`.
 */
export function nameHtml(name: string): string {
  const html = htmlText(name).replaceAll(/[_/|.-](?=\w)/g, '$&<wbr>');
  return `<bdi>${html}</bdi>`;
}

/** Colors a change by its direction. The arrow shows the direction without color too. */
export function changeHtml({ direction, text, isNeutral }: Change): string {
  return `<b class="${isNeutral ? 'same' : direction}">${htmlText(text)}</b>`;
}

/** Renders a paragraph; an empty string if it would be empty. */
export function paragraph(name: string, html: string): string {
  return html === '' ? '' : `<p class="${name}">${html}</p>\n`;
}
