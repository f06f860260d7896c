import { listKeyFields } from '../contract/columns.ts';
import type { ReportSummary } from '../contract/messages.ts';
import type { Provenance } from '../output/provenance.ts';
import { breakdownsToSend } from '../query/body.ts';
import { describeWindow } from '../query/calendar.ts';
import { describeFilters, toRequestRecord } from '../query/describe.ts';
import type { Part, Query } from '../query/query.ts';
import type { ReportTail } from '../rows/row-batch.ts';
import type { Context } from './context.ts';

/** Ends of a period as RFC 3339; `null` if unknown. */
interface ReportedWindow {
  readonly since: string | null;
  readonly until: string | null;
}

/** Returns the window of a report as RFC 3339: the requested one, or that of its summary. */
export function describePeriod(part: Part | undefined, { summary }: ReportTail): ReportedWindow {
  const window = part ? describeWindow(part) : summary && formatSummaryWindow(summary);
  return { since: window?.since ?? null, until: window?.until ?? null };
}

/** Formats the ends of a summary's window as RFC 3339: `+01:00` for `+0100`. */
function formatSummaryWindow({
  since,
  until,
}: ReportSummary): Pick<ReportSummary, 'since' | 'until'> {
  const withColon = (time: string) => time.replace(/([+-]\d\d)(\d\d)$/, '$1:$2');
  return { since: withColon(since), until: withColon(until) };
}

/** Describes the origin of the data, as stored in the file. */
export function describeProvenance(
  { host, version }: Pick<Context, 'host' | 'version'>,
  query: Query | undefined,
  reportId: string | undefined,
): Provenance {
  return {
    request: query ? toRequestRecord(query) : null,
    // The user did not choose the account of a local server.
    account: query?.service === 'local' ? undefined : query?.account,
    filters: describeFilters(query?.filters ?? {}),
    key: keyFor(query),
    reportId: reportId ?? null,
    fetchedMs: host.wallClock(),
    version,
  };
}

/** Returns the columns that identify a row; none if the request is not known. */
export function keyFor(query: Query | undefined): readonly string[] {
  return query ? listKeyFields(breakdownsToSend(query.breakdowns)) : [];
}
