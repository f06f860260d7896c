import { accessSync, constants, existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { Option } from 'commander';
import { createHttp } from '../api/http.ts';
import { TransportError, unreachable } from '../api/transport-error.ts';
import { parseTimeout } from '../app/flags.ts';
import { savedKeys, savedOptions } from '../app/saved-reports.ts';
import { findProjectFile, projectFileName, readProjectFile } from '../config/project-file.ts';
import { goesThrough, maskProxy, readProxy } from '../config/proxy.ts';
import { nameSettings, requireSignIn } from '../config/settings.ts';
import { noSettings, openStore } from '../config/store.ts';
import type { Context } from '../context.ts';
import { endpoints } from '../contract/endpoints.ts';
import { AdreportError, codeOf, UnreachableError } from '../errors.ts';
import { formatDuration } from '../text/duration.ts';
import { printable } from '../text/printable.ts';
import { formatPlural } from '../text/quantity.ts';
import { quoteForShell } from '../text/quote-for-shell.ts';
import { wrap } from '../ui/page.ts';
import { visibleJson } from '../ui/visible-json.ts';
import { type CommandBuilder, declareCommand } from './command.ts';

/** What one check came to: what is to be done about it is absent where all is well. */
interface Finding {
  readonly check: string;
  readonly status: 'ok' | 'warning' | 'broken';
  readonly message: string;
  readonly fix?: string;
  /** What a command would end with because of it; present where something is broken. */
  readonly exitCode?: number;
}

export const doctorCommand: CommandBuilder = (perform) =>
  declareCommand('doctor', 'check settings, network and token, with a fix for what is wrong', [
    ['adreport doctor', 'exit 0, or the code that a command would end with'],
    ['adreport doctor --local', 'what needs no account'],
    ['adreport doctor --json --timeout 5s', 'an array of findings, for programs'],
  ])
    .option('--account <name>', 'the stored account to check')
    .option('--base-url <url>', 'address of the service')
    .option('--local', 'check against a local server inside this process')
    .addOption(
      new Option('--timeout <duration>', 'how long a check may take').argParser(parseTimeout).default(10_000, '10s'),
    )
    // A check that fails in passing is a finding.
    .setOptionValue('retries', 0)
    .action(perform(doctor));

/**
 * Checks what a command needs, and prints what each check came to, with its fix. The exit code is that of a command which
 * met the first thing that is broken; 0 where nothing is.
 */
async function doctor(context: Context, { timeout }: { readonly timeout: number }): Promise<void> {
  const { console, host } = context;
  const findings: Finding[] = [];
  const fine = (check: string, message: string) => findings.push({ check, status: 'ok', message });
  const odd = (check: string, message: string, fix: string) =>
    findings.push({ check, status: 'warning', message, fix });
  const broken = (check: string, error: unknown): void => {
    if (host.signal.aborted) throw host.signal.reason;
    if (!(error instanceof AdreportError)) throw error;
    const { message, hint = 'See adreport help exit-codes.', exitCode } = error;
    const isNoMatter = context.isLocal && check === 'settings-file';
    if (isNoMatter) odd(check, message, hint);
    else findings.push({ check, status: 'broken', message, fix: hint, exitCode });
  };

  fine('node', `Node.js ${process.version.slice(1)}`);
  fine('terminal', console.out.isTerminal ? `${console.out.columns} columns` : 'no terminal');
  try {
    accessSync(host.cwd, constants.W_OK);
    fine('output', `${host.cwd} can be written to.`);
  } catch {
    odd('output', `${host.cwd} cannot be written to.`, 'Write elsewhere, e.g. -o ~/report.csv, or to a pipe.');
  }
  await checkStore();
  checkProjectFile();
  await checkService();
  await print(context, findings);
  context.exitCode = findings.find(({ status }) => status === 'broken')?.exitCode ?? 0;

  /** The settings folder: whether what is in it can be read, and by its owner alone. */
  async function checkStore(): Promise<void> {
    // The store closes files that are open to others, and says so: before the settings are read for anything else.
    const closed: string[] = [];
    const store = await openStore({
      env: host.env,
      warn: (sentence) => closed.push(sentence),
      wallClock: host.wallClock,
    });
    try {
      const names = Object.keys(store.read().accounts);
      const accounts =
        names.length === 0 ? 'no account is stored' : `${formatPlural(names.length, 'account')}: ${names.join(', ')}`;
      fine('settings-file', `${store.path}: ${accounts}.`);
    } catch (error) {
      broken('settings-file', error);
    }
    for (const sentence of closed)
      odd('permissions', sentence, 'Nothing is left to do, if nobody else uses this machine.');
    // Windows has no such modes; what is not there is open to nobody.
    const paths = process.platform === 'win32' ? [] : [store.directory, join(store.directory, 'ledger')];
    const loose = paths.filter((path) => existsSync(path) && (statSync(path).mode & 0o077) !== 0);
    for (const path of loose) {
      const mode = (statSync(path).mode & 0o7777).toString(8).padStart(4, '0');
      const wanted = statSync(path).isDirectory() ? '700' : '600';
      odd('permissions', `${path} is open to other users (mode ${mode}).`, `chmod ${wanted} ${quoteForShell(path)}`);
    }
    if (closed.length + loose.length === 0) fine('permissions', 'open to no other user');
  }

  /** `adreport.yaml`: whether there is one, and whether every key of it is right. */
  function checkProjectFile(): void {
    const path = findProjectFile(host.cwd);
    if (path === undefined) return void fine(projectFileName, 'not here, nor in a folder above');
    try {
      const file = readProjectFile(path, relative(host.cwd, path), savedKeys);
      for (const section of file.reports.values()) savedOptions(file, section, [], dirname(path));
      fine(projectFileName, `${path}: ${formatPlural(file.reports.size, 'report')}.`);
    } catch (error) {
      broken(projectFileName, error);
    }
  }

  /** The settings with their sources, the way to the service, and whether it takes the token. */
  async function checkService(): Promise<void> {
    let settings: Awaited<ReturnType<Context['settings']>>;
    try {
      settings = await context.settings();
    } catch (error) {
      return broken('settings', error);
    }
    for (const { name, value, from } of nameSettings(settings)) {
      if (value !== undefined) fine(name, `${value} (from ${from})`);
    }
    const { email, password, baseUrl } = settings;
    const use = 'so that no token can be fetched or renewed with them';
    if (password.value !== undefined && email.value === undefined) {
      odd('password', `ADREPORT_PASSWORD is set, and no e-mail address, ${use}.`, 'Set ADREPORT_EMAIL too.');
    } else if (email.source === 'env' && password.value === undefined) {
      odd('email', `ADREPORT_EMAIL is set without ADREPORT_PASSWORD, ${use}.`, 'Set both, or neither.');
    }
    let canSignIn = true;
    try {
      requireSignIn(settings, context.isLocal ? noSettings : (await context.store()).read());
    } catch (error) {
      canSignIn = false;
      broken('sign-in', error);
    }
    if (!baseUrl.value) return;
    let proxy: ReturnType<typeof readProxy>;
    try {
      proxy = readProxy(host.env);
    } catch (error) {
      return broken('proxy', error);
    }
    const isUsed = proxy !== undefined && goesThrough(proxy, baseUrl.value);
    const why = baseUrl.value.protocol === 'https:' ? 'NO_PROXY names its host' : 'plain http stays on this machine';
    if (!proxy) fine('proxy', 'none is set (HTTPS_PROXY)');
    else
      fine(
        'proxy',
        `${maskProxy(proxy)} is ${isUsed ? '' : 'not '}used for ${baseUrl.value.origin}${isUsed ? '.' : `: ${why}.`}`,
      );
    checkAuthorities();
    if (!(await checkConnection(baseUrl.value, isUsed ? proxy : undefined)) || !canSignIn) return;
    try {
      const campaigns = await within((await context.client()).campaigns(), baseUrl.value.origin);
      const savedAt = settings.token.source === 'account' ? settings.storedAccount?.savedAt : undefined;
      const since = savedAt ? ` Signed in ${savedAt.slice(0, 16).replace('T', ' ')}Z.` : '';
      const life = context.isLocal ? '' : ' A token lives 2 h after its last use (7 days if made in the console).';
      fine('sign-in', `works: ${formatPlural(campaigns.length, 'campaign')}.${since}${life}`);
    } catch (error) {
      broken('sign-in', error);
    }
  }

  /** The authorities that the environment adds, or the checks that it takes away. */
  function checkAuthorities(): void {
    const file = host.env.NODE_EXTRA_CA_CERTS;
    if (file) {
      let problem: string | undefined;
      try {
        const text = readFileSync(resolve(host.cwd, file), 'latin1');
        if (!/-----BEGIN (TRUSTED |X509 )?CERTIFICATE-----/.test(text)) problem = 'holds no certificate';
      } catch (error) {
        problem = `cannot be read (${codeOf(error) ?? error})`;
      }
      if (problem === undefined) fine('authorities', `${file} is trusted too (NODE_EXTRA_CA_CERTS).`);
      else
        odd(
          'authorities',
          `NODE_EXTRA_CA_CERTS: ${file} ${problem}, and Node.js goes on without it.`,
          'Name a PEM file.',
        );
    }
    if (host.env.NODE_TLS_REJECT_UNAUTHORIZED === '0') {
      const message = 'NODE_TLS_REJECT_UNAUTHORIZED=0: whoever is on the way can read the token.';
      odd('authorities', message, 'Unset it; a private authority is made known with NODE_EXTRA_CA_CERTS=FILE.');
    }
  }

  /** Makes one call without a token, which the service answers with 401 (`decisions.md`, 6); whether there is an answer. */
  async function checkConnection(baseUrl: URL, proxy: ReturnType<typeof readProxy>): Promise<boolean> {
    const { method, path } = endpoints.campaigns;
    const http = await createHttp({
      timeoutMs: timeout,
      userAgent: 'adreport doctor',
      proxy: proxy && { https: proxy.url.href, none: proxy.none },
      trace: () => {},
    });
    const startedMs = host.stopwatch();
    const url = new URL(baseUrl.href.replace(/\/$/, '') + path);
    try {
      const request = http.send({
        method,
        url,
        headers: { accept: 'application/json' },
        signal: host.signal,
      });
      const { status, headers, body } = await within(request, url.origin);
      body.destroy();
      const said = `${url.origin} answers ${status} in ${formatDuration(host.stopwatch() - startedMs)}`;
      if (status === 401 || status === 403) fine('connection', `${said}, as it should without a token.`);
      else if (status === 429) odd('connection', `${said}.`, 'Wait: the service allows no more calls for now.');
      else if (status >= 500)
        odd('connection', `${said}.`, 'Wait: the fault is on the service’s side, or that of a proxy before it.');
      else odd('connection', `${said}, where the service says 401.`, 'Check the path of the base URL.');
      // The header counts whole seconds.
      const skewMs = host.wallClock() - Date.parse(headers.date ?? '') - 500;
      const far = formatDuration(Math.abs(skewMs));
      const fix = 'Set the clock (e.g. with NTP): today, now and -36h are reckoned from it.';
      if (Math.abs(skewMs) < 60_000) fine('clock', `within ${far} of the service’s`);
      else if (!Number.isNaN(skewMs))
        odd('clock', `This machine’s clock is ${far} ${skewMs > 0 ? 'ahead of' : 'behind'} the service’s.`, fix);
      return true;
    } catch (error) {
      broken('connection', error instanceof TransportError ? unreachable(error, url) : error);
      return false;
    } finally {
      await http.close();
    }
  }

  /** The result, or an `UnreachableError` once the time is up. */
  async function within<T>(work: Promise<T>, origin: string): Promise<T> {
    const hint = 'Check the network and the base URL; a slow service can be given longer with --timeout.';
    const late = new UnreachableError(`${origin} does not answer within ${formatDuration(timeout)}.`, {
      code: 'TIMEOUT',
      hint,
    });
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(late), timeout);
    });
    return Promise.race([work, limit]).finally(() => clearTimeout(timer));
  }
}

/** Prints the findings without any secret that the service, or a setting, might have had them quote. */
async function print({ console, flags }: Context, findings: readonly Finding[]): Promise<void> {
  const safe = findings.map(({ message, fix, ...finding }) => ({
    ...finding,
    message: console.redact(message),
    fix: fix === undefined ? null : console.redact(fix),
    exitCode: finding.exitCode ?? null,
  }));
  if (flags.json) return console.result(visibleJson(safe));
  const { columns, style, showsUnicode } = console.out;
  const marks = { ok: showsUnicode ? '✓ ' : 'ok', warning: '! ', broken: showsUnicode ? '✗ ' : 'x ' };
  const colours = { ok: style.green, warning: style.yellow, broken: style.red };
  const indent = 18;
  const width = Math.max(30, Math.min(120, columns) - indent);
  for (const { check, status, message, fix } of safe) {
    const dress = colours[status];
    const [first = '', ...more] = message.split('\n').flatMap((line) => wrap(printable(line), width));
    const fixes = fix === null ? [] : wrap(`${showsUnicode ? '→' : '=>'} ${printable(fix)}`, width).map(dress);
    const head = `${dress(marks[status])} ${check.padEnd(indent - 5)}  ${first}`;
    await console.result([head, ...[...more, ...fixes].map((line) => ' '.repeat(indent) + line)].join('\n'));
  }
}
