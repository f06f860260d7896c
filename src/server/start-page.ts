import { endpoints } from '../contract/messages.ts';
import { escapeHtml } from '../text/printable.ts';
import { quoteForShell } from '../text/quote-for-shell.ts';
import type { Account } from './fixtures/fixtures.ts';
import type { Reply } from './reply.ts';

/** Names in the data are untrusted: the page runs nothing and loads nothing. */
const headers = { 'content-security-policy': "default-src 'none'; img-src data:" };

/**
 * Builds the web page at `GET /`. It has the accounts, and the calls of each as curl lines. Text is
 * escaped.
 *
 * @param host name by which the client called the server, which differs behind a proxy
 */
export function pageReply(accounts: readonly Account[], host = 'localhost'): Reply {
  const baseUrl = `http://${host}`;
  const [account] = accounts;
  const lines = account ? curlLines(account, baseUrl) : [];

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
${accounts.map(accountRow).join('\n')}
</table>
<h2>Calls</h2>
${lines.map((line) => `<pre>${escapeHtml(line)}</pre>`).join('\n')}
</html>
`;
  return { status: 200, type: 'text/html; charset=utf-8', headers, body };
}

function accountRow({ email, password, token, profile, admin }: Account): string {
  const cells = [email, password, token, admin ? `${profile}, admin` : profile];
  return `<tr>${cells.map((cell) => `<td><code>${escapeHtml(cell)}</code>`).join('')}`;
}

/** Returns the calls in order of use. The second line sets `$id`, which the next two use. */
function curlLines({ email, password, token }: Account, baseUrl: string): readonly string[] {
  const { auth, buyer, status, download, campaigns } = endpoints;
  const curl = ({ path }: { readonly path: string }, ...options: string[]): string =>
    [`curl -s ${posixWord(baseUrl + path)}`, ...options].join(' \\\n  ');

  const signed = `-H ${posixWord(`Authorization: ${token}`)}`;
  const credentials = JSON.stringify({ auth: { email, password } });
  const request = JSON.stringify({
    since: 1_780_272_000,
    until: 1_780_876_799,
    metrics: 'displays,revenueEuro',
    breakdowns: ['DAILY', 'FORMAT'],
  });
  const create = curl(buyer, signed, `-d ${posixWord(request)}`);
  const readId = `sed 's/.*"report_id":"\\([^"]*\\)".*/\\1/'`;
  const asJson = "-H 'Accept: application/json'";

  return [
    curl(auth, `-d ${posixWord(credentials)}`),
    `id=$(${create} | ${readId}); echo "$id"`,
    curl(status, signed, '-d "id=$id"'),
    curl(download, signed, asJson, '-d "id=$id"'),
    curl(campaigns, signed),
  ];
}

/** Quotes a word for a POSIX shell, whatever system the server runs on. */
function posixWord(text: string): string {
  return quoteForShell(text, 'linux');
}
