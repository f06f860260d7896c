import { listKeyFields } from '../contract/columns.ts';
import { breakdownsToSend } from '../query/body.ts';
import { describeFilters, toRequestRecord } from '../query/describe.ts';
import type { Query } from '../query/query.ts';

/** Origin of a report. Formats that have room for it store it next to the rows. */
export interface Provenance {
  /** Request without its window; `null` if only the report's id is known. */
  readonly request: object | null;

  /** Name of the account; absent if the request is not known. */
  readonly account?: string | undefined;

  /** Filters of the request, one string each: `Country: France, Germany`. */
  readonly filters: readonly string[];

  /** Columns that identify a row. */
  readonly key: readonly string[];

  /** Report ID; `null` if the data came without an ID, and for merged reports. */
  readonly reportId: string | null;

  /** Time of the download in milliseconds since 1970, if known. */
  readonly fetchedMs?: number | undefined;

  /** Version of adreport that wrote the file. */
  readonly version: string;
}

type DownloadFacts = Pick<Provenance, 'reportId' | 'fetchedMs' | 'version'>;

/** Describes the origin of a report. If the query is not known, only the download is described. */
export function describeProvenance(query: Query | undefined, facts: DownloadFacts): Provenance {
  if (!query) return { ...facts, request: null, filters: [], key: [] };
  const { service, account, filters, breakdowns } = query;
  return {
    ...facts,
    request: toRequestRecord(query),
    // The account of a local server is not the user's choice.
    account: service === 'local' ? undefined : account,
    filters: describeFilters(filters),
    key: listKeyFields(breakdownsToSend(breakdowns)),
  };
}
