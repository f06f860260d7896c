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

/** Sources of a setting, highest precedence first. Defaults come after these. */
const layerOrder = ['flag', 'env', 'file', 'account'] as const;
type SettingSource = (typeof layerOrder)[number] | 'default';

export interface SettingsSources {
  readonly flags: RawSettings;
  readonly env: Env;
  readonly projectFile?: ProjectChoice;
  readonly stored: StoredSettings;
}

export interface Setting<Value> {
  readonly value: Value;
  readonly source: SettingSource;

  /** Source in messages: `--base-url`, `ADREPORT_TOKEN`, `account “work”`. */
  readonly from: string;
}

type AllSettings = { readonly [Key in SettingKey]: Setting<ResolvedValue<Key>> };

export interface Settings extends AllSettings {
  readonly isFromEnvironment: boolean;

  /**
   * Stored account to sign in with. Not set if credentials come from the environment or nothing is
   * stored.
   */
  readonly storedAccount: StoredAccount | undefined;

  readonly stored: StoredSettings;
}

/** Name of the account that `login` stores by default. */
export const defaultAccountName = 'default';

/**
 * Resolves all settings. Credentials come from a stored account or from the environment, never from
 * both (`cli.md`, Settings). Throws `UsageError` with the source of an invalid value.
 */
export function resolveSettings(sources: SettingsSources): Settings {
  if (usesEnvironment(sources)) return useEnvironment(sources);

  const { flags, env, projectFile = {}, stored } = sources;
  const account = resolveAccount(sources);
  const storedAccount = findAccount(stored, account.value);
  const { token, email, password, baseUrl, ...variables } = readVariables(env);
  const isNamed = account.source === 'flag' || account.source === 'env';
  const hasOwnUrl = isNamed && storedAccount !== undefined;
  const layers = {
    flag: flags,
    env: hasOwnUrl ? variables : { ...variables, baseUrl },
    file: projectFile,
    account: { ...storedAccount, account: stored.defaultAccount },
  };
  const settings = readAll(layers, { accountName: account.value, env });
  return { ...settings, isFromEnvironment: false, storedAccount, stored };
}

/**
 * Uses the credentials in the environment. The base URL defaults to that of the default account,
 * whose other settings apply only if the base URL is the same.
 */
function useEnvironment({ flags, env, projectFile, stored }: SettingsSources): Settings {
  const { defaultAccount = defaultAccountName } = stored;
  const storedDefault = findAccount(stored, defaultAccount);

  const url = readBaseUrlFrom(flags, env);
  const isElsewhere = url !== undefined && url.origin !== parseOrigin(storedDefault?.baseUrl);
  const { baseUrl, profile, encoding, windowClock } = isElsewhere ? {} : (storedDefault ?? {});
  const layers = {
    flag: flags,
    env: readVariables(env),
    file: { ...projectFile, account: undefined },
    account: { baseUrl, profile, encoding, windowClock },
  };
  const settings = readAll(layers, { accountName: defaultAccount, env });
  return { ...settings, isFromEnvironment: true, storedAccount: undefined, stored };
}

/**
 * Whether the environment has the credentials. Throws `UsageError` for an e-mail address without a
 * password, or vice versa.
 */
function usesEnvironment({ flags, env }: SettingsSources): boolean {
  if (flags.account !== undefined) return false;

  const { token, email, password } = readVariables(env);
  const hasEmail = email !== undefined;
  const hasPassword = password !== undefined;
  if (hasEmail === hasPassword) return token !== undefined || hasEmail;

  const [given, missing] = hasEmail ? ['EMAIL', 'PASSWORD'] : ['PASSWORD', 'EMAIL'];
  throw new UsageError(`ADREPORT_${given} is set, but ADREPORT_${missing} is not.`, {
    hint: 'Set both, or neither.',
  });
}

/** Throws `UsageError` for an invalid name. */
export function resolveAccount({
  flags,
  env,
  projectFile = {},
  stored,
}: SettingsSources): Setting<string> {
  const account = { account: stored.defaultAccount };
  const layers = { flag: flags, env: readVariables(env), file: projectFile, account };
  return readSetting('account', layers, { env });
}

/**
 * Returns the names in `--account a,b` or `all`, without duplicates. Returns `undefined` for a
 * single account or for credentials from the environment. Throws `UsageError` for an invalid name,
 * and `SignInError` for `all` if no account is stored.
 */
export function resolveAccountList(sources: SettingsSources): readonly string[] | undefined {
  if (usesEnvironment(sources)) return undefined;

  const { flags, env, projectFile = {}, stored } = sources;
  const layers = { flag: flags, env: readVariables(env), file: projectFile };
  const choice = findValue('account', layers);
  if (!choice || !isAccountList(choice.value)) return undefined;

  const isAll = choice.value.trim() === allAccounts;
  const names = isAll ? Object.keys(stored.accounts) : choice.value.split(',');
  if (names.length === 0) {
    throw new SignInError('No account is stored.', { hint: 'Sign in with: adreport login' });
  }
  return [...new Set(names.map((name) => readWithSource(choice.from, checkAccountName, name)))];
}

/** Reads the base URL from the flags or the environment. Throws `UsageError` for an invalid URL. */
export function readBaseUrlFrom(flags: RawSettings, env: Env): URL | undefined {
  return readSetting('baseUrl', { flag: flags, env: readVariables(env) }, { env }).value;
}

type Layers = { readonly [Source in (typeof layerOrder)[number]]?: RawSettings };

/** Treats an empty variable as unset, because CI systems clear variables that way. */
function readVariables(env: Env): RawSettings {
  const values: Record<string, string> = {};
  for (const key of settingKeys) {
    const text = env[findEntry(key).variable ?? ''];
    if (text?.trim()) values[key] = text;
  }
  return values;
}

interface ReadContext {
  readonly env: Env;

  readonly accountName?: string;
}

function readAll(layers: Layers, context: ReadContext): AllSettings {
  const settings = settingKeys.map((key) => [key, readSetting(key, layers, context)]);
  return Object.fromEntries(settings) as AllSettings;
}

/** Throws `UsageError` with the source of an invalid value. */
function readSetting<Key extends SettingKey>(
  key: Key,
  layers: Layers,
  { env, accountName }: ReadContext,
): Setting<ResolvedValue<Key>> {
  const { read, defaultValue } = findEntry(key);
  const found = findValue(key, layers, accountName);
  if (!found) {
    return { value: defaultValue as ResolvedValue<Key>, source: 'default', from: 'default' };
  }
  return { ...found, value: readWithSource(found.from, (value) => read(value, env), found.value) };
}

/** Finds the setting in the first source that has it. */
function findValue(key: SettingKey, layers: Layers, accountName = ''): Setting<string> | undefined {
  const { name, variable = '' } = findEntry(key);
  const names = {
    flag: `--${name}`,
    env: variable,
    file: `adreport.yaml (${name})`,
    account: key === 'account' ? 'the stored default' : `account “${accountName}”`,
  };
  for (const source of layerOrder) {
    const value = layers[source]?.[key];
    if (value !== undefined) return { value, source, from: names[source] };
  }
  return undefined;
}

/** Throws `UsageError` with the source of an invalid value. */
function readWithSource<Value>(from: string, read: (text: string) => Value, text: string): Value {
  try {
    return read(text);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const { message, code, hint } = error;
    throw new UsageError(`${message} (From ${from}.)`, { code, ...(hint && { hint }) });
  }
}
