import { statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { findProjectFile, projectFileName } from '../account/project-file.ts';
import { nameSettings, type Settings } from '../account/resolve.ts';
import { Store } from '../account/store.ts';
import { createHttp, type ProxySettings, readProxy } from '../api/http.ts';
import { TransportError } from '../api/transport-error.ts';
import { endpoints, endpointUrl } from '../contract/messages.ts';
import { AdreportError, isForbidden, UsageError } from '../errors.ts';
import { formatDuration, formatPlural } from '../text/quantity.ts';
import { quoteForShell } from '../text/quote-for-shell.ts';
import type { DoctorTools } from './doctor-tools.ts';

export interface DoctorResult {
  readonly check: string;
  readonly status: 'ok' | 'warning' | 'broken';
  readonly message: string;

  /** Next step for the user; `null` if the check passed. */
  readonly fix: string | null;

  /** Exit code of commands that run into this problem; `null` unless `broken`. */
  readonly exitCode: number | null;
}

export interface CheckUpTools {
  /** For each check. */
  readonly timeoutMs: number;

  /**
   * Validates every report of a project file and returns their number. Throws `UsageError` for an
   * invalid one.
   */
  readonly checkReports: (path: string, shownPath: string) => Promise<number>;

  /** Throws `UsageError` if no browser is installed. */
  readonly findBrowser: () => string;
}

/**
 * Checks settings, network and token, in the order in which a command needs them. Throws errors
 * other than `AdreportError`, and the signal's reason when aborted.
 */
export function checkUp(
  doctor: DoctorTools,
  tools: CheckUpTools,
): Promise<readonly DoctorResult[]> {
  return new CheckUp(doctor, tools).run();
}

class CheckUp {
  readonly #doctor: DoctorTools;
  readonly #tools: CheckUpTools;
  readonly #results: DoctorResult[] = [];

  constructor(doctor: DoctorTools, tools: CheckUpTools) {
    this.#doctor = doctor;
    this.#tools = tools;
  }

  async run(): Promise<readonly DoctorResult[]> {
    const { platform } = this.#doctor.host;
    this.#ok('node', `Node.js ${process.version.slice(1)} on ${platform}`);
    await this.#checkStore();
    await this.#checkProjectFile();
    this.#checkBrowser();

    const settings = await this.#attempt('settings', () => this.#doctor.account.settings());
    if (settings) await this.#checkService(settings);
    return this.#results;
  }

  /** Checks that the settings can be read, and by their owner only. */
  async #checkStore(): Promise<void> {
    // Before anything else reads the settings: the store makes files private, and reports it once.
    const closedFiles: string[] = [];
    const { host } = this.#doctor;
    const store = new Store(host.env, (text) => closedFiles.push(text), host);

    await this.#attempt('settings-file', async () => {
      const { accounts } = await store.read();
      const names = Object.keys(accounts);
      const count = formatPlural(names.length, 'account');
      const stored = names.length === 0 ? 'no stored accounts' : `${count} (${names.join(', ')})`;
      this.#ok('settings-file', `${store.path}: ${stored}`);
    });

    // Windows has no file modes.
    if (host.platform === 'win32') return;
    const fix = 'Nothing to do, unless other people use this machine.';
    for (const text of closedFiles) this.#warn('permissions', text, fix);

    const openFolders = [store.directory, join(store.directory, 'ledger')].filter(isOpenToOthers);
    for (const path of openFolders) {
      const mode = (modeOf(path) & 0o7777).toString(8).padStart(4, '0');
      const message = `${path} can be accessed by other users (mode ${mode}).`;
      this.#warn('permissions', message, `chmod 700 ${quoteForShell(path, host.platform)}`);
    }

    if (closedFiles.length + openFolders.length === 0) {
      this.#ok('permissions', 'readable only by you');
    }
  }

  async #checkProjectFile(): Promise<void> {
    const { cwd } = this.#doctor.host;

    await this.#attempt(projectFileName, async () => {
      const path = findProjectFile(cwd);
      if (path === undefined) {
        this.#ok(projectFileName, 'not in this folder or any above it');
        return;
      }

      const count = await this.#tools.checkReports(path, relative(cwd, path));
      this.#ok(projectFileName, `${path}: ${formatPlural(count, 'report')}.`);
    });
  }

  /** Without a browser, warns only if `ADREPORT_BROWSER` is set. */
  #checkBrowser(): void {
    const { ADREPORT_BROWSER: wanted } = this.#doctor.host.env;
    try {
      this.#ok('browser', `${this.#tools.findBrowser()} (for PDFs)`);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      const { message, hint: fix = '' } = error;
      if (wanted) this.#warn('browser', message, fix);
      else this.#ok('browser', 'not found; only PDFs need Chrome, Chromium or Edge');
    }
  }

  /** Lists the settings with their sources, then checks the connection and the token. */
  async #checkService(settings: Settings): Promise<void> {
    this.#listSettings(settings);
    const canSignIn = await this.#succeeds('sign-in', async () => {
      await this.#doctor.account.signIn();
    });

    let proxy: ProxySettings | undefined;
    const isProxyReadable = await this.#succeeds('proxy', () => {
      proxy = readProxy(this.#doctor.host.env);
    });
    const url = settings.baseUrl.value;
    if (!url || !isProxyReadable) return;
    this.#ok('proxy', proxy ? describeProxy(proxy) : 'not set (HTTPS_PROXY)');

    const answers = await this.#succeeds('connection', () => this.#checkConnection(url, proxy));
    if (!answers || !canSignIn) return;

    await this.#attempt('sign-in', () => this.#checkSignIn());
  }

  #listSettings(settings: Settings): void {
    const email = settings.email.value;
    if (email) this.#doctor.console.hide(email);

    for (const { name, value, from } of nameSettings(settings)) {
      if (value !== undefined) this.#ok(name, `${value} (${describeSource(name, from)})`);
    }
  }

  /** Makes one call without a token, which should get a 401 (`decisions.md`, 6). */
  async #checkConnection(baseUrl: URL, proxy: ProxySettings | undefined): Promise<void> {
    const { host } = this.#doctor;
    const { method } = endpoints.campaigns;
    const url = new URL(endpointUrl(baseUrl.href, 'campaigns'));
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
      this.#checkStatus(response.status, `${url.origin} answers ${response.status} in ${elapsed}`);
      this.#checkClock(response.headers.date);
    } catch (error) {
      throw error instanceof TransportError ? error.toUserError('a call', 'flags') : error;
    } finally {
      await http.close();
    }
  }

  /** Expects a refusal; `answer` begins the message. */
  #checkStatus(status: number, answer: string): void {
    if (status === 401 || status === 403) {
      this.#ok('connection', `${answer}, as expected without a token.`);
      return;
    }
    this.#warn(
      'connection',
      `${answer}, but a call without a token should get 401.`,
      'Check the path of the base URL, or try again later.',
    );
  }

  /** Compares this machine's clock with the `Date` header of a response, if there is one. */
  #checkClock(dateHeader: string | undefined): void {
    // The header has whole seconds, so it is half a second behind on average.
    const aheadMs = this.#doctor.host.wallClock() - Date.parse(dateHeader ?? '') - 500;
    if (Number.isNaN(aheadMs)) return;

    const distance = formatDuration(Math.abs(aheadMs));
    if (Math.abs(aheadMs) < 60_000) {
      this.#ok('clock', `in sync with the service (${distance} off)`);
      return;
    }
    const direction = aheadMs > 0 ? 'ahead of' : 'behind';
    this.#warn(
      'clock',
      `This machine’s clock is ${distance} ${direction} the service’s.`,
      'Set the clock (for example with NTP): today, now and -36h depend on it.',
    );
  }

  async #checkSignIn(): Promise<void> {
    const client = await this.#doctor.account.client();
    try {
      const { campaigns } = await client.campaigns();
      this.#ok('sign-in', `works: ${formatPlural(campaigns.length, 'campaign')}.`);
    } catch (error) {
      // The token may be valid: some accounts cannot list campaigns.
      if (!isForbidden(error)) throw error;
      this.#warn('sign-in', error.message, error.hint ?? '');
    }
  }

  /** Returns the result of `work`. If it throws an `AdreportError`, adds it to the results. */
  async #attempt<T>(check: string, work: () => T | Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      const { signal } = this.#doctor.host;
      if (signal.aborted) throw signal.reason;
      if (!(error instanceof AdreportError)) throw error;
      this.#addError(check, error);
      return undefined;
    }
  }

  /** Returns false if `work` fails; its error is then in the results. */
  async #succeeds(check: string, work: () => void | Promise<void>): Promise<boolean> {
    const isDone = await this.#attempt(check, async () => {
      await work();
      return true;
    });
    return isDone === true;
  }

  #addError(check: string, error: AdreportError): void {
    const { message, hint: fix = 'Read: adreport help settings', exitCode } = error;
    // The local server works without stored settings.
    const isHarmless = this.#doctor.isLocal && check === 'settings-file';

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

/** Returns `from adreport.yaml`, without the key, which is its name. */
function describeSource(name: string, from: string): string {
  if (name === 'account' && from === 'default') return 'no --account given';
  return from === 'default' ? 'default' : `from ${from.replace(/^(adreport\.yaml) \(.*\)$/, '$1')}`;
}

/** Returns 0 if the file or folder does not exist. */
function modeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
}

function isOpenToOthers(path: string): boolean {
  return (modeOf(path) & 0o077) !== 0;
}

function describeProxy({ url, none }: ProxySettings): string {
  const exceptions = none ? `, except for ${none}` : '';
  return `${url.protocol}//${url.host} for https${exceptions}`;
}
