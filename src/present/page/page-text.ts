import type { Change } from '../../figures/change.ts';
import { escapeHtml, printable } from '../../text/printable.ts';

/** Text of the report as HTML. */
export function htmlText(text: string): string {
  return escapeHtml(printable(text));
}

/** A change as HTML, coloured by its direction, which its arrow tells without colour too. */
export function changeHtml({ direction, text }: Change): string {
  return `<b class="${direction}">${htmlText(text)}</b>`;
}
