import { type Profile, profiles } from '../contract/vocabulary.ts';
import { UsageError } from '../errors.ts';
import { checkBaseUrl, formatBaseUrl, originOf } from './base-url.ts';
import type { Environment } from './environment.ts';
import { findAccount, isProfile, type StoredAccount, type StoredSettings } from './stored-settings.ts';
import { checkToken } from './token.ts';

/** Where a setting came from, the strongest first. */
export type SettingSource = 'flag' | 'env' | 'file' | 'account' | 'default';

/** A value, and what gave it. */
export interface Setting<T> {
  readonly value: T;
  readonly source: SettingSource;
  /** What gave it, as people know it: `--base-url`, `ADREPORT_TOKEN`, `account "work"`. */
  readonly from: string;
}

/** Every setting of a command; what no source gives has the value `undefined` and the source `default`. */
export interface Settings {
  readonly account: Setting<string>;
  /** The account of that name, if it is stored. */
  readonly storedAccount: StoredAccount | undefined;
  readonly baseUrl: Setting<URL | undefined>;
  readonly token: Setting<string | undefined>;
  /** Why the stored token is not used, one sentence, where it is not. */
  readonly tokenWithheld: string | undefined;
  readonly email: Setting<string | undefined>;
  readonly password: Setting<string | undefined>;
  readonly profile: Setting<Profile>;
}

const defaultAccountName = 'default';

/**
 * What `adreport.yaml` says of the account, for all commands or for one saved report. It never gives an address or a
 * secret: it is found upwards from the working folder, and a folder that was cloned must not say where a token goes.
 */
export interface ProjectChoice {
  readonly account?: string;
  readonly profile?: string;
}

/** What settings can come from. */
export interface SettingsSources {
  readonly flags: { readonly account?: string; readonly baseUrl?: string; readonly profile?: string };
  readonly env: Environment;
  readonly projectFile?: ProjectChoice;
  readonly stored: StoredSettings;
}

/**
 * Every setting by its strongest source: flag, environment, `adreport.yaml`, stored account, default (`cli.md`, Settings).
 * A stored token is used only with the origin it was stored for, wherever the base URL came from.
 * Throws `UsageError` for a base URL, token, profile or account name that cannot be one, naming where it came from.
 */
export function resolveSettings(sources: SettingsSources): Settings {
  const { flags, env, projectFile = {}, stored } = sources;
  const account = resolveAccount(sources);
  const storedAccount = findAccount(stored, account.value);
  const fromAccount = (text: string | undefined) => setting(text, 'account', `account "${account.value}"`);

  const baseUrl = optional(
    fromFlag('--base-url', flags.baseUrl) ?? fromEnv(env, 'ADREPORT_BASE_URL') ?? fromAccount(storedAccount?.baseUrl),
    checkBaseUrl,
  );
  const withheld = whyWithheld(account.value, storedAccount, baseUrl.value);
  const token = optional(
    fromEnv(env, 'ADREPORT_TOKEN') ?? (withheld ? undefined : fromAccount(storedAccount?.token)),
    checkToken,
  );
  return {
    account,
    storedAccount,
    baseUrl,
    token,
    tokenWithheld: token.value ? undefined : withheld,
    email: fromEnv(env, 'ADREPORT_EMAIL') ?? fromAccount(storedAccount?.email) ?? byDefault(undefined),
    // As it is: blanks may belong to it.
    password: setting(env.ADREPORT_PASSWORD || undefined, 'env', 'ADREPORT_PASSWORD') ?? byDefault(undefined),
    profile: checked(
      fromFlag('--profile', flags.profile) ??
        fromEnv(env, 'ADREPORT_PROFILE') ??
        fromFile('profile', projectFile.profile) ??
        fromAccount(storedAccount?.profile) ??
        byDefault('buyer'),
      checkProfile,
    ),
  };
}

/** The name of the account that is used, by its strongest source. Throws `UsageError` for a name that cannot be one. */
export function resolveAccount({ flags, env, projectFile = {}, stored }: SettingsSources): Setting<string> {
  return checked(
    fromFlag('--account', flags.account) ??
      fromEnv(env, 'ADREPORT_ACCOUNT') ??
      fromFile('account', projectFile.account) ??
      setting(stored.defaultAccount, 'account', 'the stored default') ??
      byDefault(defaultAccountName),
    checkAccountName,
  );
}

/** An account name as it may be stored and typed. Throws `UsageError`. */
export function checkAccountName(text: string): string {
  if (/^[\p{L}\p{N}][\p{L}\p{N}._@+-]{0,63}$/u.test(text)) return text;
  throw new UsageError('An account name begins with a letter or digit, and holds only letters, digits and . _ @ + -.');
}

/** The profile of that name, in any case. Throws `UsageError`. */
export function checkProfile(text: string): Profile {
  const name = text.toLowerCase();
  if (isProfile(name)) return name;
  throw new UsageError(`"${text}" is no profile; there are ${profiles.join(' and ')}.`);
}

function whyWithheld(name: string, account: StoredAccount | undefined, baseUrl: URL | undefined): string | undefined {
  if (!account?.token || !baseUrl) return undefined;
  if (originOf(account.baseUrl) === baseUrl.origin) return undefined;
  return `The token of account "${name}" is for ${account.baseUrl}, and is not sent to ${formatBaseUrl(baseUrl)}.`;
}

function setting(text: string | undefined, source: SettingSource, from: string): Setting<string> | undefined {
  return text === undefined ? undefined : { value: text, source, from };
}

function fromFlag(flag: string, text: string | undefined): Setting<string> | undefined {
  return setting(text, 'flag', flag);
}

/** A variable that is empty is one that is not set: that is how shells and CI systems clear it. */
function fromEnv(env: Environment, name: string): Setting<string> | undefined {
  return setting(env[name]?.trim() || undefined, 'env', name);
}

function fromFile(key: string, text: string | undefined): Setting<string> | undefined {
  return setting(text, 'file', `adreport.yaml (${key})`);
}

function byDefault<T>(value: T): Setting<T> {
  return { value, source: 'default', from: 'default' };
}

function optional<T>(given: Setting<string> | undefined, check: (text: string) => T): Setting<T | undefined> {
  return given ? checked(given, check) : byDefault(undefined);
}

/** The setting with its text made into a value; an error says where the text came from. */
function checked<T>(given: Setting<string>, check: (text: string) => T): Setting<T> {
  try {
    return { ...given, value: check(given.value) };
  } catch (error) {
    if (error instanceof UsageError && given.source !== 'default') error.amend(`(From ${given.from}.)`);
    throw error;
  }
}
