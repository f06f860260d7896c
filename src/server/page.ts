import { createHash } from 'node:crypto';
import { endpoints } from '../contract/messages.ts';
import { escapeHtml, quoteForShell } from '../text/printable.ts';
import type { AdminCall } from './admin.ts';
import { faultKinds, kindLabel } from './faults/kinds/index.ts';
import type { Account } from './fixtures/fixtures.ts';

/**
 * The page for people at `GET /`: the reports as they stand, the accounts with their calls as curl lines, and what steers
 * the server. Every text that is not ours is escaped.
 */
export function renderServerPage(base: string, accounts: readonly Account[], adminCalls: readonly AdminCall[]): string {
  const kinds = Object.entries(faultKinds).map(kindLabel).join(', ');
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>adreport local-server</title>
<link rel="icon" href="data:,">
<style>${pageStyle}</style>
<main>
<h1>adreport <small>local-server</small></h1>
<p>The reporting service, on this machine, from fixture data. Base URL <code>${escapeHtml(base)}</code> · <a href="openapi.json">openapi.json</a></p>
<h2>Reports</h2>
<p id="none" role="status">None yet: run the calls below, in their order.</p>
<div class="scroll"><table id="reports" hidden><thead><tr><th>Report<th>Account<th>Status<th>Created<th>Breakdowns</thead><tbody></tbody></table></div>
<h2>Accounts and their calls</h2>
${accounts.map((account, index) => accountPart(base, account, index === 0)).join('')}
<h2>Steering: the clock, faults, reports</h2>
<p>These calls need no token. A fault is <code>ENDPOINT:KIND</code>, and KIND one of ${kinds}.</p>
<ol>${adminCalls.map((call) => adminItem(base, call)).join('')}</ol>
</main>
<script>${pageScript}</script>
</html>
`;
}

function accountPart(base: string, account: Account, isOpen: boolean): string {
  const { name, email, password, profile, admin, token } = account;
  const items = callsOf(base, account).map(([call, meaning, line]) => callItem({ ...call, meaning, line }));
  return `<details${isOpen ? ' open' : ''}><summary>${escapeHtml(name)} <small>${profile}${admin ? ', admin' : ''}</small></summary>
<p><code>${escapeHtml(email)}</code>, password <code>${escapeHtml(password)}</code>, token <code>${escapeHtml(token)}</code></p>
<ol>${items.join('')}</ol></details>`;
}

function adminItem(base: string, { method, path, meaning, example }: AdminCall): string {
  const line = `curl -s ${method === 'GET' ? '' : `-X ${method} `}${quoteForShell(base + path)}`;
  const data = example ? ` -d ${quoteForShell(JSON.stringify(example))}` : '';
  return callItem({ method, path, meaning, line: line + data });
}

function callItem({ method, path, meaning, line }: Record<'method' | 'path' | 'meaning' | 'line', string>): string {
  return `<li><b>${method}</b> <code>${path}</code> <small>${meaning}</small><pre tabindex="0">${escapeHtml(line)}</pre></li>`;
}

type Endpoint = (typeof endpoints)[keyof typeof endpoints];

/** The five calls as an account makes them, in the order of their use; `$id` holds the report of the second. */
function callsOf(base: string, account: Account): (readonly [call: Endpoint, meaning: string, line: string])[] {
  const { auth, buyer, status, download, campaigns } = endpoints;
  const { email, password } = account;
  const signed = `-H ${quoteForShell(`Authorization: ${account.token}`)}`;
  const curl = ({ path }: Endpoint, ...options: string[]): string =>
    [`curl -s ${quoteForShell(base + path)}`, ...options].join(' \\\n  ');
  const isDsp = account.profile === 'dsp';
  const metrics = isDsp ? 'displays,revenueEuro' : 'displays,clicks,revenueEuro';
  const window = { since: 1_780_272_000, until: 1_780_876_799 };
  const create = JSON.stringify({ ...window, metrics, breakdowns: ['DAILY', isDsp ? 'FORMAT' : 'CAMPAIGN'] });
  const idOf = `sed 's/.*"report_id":"\\([^"]*\\)".*/\\1/'`;
  return [
    [auth, 'a token of your own', curl(auth, `-d ${quoteForShell(JSON.stringify({ auth: { email, password } }))}`)],
    [buyer, 'create a report', `id=$(${curl(buyer, signed, `-d ${quoteForShell(create)}`)} | ${idOf}); echo "$id"`],
    [status, 'ask until it is ready', curl(status, signed, '-d "id=$id"')],
    [
      download,
      'the data: JSON, or CSV with Accept: text/csv',
      curl(download, signed, "-H 'Accept: application/json'", '-d "id=$id"'),
    ],
    [campaigns, 'campaigns and their ad units', curl(campaigns, signed)],
  ];
}

/** The script keeps the list of reports fresh. What it shows of the data it sets as text, never as HTML. */
const pageScript = `
'use strict';
const table = document.querySelector('#reports');
const none = document.querySelector('#none');
const cell = (text, className = '') => Object.assign(document.createElement('td'), { textContent: text, className });
function row({ report_id, account, status, created, request }) {
  const line = document.createElement('tr');
  const day = created.slice(0, 19).replace('T', ' ');
  line.append(cell(report_id), cell(account), cell(status, status), cell(day), cell(request.breakdowns.join(', ') || 'none'));
  return line;
}
async function poll() {
  if (document.hidden) return;
  try {
    const { reports } = await (await fetch('__admin/reports')).json();
    table.tBodies[0].replaceChildren(...reports.slice(-20).reverse().map(row));
    table.hidden = reports.length === 0;
    none.hidden = reports.length > 0;
  } catch {
    none.hidden = false;
    none.textContent = 'The server does not answer.';
  }
}
poll();
setInterval(poll, 1000);
`;

const pageStyle = `
:root{color-scheme:light dark;--soft:#666c76;--line:#e0e0dc;--code:#f3f3ef;--wait:#96610a;--good:#16733f;--bad:#b3261e}
@media(prefers-color-scheme:dark){:root{--soft:#9aa0ab;--line:#33363f;--code:#23262d;--wait:#e3b25c;--good:#6bd39a;--bad:#ff8a80}}
body{margin:0;font:16px/1.5 system-ui,sans-serif}
main{max-width:58rem;margin:0 auto;padding:2rem 1.25rem 4rem}
h2{font-size:1rem;margin:2.5rem 0 .75rem}
small,#none{font-weight:400;color:var(--soft)}
code,pre,td:first-child{font-family:ui-monospace,monospace;font-size:.8125rem;overflow-wrap:anywhere}
pre{margin:.375rem 0 1rem;padding:.625rem .875rem;background:var(--code);border-radius:.5rem;white-space:pre-wrap}
details{border:1px solid var(--line);border-radius:.5rem;padding:.625rem 1rem;margin-bottom:.5rem}
summary{cursor:pointer;font-weight:600}
ol{list-style:none;margin:0;padding:0}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%}
table[hidden]{display:none}
th,td{text-align:left;padding:.375rem 1rem .375rem 0;white-space:nowrap;border-bottom:1px solid var(--line)}
.progress{color:var(--wait)}.ready{color:var(--good)}.failed,.expired{color:var(--bad)}
`;

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

export const pageHeaders = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  // Nothing runs and nothing is loaded but what stands here, whatever a name in the data says.
  'content-security-policy':
    `default-src 'none'; script-src '${hashOf(pageScript)}'; style-src '${hashOf(pageStyle)}'; ` +
    "connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
};
