import { createHash } from 'node:crypto';
import type { Query } from '../query/query.ts';
import type { ServiceAccount } from './account.ts';
import type { Settings } from './resolve.ts';
import { isUnnamed } from './sign-in.ts';

/** Describes the account, login and service of a report. */
export function identifyOwner(
  { isLocal }: Pick<ServiceAccount, 'isLocal'>,
  settings: Settings,
): Pick<Query, 'account' | 'login' | 'service'> {
  const url = settings.baseUrl.value;
  const email = settings.email.value;
  const service = isLocal ? 'local' : url && nameService(url);
  return {
    ...(!isUnnamed(settings) && { account: settings.account.value }),
    ...(email !== undefined && { login: maskLogin(email) }),
    ...(service !== undefined && { service }),
  };
}

/** Returns the host, with its port unless on loopback, where it changes. */
function nameService({ hostname, host }: URL): string {
  const isLoopback = /^(localhost|\[::1\]|127\.\d+\.\d+\.\d+)$/.test(hostname);
  return isLoopback ? hostname : host;
}

/** Formats `b…@example.com#3f2a9c01d4e5`, which identifies an address without revealing it. */
export function maskLogin(email: string): string {
  const address = email.toLowerCase();
  const domain = address.slice(address.lastIndexOf('@') + 1);
  const hash = createHash('sha256').update(address).digest('hex').slice(0, 12);
  return `${address.charAt(0)}…@${domain}#${hash}`;
}
