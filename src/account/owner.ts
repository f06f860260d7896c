import { createHash } from 'node:crypto';
import { SignInError } from '../errors.ts';
import { formatOwner, isSameAccount, type Owner } from '../query/owner.ts';
import type { Query } from '../query/query.ts';
import { isLoopback } from '../text/loopback.ts';
import { printable } from '../text/printable.ts';
import type { AccountOptions, Accounts, ServiceAccount } from './account.ts';
import type { Settings } from './resolve.ts';
import { chooseAccountName, isUnnamed } from './sign-in.ts';

/** Query fields that come from the account. */
type AccountFacts = Owner & Pick<Query, 'profile' | 'encoding' | 'windowClock'>;

/** Returns the query fields that come from an account. */
export async function describeAccount(account: ServiceAccount): Promise<AccountFacts> {
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
 * Finds the account of a folder: the account of the command line if it fits, otherwise the stored
 * account with the same login, otherwise the one with the same name.
 *
 * @param query the query of the folder's declaration
 * @throws SignInError if no account fits
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
    { hint: 'Sign in to that account with adreport login, or name it with --account.' },
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

/** Key of an account in the ledger. All commands on this machine use the same key. */
export interface AccountKey {
  /** Base URL. */
  readonly service: string;

  /** Login or name of the account, or a hash of a bare token. */
  readonly account: string;
}

/** Sign-ins with the same login, name or bare token have the same key. */
export async function identifyAccount(account: ServiceAccount): Promise<AccountKey> {
  const settings = await account.settings();
  const { baseUrl, email, token } = settings;
  const name = isUnnamed(settings)
    ? `token ${hash(token.value ?? '').slice(0, 16)}`
    : chooseAccountName(settings);
  return { service: baseUrl.value?.href ?? '', account: email.value ?? name };
}

/** Returns the host with its port. On loopback the port changes, so it is left out. */
function formatHost({ hostname, host }: URL): string {
  return isLoopback(hostname) ? hostname : host;
}

/** Formats an address as `b…@example.com#3f2a9c01d4e5`, which identifies it but hides it. */
function maskLogin(email: string): string {
  const address = email.toLowerCase();
  const domain = address.slice(address.lastIndexOf('@') + 1);
  return `${address.charAt(0)}…@${domain}#${hash(address).slice(0, 12)}`;
}

function hash(value: string): string {
  return createHash('sha256').update(value).digest('hex');
}
