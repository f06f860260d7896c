import type { ReportMember } from '../rows/row-batch.ts';

/** The origin of a report, stored next to the rows in formats that have room for it. */
export interface Provenance {
  /** The request without its window; `null` if only the report's id is known. */
  readonly request: object | null;

  /** The account name, if the request is known. */
  readonly account?: string | undefined;

  /** The filters of the request, one text each: `Country: France, Germany`. */
  readonly filters: readonly string[];

  /** The columns that identify a row. */
  readonly key: readonly string[];

  /** `null` for data without an id and for merged reports. */
  readonly reportId: string | null;

  /** Download time in milliseconds since 1970, if known. */
  readonly fetchedMs?: number | undefined;

  /** Version of adreport that wrote the file. */
  readonly version: string;
}

/**
 * Metadata for programs: names with JSON values.
 *
 * @param warnings the warnings on the report, as sentences
 */
export function membersOf(provenance: Provenance, warnings: readonly string[]): ReportMember[] {
  const { request, key, reportId, fetchedMs, version } = provenance;
  const fetchedAt = fetchedMs === undefined ? null : new Date(fetchedMs).toISOString();
  const members = { request, key, reportId, fetchedAt, warnings, version };

  return Object.entries(members).map(([name, value]) => {
    return { name, json: Buffer.from(JSON.stringify(value)) };
  });
}

/** Metadata for readers, other than filters: texts by label, in order. */
export function provenanceFacts(provenance: Provenance): Map<string, string> {
  const { request, account, key, reportId, fetchedMs, version } = provenance;
  const facts = new Map<string, string>();

  if (account !== undefined && isFitToShow(account)) facts.set('Account', account);
  const requestText = request === null ? '' : describeRequest(request);
  if (requestText !== '') facts.set('Request', requestText);
  if (fetchedMs !== undefined) facts.set('Fetched', timeText(fetchedMs));
  if (reportId !== null) facts.set('Report', reportId);
  if (key.length > 0) facts.set('Key', key.join(', '));
  facts.set('Written by', `adreport ${version}`);
  return facts;
}

/** The name of an account that the user has not named. */
const defaultAccountName = 'default';

/**
 * True if an account name may appear in files for other people: e-mail addresses may not, and the
 * default name carries no information.
 */
function isFitToShow(account: string): boolean {
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
