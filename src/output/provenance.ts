import type { ReportMember } from '../rows/row-batch.ts';

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

  /** `null` for data without an id and for merged reports. */
  readonly reportId: string | null;

  /** Download time in milliseconds since 1970, if known. */
  readonly fetchedMs?: number | undefined;

  /** Version of adreport that wrote the file. */
  readonly version: string;
}

/**
 * Returns metadata for programs: names with JSON values.
 *
 * @param warnings sentences on the report
 */
export function membersOf(provenance: Provenance, warnings: readonly string[]): ReportMember[] {
  const { request, key, reportId, fetchedMs, version } = provenance;
  const fetchedAt = fetchedMs === undefined ? null : new Date(fetchedMs).toISOString();
  const members = { request, key, reportId, fetchedAt, warnings, version };

  return Object.entries(members).map(([name, value]) => {
    return { name, json: Buffer.from(JSON.stringify(value)) };
  });
}

/** Returns metadata for readers, other than filters: values by label, in order. */
export function provenanceFacts(provenance: Provenance): Map<string, string> {
  const { request, account, key, reportId, fetchedMs, version } = provenance;
  const facts = new Map<string, string>();

  if (account !== undefined && isShareableAccount(account)) facts.set('Account', account);
  const requestText = request === null ? '' : describeRequest(request);
  if (requestText !== '') facts.set('Request', requestText);
  if (fetchedMs !== undefined) facts.set('Fetched', timeText(fetchedMs));
  if (reportId !== null) facts.set('Report', reportId);
  if (key.length > 0) facts.set('Key', key.join(', '));
  facts.set('Written by', `adreport ${version}`);
  return facts;
}

/** Account that the user has not named. */
const defaultAccountName = 'default';

/**
 * Excludes e-mail addresses, which may not appear in files for other people, and the default name,
 * which says nothing.
 */
function isShareableAccount(account: string): boolean {
  return account !== defaultAccountName && !account.includes('@');
}

/** Describes the profile, breakdowns and metrics of a request; empty if it has none of them. */
function describeRequest(request: object): string {
  const texts: string[] = [];
  if ('profile' in request) texts.push(String(request.profile));
  const lists = [
    { word: 'by', values: 'breakdowns' in request ? request.breakdowns : [] },
    { word: 'metrics', values: 'metrics' in request ? request.metrics : [] },
  ];
  for (const { word, values } of lists) {
    if (Array.isArray(values) && values.length > 0) texts.push(`${word} ${values.join(', ')}`);
  }
  return texts.join('; ');
}

/** Formats milliseconds since 1970 as `2026-11-03 04:05 UTC`. */
function timeText(ms: number): string {
  const iso = new Date(ms).toISOString();
  return `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`;
}
