import { createHash } from 'node:crypto';
import { endpoints } from '../../contract/endpoints.ts';
import type { Profile } from '../../contract/vocabulary.ts';
import { escapeHtml } from '../../text/escape-html.ts';
import { quoteForShell } from '../../text/quote-for-shell.ts';
import type { AppParts } from '../app.ts';
import type { Account } from '../fixtures/fixtures.ts';
import type { Routes } from '../http/routes.ts';
import { pageScript } from './page-script.ts';
import { pageStyle } from './page-style.ts';

/** Serves one page for people at `GET /`: the accounts, the calls as curl lines, and the reports as they stand. */
export function addPage(routes: Routes, parts: AppParts): void {
  routes.add('GET', '/', ({ incoming, isSecure }) => {
    // A proxy in front may have given the server another name than the one it knows itself by.
    const base = `${isSecure ? 'https' : 'http'}://${incoming.headers.host ?? 'localhost'}`;
    return { status: 200, type: 'text/html; charset=utf-8', headers, body: renderPage(base, parts.fixtures.accounts) };
  });
}

const headers = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  // Nothing runs and nothing is loaded but what stands here, whatever a name in the data says.
  'content-security-policy':
    `default-src 'none'; script-src '${hashOf(pageScript)}'; style-src '${hashOf(pageStyle)}'; ` +
    "connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
};

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

/** The page as HTML; every text that is not ours is escaped. */
export function renderPage(base: string, accounts: readonly Account[]): string {
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
  const items = callsOf(base, account).map(
    ({ method, path, meaning, line }) => `<li>
<p><b>${method}</b> <code>${path}</code> <span>${meaning}</span></p>
<div class="line"><pre tabindex="0">${escapeHtml(line)}</pre><button type="button" class="copy">Copy</button></div>
</li>`,
  );
  return `<ol data-calls="${index}"${index === 0 ? '' : ' hidden'}>${items.join('')}</ol>`;
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
