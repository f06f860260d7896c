import { statSync } from 'node:fs';
import { relative } from 'node:path';
import { findProjectFile, projectFileName, readProjectFile } from '../account/project-file.ts';
import { checkSavedReports } from '../account/saved-reports.ts';
import { Store } from '../account/store.ts';
import { tryToken } from '../account/try-token.ts';
import { createHttp, readProxy } from '../api/http.ts';
import { endpoints, endpointUrl } from '../contract/messages.ts';
import { AdreportError } from '../errors.ts';
import { formatDuration, formatPlural } from '../text/quantity.ts';
import { quoteForShell } from '../text/quote-for-shell.ts';
import type { DoctorTools } from './doctor-tools.ts';

export interface DoctorResult {
  readonly check: string;
  readonly status: 'ok' | 'warning' | 'broken';
  readonly message: string;

  /** Next step for the user, or `null` if the check passed. */
  readonly fix: string | null;

  /** Exit code that commands would have; `null` unless the result is `broken`. */
  readonly exitCode: number | null;
}

/** Timeout for connecting, for the first byte, and between bytes. */
export const checkTimeoutMs = 10_000;

/**
 * Checks settings, network, clock and sign-in, in the order in which a command needs them. Every
 * `AdreportError` becomes a result. Rejects with the abort reason if aborted.
 */
export async function diagnose(tools: DoctorTools): Promise<readonly DoctorResult[]> {
  const results: DoctorResult[] = [];

  /** Adds the results of a check, and returns whether it passed. */
  async function runCheck(
    check: string,
    run: () => Promise<readonly DoctorResult[]>,
  ): Promise<boolean> {
    try {
      results.push(...(await run()));
      return true;
    } catch (error) {
      const { signal } = tools.host;
      if (signal.aborted) throw signal.reason;
      if (!(error instanceof AdreportError)) throw error;

      // The local server works without stored settings.
      const isHarmless = tools.account.isLocal && check === 'settings-file';
      results.push(isHarmless ? warningResult(check, error) : brokenResult(check, error));
      return false;
    }
  }

  await runCheck('settings-file', () => checkStore(tools));
  await runCheck(projectFileName, () => checkProjectFile(tools));
  const isResolved = await runCheck('settings', async () => {
    await tools.account.settings();
    return [];
  });
  if (!isResolved) return results;

  const isReachable = await runCheck('connection', () => checkConnection(tools));
  if (isReachable) await runCheck('sign-in', () => checkSignIn(tools));
  return results;
}

/** Checks that the settings can be read, and that only their owner can read them. */
async function checkStore({ host }: DoctorTools): Promise<readonly DoctorResult[]> {
  const store = new Store(host.env);
  const { accounts } = await store.read();
  const names = Object.keys(accounts);
  const count = formatPlural(names.length, 'account');
  const summary = names.length === 0 ? 'no stored accounts' : `${count} (${names.join(', ')})`;

  const results = [passedResult('settings-file', `${store.path}: ${summary}`)];
  // Windows has no file modes.
  if (host.platform === 'win32') return results;
  for (const [path, mode] of [
    [store.directory, '700'],
    [store.path, '600'],
  ] as const) {
    const current = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
    if ((current & 0o077) === 0) continue;

    const message = `${path} can be accessed by other users.`;
    const fix = `chmod ${mode} ${quoteForShell(path, host.platform)}`;
    results.push(warningResult('settings-file', { message, hint: fix }));
  }
  return results;
}

async function checkProjectFile({ host }: DoctorTools): Promise<readonly DoctorResult[]> {
  const path = findProjectFile(host.cwd);
  if (path === undefined) return [];

  const file = await readProjectFile(path, relative(host.cwd, path));
  checkSavedReports(file);
  return [
    passedResult(projectFileName, `${path}: ${formatPlural(file.reportNames.length, 'report')}`),
  ];
}

/** Makes one call without a token, which should get a 401 (`decisions.md` 6). */
async function checkConnection(tools: DoctorTools): Promise<readonly DoctorResult[]> {
  const { account, host } = tools;
  const { value: baseUrl } = (await account.settings()).baseUrl;
  if (!baseUrl) return [];

  const proxy = account.isLocal ? undefined : readProxy(host.env);
  const url = new URL(endpointUrl(baseUrl.href, 'campaigns'));
  const http = await createHttp({
    timeoutMs: checkTimeoutMs,
    userAgent: 'adreport doctor',
    proxy,
    wording: 'flags',
    trace: () => {},
  });
  const startedMs = host.stopwatch();
  try {
    const { method } = endpoints.campaigns;
    const { signal } = host;
    const response = await http.send({ method, url, step: 'a call', headers: {}, signal });
    response.body.destroy();

    const elapsed = formatDuration(host.stopwatch() - startedMs);
    const proxySuffix = proxy ? ` through ${proxy.url.protocol}//${proxy.url.host}` : '';
    const message = `${url.origin} responds with ${response.status} in ${elapsed}${proxySuffix}`;
    return [checkStatus(response.status, message), ...checkClock(response.headers.date, host)];
  } finally {
    await http.close();
  }
}

/** Checks the status of a call without a token, which the service should refuse. */
function checkStatus(status: number, message: string): DoctorResult {
  if (status === 401 || status === 403) {
    return passedResult('connection', `${message}, as expected without a token`);
  }
  return warningResult('connection', {
    message: `${message}, but a call without a token should get 401.`,
    hint: 'Check the path of the base URL, or try again later.',
  });
}

/** Compares this machine's clock with the `Date` header of a response, if there is one. */
function checkClock(
  dateHeader: string | undefined,
  { wallClock }: DoctorTools['host'],
): readonly DoctorResult[] {
  // The header has whole seconds, so it is half a second behind on average.
  const aheadMs = wallClock() - Date.parse(dateHeader ?? '') - 500;
  if (Number.isNaN(aheadMs)) return [];

  const difference = formatDuration(Math.abs(aheadMs));
  if (Math.abs(aheadMs) < 60_000) {
    return [passedResult('clock', `in sync with the service (${difference} off)`)];
  }
  const direction = aheadMs > 0 ? 'ahead of' : 'behind';
  const problem = {
    message: `This machine’s clock is ${difference} ${direction} the service’s.`,
    hint: 'Set the clock, for example with NTP: periods such as today and -36h depend on it.',
  };
  return [warningResult('clock', problem)];
}

async function checkSignIn({ account }: DoctorTools): Promise<readonly DoctorResult[]> {
  const { campaigns, warning } = await tryToken(await account.client());
  return [
    warning ? warningResult('sign-in', warning) : passedResult('sign-in', `works: ${campaigns}`),
  ];
}

function passedResult(check: string, message: string): DoctorResult {
  return { check, status: 'ok', message, fix: null, exitCode: null };
}

interface Problem {
  readonly message: string;
  readonly hint?: string;
}

function warningResult(check: string, { message, hint = settingsHint }: Problem): DoctorResult {
  return { check, status: 'warning', message, fix: hint, exitCode: null };
}

function brokenResult(
  check: string,
  { message, hint = settingsHint, exitCode }: AdreportError,
): DoctorResult {
  return { check, status: 'broken', message, fix: hint, exitCode };
}

const settingsHint = 'Read: adreport help settings';
