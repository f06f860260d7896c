import { createHash } from 'node:crypto';
import { endpoints } from '../contract/endpoints.ts';
import type { Profile } from '../contract/vocabulary.ts';
import { escapeHtml } from '../text/escape-html.ts';
import { quoteForShell } from '../text/quote-for-shell.ts';
import type { AdminCall } from './control/admin.ts';
import { faultKinds, labelOf } from './faults/kinds/index.ts';
import type { Account } from './fixtures/fixtures.ts';

/**
 * The page for people at `GET /`: the accounts, the calls as curl lines, the reports as they stand, and what steers the
 * server. Every text that is not ours is escaped.
 */
export function renderPage(base: string, accounts: readonly Account[], adminCalls: readonly AdminCall[]): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>adreport local-server</title>
<link rel="icon" href="data:,">
<style>${pageStyle}</style>
<main>
<header>
<h1>adreport <span>local-server</span></h1>
<p>The reporting service, on this machine, from fixture data. Base URL <code>${escapeHtml(base)}</code> · <a href="openapi.json">openapi.json</a></p>
</header>
<section>
<h2>Reports</h2>
<p id="none" role="status">None yet: run the calls below, in their order.</p>
<div class="scroll"><table id="reports" hidden><thead><tr><th>Report<th>Account<th>Status<th>Created<th>Breakdowns</thead><tbody></tbody></table></div>
</section>
<section>
<h2>Accounts</h2>
<div class="cards">${accounts.map(accountCard).join('')}</div>
</section>
<section>
<h2>Calls</h2>
<p class="pick" role="group" aria-label="Account of the calls">${accounts.map(accountButton).join('')}</p>
${accounts.map((account, index) => accountCalls(base, account, index)).join('')}
</section>
<section>
<h2>Steering: the clock, faults, reports</h2>
<p>These calls need no token. A fault is <code>ENDPOINT:KIND</code>, and KIND one of ${Object.entries(faultKinds).map(labelOf).join(', ')}.</p>
<ol>${adminCalls.map((call) => adminItem(base, call)).join('')}</ol>
</section>
</main>
<script>${pageScript}</script>
</html>
`;
}

function accountCard({ name, email, password, profile, admin, token }: Account): string {
  return `<article>
<h3>${escapeHtml(name)} <small>${profile}${admin ? ', admin' : ''}</small></h3>
<dl><dt>E-mail<dd>${escapeHtml(email)}<dt>Password<dd>${escapeHtml(password)}<dt>Token<dd><code>${escapeHtml(token)}</code></dl>
</article>`;
}

function accountButton({ name }: Account, index: number): string {
  return `<button type="button" data-account="${index}" aria-pressed="${index === 0}">${escapeHtml(name)}</button>`;
}

function accountCalls(base: string, account: Account, index: number): string {
  const items = callsOf(base, account).map(callItem);
  return `<ol data-calls="${index}"${index === 0 ? '' : ' hidden'}>${items.join('')}</ol>`;
}

function callItem({ method, path, meaning, line }: ShownCall): string {
  return `<li>
<p><b>${method}</b> <code>${path}</code> <span>${meaning}</span></p>
<div class="line"><pre tabindex="0">${escapeHtml(line)}</pre><button type="button" class="copy">Copy</button></div>
</li>`;
}

function adminItem(base: string, { method, path, meaning, example }: AdminCall): string {
  const line = `curl -s ${method === 'GET' ? '' : `-X ${method} `}${quoteForShell(base + path)}`;
  const data = example ? ` -d ${quoteForShell(JSON.stringify(example))}` : '';
  return callItem({ method, path, meaning, line: line + data });
}

interface ShownCall {
  readonly method: string;
  readonly path: string;
  readonly meaning: string;
  readonly line: string;
}

const exampleOf: Readonly<Record<Profile, string>> = {
  buyer:
    '{"since":1780272000,"until":1780876799,"metrics":"displays,clicks,revenueEuro","breakdowns":["DAILY","CAMPAIGN"]}',
  dsp: '{"since":1780272000,"until":1780876799,"metrics":"displays,revenueEuro","breakdowns":["DAILY","FORMAT"]}',
};

/** The five calls as an account makes them, in the order of their use; `$id` holds the report of the second. */
function callsOf(base: string, { email, password, profile, token }: Account): ShownCall[] {
  const { auth, buyer, status, download, campaigns } = endpoints;
  const signed = `-H ${quoteForShell(`Authorization: ${token}`)}`;
  const curl = (path: string, ...options: string[]): string =>
    [`curl -s ${quoteForShell(base + path)}`, ...options].join(' \\\n  ');
  const idOf = `sed 's/.*"report_id":"\\([^"]*\\)".*/\\1/'`;
  const signIn = quoteForShell(JSON.stringify({ auth: { email, password } }));
  return [
    { ...auth, meaning: 'a token of your own', line: curl(auth.path, `-d ${signIn}`) },
    {
      ...buyer,
      meaning: 'create a report',
      line: `id=$(${curl(buyer.path, signed, `-d ${quoteForShell(exampleOf[profile])}`)} | ${idOf}); echo "$id"`,
    },
    { ...status, meaning: 'ask until it is ready', line: curl(status.path, signed, '-d "id=$id"') },
    {
      ...download,
      meaning: 'the data: JSON, or CSV with Accept: text/csv',
      line: curl(download.path, signed, "-H 'Accept: application/json'", '-d "id=$id"'),
    },
    { ...campaigns, meaning: 'campaigns and their ad units', line: curl(campaigns.path, signed) },
  ];
}

/** The script of the page. What it shows of the data it sets as text, never as HTML. */
const pageScript = `
'use strict';
const all = (selector) => [...document.querySelectorAll(selector)];
for (const button of all('[data-account]')) {
  button.addEventListener('click', () => {
    for (const other of all('[data-account]')) other.setAttribute('aria-pressed', String(other === button));
    for (const list of all('[data-calls]')) list.hidden = list.dataset.calls !== button.dataset.account;
  });
}
for (const button of all('.copy')) {
  button.addEventListener('click', async () => {
    const line = button.previousElementSibling;
    try {
      await navigator.clipboard.writeText(line.textContent);
      button.textContent = 'Copied';
    } catch {
      getSelection().selectAllChildren(line);
      button.textContent = 'Selected';
    }
    setTimeout(() => { button.textContent = 'Copy'; }, 1500);
  });
}
const table = document.querySelector('#reports');
const none = document.querySelector('#none');
const noneYet = none.textContent;
const cell = (text, className) => Object.assign(document.createElement('td'), { textContent: text, className });
function row(report) {
  const line = document.createElement('tr');
  const breakdowns = report.request.breakdowns.join(', ') || 'none';
  line.append(
    cell(report.report_id, ''),
    cell(report.account, ''),
    cell(report.status, 's ' + report.status),
    cell(report.created.slice(0, 19).replace('T', ' '), ''),
    cell(breakdowns, ''),
  );
  return line;
}
let shown = '';
async function poll() {
  try {
    const text = await (await fetch('__admin/reports')).text();
    if (text !== shown) {
      shown = text;
      const reports = JSON.parse(text).reports.slice(-20).reverse();
      table.tBodies[0].replaceChildren(...reports.map(row));
      table.hidden = reports.length === 0;
      none.hidden = reports.length > 0;
      none.textContent = noneYet;
    }
  } catch {
    shown = '';
    none.hidden = false;
    none.textContent = 'The server does not answer.';
  }
}
poll();
setInterval(() => { if (!document.hidden) poll(); }, 1000);
`;

/** The style of the page. */
const pageStyle = `
:root{color-scheme:light dark;--bg:#fbfbfa;--card:#fff;--ink:#1d1f23;--soft:#666c76;--line:#e4e4e0;--code:#f3f3ef;--mark:#3346d3;--wait:#96610a;--good:#16733f;--bad:#b3261e}
@media(prefers-color-scheme:dark){:root{--bg:#131418;--card:#1b1d22;--ink:#e9e9ec;--soft:#9aa0ab;--line:#2d3038;--code:#23262d;--mark:#9aa6ff;--wait:#e3b25c;--good:#6bd39a;--bad:#ff8a80}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
main{max-width:58rem;margin:0 auto;padding:2.5rem 1.25rem 4rem}
h1{font-size:1.75rem;letter-spacing:-.02em;margin:0;line-height:1.2}
h1 span{color:var(--soft);font-weight:400}
header p,#none{color:var(--soft);margin:.4rem 0 0}
h2{font-size:.8125rem;letter-spacing:.08em;text-transform:uppercase;color:var(--soft);font-weight:600;margin:2.5rem 0 .75rem}
h3{font-size:1rem;margin:0 0 .5rem}
small{font-weight:400;font-size:.8125rem;color:var(--soft)}
a{color:var(--mark)}
code,pre,td:first-child,dd{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.8125rem}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,16rem),1fr));gap:.75rem}
article,.scroll:has(table:not([hidden])){background:var(--card);border:1px solid var(--line);border-radius:.625rem;padding:1rem}
dl{display:grid;grid-template-columns:auto 1fr;gap:.125rem .75rem;margin:0}
dt{color:var(--soft);font-size:.8125rem}
dd{margin:0;overflow-wrap:anywhere;min-width:0}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:.875rem}
table[hidden],ol[hidden],#none[hidden]{display:none}
th,td{text-align:left;padding:.375rem 1rem .375rem 0;white-space:nowrap}
th{color:var(--soft);font-weight:400;font-size:.8125rem}
td{border-top:1px solid var(--line)}
td:last-child{white-space:normal;min-width:8rem}
.s::before{content:"";display:inline-block;width:.5em;height:.5em;border-radius:50%;background:currentColor;margin-right:.5em;vertical-align:.1em}
.progress{color:var(--wait)}.ready{color:var(--good)}.failed,.expired{color:var(--bad)}
.progress::before{animation:pulse 1.2s ease-in-out infinite}
@keyframes pulse{50%{opacity:.25}}
@media(prefers-reduced-motion:reduce){.progress::before{animation:none}}
.pick{display:flex;flex-wrap:wrap;gap:.375rem;margin:0 0 1rem}
button{font:inherit;font-size:.8125rem;color:var(--ink);background:var(--card);border:1px solid var(--line);border-radius:.375rem;padding:.25rem .75rem;cursor:pointer}
button:hover{border-color:var(--soft)}
button[aria-pressed=true]{background:var(--ink);border-color:var(--ink);color:var(--bg)}
:focus-visible{outline:2px solid var(--mark);outline-offset:2px}
ol{list-style:none;margin:0;padding:0}
li{margin:0 0 1.25rem}
li p{margin:0 0 .375rem}
li p span{color:var(--soft)}
li b{font-size:.75rem;color:var(--mark);letter-spacing:.04em}
.line{display:flex;align-items:flex-start;gap:.5rem;background:var(--code);border-radius:.5rem;padding:.625rem .625rem .625rem .875rem}
pre{margin:0;flex:1;min-width:0;white-space:pre-wrap;overflow-wrap:anywhere}
.copy{flex:none;min-width:4.5rem}
@media(max-width:30rem){main{padding-top:1.5rem}.line{flex-direction:column}}
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
