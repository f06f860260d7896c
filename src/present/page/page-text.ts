import { escapeHtml, printable } from '../../text/printable.ts';
import type { Change } from '../../totals/change.ts';

/** Escapes a string of the report, and makes its control characters visible. */
export function toHtml(text: string): string {
  return escapeHtml(printable(text));
}

/**
 * Renders a name with its own writing direction. Browsers may wrap the name after a separator, as
 * in `ACME_2026-Q4_FR_Retargeting`.
 */
export function renderName(name: string): string {
  const html = toHtml(name).replaceAll(/[_/|.-](?=\w)/g, '$&<wbr>');
  return `<bdi>${html}</bdi>`;
}

/** Renders a change with an arrow, in the color of its direction. */
export function renderChange({ direction, text, isNeutral }: Change): string {
  return `<b class="${isNeutral ? 'same' : direction}">${toHtml(text)}</b>`;
}

/** Renders a paragraph, unless it would be empty. */
export function renderParagraph(className: string, html: string): string {
  return html === '' ? '' : `<p class="${className}">${html}</p>\n`;
}
