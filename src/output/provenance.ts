import { deriveNoun, fieldLabel, listKeyFields } from '../contract/columns.ts';
import { findAnyBreakdown } from '../contract/vocabulary.ts';
import { breakdownsToSend } from '../query/body.ts';
import { describeFilters, toRequestRecord } from '../query/describe.ts';
import type { Query } from '../query/query.ts';
import type { ReportMember } from '../rows/row-batch.ts';
import { listWords } from '../text/quantity.ts';

/** Origin of a report, stored next to the rows in formats that have room for it. */
export interface Provenance {
  /** Request without its window; `null` if only the report's id is known. */
  readonly request: object | null;

  /** Account name, if the request is known. */
  readonly account?: string | undefined;

  /** Filters of the request, one string each: `Country: France, Germany`. */
  readonly filters: readonly string[];

  /** Columns that identify a row. */
  readonly key: readonly string[];

  /** Report ID; `null` for data without one and for merged reports. */
  readonly reportId: string | null;

  /** Download time in milliseconds since 1970, if known. */
  readonly fetchedMs?: number | undefined;

  /** Version of adreport that wrote the file. */
  readonly version: string;
}

type DownloadFacts = Pick<Provenance, 'reportId' | 'fetchedMs' | 'version'>;

/** Describes the origin of a report; without its query, only the download is known. */
export function describeProvenance(query: Query | undefined, facts: DownloadFacts): Provenance {
  if (!query) return { ...facts, request: null, filters: [], key: [] };
  const { service, account, filters, breakdowns } = query;
  return {
    ...facts,
    request: toRequestRecord(query),
    // The user did not choose the account of a local server.
    account: service === 'local' ? undefined : account,
    filters: describeFilters(filters),
    key: listKeyFields(breakdownsToSend(breakdowns)),
  };
}

/**
 * Returns metadata for programs: names with JSON values.
 *
 * @param warnings sentences on the report
 */
export function listMembers(provenance: Provenance, warnings: readonly string[]): ReportMember[] {
  const { request, key, reportId, fetchedMs, version } = provenance;
  const fetchedAt = fetchedMs === undefined ? null : new Date(fetchedMs).toISOString();
  const members = { request, key, reportId, fetchedAt, warnings, version };

  return Object.entries(members).map(([name, value]) => {
    return { name, json: Buffer.from(JSON.stringify(value)) };
  });
}

/**
 * Returns metadata for readers, other than filters: values by label, in order.
 *
 * @param labels names that replace the labels of metrics
 */
export function provenanceFacts(
  provenance: Provenance,
  labels: ReadonlyMap<string, string> = new Map(),
): Map<string, string> {
  const { request, account, reportId, fetchedMs } = provenance;
  const facts = new Map<string, string>();

  if (account !== undefined && isShareableAccount(account)) facts.set('Account', account);
  const requestText = request === null ? '' : describeRequest(request, labels);
  if (requestText !== '') facts.set('Request', requestText);
  if (reportId !== null) facts.set('Report ID', reportId);
  if (fetchedMs !== undefined) facts.set('Downloaded', timeText(fetchedMs));
  return facts;
}

/** Name of an account that the user did not name. */
const defaultAccountName = 'default';

/**
 * Returns false for e-mail addresses, which may not appear in files for other people, and for the
 * default name, which says nothing.
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
  const by = breakdowns.length > 0 ? `By ${listWords(breakdowns)}` : '';
  return [by, metrics.join(', ')].filter((text) => text !== '').join(': ');
}

function listNames(request: object, name: string): string[] {
  const list = new Map(Object.entries(request)).get(name);
  return Array.isArray(list) ? list.map(String) : [];
}

/** Formats milliseconds since 1970 as `3 Nov 2026, 04:05 UTC`. */
function timeText(ms: number): string {
  const options = { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' } as const;
  return `${new Intl.DateTimeFormat('en-GB', options).format(ms)} UTC`;
}
