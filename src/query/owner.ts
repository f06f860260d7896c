import type { Query } from './query.ts';

/** Account of a query or a folder. */
export type Owner = Pick<Query, 'account' | 'login' | 'service'>;

/**
 * Compares the services, then the logins, or the names if either has no login. A bare token without
 * a name matches only another bare token.
 */
export function isSameAccount(one: Owner, other: Owner): boolean {
  if (one.service !== other.service) return false;
  const bothHaveLogin = one.login !== undefined && other.login !== undefined;
  const bothHaveName = one.account !== undefined && other.account !== undefined;
  if (bothHaveLogin) return one.login === other.login;
  return bothHaveName ? one.account === other.account : isBareToken(one) && isBareToken(other);
}

/** Whether the owner is a token that is not stored and has no name. */
export function isBareToken({ account, login }: Owner): boolean {
  return account === undefined && login === undefined;
}

/** Formats `acme (b…@example.com#3f2a9c01d4e5) at reports.example.com`. */
export function formatOwner({ account, login, service }: Owner): string {
  const name = account ?? login ?? 'a token without a name';
  const withLogin = account !== undefined && login !== undefined ? `${name} (${login})` : name;
  return service === undefined ? withLogin : `${withLogin} at ${service}`;
}
