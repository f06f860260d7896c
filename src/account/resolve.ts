import { SignInError, UsageError } from '../errors.ts';
import { allAccounts, checkAccountName, isAccountList, parseOrigin } from './setting-values.ts';
import {
  type Env,
  findEntry,
  type ProjectChoice,
  type RawSettings,
  type ResolvedValue,
  type SettingKey,
  settingKeys,
} from './settings.ts';
import { findAccount, type StoredAccount, type StoredSettings } from './store.ts';

/** Where a setting may come from, in order of precedence. */
type SettingSource = 'flag' | 'env' | 'file' | 'account' | 'default';

export interface SettingsSources {
  readonly flags: RawSettings;
  readonly env: Env;
  readonly projectFile?: ProjectChoice;
  readonly stored: StoredSettings;
}

export interface Setting<Value> {
  readonly value: Value;
  readonly source: SettingSource;

  /** Names the source in messages: `--base-url`, `ADREPORT_TOKEN`, `account “work”`. */
  readonly from: string;
}

type AllSettings = { readonly [Key in SettingKey]: Setting<ResolvedValue<Key>> };

/** All settings of a command. */
export interface Settings extends AllSettings {
  readonly isFromEnvironment: boolean;

  /**
   * Stored account that signs in; `undefined` if the environment signs in, or if no account is
   * stored.
   */
  readonly storedAccount: StoredAccount | undefined;

  readonly stored: StoredSettings;
}

/** Name of an account that is stored without one. */
export const defaultAccountName = 'default';

/**
 * Resolves all settings. The credentials come from a stored account or from the environment; the
 * two are never mixed (`cli.md`, Settings). Throws `UsageError` that names the source of an invalid
 * value.
 */
export function resolveSettings(sources: SettingsSources): Settings {
  const { flags, env, stored } = sources;
  if (flags.account === undefined && hasCredentials(env)) return useEnvironment(sources);

  const account = resolveAccount(sources);
  const storedAccount = findAccount(stored, account.value);
  const isNamed = account.source === 'flag' || account.source === 'env';
  // A named account has its own base URL.
  const unused: SettingKey[] = isNamed && storedAccount ? ['baseUrl'] : [];
  const layers = [
    ...listLayers(sources, [...credentialKeys, ...unused]),
    listAccountLayer(account.value, { ...storedAccount, account: stored.defaultAccount }),
  ];
  return { ...readAll(layers, env), isFromEnvironment: false, storedAccount, stored };
}

/**
 * Uses the credentials of the environment. Without a base URL, that of the default account is used.
 * Other settings of the default account apply only if the base URL is the same.
 */
function useEnvironment(sources: SettingsSources): Settings {
  const { flags, env, projectFile, stored } = sources;
  const { defaultAccount = defaultAccountName } = stored;
  const storedDefault = findAccount(stored, defaultAccount);

  const url = readBaseUrlFrom(flags, env);
  const isElsewhere = url !== undefined && url.origin !== parseOrigin(storedDefault?.baseUrl);
  const { baseUrl, profile, encoding, windowClock } = isElsewhere ? {} : (storedDefault ?? {});
  const layers = [
    ...listLayers({ flags, env, projectFile: { ...projectFile, account: undefined } }),
    listAccountLayer(defaultAccount, { baseUrl, profile, encoding, windowClock }),
  ];
  return {
    ...readAll(layers, env),
    isFromEnvironment: true,
    storedAccount: undefined,
    stored,
  };
}

const credentialKeys: readonly SettingKey[] = ['token', 'email', 'password'];

/**
 * Returns true if the environment has credentials. Throws `UsageError` for an e-mail address
 * without a password, or the reverse.
 */
function hasCredentials(env: Env): boolean {
  const { token, email, password } = readVariables(env, credentialKeys);
  const hasEmail = email !== undefined;
  const hasPassword = password !== undefined;
  if (hasEmail === hasPassword) return token !== undefined || hasEmail;

  const [given, missing] = hasEmail ? ['EMAIL', 'PASSWORD'] : ['PASSWORD', 'EMAIL'];
  throw new UsageError(`ADREPORT_${given} is set, but ADREPORT_${missing} is not.`, {
    hint: 'Set both, or neither.',
  });
}

/** Finds the name of the account. Throws `UsageError` for an invalid name. */
export function resolveAccount(sources: SettingsSources): Setting<string> {
  const { env, stored } = sources;
  const stores = listAccountLayer('', { account: stored.defaultAccount });
  return readSetting('account', [...listLayers(sources), stores], env);
}

/**
 * Returns the accounts of a run, without duplicates; `undefined` for a single account or the
 * environment. Throws `UsageError` for an invalid name, and `SignInError` if `all` finds no stored
 * account.
 */
export function resolveAccountList(sources: SettingsSources): readonly string[] | undefined {
  const { flags, env, stored } = sources;
  if (flags.account === undefined && hasCredentials(env)) return undefined;

  const choice = findText('account', listLayers(sources));
  if (!choice || !isAccountList(choice.value)) return undefined;

  const isAll = choice.value.trim() === allAccounts;
  const names = isAll ? Object.keys(stored.accounts) : choice.value.split(',');
  if (names.length === 0) {
    throw new SignInError('No account is stored.', { hint: 'Sign in with: adreport login' });
  }
  return [...new Set(names.map((name) => readFrom(choice.from, checkAccountName, name)))];
}

/**
 * Reads the base URL from the flags or the environment alone. Throws `UsageError` for an invalid
 * URL.
 */
export function readBaseUrlFrom(flags: RawSettings, env: Env): URL | undefined {
  return readSetting('baseUrl', listLayers({ flags, env }), env).value;
}

/** The settings of one source. */
interface Layer {
  readonly source: Exclude<SettingSource, 'default'>;
  readonly values: RawSettings;

  /** Name of the stored account. */
  readonly account?: string;
}

/**
 * Lists the sources in order of precedence.
 *
 * @param unused settings whose variables are ignored
 */
function listLayers(
  { flags, env, projectFile = {} }: Omit<SettingsSources, 'stored'>,
  unused: readonly SettingKey[] = [],
): readonly Layer[] {
  const variables = settingKeys.filter((key) => !unused.includes(key));
  return [
    { source: 'flag', values: flags },
    { source: 'env', values: readVariables(env, variables) },
    { source: 'file', values: projectFile },
  ];
}

/** Treats an empty variable as unset, because CI systems clear it that way. */
function readVariables(env: Env, keys: readonly SettingKey[]): RawSettings {
  const values: Record<string, string> = {};
  for (const key of keys) {
    const text = env[findEntry(key).variable ?? ''];
    if (text?.trim()) values[key] = text;
  }
  return values;
}

function listAccountLayer(account: string, values: RawSettings): Layer {
  return { source: 'account', account, values };
}

/** Names the source of a setting in messages. */
function nameSource({ source, account }: Layer, key: SettingKey): string {
  const { name, variable = '' } = findEntry(key);
  const names = {
    flag: `--${name}`,
    env: variable,
    file: `adreport.yaml (${name})`,
    account: key === 'account' ? 'the stored default' : `account “${account}”`,
  };
  return names[source];
}

function readAll(layers: readonly Layer[], env: Env): AllSettings {
  const settings = settingKeys.map((key) => [key, readSetting(key, layers, env)]);
  return Object.fromEntries(settings) as AllSettings;
}

/** Reads a setting. Throws `UsageError`, with the source, for an invalid value. */
function readSetting<Key extends SettingKey>(
  key: Key,
  layers: readonly Layer[],
  env: Env,
): Setting<ResolvedValue<Key>> {
  const { read, otherwise } = findEntry(key);
  const text = findText(key, layers);
  if (!text) {
    return { value: otherwise as ResolvedValue<Key>, source: 'default', from: 'default' };
  }
  return { ...text, value: readFrom(text.from, (value) => read(value, env), text.value) };
}

/** Finds the first source that has a setting; `undefined` if there is none. */
function findText(key: SettingKey, layers: readonly Layer[]): Setting<string> | undefined {
  for (const layer of layers) {
    const value = layer.values[key];
    if (value !== undefined) return { value, source: layer.source, from: nameSource(layer, key) };
  }
  return undefined;
}

/** Reads a value, and names its source in the error for an invalid one. */
function readFrom<Value>(from: string, read: (text: string) => Value, text: string): Value {
  try {
    return read(text);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const { message, code, hint } = error;
    throw new UsageError(`${message} (From ${from}.)`, { code, ...(hint && { hint }) });
  }
}
