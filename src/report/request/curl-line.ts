import type { Encoding, ReportRequest } from '../../contract/messages.ts';
import { quoteForShell } from '../../text/quote-for-shell.ts';
import { createUrl, encodeRequest } from './request-body.ts';

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
