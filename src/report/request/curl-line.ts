import type { ReportRequest } from '../../contract/messages.ts';
import { createUrl, type Encoding, encodeRequest } from './request-body.ts';

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

/** A word that a POSIX shell passes on as it is; a single quote ends the quoting, stands escaped, and begins it anew. */
function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
