import { listKeyFields } from '../contract/columns.ts';
import { breakdownsToSend } from '../query/body.ts';
import { describeFilters, toRequestRecord } from '../query/describe.ts';
import type { Query } from '../query/query.ts';

/** Origin of a report. Formats that have room for it include it. */
export interface Provenance {
  /** Request without its window. `null` if only the report ID is known. */
  readonly request: object | null;

  readonly account?: string | undefined;

  /** Filters in human-readable form: `Country: France, Germany`. */
  readonly filters: readonly string[];

  /** Fields that identify a row. */
  readonly key: readonly string[];

  /** `null` for merged reports, and for data without an ID. */
  readonly reportId: string | null;

  /** In milliseconds since 1970. */
  readonly downloadedMs?: number | undefined;

  /** Version of adreport that wrote the file. */
  readonly version: string;
}

type DownloadInfo = Pick<Provenance, 'reportId' | 'downloadedMs' | 'version'>;

/** Describes the origin of a report, or only its download if the query is not known. */
export function describeProvenance(query: Query | undefined, info: DownloadInfo): Provenance {
  if (!query) return { ...info, request: null, filters: [], key: [] };
  const { service, account, filters, breakdowns } = query;
  return {
    ...info,
    request: toRequestRecord(query),
    // The account of a local server is not the user's choice.
    account: service === 'local' ? undefined : account,
    filters: describeFilters(filters),
    key: listKeyFields(breakdownsToSend(breakdowns)),
  };
}
