import { UsageError } from '../errors.ts';
import type { Environment } from './settings.ts';

/** The proxy of the environment. */
export interface EnvironmentProxy {
  readonly url: URL;
  /** `NO_PROXY`, without blanks around it: the hosts that are called past the proxy. */
  readonly none: string | undefined;
}

/**
 * The proxy of the environment, `http://` where it names no scheme, as curl has it; `undefined` where there is none.
 * Throws `UsageError` for an address that is none, and for a user name or password that cannot be decoded.
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
  if (!isDecodable(url.username) || !isDecodable(url.password)) {
    throw new UsageError('HTTPS_PROXY holds a user name or password that cannot be decoded.', {
      hint: 'Write a percent sign that stands for itself as %25.',
    });
  }
  return { url, none: (env.no_proxy ?? env.NO_PROXY)?.trim() };
}

/** A proxy's address as it may be shown, without its password. */
export function maskProxy({ url }: EnvironmentProxy): string {
  const { protocol, username, password, host } = url;
  const user = `${username}${password === '' ? '' : ':…'}`;
  return `${protocol}//${user === '' ? '' : `${user}@`}${host}`;
}

/** Whether a part of a URL stands for a text: `100%` does not, `100%25` does. */
function isDecodable(part: string): boolean {
  try {
    decodeURIComponent(part);
    return true;
  } catch {
    return false;
  }
}

/** Whether calls of a URL go through the proxy, by the rules of undici: https only, unless `NO_PROXY` names its host. */
export function goesThrough({ none = '' }: EnvironmentProxy, url: URL): boolean {
  if (url.protocol !== 'https:') return false;
  if (none === '*') return false;
  const port = url.port || '443';
  return !none.split(/[,\s]/).some((entry) => {
    const [, host = '', entryPort] = /^(.+?)(?::(\d+))?$/.exec(entry.trim().toLowerCase()) ?? [];
    const name = host.replace(/^\*?\./, '');
    if (name === '' || (entryPort !== undefined && entryPort !== port)) return false;
    return url.hostname === name || url.hostname.endsWith(`.${name}`);
  });
}
