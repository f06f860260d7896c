import { statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { createHttp, type ProxySettings, readProxy } from '../api/http.ts';
import { TransportError } from '../api/transport-error.ts';
import { flagGroup } from '../app/flags/flag.ts';
import { readTimeout } from '../app/flags/read-value.ts';
import { noteFetched, type ReportTools, toolsFor } from '../app/order.ts';
import { type ProfilePlan, planFromFlags } from '../app/plan.ts';
import { fetchReport } from '../app/receive.ts';
import { savedKeys, savedOptions } from '../app/saved-reports.ts';
import { findProjectFile, projectFileName, readProjectFile } from '../config/project-file.ts';
import { nameSettings, requireSignIn, type Settings } from '../config/settings.ts';
import { openStore } from '../config/store.ts';
import type { Context } from '../context.ts';
import { endpoints, type ReportSummary } from '../contract/messages.ts';
import { profiles } from '../contract/vocabulary.ts';
import { AdreportError, UsageError } from '../errors.ts';
import { readRows } from '../rows/read-rows.ts';
import { wrap } from '../text/cell-width.ts';
import { printable, visibleJson } from '../text/printable.ts';
import { formatDuration, formatPlural } from '../text/quantity.ts';
import { quoteForShell } from '../text/quote-for-shell.ts';
import type { Console, Style } from '../ui/console.ts';
import { createProgress } from '../ui/progress.ts';
import { declareCommand } from './command.ts';
import { examineService } from './doctor-service/examination.ts';

type Status = 'ok' | 'warning' | 'broken';

/** What one check came to. */
interface Finding {
  readonly check: string;
  readonly status: Status;
  readonly message: string;
  /** What is to be done about it. */
  readonly fix: string | null;
  /** What a command would end with because of it. */
  readonly exitCode: number | null;
}

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
  service: {
    flags: '--service',
    meaning: 'order a few small reports, and say where the service differs from its description',
  },
  yes: { flags: '--yes', meaning: 'with --service: order the reports without asking' },
  record: {
    flags: '--record <file>',
    meaning:
      'with --service: write the shapes of all calls and answers, without any value, to a file',
  },
  keepKeys: {
    flags: '--keep-keys',
    meaning: 'with --record: keep the keys that adreport does not know, instead of key1, key2 …',
  },
  profile: {
    flags: '--profile <name>',
    meaning: 'with --service: the profile of the account (default: the account’s)',
    words: profiles,
  },
});

export const doctorCommand = declareCommand({
  name: 'doctor',
  summary: 'check settings, network and token, with a fix for what is wrong',
  examples: [
    ['adreport doctor', 'exit 0, or the code that a command would end with'],
    ['adreport doctor --local', 'only what needs no account'],
    ['adreport doctor --json --timeout 5s', 'an array of findings, for programs'],
    [
      'adreport doctor --service --local',
      'whether the service is as described, statement by statement',
    ],
  ],
  flags: [doctorFlags],
  // A check that fails in passing is a finding.
  contextOptions: { retries: 0 },
  action({ context, options }) {
    const { timeout: timeoutMs, service, record: recordFile } = options;
    if (!service && recordFile !== undefined) {
      const hint = 'For example: adreport doctor --service --record shapes.json';
      throw new UsageError('--record works with --service only.', { hint });
    }
    if (!service) return doctor(context, timeoutMs);

    const isAgreed = options.yes === true;
    const keepsKeys = options.keepKeys === true;
    return examineService(context, { timeoutMs, isAgreed, recordFile, keepsKeys });
  },
});

/** Prints what each check came to, with its fix; the exit code is that of a command which met the first broken thing. */
async function doctor(context: Context, timeoutMs: number): Promise<number> {
  const findings = await new Examination(context, timeoutMs).run();
  await printFindings(context, findings);

  const firstBroken = findings.find(({ status }) => status === 'broken');
  return firstBroken?.exitCode ?? 0;
}

/** The checks of this machine, and of the way from it to the service, in the order in which a command needs them. */
class Examination {
  readonly #context: Context;
  /** How long one check may take. */
  readonly #timeoutMs: number;
  readonly #findings: Finding[] = [];

  constructor(context: Context, timeoutMs: number) {
    this.#context = context;
    this.#timeoutMs = timeoutMs;
  }

  /** Makes every check that can be made. Throws what is no error of ours, and the reason why the program was ended. */
  async run(): Promise<readonly Finding[]> {
    this.#ok('node', `Node.js ${process.version.slice(1)} on ${process.platform}`);
    await this.#checkStore();
    await this.#checkProjectFile();

    const settings = await this.#attempt('settings', () => this.#context.settings());
    if (settings) await this.#checkService(settings);
    return this.#findings;
  }

  /** The settings folder: whether what is in it can be read, and by its owner alone. */
  async #checkStore(): Promise<void> {
    // The store closes files that are open to others, and says so: before the settings are read for anything else.
    const closedFiles: string[] = [];
    const store = openStore(this.#context.host.env, (text) => closedFiles.push(text));

    await this.#attempt('settings-file', async () => {
      const { accounts } = await store.read();
      const names = Object.keys(accounts).join(', ');
      this.#ok('settings-file', `${store.path}: ${names || 'no account is stored'}.`);
    });

    const nothingLeft = 'Nothing is left to do, if nobody else uses this machine.';
    for (const text of closedFiles) this.#warn('permissions', text, nothingLeft);

    const openFolders = [store.directory, join(store.directory, 'ledger')].filter(isOpenToOthers);
    for (const path of openFolders) {
      const mode = (modeOf(path) & 0o7777).toString(8).padStart(4, '0');
      const message = `${path} is open to other users (mode ${mode}).`;
      this.#warn('permissions', message, `chmod 700 ${quoteForShell(path)}`);
    }

    if (closedFiles.length + openFolders.length === 0) {
      this.#ok('permissions', 'open to no other user');
    }
  }

  /** The project file: whether each of its reports could be run. */
  async #checkProjectFile(): Promise<void> {
    const { cwd } = this.#context.host;

    await this.#attempt(projectFileName, async () => {
      const path = findProjectFile(cwd);
      if (path === undefined) {
        this.#ok(projectFileName, 'not here, nor in a folder above');
        return;
      }

      const file = await readProjectFile(path, relative(cwd, path), savedKeys());
      for (const section of file.reports.values()) {
        savedOptions(file, section, { typedOptions: new Set(), cwd: dirname(path) });
      }
      this.#ok(projectFileName, `${path}: ${formatPlural(file.reports.size, 'report')}.`);
    });
  }

  /** The settings with their sources, the way to the service, and whether it takes the token. */
  async #checkService(settings: Settings): Promise<void> {
    this.#listSettings(settings);
    const canSignIn = await this.#succeeds('sign-in', () => {
      requireSignIn(settings);
    });

    let proxy: ProxySettings | undefined;
    const isProxyReadable = await this.#succeeds('proxy', () => {
      proxy = readProxy(this.#context.host.env);
    });
    const url = settings.baseUrl.value;
    if (!url || !isProxyReadable) return;
    this.#ok('proxy', proxy ? describeProxy(proxy) : 'none is set (HTTPS_PROXY)');

    const answers = await this.#succeeds('connection', () => this.#checkConnection(url, proxy));
    if (!answers || !canSignIn) return;

    const isSignedIn = await this.#succeeds('sign-in', () => this.#checkSignIn());
    // The server in this process is our own, and reads instants.
    if (!isSignedIn || this.#context.isLocal) return;
    await this.#succeeds('window-clock', () => this.#checkWindowClock());
  }

  #listSettings(settings: Settings): void {
    const email = settings.email.value;
    if (email) this.#context.console.hideWhole(email);

    for (const { name, value, from } of nameSettings(settings)) {
      if (value !== undefined) this.#ok(name, `${value} (from ${from})`);
    }
  }

  /** Makes one call without a token, which the service answers with 401 (`decisions.md`, 6). */
  async #checkConnection(baseUrl: URL, proxy: ProxySettings | undefined): Promise<void> {
    const { host } = this.#context;
    const { method, path } = endpoints.campaigns;
    const url = new URL(baseUrl.href.replace(/\/$/, '') + path);
    const http = await createHttp({
      timeoutMs: this.#timeoutMs,
      userAgent: 'adreport doctor',
      proxy,
      trace: () => {},
    });

    const startedMs = host.stopwatch();
    try {
      const response = await http.send({ method, url, headers: {}, signal: host.signal });
      response.body.destroy();

      const elapsed = formatDuration(host.stopwatch() - startedMs);
      this.#judgeStatus(response.status, `${url.origin} answers ${response.status} in ${elapsed}`);
      this.#judgeClock(response.headers.date);
    } catch (error) {
      throw error instanceof TransportError ? error.error : error;
    } finally {
      await http.close();
    }
  }

  /** Judges the status of the call without a token; `answer` is the sentence that tells it. */
  #judgeStatus(status: number, answer: string): void {
    if (status === 401 || status === 403) {
      this.#ok('connection', `${answer}, as it should without a token.`);
      return;
    }
    this.#warn(
      'connection',
      `${answer}, but a call without a token should be answered with 401.`,
      'Check the path of the base URL, or wait.',
    );
  }

  /** Compares this machine's clock with the `Date` header of an answer; without one nothing is said. */
  #judgeClock(dateHeader: string | undefined): void {
    // The header counts whole seconds, so that its time is half a second behind on average.
    const aheadMs = this.#context.host.wallClock() - Date.parse(dateHeader ?? '') - 500;
    if (Number.isNaN(aheadMs)) return;

    const distance = formatDuration(Math.abs(aheadMs));
    if (Math.abs(aheadMs) < 60_000) {
      this.#ok('clock', `within ${distance} of the service’s`);
      return;
    }
    const direction = aheadMs > 0 ? 'ahead of' : 'behind';
    this.#warn(
      'clock',
      `This machine’s clock is ${distance} ${direction} the service’s.`,
      'Set the clock (e.g. with NTP): today, now and -36h are counted from it.',
    );
  }

  async #checkSignIn(): Promise<void> {
    const client = await this.#context.client();
    try {
      const { campaigns } = await client.campaigns();
      this.#ok('sign-in', `works: ${formatPlural(campaigns.length, 'campaign')}.`);
    } catch (error) {
      // The service knows the token, and keeps this list from it.
      const isForbidden = error instanceof AdreportError && error.httpStatus === 403;
      if (!isForbidden) throw error;
      this.#ok('sign-in', 'works, but may not list campaigns.');
    }
  }

  /** Whether the service reads a window as we mean it: a report of yesterday's total says which window it covers. */
  async #checkWindowClock(): Promise<void> {
    const { account, host } = this.#context;
    const flags = { by: 'RANGE', metrics: 'displays', period: 'yesterday' };
    const plan = await planFromFlags(account, flags, host.wallClock());
    const summary = await this.#fetchSummary(plan);
    if (!summary) {
      this.#ok('window-clock', 'The service does not say which window a report covers.');
      return;
    }

    const { windowClock } = plan;
    const shiftSeconds = Date.parse(summary.since) / 1_000 - plan.window.since;
    if (shiftSeconds === 0) {
      this.#ok('window-clock', `${windowClock}: reports cover the window that is asked for.`);
      return;
    }
    const distance = formatDuration(Math.abs(shiftSeconds) * 1_000);
    const direction = shiftSeconds > 0 ? 'later' : 'earlier';
    const otherClock = windowClock === 'wall' ? 'instant' : 'wall';
    this.#warn(
      'window-clock',
      `A report begins ${distance} ${direction} than asked for.`,
      `adreport config set window-clock ${otherClock}`,
    );
  }

  /** Orders a report, and reads to its end what it says of itself. */
  #fetchSummary(plan: ProfilePlan): Promise<ReportSummary | undefined> {
    const { console, host } = this.#context;
    const tools: ReportTools = {
      ...toolsFor(this.#context),
      progress: () => createProgress('none', console, host.stopwatch),
    };

    return fetchReport(tools, {
      plan,
      options: { fresh: true, pollInterval: 'auto', waitTimeout: this.#timeoutMs },
      intake: {
        async take({ body, contentType }, { id: reportId }) {
          if (reportId !== undefined) await noteFetched(tools, reportId, undefined);

          const batches = readRows(body, { contentType });
          let next = await batches.next();
          while (!next.done) next = await batches.next();
          return next.value.summary;
        },
      },
    });
  }

  /** The result of some work; `undefined` where it fails, which then is a finding. */
  async #attempt<T>(check: string, work: () => T | Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      const { signal } = this.#context.host;
      if (signal.aborted) throw signal.reason;
      if (!(error instanceof AdreportError)) throw error;
      this.#noteError(check, error);
      return undefined;
    }
  }

  /** Whether some work succeeds; that it fails is a finding. */
  async #succeeds(check: string, work: () => void | Promise<void>): Promise<boolean> {
    const isDone = await this.#attempt(check, async () => {
      await work();
      return true;
    });
    return isDone === true;
  }

  #noteError(check: string, error: AdreportError): void {
    const { message, hint: fix = 'See adreport help exit-codes.', exitCode } = error;
    // The account of the local server needs no stored settings.
    const isHarmless = this.#context.isLocal && check === 'settings-file';

    if (isHarmless) this.#warn(check, message, fix);
    else this.#findings.push({ check, status: 'broken', message, fix, exitCode });
  }

  #ok(check: string, message: string): void {
    this.#findings.push({ check, status: 'ok', message, fix: null, exitCode: null });
  }

  #warn(check: string, message: string, fix: string): void {
    this.#findings.push({ check, status: 'warning', message, fix, exitCode: null });
  }
}

/** The permissions of a file or folder; 0 where there is none. */
function modeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
}

function isOpenToOthers(path: string): boolean {
  return process.platform !== 'win32' && (modeOf(path) & 0o077) !== 0;
}

function describeProxy({ url, none }: ProxySettings): string {
  const exceptions = none ? `, but for ${none}` : '';
  return `${url.protocol}//${url.host} for https${exceptions}`;
}

/** Prints the findings without any secret that the service, or a setting, might have had them quote. */
async function printFindings(
  { console, flags }: Context,
  findings: readonly Finding[],
): Promise<void> {
  const safeFindings = findings.map((finding) => ({
    ...finding,
    message: console.redact(finding.message),
    fix: finding.fix && console.redact(finding.fix),
  }));

  if (flags.json) {
    await console.result(visibleJson(safeFindings));
    return;
  }
  for (const finding of safeFindings) {
    await console.result(linesOf(finding, console.out).join('\n'));
  }
}

/** What the lines of a finding stand behind: its mark and the name of its check. */
const indent = 18;

/** A finding as lines for people: its mark, its check and its message, and below them its fix. */
function linesOf({ check, status, message, fix }: Finding, out: Console['out']): string[] {
  const { showsUnicode, style } = out;
  const width = Math.max(30, Math.min(120, out.width) - indent);
  const colour = colourOf(status, style);

  const lines = message.split('\n').flatMap((line) => wrap(printable(line), width));
  if (fix !== null) {
    const arrow = showsUnicode ? '→' : '=>';
    lines.push(...wrap(printable(`${arrow} ${fix}`), width).map((line) => colour(line)));
  }

  const head = `${colour(markOf(status, showsUnicode))} ${check.padEnd(indent - 5)}  `;
  return lines.map((line, index) => (index === 0 ? head : ' '.repeat(indent)) + line);
}

function markOf(status: Status, showsUnicode: boolean): string {
  if (status === 'warning') return '! ';
  if (status === 'ok') return showsUnicode ? '✓ ' : 'ok';
  return showsUnicode ? '✗ ' : 'x ';
}

function colourOf(status: Status, style: Style): Style {
  if (status === 'ok') return style.green;
  return status === 'warning' ? style.yellow : style.red;
}
