import { createHash } from 'node:crypto';
import { SignInError } from '../errors.ts';
import { formatOwner, isSameAccount, type Owner } from '../query/owner.ts';
import type { Query } from '../query/query.ts';
import { isLoopback } from '../text/loopback.ts';
import { printable } from '../text/printable.ts';
import type { AccountOptions, Accounts, ServiceAccount } from './account.ts';
import type { Settings } from './resolve.ts';
import { chooseAccountName, isUnnamed } from './sign-in.ts';

type AccountFields = Owner & Pick<Query, 'profile' | 'encoding' | 'windowClock'>;

/** Returns the query fields that come from an account. */
export async function describeAccount(account: ServiceAccount): Promise<AccountFields> {
  const settings = await account.settings();
  const { profile, encoding, windowClock } = settings;
  return {
    ...identifyOwner(account, settings),
    profile: profile.value,
    encoding: encoding.value,
    windowClock: windowClock.value,
  };
}

function identifyOwner({ isLocal }: Pick<ServiceAccount, 'isLocal'>, settings: Settings): Owner {
  const url = settings.baseUrl.value;
  const email = settings.email.value;
  const service = isLocal ? 'local' : url && formatHost(url);
  return {
    ...(!isUnnamed(settings) && { account: settings.account.value }),
    ...(email !== undefined && { login: maskLogin(email) }),
    ...(service !== undefined && { service }),
  };
}

/**
 * Finds the account of a folder: the current account if it matches, otherwise the stored account
 * with the same login, otherwise the stored account with the same name.
 *
 * @param query the query of the folder's declaration
 * @throws SignInError if no account matches
 */
export async function findFolderAccount(
  accounts: Accounts,
  query: Query,
  flags: AccountOptions,
): Promise<ServiceAccount> {
  const { profile, encoding, windowClock } = query;
  const choose = (change: AccountOptions) =>
    accounts.choose({ ...flags, ...change }, { profile, encoding, windowClock });
  if (query.service === 'local') return choose({ local: true, account: query.account });

  const candidates = [choose({})];
  const stored = flags.account === undefined ? await findStored(accounts, query) : [];
  candidates.push(...stored.map((account) => choose({ account })));
  for (const candidate of candidates) {
    const owner = identifyOwner(candidate, await candidate.settings());
    if (isSameAccount(query, owner)) return candidate;
  }
  const owner = printable(formatOwner(query));
  throw new SignInError(
    `The files belong to ${owner}, and you are not signed in to that account.`,
    { hint: 'Sign in to that account with adreport login, or select it with --account.' },
  );
}

/**
 * Lists the stored accounts that may own a folder. Accounts with the same login come before
 * accounts with the same name.
 */
async function findStored(accounts: Accounts, { login, account }: Owner): Promise<string[]> {
  const stored = new Map(Object.entries((await accounts.store().read()).accounts));
  const names: string[] = [];
  for (const [name, { email }] of stored) {
    if (email !== undefined && maskLogin(email) === login) names.push(name);
  }
  if (account !== undefined && stored.has(account)) names.push(account);
  return names;
}

/** Identifies the account of a recorded report, in every command on this machine. */
export interface AccountKey {
  /** Base URL. */
  readonly service: string;

  /** Login or name of the account, or a hash of a bare token. */
  readonly account: string;
}

/** Returns the same key for sign-ins with the same login, name or bare token. */
export async function identifyAccount(account: ServiceAccount): Promise<AccountKey> {
  const settings = await account.settings();
  const { baseUrl, email, token } = settings;
  const name = isUnnamed(settings)
    ? `token ${hash(token.value ?? '').slice(0, 16)}`
    : chooseAccountName(settings);
  return { service: baseUrl.value?.href ?? '', account: email.value ?? name };
}

/** Returns the host with its port, but without it on loopback, where the port changes. */
function formatHost({ hostname, host }: URL): string {
  return isLoopback(hostname) ? hostname : host;
}

/** Masks an address as `b…@example.com#3f2a9c01d4e5`. The hash identifies the address. */
function maskLogin(email: string): string {
  const address = email.toLowerCase();
  const domain = address.slice(address.lastIndexOf('@') + 1);
  return `${address.charAt(0)}…@${domain}#${hash(address).slice(0, 12)}`;
}

function hash(value: string): string {
  return createHash('sha256').update(value).digest('hex');
}
