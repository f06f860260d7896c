import { UsageError } from '../errors.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The proxy of the environment. */
export interface EnvironmentProxy {
  readonly url: URL;
  /** `NO_PROXY`: the hosts that are called past it. */
  readonly none: string | undefined;
}

/**
 * The proxy of the environment, `http://` where it names no scheme, as curl has it; `undefined` where there is none.
 * Throws `UsageError` for an address that is none.
 */
export function readProxy(env: Environment): EnvironmentProxy | undefined {
  const text = (env.https_proxy || env.HTTPS_PROXY)?.trim();
  if (!text) return undefined;
  const address = text.includes('://') ? text : `http://${text}`;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  // Not quoted: what cannot be parsed may hold a password.
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new UsageError('HTTPS_PROXY is no http or https address.', { hint: 'For example: http://127.0.0.1:3128' });
  }
  return { url, none: env.no_proxy ?? env.NO_PROXY };
}

/** A proxy's address as it may be shown. */
export function maskProxy({ url }: EnvironmentProxy): string {
  const shown = new URL(url);
  if (shown.password !== '') shown.password = '…';
  return decodeURI(shown.href).replace(/\/$/, '');
}

/** Whether calls of a URL go through the proxy, by the rules of undici: https only, unless `NO_PROXY` names its host. */
export function goesThrough({ none = '' }: EnvironmentProxy, url: URL): boolean {
  if (url.protocol !== 'https:') return false;
  if (none.trim() === '*') return false;
  const port = url.port || '443';
  return !none.split(/[,\s]/).some((entry) => {
    const [, host = '', entryPort] = /^(.+?)(?::(\d+))?$/.exec(entry.trim().toLowerCase()) ?? [];
    const name = host.replace(/^\*?\./, '');
    if (name === '' || (entryPort !== undefined && entryPort !== port)) return false;
    return url.hostname === name || url.hostname.endsWith(`.${name}`);
  });
}
