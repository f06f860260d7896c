import { endpoints } from '../../contract/endpoints.ts';
import type { Encoding, ReportRequest } from '../../contract/messages.ts';

/** The body of a create call, with the Content-Type it is sent as. */
export interface EncodedRequest {
  readonly contentType: 'application/json' | 'application/x-www-form-urlencoded';
  readonly text: string;
}

/** The create call's body in either of the service's encodings (specification, What the service does, 6). */
export function encodeRequest(request: ReportRequest, encoding: Encoding): EncodedRequest {
  return encoding === 'json'
    ? { contentType: 'application/json', text: encodeJson(request) }
    : { contentType: 'application/x-www-form-urlencoded', text: encodeForm(request) };
}

/** The parameters of a request by their wire names (specification, Report request parameters). */
export function requestParameters(request: ReportRequest): Record<string, number | string | readonly string[]> {
  const { since, until, metrics, breakdowns, filters, timezone, output } = request;
  return {
    since,
    until,
    metrics: metrics.join(','),
    ...(breakdowns.length > 0 ? { breakdowns } : {}),
    ...filters,
    ...(timezone === undefined ? {} : { timezone }),
    ...(output === undefined ? {} : { output }),
  };
}

/** `{"since":1793487600,"until":…,"metrics":"displays,clicks","breakdowns":["DAILY"],"campaignId":["12"]}` */
export function encodeJson(request: ReportRequest): string {
  return JSON.stringify(requestParameters(request));
}

/**
 * `since=1793487600&until=…&metrics=displays,clicks&breakdowns[0]=DAILY&campaignId[0]=12`: as the specification writes
 * it, with the brackets and the commas of names bare. Both are legal in a form, and values are percent-encoded.
 */
export function encodeForm(request: ReportRequest): string {
  const fields = Object.entries(requestParameters(request)).flatMap(([name, value]) => {
    if (name === 'metrics') return [`metrics=${value}`];
    return Array.isArray(value)
      ? value.map((item, index) => `${name}[${index}]=${encodeURIComponent(item)}`)
      : [`${name}=${encodeURIComponent(String(value))}`];
  });
  return fields.join('&');
}

/** The URL of the create call of a service. */
export function createUrl(baseUrl: string): string {
  return trimSlashes(baseUrl) + endpoints.buyer.path;
}

/** A base URL without the slashes at its end, which make no difference. */
export function trimSlashes(baseUrl: string): string {
  return baseUrl.replace(/\/+$/, '');
}
