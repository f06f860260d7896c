import { statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { findProjectFile, projectFileName } from '../account/project-file.ts';
import { nameSettings, type Settings } from '../account/resolve.ts';
import { Store } from '../account/store.ts';
import { createHttp, type ProxySettings, readProxy } from '../api/http.ts';
import { TransportError } from '../api/transport-error.ts';
import type { Context } from '../context.ts';
import {
  addressOf,
  endpoints,
  type ReportSummary,
  type WindowClock,
} from '../contract/messages.ts';
import { AdreportError, UsageError } from '../errors.ts';
import { formatDuration, formatPlural } from '../text/quantity.ts';
import { quoteForShell } from '../text/quote-for-shell.ts';

/** What one check came to. */
export interface CheckResult {
  readonly check: string;
  readonly status: 'ok' | 'warning' | 'broken';
  readonly message: string;

  /** What is to be done about it. */
  readonly fix: string | null;

  /** What a command would end with because of it. */
  readonly exitCode: number | null;
}

/** A report of yesterday's total, and the window that was asked for. */
export interface YesterdayReport {
  /** What the report says of itself. */
  readonly summary: ReportSummary | undefined;

  readonly windowClock: WindowClock;

  /** In seconds since 1970. */
  readonly since: number;
}

/** What the checks are made with. */
export interface CheckUpTools {
  /** How long one check may take. */
  readonly timeoutMs: number;

  /**
   * Whether each report of a project file could be run: how many there are. Throws `UsageError`
   * where one could not.
   */
  readonly checkReports: (path: string, shownPath: string) => Promise<number>;

  /** The path of a browser. Throws `UsageError` if there is none. */
  readonly findBrowser: () => string;

  readonly orderYesterday: () => Promise<YesterdayReport>;
}

/**
 * Checks the settings, the network and the token.
 * @throws what is no error of ours, and the reason why the program was ended
 */
export function checkUp(context: Context, tools: CheckUpTools): Promise<readonly CheckResult[]> {
  return new CheckUp(context, tools).run();
}

/**
 * The checks of this machine, and of the way from it to the service, in the order in which a
 * command needs them.
 */
class CheckUp {
  readonly #context: Context;
  readonly #tools: CheckUpTools;
  readonly #results: CheckResult[] = [];

  constructor(context: Context, tools: CheckUpTools) {
    this.#context = context;
    this.#tools = tools;
  }

  /**
   * Makes every check that can be made. Throws what is no error of ours, and the reason why the
   * program was ended.
   */
  async run(): Promise<readonly CheckResult[]> {
    const { platform } = this.#context.host;
    this.#ok('node', `Node.js ${process.version.slice(1)} on ${platform}`);
    await this.#checkStore();
    await this.#checkProjectFile();
    this.#checkBrowser();

    const settings = await this.#attempt('settings', () => this.#context.account.settings());
    if (settings) await this.#checkService(settings);
    return this.#results;
  }

  /** The settings folder: whether what is in it can be read, and by its owner alone. */
  async #checkStore(): Promise<void> {
    // The store closes files that are open to others, and says so: before the settings are read for
    // anything else.
    const closedFiles: string[] = [];
    const { host } = this.#context;
    const store = new Store(host.env, (text) => closedFiles.push(text), host);

    await this.#attempt('settings-file', async () => {
      const { accounts } = await store.read();
      const names = Object.keys(accounts).join(', ');
      this.#ok('settings-file', `${store.path}: ${names || 'no account is stored'}.`);
    });

    // Windows has no modes.
    if (host.platform === 'win32') return;
    const nothingLeft = 'Nothing is left to do, if nobody else uses this machine.';
    for (const text of closedFiles) this.#warn('permissions', text, nothingLeft);

    const openFolders = [store.directory, join(store.directory, 'ledger')].filter(isOpenToOthers);
    for (const path of openFolders) {
      const mode = (modeOf(path) & 0o7777).toString(8).padStart(4, '0');
      const message = `${path} is open to other users (mode ${mode}).`;
      this.#warn('permissions', message, `chmod 700 ${quoteForShell(path, host.platform)}`);
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

      const count = await this.#tools.checkReports(path, relative(cwd, path));
      this.#ok(projectFileName, `${path}: ${formatPlural(count, 'report')}.`);
    });
  }

  /** The browser that prints PDFs, which most machines can do without. */
  #checkBrowser(): void {
    const { ADREPORT_BROWSER: wanted } = this.#context.host.env;
    try {
      this.#ok('browser', `${this.#tools.findBrowser()} prints PDFs.`);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      const { message, hint: fix = '' } = error;
      if (wanted) this.#warn('browser', message, fix);
      else this.#ok('browser', 'none was found; only PDFs need Chrome, Chromium or Edge');
    }
  }

  /** The settings with their sources, the way to the service, and whether it takes the token. */
  async #checkService(settings: Settings): Promise<void> {
    this.#listSettings(settings);
    const canSignIn = await this.#succeeds('sign-in', async () => {
      await this.#context.account.signIn();
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
    if (email) this.#context.console.hide(email);

    for (const { name, value, from } of nameSettings(settings)) {
      if (value !== undefined) this.#ok(name, `${value} (from ${from})`);
    }
  }

  /** Makes one call without a token, which the service answers with 401 (`decisions.md`, 6). */
  async #checkConnection(baseUrl: URL, proxy: ProxySettings | undefined): Promise<void> {
    const { host } = this.#context;
    const { method } = endpoints.campaigns;
    const url = new URL(addressOf(baseUrl.href, 'campaigns'));
    const http = await createHttp({
      timeoutMs: this.#tools.timeoutMs,
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

  /**
   * Compares this machine's clock with the `Date` header of an answer; without one nothing is said.
   */
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
    const client = await this.#context.account.client();
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

  /**
   * Whether the service reads a window as we mean it: a report of yesterday's total says which
   * window it covers.
   */
  async #checkWindowClock(): Promise<void> {
    const { summary, windowClock, since } = await this.#tools.orderYesterday();
    if (!summary) {
      this.#ok('window-clock', 'The service does not say which window a report covers.');
      return;
    }

    const shiftSeconds = Date.parse(summary.since) / 1_000 - since;
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
    else this.#results.push({ check, status: 'broken', message, fix, exitCode });
  }

  #ok(check: string, message: string): void {
    this.#results.push({ check, status: 'ok', message, fix: null, exitCode: null });
  }

  #warn(check: string, message: string, fix: string): void {
    this.#results.push({ check, status: 'warning', message, fix, exitCode: null });
  }
}

/** The permissions of a file or folder; 0 where there is none. */
function modeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
}

function isOpenToOthers(path: string): boolean {
  return (modeOf(path) & 0o077) !== 0;
}

function describeProxy({ url, none }: ProxySettings): string {
  const exceptions = none ? `, but for ${none}` : '';
  return `${url.protocol}//${url.host} for https${exceptions}`;
}
