import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { createHttp } from '../../../api/http.ts';
import { TransportError } from '../../../api/transport-error.ts';
import { unreachable } from '../../../api/unreachable.ts';
import type { EnvironmentProxy } from '../../../config/proxy.ts';
import type { Context } from '../../../context.ts';
import { endpoints } from '../../../contract/endpoints.ts';
import { UnreachableError } from '../../../errors.ts';
import { formatDuration } from '../../../text/duration.ts';
import { formatPlural } from '../../../text/quantity.ts';
import { broken, type Finding, fine, odd } from './finding.ts';

/** Where the calls of a check go. */
export interface Service {
  readonly baseUrl: URL;
  /** The proxy that its calls go through. */
  readonly proxy: EnvironmentProxy | undefined;
  /** Milliseconds that a check may take. */
  readonly timeoutMs: number;
}

/** Whether the host's name leads to an address; nothing where the address is one, or where the proxy looks it up. */
export async function checkName({ baseUrl, proxy, timeoutMs }: Service): Promise<Finding[]> {
  const host = baseUrl.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) || proxy) return [];
  const looked = lookup(host).catch((cause: NodeJS.ErrnoException) => {
    const why = cause.code === 'ENOTFOUND' ? 'nobody knows it' : String(cause);
    const hint = 'Check the base URL and the network; behind a proxy, set HTTPS_PROXY.';
    throw new UnreachableError(`${host} is no host: ${why}.`, { hint, cause });
  });
  try {
    const { address } = await within(timeoutMs, looked, `The name ${host} is not looked up`);
    return [fine('name', `${host} is ${address}.`)];
  } catch (error) {
    return [broken('name', error)];
  }
}

/** What one call without a token came to. */
export type Answer =
  | {
      readonly status: number;
      readonly elapsedMs: number;
      /** The `Date` of its headers. */
      readonly date: string | undefined;
    }
  | { readonly error: unknown };

/** Makes one call, without a token; what goes wrong is a part of the answer. Throws only what ends the program. */
export async function call(context: Context, service: Service): Promise<Answer> {
  const { baseUrl, proxy, timeoutMs } = service;
  const { method, path } = endpoints.campaigns;
  const http = await createHttp({
    timeoutMs,
    userAgent: 'adreport doctor',
    proxy: proxy && { https: proxy.url.href, none: proxy.none },
    trace: () => {},
  });
  const startedMs = context.host.stopwatch();
  const url = new URL(baseUrl.href.replace(/\/$/, '') + path);
  try {
    const { signal } = context.host;
    const request = http.send({ method, url, headers: { accept: 'application/json' }, isBrief: true, signal });
    const { status, headers, body } = await within(timeoutMs, request, `${url.origin} does not answer`);
    body.destroy();
    return { status, elapsedMs: context.host.stopwatch() - startedMs, date: headers.date };
  } catch (error) {
    if (context.host.signal.aborted) throw context.host.signal.reason;
    return { error: error instanceof TransportError ? unreachable(error, url) : error };
  } finally {
    await http.close();
  }
}

/** Whether a reporting service answers at the address: without a token it says 401 (`decisions.md`, 6). */
export function checkConnection({ baseUrl }: Service, answer: Answer): Finding {
  if ('error' in answer) return broken('connection', answer.error);
  const { status, elapsedMs } = answer;
  const said = `${baseUrl.origin} answers ${status} in ${formatDuration(elapsedMs)}`;
  if (status === 401 || status === 403) return fine('connection', `${said}, as it should without a token.`);
  return odd('connection', `${said}, where the service says 401.`, fixOf(status));
}

function fixOf(status: number): string {
  if (status === 429) return 'Wait: the service allows no more calls for now.';
  if (status >= 500) return 'Wait: the fault is on the service’s side, or that of a proxy before it.';
  return 'Check the path of the base URL.';
}

const skewNotedMs = 60_000;

/** How far this machine's clock is from the service's, by the `Date` of its answer. */
export function checkClock(answer: Answer, nowMs: number): Finding[] {
  if ('error' in answer) return [];
  const serverMs = Date.parse(answer.date ?? '');
  if (Number.isNaN(serverMs)) return [];
  // The header counts whole seconds.
  const skewMs = nowMs - (serverMs + 500);
  const far = formatDuration(Math.abs(skewMs));
  if (Math.abs(skewMs) < skewNotedMs) return [fine('clock', `within ${far} of the service’s`)];
  const message = `This machine’s clock is ${far} ${skewMs > 0 ? 'ahead of' : 'behind'} the service’s.`;
  return [odd('clock', message, 'Set the clock (e.g. with NTP): today, now and -36h are reckoned from it.')];
}

/** Whether the token, or e-mail and password, are accepted. Throws only what ends the program. */
export async function checkToken(context: Context, { baseUrl, timeoutMs }: Service): Promise<Finding> {
  try {
    const client = await context.client();
    const campaigns = await within(timeoutMs, client.campaigns(), `${baseUrl.origin} does not answer`);
    const { token, storedAccount } = await context.settings();
    const since =
      token.source === 'account' && storedAccount?.savedAt
        ? ` Signed in ${storedAccount.savedAt.slice(0, 16).replace('T', ' ')}Z.`
        : '';
    const life = context.isLocal ? '' : ' A token lives 2 h after its last use (7 days if made in the console).';
    return fine('sign-in', `works: ${formatPlural(campaigns.length, 'campaign')}.${since}${life}`);
  } catch (error) {
    if (context.host.signal.aborted) throw context.host.signal.reason;
    return broken('sign-in', error);
  }
}

/** The result, or an `UnreachableError` once the time is up. */
async function within<T>(timeoutMs: number, work: Promise<T>, problem: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    const hint = 'Check the network and the base URL; a slow service can be given longer with --timeout.';
    const late = new UnreachableError(`${problem} within ${formatDuration(timeoutMs)}.`, { code: 'TIMEOUT', hint });
    timer = setTimeout(() => reject(late), timeoutMs);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}
