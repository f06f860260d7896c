import { createHash } from 'node:crypto';
import { endpoints } from '../../contract/endpoints.ts';
import type { Encoding, ReportRequest } from '../../contract/messages.ts';
import { quoteForShell } from '../../text/quote-for-shell.ts';

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
function encodeJson(request: ReportRequest): string {
  return JSON.stringify(requestParameters(request));
}

/**
 * `since=1793487600&until=…&metrics=displays,clicks&breakdowns[0]=DAILY&campaignId[0]=12`: as the specification writes
 * it, with the brackets and the commas of names bare. Both are legal in a form, and values are percent-encoded.
 */
function encodeForm(request: ReportRequest): string {
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
function trimSlashes(baseUrl: string): string {
  return baseUrl.replace(/\/+$/, '');
}

/** A create call to be written as a curl command. */
export interface CurlCall {
  readonly baseUrl: string;
  readonly request: ReportRequest;
  readonly encoding: Encoding;
}

/** The create call as a line for any POSIX shell, which has the token from `$ADREPORT_TOKEN`. */
export function curlLine({ baseUrl, request, encoding }: CurlCall): string {
  const { contentType, text } = encodeRequest(request, encoding);
  return [
    `curl ${quoteForShell(createUrl(baseUrl))}`,
    '-H "Authorization: $ADREPORT_TOKEN"',
    "-H 'Accept: application/json'",
    `-H 'Content-Type: ${contentType}'`,
    `--data-raw ${quoteForShell(text)}`,
  ].join(' ');
}

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
