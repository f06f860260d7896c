import { statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { createHttp, type ProxySettings, readProxy } from '../api/http.ts';
import { TransportError } from '../api/transport-error.ts';
import { flagGroup } from '../app/flags/flag.ts';
import { readTimeout } from '../app/flags/read-value.ts';
import { noteFetched, toolsFor } from '../app/order.ts';
import { planFromFlags } from '../app/plan.ts';
import { fetchReport } from '../app/receive.ts';
import { savedKeys, savedOptions } from '../app/saved-reports.ts';
import { findProjectFile, projectFileName, readProjectFile } from '../config/project-file.ts';
import { nameSettings, requireSignIn, type Settings } from '../config/settings.ts';
import { openStore } from '../config/store.ts';
import type { Context } from '../context.ts';
import { endpoints } from '../contract/messages.ts';
import { AdreportError } from '../errors.ts';
import { readRows } from '../rows/read-rows.ts';
import { printable, visibleJson } from '../text/printable.ts';
import { formatDuration, formatPlural } from '../text/quantity.ts';
import { quoteForShell } from '../text/quote-for-shell.ts';
import { wrap } from '../ui/page.ts';
import { createProgress } from '../ui/progress.ts';
import { declareCommand } from './command.ts';

/** What one check came to, what is to be done about it, and what a command would end with because of it. */
type Finding = {
  check: string;
  status: Status;
  message: string;
  fix: string | null;
  exitCode: number | null;
};
type Status = 'ok' | 'warning' | 'broken';

const doctorFlags = flagGroup('Options:', {
  account: { flags: '--account <name>', meaning: 'the stored account to check' },
  baseUrl: { flags: '--base-url <url>', meaning: 'address of the service' },
  local: { flags: '--local', meaning: 'check against a local server inside this process' },
  timeout: {
    flags: '--timeout <duration>',
    meaning: 'how long a check may take',
    read: readTimeout,
    default: 10_000,
    defaultText: '10s',
  },
});

export const doctorCommand = declareCommand({
  name: 'doctor',
  summary: 'check settings, network and token, with a fix for what is wrong',
  examples: [
    ['adreport doctor', 'exit 0, or the code that a command would end with'],
    ['adreport doctor --local', 'what needs no account'],
    ['adreport doctor --json --timeout 5s', 'an array of findings, for programs'],
  ],
  flags: [doctorFlags],
  // A check that fails in passing is a finding.
  contextOptions: { retries: 0 },
  action: ({ context, options }) => doctor(context, options),
});

/** Prints what each check came to, with its fix; the exit code is that of a command which met the first broken thing. */
async function doctor(
  context: Context,
  { timeout }: { readonly timeout: number },
): Promise<number> {
  const { console, host } = context;
  const findings: Finding[] = [];
  const finder =
    (status: Status) =>
    (check: string, message: string, fix: string | null = null, exitCode: number | null = null) =>
      void findings.push({ check, status, message, fix, exitCode });
  const [fine, odd, broken] = [finder('ok'), finder('warning'), finder('broken')];
  /** The result of some work; what goes wrong with it is a finding. */
  const attempt = async <T>(check: string, work: () => T | Promise<T>): Promise<T | undefined> => {
    try {
      return await work();
    } catch (error) {
      if (host.signal.aborted) throw host.signal.reason;
      if (!(error instanceof AdreportError)) throw error;
      const { message, hint: fix = 'See adreport help exit-codes.', exitCode } = error;
      if (context.isLocal && check === 'settings-file') odd(check, message, fix);
      else broken(check, message, fix, exitCode);
      return undefined;
    }
  };

  fine('node', `Node.js ${process.version.slice(1)} on ${process.platform}`);
  await checkStore();
  await attempt(projectFileName, async () => {
    const path = findProjectFile(host.cwd);
    if (path === undefined) return fine(projectFileName, 'not here, nor in a folder above');
    const file = await readProjectFile(path, relative(host.cwd, path), savedKeys());
    for (const section of file.reports.values())
      savedOptions(file, section, { typedOptions: new Set(), cwd: dirname(path) });
    fine(projectFileName, `${path}: ${formatPlural(file.reports.size, 'report')}.`);
  });
  const settings = await attempt('settings', () => context.settings());
  if (settings) await checkService(settings);
  await print(context, findings);
  return findings.find(({ status }) => status === 'broken')?.exitCode ?? 0;

  /** The settings folder: whether what is in it can be read, and by its owner alone. */
  async function checkStore(): Promise<void> {
    // The store closes files that are open to others, and says so: before the settings are read for anything else.
    const closed: string[] = [];
    const store = openStore(host.env, (text) => closed.push(text));
    await attempt('settings-file', async () => {
      const names = Object.keys((await store.read()).accounts);
      fine('settings-file', `${store.path}: ${names.join(', ') || 'no account is stored'}.`);
    });
    for (const text of closed)
      odd('permissions', text, 'Nothing is left to do, if nobody else uses this machine.');
    const folders = [store.directory, join(store.directory, 'ledger')].flatMap((path) => {
      const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
      return process.platform !== 'win32' && (mode & 0o077) !== 0
        ? [{ path, mode: (mode & 0o7777).toString(8) }]
        : [];
    });
    for (const { path, mode } of folders) {
      const message = `${path} is open to other users (mode ${mode.padStart(4, '0')}).`;
      odd('permissions', message, `chmod 700 ${quoteForShell(path)}`);
    }
    if (closed.length + folders.length === 0) fine('permissions', 'open to no other user');
  }

  /** The settings with their sources, the way to the service, and whether it takes the token. */
  async function checkService(settings: Settings): Promise<void> {
    const { email, baseUrl } = settings;
    if (email.value) console.hideWhole(email.value);
    for (const { name, value, from } of nameSettings(settings)) {
      if (value !== undefined) fine(name, `${value} (from ${from})`);
    }
    const canSignIn = await attempt('sign-in', () => requireSignIn(settings));
    const url = baseUrl.value;
    const proxy = await attempt('proxy', () => ({ found: readProxy(host.env) }));
    if (!url || !proxy) return;
    const { url: proxyUrl, none } = proxy.found ?? {};
    const route =
      proxyUrl &&
      `${proxyUrl.protocol}//${proxyUrl.host} for https${none ? `, but for ${none}` : ''}`;
    fine('proxy', route ?? 'none is set (HTTPS_PROXY)');
    const answered = await attempt('connection', () => checkConnection(url, proxy.found));
    if (!answered || !canSignIn) return;
    const isSignedIn = await attempt('sign-in', async () => {
      const { length } = await (await context.client()).campaigns();
      fine('sign-in', `works: ${formatPlural(length, 'campaign')}.`);
      return true;
    });
    // The server in this process is our own, and reads instants.
    if (isSignedIn && !context.isLocal) await attempt('window-clock', checkWindowClock);
  }

  /** Makes one call without a token, which the service answers with 401 (`decisions.md`, 6). */
  async function checkConnection(baseUrl: URL, proxy: ProxySettings | undefined): Promise<true> {
    const { method, path } = endpoints.campaigns;
    const http = await createHttp({
      timeoutMs: timeout,
      userAgent: 'adreport doctor',
      proxy,
      trace: () => {},
    });
    const startedMs = host.stopwatch();
    const url = new URL(baseUrl.href.replace(/\/$/, '') + path);
    try {
      const { status, headers, body } = await http.send({
        method,
        url,
        headers: {},
        signal: host.signal,
      });
      body.destroy();
      const said = `${url.origin} answers ${status} in ${formatDuration(host.stopwatch() - startedMs)}`;
      if (status === 401 || status === 403)
        fine('connection', `${said}, as it should without a token.`);
      else
        odd(
          'connection',
          `${said}, where the service says 401.`,
          'Check the path of the base URL, or wait.',
        );
      // The header counts whole seconds.
      const skewMs = host.wallClock() - Date.parse(headers.date ?? '') - 500;
      const far = formatDuration(Math.abs(skewMs));
      const fix = 'Set the clock (e.g. with NTP): today, now and -36h are reckoned from it.';
      if (Math.abs(skewMs) < 60_000) fine('clock', `within ${far} of the service’s`);
      else if (!Number.isNaN(skewMs)) {
        odd(
          'clock',
          `This machine’s clock is ${far} ${skewMs > 0 ? 'ahead of' : 'behind'} the service’s.`,
          fix,
        );
      }
      return true;
    } catch (error) {
      throw error instanceof TransportError ? error.error : error;
    } finally {
      await http.close();
    }
  }

  /** Whether the service reads a window as we mean it: a report of yesterday's total says which window it covers. */
  async function checkWindowClock(): Promise<void> {
    const flags = { by: 'RANGE', metrics: 'displays', period: 'yesterday' };
    const plan = await planFromFlags(context.account, flags, host.wallClock());
    const progress = () => createProgress('none', console, host.stopwatch);
    const tools = { ...toolsFor(context), progress };
    const options = { fresh: true, pollInterval: 'auto', waitTimeout: timeout } as const;
    const summary = await fetchReport(tools, {
      plan,
      options,
      intake: {
        async take({ body, contentType }, id) {
          if (id !== undefined) await noteFetched(tools, id, undefined);
          const batches = readRows(body, { contentType });
          for (let next = await batches.next(); ; next = await batches.next())
            if (next.done) return next.value.summary;
        },
      },
    });
    if (!summary)
      return fine('window-clock', 'The service does not say which window a report covers.');
    const shift = Date.parse(summary.since) / 1_000 - plan.window.since;
    if (shift === 0)
      return fine(
        'window-clock',
        `${plan.windowClock}: reports cover the window that is asked for.`,
      );
    const far = `${formatDuration(Math.abs(shift) * 1_000)} ${shift > 0 ? 'later' : 'earlier'}`;
    const fix = `adreport config set window-clock ${plan.windowClock === 'wall' ? 'instant' : 'wall'}`;
    odd('window-clock', `A report begins ${far} than asked for.`, fix);
  }
}

/** Prints the findings without any secret that the service, or a setting, might have had them quote. */
async function print({ console, flags }: Context, findings: readonly Finding[]): Promise<void> {
  const { redact } = console;
  const safe = findings.map((one) => ({
    ...one,
    message: redact(one.message),
    fix: one.fix && redact(one.fix),
  }));
  if (flags.json) return console.result(visibleJson(safe));
  const { width, style, showsUnicode } = console.out;
  const marks = {
    ok: showsUnicode ? '✓ ' : 'ok',
    warning: '! ',
    broken: showsUnicode ? '✗ ' : 'x ',
  };
  const colours = { ok: style.green, warning: style.yellow, broken: style.red };
  const indent = 18;
  const wrapped = (text: string) =>
    wrap(printable(text), Math.max(30, Math.min(120, width) - indent));
  for (const { check, status, message, fix } of safe) {
    const fixes =
      fix === null ? [] : wrapped(`${showsUnicode ? '→' : '=>'} ${fix}`).map(colours[status]);
    const lines = [...message.split('\n').flatMap(wrapped), ...fixes].join(
      `\n${' '.repeat(indent)}`,
    );
    await console.result(`${colours[status](marks[status])} ${check.padEnd(indent - 5)}  ${lines}`);
  }
}
