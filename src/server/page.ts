import { createHash } from 'node:crypto';
import { endpoints } from '../contract/messages.ts';
import { escapeHtml, quoteForShell } from '../text/printable.ts';
import type { AdminCall, ListedReport } from './admin.ts';
import type { Answer } from './answer.ts';
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

/**
 * The page for people at `GET /`: the latest reports as they stand, the accounts with their calls as curl lines, and what
 * steers the server. Every text that is not ours is escaped.
 */
export function pageAnswer(
  base: string,
  accounts: readonly Account[],
  adminCalls: readonly AdminCall[],
  reports: readonly ListedReport[],
): Answer {
  const latest = reports.slice(-20).toReversed();
  const rows = latest.map(({ report_id, account, status, created, request }) => {
    const cells = [
      report_id,
      account,
      status,
      created.slice(0, 19).replace('T', ' '),
      request.breakdowns.join(', '),
    ];
    return `<tr>${cells.map((cell) => `<td>${escapeHtml(cell)}`).join('')}`;
  });
  const details = accounts.map((account, index) => {
    const { name, email, password, profile, admin, token } = account;
    return `<details${index === 0 ? ' open' : ''}><summary>${escapeHtml(name)} <small>${profile}${admin ? ', admin' : ''}</small></summary>
<p><code>${escapeHtml(email)}</code>, password <code>${escapeHtml(password)}</code>, token <code>${escapeHtml(token)}</code></p>
<ol>${callsOf(base, account).map(showCall).join('')}</ol></details>`;
  });
  const steering = adminCalls.map(({ method, path, meaning, example }) => {
    const line = `curl -s ${method === 'GET' ? '' : `-X ${method} `}${quoteForShell(base + path)}`;
    const data = example ? ` -d ${quoteForShell(JSON.stringify(example))}` : '';
    return showCall([{ method, path }, meaning, line + data]);
  });
  const body = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>adreport local-server</title>
<link rel="icon" href="data:,">
<style>${pageStyle}</style>
<h1>adreport <small>local-server</small></h1>
<p>The reporting service, on this machine, from fixture data. Base URL <code>${escapeHtml(base)}</code> · <a href="openapi.json">openapi.json</a></p>
<h2>Reports</h2>
<table><tr><th>Report<th>Account<th>Status<th>Created<th>Breakdowns
${rows.join('\n') || '<tr><td colspan="5">None yet: run the calls below, in their order.'}</table>
<h2>Accounts and their calls</h2>
${details.join('')}
<h2>Steering: the clock, faults, reports</h2>
<p>These calls need no token. A fault is <code>ENDPOINT:KIND</code>, and KIND one of ${kindLabels.join(', ')}.</p>
<ol>${steering.join('')}</ol>
<script>${pageScript}</script>
</html>
`;
  return { status: 200, type: 'text/html; charset=utf-8', headers, body };
}

type Call = readonly [call: Pick<AdminCall, 'method' | 'path'>, meaning: string, line: string];

function showCall([{ method, path }, meaning, line]: Call): string {
  return `<li><b>${method}</b> <code>${path}</code> <small>${meaning}</small><pre tabindex="0">${escapeHtml(line)}</pre></li>`;
}

/** The five calls as an account makes them, in the order of their use; `$id` holds the report of the second. */
function callsOf(base: string, { email, password, token }: Account): readonly Call[] {
  const { auth, buyer, status, download, campaigns } = endpoints;
  const signed = `-H ${quoteForShell(`Authorization: ${token}`)}`;
  const curl = ({ path }: { readonly path: string }, ...options: string[]): string =>
    [`curl -s ${quoteForShell(base + path)}`, ...options].join(' \\\n  ');
  const signIn = `-d ${quoteForShell(JSON.stringify({ auth: { email, password } }))}`;
  const window = { since: 1_780_272_000, until: 1_780_876_799 };
  const request = { ...window, metrics: 'displays,revenueEuro', breakdowns: ['DAILY', 'FORMAT'] };
  const create = curl(buyer, signed, `-d ${quoteForShell(JSON.stringify(request))}`);
  const idOf = `sed 's/.*"report_id":"\\([^"]*\\)".*/\\1/'`;
  const asJson = "-H 'Accept: application/json'";
  return [
    [auth, 'a token of your own', curl(auth, signIn)],
    [buyer, 'create a report', `id=$(${create} | ${idOf}); echo "$id"`],
    [status, 'ask until it is ready', curl(status, signed, '-d "id=$id"')],
    [
      download,
      'the data as JSON; as CSV with text/csv',
      curl(download, signed, asJson, '-d "id=$id"'),
    ],
    [campaigns, 'campaigns and their ad units', curl(campaigns, signed)],
  ];
}
