import { factsForPeople, type Provenance } from '../provenance.ts';
import { htmlText } from './page-text.ts';

/** What programs find of a report in its page. @param text JSON without markup */
export function renderMembers(text: string): string {
  return `<script type="application/json" id="report">${text}</script>\n`;
}

/**
 * The line at the foot of a page: whose report it is, what it is restricted to, when it was fetched, and what its service
 * and its reader call it; below it what differs from the request.
 */
export function renderFoot(provenance: Provenance, warnings: readonly string[]): string {
  const facts: string[] = [];
  for (const [name, text] of factsForPeople(provenance)) {
    facts.push(`<span>${htmlText(`${name}: ${text}`)}</span>`);
  }

  const paragraphs = [`<p>${facts.join(' ')}</p>`];
  for (const warning of warnings) paragraphs.push(`<p>Warning: ${htmlText(warning)}</p>`);
  return `<footer>\n${paragraphs.join('\n')}\n</footer>\n`;
}
