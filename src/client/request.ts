import type { Client, ReportResponse } from '../api/client.ts';
import type { ReportOrigin } from '../checks/report-check.ts';
import type { ReportRequest } from '../contract/messages.ts';
import { encodeRequest } from '../query/request.ts';

/** A report that was requested, in this process or before. */
export interface RequestedReport extends ReportOrigin {
  readonly status: string;

  /** Data, if the service answered with it instead of an id (`decisions.md` 2). */
  readonly answer?: ReportResponse;
}

/** Throws as the client's `createReport`. */
export async function requestReport(
  client: Client,
  request: ReportRequest,
): Promise<RequestedReport> {
  const requestedMs = client.host.wallClock();
  const body = encodeRequest(request, client.encoding);
  const created = await client.createReport({ body, isDirect: request.output === 'direct' });
  if (created.kind === 'data') {
    const { answer } = created;
    return { status: 'ready', createdMs: answer.serviceMs ?? requestedMs, answer };
  }

  const { id, status, serviceMs, answer } = created;
  // Only the service's clock decides how much of the window was over.
  return { id, status, createdMs: serviceMs ?? requestedMs, records: [answer] };
}
