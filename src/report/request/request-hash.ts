import { createHash } from 'node:crypto';
import type { ReportRequest } from '../../contract/messages.ts';
import { requestParameters, trimSlashes } from './request-body.ts';

/** What tells one report from another in the ledger. */
export interface RequestIdentity {
  readonly baseUrl: string;
  /** Who asks: any name that stays the same from run to run. */
  readonly account: string;
  readonly request: ReportRequest;
}

/**
 * A name for a request that is the same on every machine: 32 hex digits. The order of metrics and breakdowns counts,
 * because the report keeps it; the order of filters and of their values does not.
 */
export function requestHash({ baseUrl, account, request }: RequestIdentity): string {
  const { filters, ...others } = request;
  const sortedFilters = Object.entries(filters)
    .map(([name, values]) => [name, [...values].sort()] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const identity = [trimSlashes(baseUrl), account, requestParameters({ ...others, filters: {} }), sortedFilters];
  return createHash('sha256').update(JSON.stringify(identity)).digest('hex').slice(0, 32);
}
