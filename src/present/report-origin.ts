import { deriveNoun, fieldLabel } from '../contract/columns.ts';
import { findAnyBreakdown } from '../contract/vocabulary.ts';
import type { Provenance } from '../output/provenance.ts';
import { joinWords } from '../text/quantity.ts';

/**
 * Describes the origin of a report for readers, by label. Filters are omitted, because they
 * are shown below the title.
 *
 * @param labels names that replace the labels of metrics
 */
export function listOrigin(
  provenance: Provenance,
  labels: ReadonlyMap<string, string> = new Map(),
): Map<string, string> {
  const { request, account, reportId, downloadedMs } = provenance;
  const details = new Map<string, string>();

  if (account !== undefined && isShareableAccount(account)) details.set('Account', account);
  const requestText = request === null ? '' : describeRequest(request, labels);
  if (requestText !== '') details.set('Request', requestText);
  if (reportId !== null) details.set('Report ID', reportId);
  if (downloadedMs !== undefined) details.set('Downloaded', formatTime(downloadedMs));
  return details;
}

/** Name of an account that the user did not name. */
const defaultAccountName = 'default';

/**
 * Whether readers may see the name of an account. E-mail addresses may not appear in files for
 * other people, and the default name means nothing to them.
 */
function isShareableAccount(account: string): boolean {
  return account !== defaultAccountName && !account.includes('@');
}

/** Describes breakdowns and metrics in words: `By day and campaign: Displays, Clicks`. */
function describeRequest(request: object, labels: ReadonlyMap<string, string>): string {
  const breakdowns = listNames(request, 'breakdowns').map((name) => {
    const breakdown = findAnyBreakdown(name);
    return breakdown ? deriveNoun(breakdown) : name;
  });
  const metrics = listNames(request, 'metrics').map((name) => labels.get(name) ?? fieldLabel(name));
  const by = breakdowns.length > 0 ? `By ${joinWords(breakdowns)}` : '';
  return [by, metrics.join(', ')].filter((words) => words !== '').join(': ');
}

function listNames(request: object, name: string): string[] {
  const list = new Map(Object.entries(request)).get(name);
  return Array.isArray(list) ? list.map(String) : [];
}

/** Formats milliseconds since 1970 as `3 Nov 2026, 04:05 UTC`. */
function formatTime(ms: number): string {
  const options = { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' } as const;
  return `${new Intl.DateTimeFormat('en-GB', options).format(ms)} UTC`;
}
