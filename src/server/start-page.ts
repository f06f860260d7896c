import { endpoints } from '../contract/messages.ts';
import { escapeHtml } from '../text/printable.ts';
import { quoteForShell } from '../text/quote-for-shell.ts';
import type { Account } from './fixtures/fixtures.ts';
import type { Reply } from './reply.ts';

/** Keeps the page from running or loading anything, because names in the data are untrusted. */
const headers = { 'content-security-policy': "default-src 'none'; img-src data:" };

/**
 * Builds the web page at `GET /`: the accounts, and curl commands for the first of them.
 *
 * @param host host that the client called, such as a proxy
 */
export function pageReply(accounts: readonly Account[], host = 'localhost'): Reply {
  const baseUrl = `http://${host}`;
  const [account] = accounts;
  const lines = account ? listCurlLines(account, baseUrl) : [];

  const body = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>adreport local-server</title>
<link rel="icon" href="data:,">
<h1>adreport local-server</h1>
<p>This is the reporting service on your machine, with sample data. Base URL: <code>${escapeHtml(baseUrl)}</code></p>
<p><a href="openapi.json">openapi.json</a> describes the service.</p>
<h2>Accounts</h2>
<table>
<tr><th>E-mail<th>Password<th>Token<th>Profile
${accounts.map(formatAccountRow).join('\n')}
</table>
<h2>Calls</h2>
${lines.map((line) => `<pre>${escapeHtml(line)}</pre>`).join('\n')}
</html>
`;
  return { status: 200, type: 'text/html; charset=utf-8', headers, body };
}

function formatAccountRow({ email, password, token, profile, admin }: Account): string {
  const cells = [email, password, token, admin ? `${profile}, admin` : profile];
  return `<tr>${cells.map((cell) => `<td><code>${escapeHtml(cell)}</code>`).join('')}`;
}

/** Lists the commands in order of use. The second sets `$id`, which the next two use. */
function listCurlLines({ email, password, token }: Account, baseUrl: string): readonly string[] {
  const { auth, buyer, status, download, campaigns } = endpoints;
  const curl = ({ path }: { readonly path: string }, ...options: string[]): string =>
    [`curl -s ${quoteForPosix(baseUrl + path)}`, ...options].join(' \\\n  ');

  const signed = `-H ${quoteForPosix(`Authorization: ${token}`)}`;
  const credentials = JSON.stringify({ auth: { email, password } });
  const request = JSON.stringify({
    since: 1_780_272_000,
    until: 1_780_876_799,
    metrics: 'displays,revenueEuro',
    breakdowns: ['DAILY', 'FORMAT'],
  });
  const create = curl(buyer, signed, `-d ${quoteForPosix(request)}`);
  const readId = `sed 's/.*"report_id":"\\([^"]*\\)".*/\\1/'`;
  const asJson = "-H 'Accept: application/json'";

  return [
    curl(auth, `-d ${quoteForPosix(credentials)}`),
    `id=$(${create} | ${readId}); echo "$id"`,
    curl(status, signed, '-d "id=$id"'),
    curl(download, signed, asJson, '-d "id=$id"'),
    curl(campaigns, signed),
  ];
}

/** Quotes an argument for a POSIX shell, even on Windows. */
function quoteForPosix(text: string): string {
  return quoteForShell(text, 'linux');
}
