import { createHash } from 'node:crypto';
import { endpoints } from '../contract/messages.ts';
import { escapeHtml } from '../text/printable.ts';
import { quoteForShell } from '../text/quote-for-shell.ts';
import type { Answer } from './answer.ts';
import type { AdminCall, ListedReport } from './control/admin-calls.ts';
import { kindLabels } from './faults/kinds.ts';
import type { Account } from './fixtures/fixtures.ts';

const pageStyle = `
:root{color-scheme:light dark}
body{margin:0 auto;max-width:58rem;padding:2rem 1.25rem 4rem;font:16px/1.5 system-ui,sans-serif}
h2{font-size:1rem;margin:2.5rem 0 .75rem}
small{font-weight:400;opacity:.75}
code,pre{font-family:ui-monospace,monospace;font-size:.8125rem;overflow-wrap:anywhere}
pre{margin:.375rem 0 1rem;padding:.625rem .875rem;background:#8882;border-radius:.5rem;white-space:pre-wrap;user-select:all}
details{border:1px solid #8884;border-radius:.5rem;padding:.625rem 1rem;margin-bottom:.5rem}
summary{cursor:pointer;font-weight:600}
ol{list-style:none;margin:0;padding:0}
table{border-collapse:collapse;display:block;overflow-x:auto}
th,td{text-align:left;padding:.375rem 1rem .375rem 0;white-space:nowrap;border-bottom:1px solid #8884}
`;

/** Shows the reports as they stand, every second. */
const pageScript = `
setInterval(async () => {
  const page = new DOMParser().parseFromString(await (await fetch('')).text(), 'text/html');
  const [shown, fresh] = [document, page].map((one) => one.querySelector('table'));
  if (shown.innerHTML !== fresh.innerHTML) shown.replaceWith(fresh);
}, 1000);
`;

const hashOf = (text: string): string =>
  `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

const headers = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  // Nothing runs and nothing is loaded but what stands here, whatever a name in the data says.
  'content-security-policy':
    `default-src 'none'; script-src ${hashOf(pageScript)}; style-src ${hashOf(pageStyle)}; connect-src 'self'; ` +
    "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
};

/** How many reports the page shows, the latest first. */
const reportsShown = 20;

/** What the page is made of. */
export interface PageContent {
  readonly baseUrl: string;
  readonly accounts: readonly Account[];
  readonly adminCalls: readonly AdminCall[];
  /** The oldest first. */
  readonly reports: readonly ListedReport[];
}

/**
 * The page for people at `GET /`: the latest reports as they stand, the accounts with their calls as curl lines, and what
 * steers the server. Every text that is not ours is escaped.
 */
export function pageAnswer({ baseUrl, accounts, adminCalls, reports }: PageContent): Answer {
  const latest = reports.slice(-reportsShown).toReversed();
  const rows = latest.map(reportRow).join('\n');
  const accountSections = accounts.map((account, index) =>
    accountSection(account, { baseUrl, isOpen: index === 0 }),
  );
  const steering = adminCalls.map((call) => callItem(adminLine(call, baseUrl)));

  const body = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>adreport local-server</title>
<link rel="icon" href="data:,">
<style>${pageStyle}</style>
<h1>adreport <small>local-server</small></h1>
<p>The reporting service, on this machine, from fixture data. Base URL <code>${escapeHtml(baseUrl)}</code> · <a href="openapi.json">openapi.json</a></p>
<h2>Reports</h2>
<table><tr><th>Report<th>Account<th>Status<th>Created<th>Breakdowns
${rows || '<tr><td colspan="5">None yet: run the calls below, in their order.'}</table>
<h2>Accounts and their calls</h2>
${accountSections.join('')}
<h2>Steering: the clock, faults, reports</h2>
<p>These calls need no token. A fault is <code>ENDPOINT:KIND</code>, and KIND one of ${kindLabels.join(', ')}.</p>
<ol>${steering.join('')}</ol>
<script>${pageScript}</script>
</html>
`;
  return { status: 200, type: 'text/html; charset=utf-8', headers, body };
}

function reportRow({ report_id, account, status, created, request }: ListedReport): string {
  const time = created.slice(0, 19).replace('T', ' ');
  const cells = [report_id, account, status, time, request.breakdowns.join(', ')];
  return `<tr>${cells.map((cell) => `<td>${escapeHtml(cell)}`).join('')}`;
}

interface SectionOptions {
  readonly baseUrl: string;
  readonly isOpen: boolean;
}

function accountSection(account: Account, { baseUrl, isOpen }: SectionOptions): string {
  const { name, email, password, profile, admin, token } = account;
  const open = isOpen ? ' open' : '';
  const role = admin ? `${profile}, admin` : profile;
  const calls = serviceLines(account, baseUrl).map(callItem);

  return `<details${open}><summary>${escapeHtml(name)} <small>${role}</small></summary>
<p><code>${escapeHtml(email)}</code>, password <code>${escapeHtml(password)}</code>, token <code>${escapeHtml(token)}</code></p>
<ol>${calls.join('')}</ol></details>`;
}

/** A call with a line for the shell that makes it. */
interface CallLine {
  readonly method: string;
  readonly path: string;
  readonly meaning: string;
  readonly line: string;
}

function callItem({ method, path, meaning, line }: CallLine): string {
  return `<li><b>${method}</b> <code>${path}</code> <small>${meaning}</small><pre tabindex="0">${escapeHtml(line)}</pre></li>`;
}

function adminLine({ method, path, meaning, body }: AdminCall, baseUrl: string): CallLine {
  const words = ['curl -s'];
  if (method !== 'GET') words.push(`-X ${method}`);
  words.push(quoteForShell(baseUrl + path));
  if (body) words.push(`-d ${quoteForShell(JSON.stringify(body.example))}`);

  return { method, path, meaning, line: words.join(' ') };
}

/** The five calls as an account makes them, in the order of their use; `$id` holds the report of the second. */
function serviceLines({ email, password, token }: Account, baseUrl: string): CallLine[] {
  const { auth, buyer, status, download, campaigns } = endpoints;
  const curl = ({ path }: { readonly path: string }, ...options: string[]): string =>
    [`curl -s ${quoteForShell(baseUrl + path)}`, ...options].join(' \\\n  ');

  const signed = `-H ${quoteForShell(`Authorization: ${token}`)}`;
  const asJson = "-H 'Accept: application/json'";
  const credentials = JSON.stringify({ auth: { email, password } });
  const request = JSON.stringify({
    since: 1_780_272_000,
    until: 1_780_876_799,
    metrics: 'displays,revenueEuro',
    breakdowns: ['DAILY', 'FORMAT'],
  });
  const create = curl(buyer, signed, `-d ${quoteForShell(request)}`);
  const readId = `sed 's/.*"report_id":"\\([^"]*\\)".*/\\1/'`;

  return [
    {
      ...auth,
      meaning: 'a token of your own',
      line: curl(auth, `-d ${quoteForShell(credentials)}`),
    },
    {
      ...buyer,
      meaning: 'create a report',
      line: `id=$(${create} | ${readId}); echo "$id"`,
    },
    {
      ...status,
      meaning: 'ask until it is ready',
      line: curl(status, signed, '-d "id=$id"'),
    },
    {
      ...download,
      meaning: 'the data as JSON; as CSV with text/csv',
      line: curl(download, signed, asJson, '-d "id=$id"'),
    },
    {
      ...campaigns,
      meaning: 'campaigns and their ad units',
      line: curl(campaigns, signed),
    },
  ];
}
