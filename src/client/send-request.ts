import type { Client } from '../api/client.ts';
import type { ReportResponse } from '../api/read-responses.ts';
import { encodeBody, type ReportBody } from '../query/body.ts';

/** A report that was requested, in this process or before. */
export interface RequestedReport {
  /** Absent if the service responded to the request with the data itself. */
  readonly id?: string;

  /** When the report was requested, in milliseconds since 1970. Its data ends there. */
  readonly createdMs: number;
  readonly status: string;

  /** The same by this machine's clock; absent if another machine requested it. */
  readonly requestedMs?: number;

  /** Data, if the service sent it instead of an id (`decisions.md` 2). */
  readonly response?: ReportResponse;
}

/** Requests a report. Throws as the client's `createReport`. */
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
  // Only the service's clock decides how much of the window was over.
  const createdMs = serviceMs ?? requestedMs;
  return { id, status, requestedMs, createdMs };
}
