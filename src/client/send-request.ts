import type { Client } from '../api/client.ts';
import type { ReportResponse } from '../api/read-responses.ts';
import { encodeBody, type ReportBody } from '../query/body.ts';

/** A report that was requested, in this process or earlier. */
export interface RequestedReport {
  /** Absent if the service responded to the request with the data itself. */
  readonly id?: string;

  /**
   * Time of the request by the service's clock, in milliseconds since 1970. The report has no later
   * data.
   */
  readonly createdMs: number;
  readonly status: string;

  /**
   * Time of the request by this machine's clock; absent if another machine requested the report.
   */
  readonly requestedMs?: number;

  /** Data of the report, if the service sent it instead of an id (`decisions.md` 2). */
  readonly response?: ReportResponse;
}

/** Requests a report. Throws the errors of the client's `createReport`. */
export async function requestReport(
  client: Client,
  parameters: ReportBody,
): Promise<RequestedReport> {
  const requestedMs = client.host.wallClock();
  const body = encodeBody(parameters, client.encoding);
  const created = await client.createReport({ body, isDirect: parameters.output === 'direct' });
  if (created.kind === 'data') {
    const { response } = created;
    return { status: 'ready', requestedMs, createdMs: response.serviceMs ?? requestedMs, response };
  }

  const { id, status, serviceMs } = created;
  // Only the service's clock can tell how much of the window was over.
  const createdMs = serviceMs ?? requestedMs;
  return { id, status, requestedMs, createdMs };
}
