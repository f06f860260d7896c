import { createHash } from 'node:crypto';
import {
  defaultZone,
  type EndpointName,
  endpointNames,
  endpoints,
  type ReportRequest,
} from '../contract/messages.ts';
import { escapeHtml } from '../text/printable.ts';
import { quoteForShell } from '../text/quote-for-shell.ts';
import { localTime } from './calendar.ts';
import type { AdminCall } from './control/admin-calls.ts';
import { listReports } from './control/control.ts';
import type { ListedFault } from './faults/faults.ts';
import { kindLabels } from './faults/kinds.ts';
import type { Account } from './fixtures/fixtures.ts';
import type { Answer } from './http-answer.ts';
import type { ListedReport } from './public-types.ts';
import type { Services } from './services.ts';

const pageStyle = `
:root{color-scheme:light dark}
body{margin:0 auto;max-width:62rem;padding:2rem 1.25rem 4rem;font:16px/1.5 system-ui,sans-serif}
h2{font-size:1rem;margin:2.5rem 0 .75rem}
small{font-weight:400;opacity:.75}
code,pre{font-family:ui-monospace,monospace;font-size:.8125rem;overflow-wrap:anywhere}
pre{margin:.375rem 0 1rem;padding:.625rem .875rem;background:#8882;border-radius:.5rem;white-space:pre-wrap;user-select:all}
details{border:1px solid #8884;border-radius:.5rem;padding:.625rem 1rem;margin-bottom:.5rem}
summary{cursor:pointer;font-weight:600}
ol{list-style:none;margin:0;padding:0}
table{border-collapse:collapse;display:block;overflow-x:auto;font-variant-numeric:tabular-nums}
th,td{text-align:left;padding:.375rem 1rem .375rem 0;white-space:nowrap;border-bottom:1px solid #8884}
button{font:inherit;font-size:.8125rem;color:inherit;background:#8881;border:1px solid #8888;border-radius:.375rem;padding:.125rem .625rem;cursor:pointer}
button:hover{background:#8883}
button:focus-visible,a:focus-visible{outline:2px solid Highlight;outline-offset:2px}
.row{display:flex;flex-wrap:wrap;gap:.5rem;align-items:center;margin:0}
.row output{font-size:1.25rem;margin-right:.5rem;font-variant-numeric:tabular-nums}
#error{color:#c22;margin:.5rem 0 0}
#error:empty{display:none}
@media(max-width:30rem){.row output{flex-basis:100%}}
@media(prefers-color-scheme:dark){#error{color:#f88}}
`;

/** Refreshes the `data-live` elements every second. Buttons make admin calls or copy a text. */
const pageScript = `
const error = document.getElementById('error');
async function refresh() {
  const answer = await fetch('');
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  for (const element of document.querySelectorAll('[data-live]')) {
    const fresh = page.getElementById(element.id);
    if (fresh && element.innerHTML !== fresh.innerHTML) element.innerHTML = fresh.innerHTML;
  }
}
async function callAdmin({ dataset: { method, path, body } }) {
  const answer = await fetch(path, { method, body });
  const message = answer.ok ? '' : (await answer.json()).response.error;
  await refresh();
  error.textContent = message;
}
async function copy(button) {
  const text = button.dataset.copy ?? button.closest('li').querySelector('pre').textContent;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // The clipboard API needs a secure context; copying a selection works without one.
    const field = document.createElement('textarea');
    field.value = text;
    document.body.append(field);
    field.select();
    document.execCommand('copy');
    field.remove();
    button.focus();
  }
  const words = button.textContent;
  button.textContent = 'Copied';
  setTimeout(() => { button.textContent = words; }, 1000);
}
const showOffline = () => { error.textContent = 'The server is not responding.'; };
document.addEventListener('click', ({ target }) => {
  const button = target.closest('button');
  if (button?.dataset.path) callAdmin(button).catch(showOffline);
  else if (button && button.textContent !== 'Copied') copy(button);
});
setInterval(() => refresh().catch(showOffline), 1000);
`;

const hashOf = (text: string): string =>
  `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

const headers = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  // Names in the data are untrusted: the page runs and loads nothing but its own script and style.
  'content-security-policy':
    `default-src 'none'; script-src ${hashOf(pageScript)}; style-src ${hashOf(pageStyle)}; connect-src 'self'; ` +
    "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
};

/** Older reports are not shown. */
const reportsShown = 20;
const faultsShown = 50;

export interface PageContent {
  readonly baseUrl: string;
  readonly adminCalls: readonly AdminCall[];
}

/**
 * The web page at `GET /`: clock, active faults, latest reports, accounts with their calls as curl
 * commands, and the admin calls. All text from data is escaped.
 */
export function pageAnswer(services: Services, { baseUrl, adminCalls }: PageContent): Answer {
  const { clock, faults, fixtures } = services;
  const latest = listReports(services).slice(-reportsShown).toReversed();
  const accountSections = fixtures.accounts.map((account, index) =>
    accountSection(account, { baseUrl, isOpen: index === 0 }),
  );
  const adminItems = adminCalls.map((call) => callItem(adminLine(call, baseUrl)));
  const freezeLabel = clock.isFrozen ? 'Resume' : 'Freeze';

  const body = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>adreport local-server</title>
<link rel="icon" href="data:,">
<style>${pageStyle}</style>
<h1>adreport <small>local-server</small></h1>
<p>A local copy of the reporting service, with sample data. Base URL <code>${escapeHtml(baseUrl)}</code> · <a href="openapi.json">openapi.json</a></p>
<h2>Clock</h2>
<p class="row"><output id="time" data-live>${timeText(clock.now())}${clock.isFrozen ? ', frozen' : ''}</output>
${clockButton('+1 h', { advance: '1h' })} ${clockButton('+1 day', { advance: '1d' })}
<span id="freeze" data-live>${clockButton(freezeLabel, { frozen: !clock.isFrozen })}</span></p>
<p id="error" role="status"></p>
<h2>Active faults</h2>
<table id="faults" data-live>${faultTable(faults.list())}</table>
<h2>Reports</h2>
<table id="reports" data-live>${reportTable(latest)}</table>
<h2>Accounts and calls</h2>
${accountSections.join('')}
<h2>Admin calls</h2>
<p>No token needed. A fault is <code>ENDPOINT:KIND</code>. KIND: ${kindLabels.join(', ')}.</p>
<ol>${adminItems.join('')}</ol>
<script>${pageScript}</script>
</html>
`;
  return { status: 200, type: 'text/html; charset=utf-8', headers, body };
}

/** `2026-11-23 13:55:02 UTC` for milliseconds since 1970. */
function timeText(timeMs: number): string {
  const [date, time = ''] = new Date(timeMs).toISOString().split('T');
  return `${date} ${time.slice(0, 8)} UTC`;
}

/** A button that makes an admin call. */
function adminButton(label: string, call: { method: string; path: string; body?: object }) {
  const body = call.body ? ` data-body="${escapeHtml(JSON.stringify(call.body))}"` : '';
  // Relative, because a proxy may serve the page below a path of its own.
  const path = escapeHtml(call.path.slice(1));
  return `<button data-method="${call.method}" data-path="${path}"${body}>${label}</button>`;
}

function clockButton(label: string, body: object): string {
  return adminButton(label, { method: 'POST', path: '/__admin/clock', body });
}

function faultTable(faults: readonly ListedFault[]): string {
  if (faults.length === 0) return '<tr><td>None.';

  const rows = faults.slice(0, faultsShown).map(({ id, fault, calls, struck }) => {
    const clear = adminButton('Clear', { method: 'DELETE', path: `/__admin/faults/${id}` });
    return `<tr><td>${clear}<td><code>${escapeHtml(fault)}</code><td>${struck} of ${calls}`;
  });
  const rest = faults.length - rows.length;
  const more = rest > 0 ? `<tr><td colspan="3">and ${rest} more` : '';
  return `<tr><th><th>Fault<th>Calls struck${rows.join('')}${more}`;
}

function reportTable(reports: readonly ListedReport[]): string {
  const heads = ['Status', 'Rows', 'Window', 'Breakdowns', 'Account', 'Created', 'Report'];
  const head = `<tr>${heads.map((text) => `<th>${text}`).join('')}`;
  if (reports.length > 0) return head + reports.map(reportRow).join('');
  return `${head}<tr><td colspan="7">None yet. Run the calls below, in order.`;
}

function reportRow(report: ListedReport): string {
  const { report_id: id, account, status, created, request } = report;
  const rows = status === 'ready' ? `<a href="rows/${id}">rows</a>` : '';
  const time = timeText(Date.parse(created));
  const texts = [windowText(request), request.breakdowns.join(', '), account, time, id];
  const cells = texts.map((text) => `<td>${escapeHtml(text)}`).join('');
  return `<tr><td>${escapeHtml(status)}<td>${rows}${cells}`;
}

/** A window in its report's zone, as dates if it has whole days, otherwise with times. */
function windowText({ since, until, timezone = defaultZone }: ReportRequest): string {
  const first = localTime(since, timezone);
  const last = localTime(until, timezone);
  const isWhole = first.slice(11, 19) === '00:00:00' && last.slice(11, 19) === '23:59:59';
  const length = isWhole ? 10 : 19;
  const [from, to] = [first, last].map((time) => time.slice(0, length).replace('T', ' '));
  return `${from === to ? from : `${from} … ${to}`} ${timezone}`;
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
<p><code>${escapeHtml(email)}</code>, password <code>${escapeHtml(password)}</code>, token <code>${escapeHtml(token)}</code> <button data-copy="${escapeHtml(token)}">Copy token</button></p>
<ol>${calls.join('')}</ol></details>`;
}

/** A call with its curl command. */
interface CallLine {
  readonly method: string;
  readonly path: string;
  readonly meaning: string;
  readonly line: string;
}

function callItem({ method, path, meaning, line }: CallLine): string {
  return `<li><b>${method}</b> <code>${path}</code> <small>${meaning}</small> <button>Copy</button><pre tabindex="0">${escapeHtml(line)}</pre></li>`;
}

/**
 * An admin call, with the report's `$id` of the service calls, and the `$fault` of the call that
 * adds one.
 */
function adminLine({ method, path, meaning, body }: AdminCall, baseUrl: string): CallLine {
  const [place = '', isOfOne] = path.split(/\/:id$/);
  const isOfFaults = place.endsWith('/faults');
  const words = ['curl -s'];
  if (method !== 'GET') words.push(`-X ${method}`);
  const variable = isOfFaults ? '"$fault"' : '"$id"';
  const url = baseUrl + place;
  words.push(isOfOne === undefined ? posixWord(url) : posixWord(`${url}/`) + variable);
  if (body) words.push(`-d ${posixWord(JSON.stringify(body.example))}`);

  const line = words.join(' ');
  if (method !== 'POST' || !isOfFaults) return { method, path, meaning, line };
  const readFault = `sed 's/.*"id":"\\([^"]*\\)".*/\\1/'`;
  return { method, path, meaning, line: `fault=$(${line} | ${readFault}); echo "$fault"` };
}

/** The service calls of an account, in order of use. The second one sets `$id` for the others. */
function serviceLines({ email, password, token }: Account, baseUrl: string): CallLine[] {
  const { auth, buyer, status, download, campaigns } = endpoints;
  const curl = ({ path }: { readonly path: string }, ...options: string[]): string =>
    [`curl -s ${posixWord(baseUrl + path)}`, ...options].join(' \\\n  ');

  const signed = `-H ${posixWord(`Authorization: ${token}`)}`;
  const asJson = "-H 'Accept: application/json'";
  const credentials = JSON.stringify({ auth: { email, password } });
  const request = JSON.stringify({
    since: 1_780_272_000,
    until: 1_780_876_799,
    metrics: 'displays,revenueEuro',
    breakdowns: ['DAILY', 'FORMAT'],
  });
  const create = curl(buyer, signed, `-d ${posixWord(request)}`);
  const readId = `sed 's/.*"report_id":"\\([^"]*\\)".*/\\1/'`;

  const calls: Readonly<Record<EndpointName, Pick<CallLine, 'meaning' | 'line'>>> = {
    auth: { meaning: 'sign in for a new token', line: curl(auth, `-d ${posixWord(credentials)}`) },
    buyer: {
      meaning: 'create a report',
      line: `id=$(${create} | ${readId}); echo "$id"`,
    },
    status: { meaning: 'repeat until ready', line: curl(status, signed, '-d "id=$id"') },
    download: {
      meaning: 'download as JSON, or as CSV with Accept: text/csv',
      line: curl(download, signed, asJson, '-d "id=$id"'),
    },
    campaigns: { meaning: 'list campaigns and ad units', line: curl(campaigns, signed) },
  };
  return endpointNames.map((name) => ({ ...endpoints[name], ...calls[name] }));
}

/** Quotes for a POSIX shell, whatever system the server runs on. */
function posixWord(text: string): string {
  return quoteForShell(text, 'linux');
}
