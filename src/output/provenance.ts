import { listKeyFields } from '../contract/columns.ts';
import { breakdownsToSend } from '../query/body.ts';
import { describeFilters, toRequestRecord } from '../query/describe.ts';
import type { Query } from '../query/query.ts';

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
