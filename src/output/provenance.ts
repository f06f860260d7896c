import type { ReportMember } from '../rows/row-batch.ts';

/** Where a report comes from, as files with a place for it keep it beside the rows. */
export interface Provenance {
  /** The request without its window; `null` where only the id of the report is known. */
  readonly request: object | null;

  /** The name of the account, where the request is known. */
  readonly account?: string | undefined;

  /** What the report is restricted to, in words, a text each: `Country: France, Germany`. */
  readonly filters: readonly string[];

  /** The columns that tell a row from every other one. */
  readonly key: readonly string[];

  /** `null` for data that came without an id, and for several reports that were merged. */
  readonly reportId: string | null;

  /** When the data was fetched, in milliseconds since 1970. */
  readonly fetchedMs: number;

  /** The version of adreport that wrote the file. */
  readonly version: string;
}

/**
 * What programs find in a file beside its rows: names, each with a value as JSON.
 *
 * @param findings what is proven to be wrong with the report, in sentences
 */
export function membersOf(provenance: Provenance, findings: readonly string[]): ReportMember[] {
  const { request, key, reportId, fetchedMs, version } = provenance;
  const fetchedAt = new Date(fetchedMs).toISOString();
  const members = { request, key, reportId, fetchedAt, warnings: findings, version };

  return Object.entries(members).map(([name, value]) => {
    return { name, json: Buffer.from(JSON.stringify(value)) };
  });
}

/** What people read of a report beside its figures and filters: texts by their names, in order. */
export function factsForPeople(provenance: Provenance): Map<string, string> {
  const { request, account, key, reportId, fetchedMs, version } = provenance;
  const facts = new Map<string, string>();

  if (account !== undefined && isFitForReaders(account)) facts.set('Account', account);
  const requestText = request === null ? '' : textOfRequest(request);
  if (requestText !== '') facts.set('Request', requestText);
  facts.set('Fetched', timeText(fetchedMs));
  if (reportId !== null) facts.set('Report', reportId);
  if (key.length > 0) facts.set('Key', key.join(', '));
  facts.set('Written by', `adreport ${version}`);
  return facts;
}

/** The name that an account has where the user gave it none. */
const nameOfNoChoice = 'default';

/**
 * Whether a name may go to other people: an e-mail address may not, and a name that nobody chose
 * says nothing.
 */
function isFitForReaders(account: string): boolean {
  return account !== nameOfNoChoice && !account.includes('@');
}

/**
 * The profile, the breakdowns and the metrics of a request in words; empty where it tells none of
 * them.
 */
function textOfRequest(request: object): string {
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

/** An instant in milliseconds since 1970 as `2026-11-03 04:05 UTC`. */
function timeText(ms: number): string {
  const iso = new Date(ms).toISOString();
  return `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`;
}
