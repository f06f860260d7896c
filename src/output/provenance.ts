import type { ReportMember, ReportTail } from '../rows/row-batch.ts';
import { visibleJson } from '../text/printable.ts';

/** Where a report comes from, as files with a place for it keep it beside the rows. */
export interface Provenance {
  /** The request without its window; `null` where only the id of the report is known. */
  readonly request: object | null;
  /** The name or the e-mail address of the account, where the request is known. */
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
 * @param warnings what differs from the request, in sentences
 */
export function membersOf(provenance: Provenance, warnings: readonly string[]): ReportMember[] {
  const { request, key, reportId, fetchedMs, version } = provenance;
  const fetchedAt = new Date(fetchedMs).toISOString();
  const members = { request, key, reportId, fetchedAt, warnings, version };

  return Object.entries(members).map(([name, value]) => {
    return { name, json: Buffer.from(JSON.stringify(value)) };
  });
}

/**
 * The same, and what the service said of the window (`summary`), as one JSON object in which nothing is markup: for files
 * that are XML or HTML.
 */
export function membersText(
  provenance: Provenance,
  { members }: Pick<ReportTail, 'members'>,
  warnings: readonly string[],
): string {
  const summary = members.filter(({ name }) => name === 'summary');
  const document: Record<string, unknown> = {};
  for (const { name, json } of [...summary, ...membersOf(provenance, warnings)]) {
    document[name] = JSON.parse(json.toString());
  }

  return visibleJson(document).replaceAll(/[<>&]/g, (character) => {
    return `\\u00${character.charCodeAt(0).toString(16)}`;
  });
}

/** What people read of a report beside its figures: texts by their names, in order. */
export function factsForPeople(provenance: Provenance): Map<string, string> {
  const { account, filters, key, reportId, fetchedMs, version } = provenance;
  const facts = new Map<string, string>();

  if (account !== undefined) facts.set('Account', account);
  if (filters.length > 0) facts.set('Filters', filters.join('; '));
  facts.set('Fetched', timeText(fetchedMs));
  if (reportId !== null) facts.set('Report', reportId);
  if (key.length > 0) facts.set('Key', key.join(', '));
  facts.set('Written by', `adreport ${version}`);
  return facts;
}

/** An instant in milliseconds since 1970 as `2026-11-03 04:05 UTC`. */
function timeText(ms: number): string {
  const iso = new Date(ms).toISOString();
  return `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`;
}
