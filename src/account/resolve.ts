import type { Encoding, WindowClock } from '../contract/messages.ts';
import type { Profile } from '../contract/vocabulary.ts';
import { UsageError } from '../errors.ts';
import {
  allAccounts,
  checkAccountName,
  formatBaseUrl,
  isAccountList,
  originOf,
} from './setting-values.ts';
import {
  type Env,
  entryOf,
  type ProjectChoice,
  type RawSettings,
  type SettingKey,
  type SettingValue,
  settingKeys,
} from './settings.ts';
import { findAccount, type StoredAccount, type StoredSettings } from './store.ts';

/** In order of precedence. */
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

  /** Source in messages: `--base-url`, `ADREPORT_TOKEN`, `account “work”`. */
  readonly from: string;
}

/** All settings of a command. One without a source is `undefined`, with the source `default`. */
export interface Settings {
  readonly account: Setting<string>;
  readonly isFromEnvironment: boolean;

  /** Account that signs in; `undefined` for the environment, or if there is none. */
  readonly storedAccount: StoredAccount | undefined;

  readonly stored: StoredSettings;
  readonly baseUrl: Setting<URL | undefined>;
  readonly token: Setting<string | undefined>;
  readonly email: Setting<string | undefined>;
  readonly password: Setting<string | undefined>;
  readonly passwordCommand: Setting<string | undefined>;
  readonly profile: Setting<Profile>;
  readonly encoding: Setting<Encoding>;
  readonly windowClock: Setting<WindowClock>;
}

/** Name of an account for which none is given. */
export const defaultAccountName = 'default';

/**
 * Throws `UsageError`, with the source, for an invalid value. Credentials are those of a stored
 * account or those of the environment, never some of each (`cli.md`, Settings).
 */
export function resolveSettings(sources: SettingsSources): Settings {
  const { flags, env, stored } = sources;
  if (flags.account === undefined && hasCredentials(env)) return useEnvironment(sources);

  const account = resolveAccount(sources);
  const storedAccount = findAccount(stored, account.value);
  const isNamed = account.source === 'flag' || account.source === 'env';
  // A named account has its own base URL.
  const otherKeys: SettingKey[] = isNamed && storedAccount ? ['baseUrl'] : [];
  const layers = layersOf({
    ...sources,
    env: withoutVariables(env, [...credentialKeys, ...otherKeys]),
    account: { name: account.value, values: storedAccount ?? {} },
  });
  const facts = { account, isFromEnvironment: false, storedAccount, stored };
  return { ...facts, ...readAll(layers, env) };
}

/**
 * Uses the credentials of the environment, by default at the base URL of the default account. The
 * other settings of that account apply to its own service only.
 */
function useEnvironment(sources: SettingsSources): Settings {
  const { flags, env, stored } = sources;
  const { defaultAccount = defaultAccountName } = stored;
  const own = findAccount(stored, defaultAccount);

  const givenUrl = readGivenBaseUrl(flags, env);
  const isElsewhere = givenUrl !== undefined && givenUrl.origin !== originOf(own?.baseUrl);
  const { baseUrl, profile, encoding, windowClock } = isElsewhere ? {} : (own ?? {});
  const layers = layersOf({
    ...sources,
    account: { name: defaultAccount, values: { baseUrl, profile, encoding, windowClock } },
  });
  return {
    account: readSetting('account', [envLayer(env)], { env, otherwise: defaultAccountName }),
    isFromEnvironment: true,
    storedAccount: undefined,
    stored,
    ...readAll(layers, env),
  };
}

const credentialKeys: readonly SettingKey[] = ['token', 'email', 'password'];

/** Throws `UsageError` for an e-mail address without a password, or the reverse. */
function hasCredentials(env: Env): boolean {
  const { token, email, password } = envLayer(env).values;
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
  const layers = [
    ...givenLayers(sources),
    {
      source: 'account',
      nameOf: () => 'the stored default',
      values: { account: stored.defaultAccount },
    } as const,
  ];
  return readSetting('account', layers, { env, otherwise: defaultAccountName });
}

/**
 * Returns the accounts of a run: several names without duplicates, or `all`; `undefined` for a
 * single account, such as that of the environment. Throws `UsageError` for an invalid name.
 */
export function resolveAccountList(
  sources: Omit<SettingsSources, 'stored'>,
): readonly string[] | typeof allAccounts | undefined {
  const { flags, env } = sources;
  if (flags.account === undefined && hasCredentials(env)) return undefined;

  const choice = findText('account', givenLayers(sources));
  if (!choice || !isAccountList(choice.value)) return undefined;
  if (choice.value.trim() === allAccounts) return allAccounts;

  const names = choice.value.split(',').map((name) => named(choice.from, checkAccountName, name));
  return [...new Set(names)];
}

/** Ignores stored settings and the project file. Throws `UsageError` for an invalid URL. */
export function readGivenBaseUrl(flags: RawSettings, env: Env): URL | undefined {
  const layers = givenLayers({ flags, env });
  return readSetting('baseUrl', layers, { env, otherwise: undefined }).value;
}

/** The settings of one source. */
interface Layer {
  readonly source: SettingSource;

  /** Names the source of a setting in messages. */
  readonly nameOf: (key: SettingKey) => string;
  readonly values: RawSettings;
}

interface LayerSources extends Pick<SettingsSources, 'flags' | 'env' | 'projectFile'> {
  readonly account: { readonly name: string; readonly values: RawSettings };
}

/** In order of precedence. */
function layersOf({ account, ...given }: LayerSources): readonly Layer[] {
  const nameOf = () => `account “${account.name}”`;
  return [...givenLayers(given), { source: 'account', nameOf, values: account.values }];
}

function givenLayers({
  flags,
  env,
  projectFile = {},
}: Omit<LayerSources, 'account'>): readonly Layer[] {
  return [
    { source: 'flag', nameOf: (key) => `--${entryOf(key).name}`, values: flags },
    envLayer(env),
    {
      source: 'file',
      nameOf: (key) => `adreport.yaml (${entryOf(key).fileKey})`,
      values: projectFile,
    },
  ];
}

/** Treats an empty variable as unset, because CI systems clear it that way. */
function envLayer(env: Env): Layer {
  const values: Record<string, string> = {};
  for (const key of settingKeys) {
    const text = env[entryOf(key).variable ?? ''];
    if (text?.trim()) values[key] = text;
  }
  return { source: 'env', nameOf: (key) => entryOf(key).variable ?? '', values };
}

function withoutVariables(env: Env, keys: readonly SettingKey[]): Env {
  const others = { ...env };
  for (const key of keys) delete others[entryOf(key).variable ?? ''];
  return others;
}

function readAll(layers: readonly Layer[], env: Env) {
  const none = { env, otherwise: undefined };
  return {
    baseUrl: readSetting('baseUrl', layers, none),
    token: readSetting('token', layers, none),
    email: readSetting('email', layers, none),
    password: readSetting('password', layers, none),
    passwordCommand: readSetting('passwordCommand', layers, none),
    profile: readSetting('profile', layers, { env, otherwise: 'buyer' as const }),
    encoding: readSetting('encoding', layers, { env, otherwise: 'json' as const }),
    windowClock: readSetting('windowClock', layers, { env, otherwise: 'instant' as const }),
  };
}

/** Throws `UsageError` with the source of an invalid value. */
function readSetting<Key extends SettingKey, Default>(
  key: Key,
  layers: readonly Layer[],
  { env, otherwise }: { readonly env: Env; readonly otherwise: Default },
): Setting<SettingValue<Key> | Default> {
  const text = findText(key, layers);
  if (!text) return { value: otherwise, source: 'default', from: 'default' };

  const read = (value: string) => entryOf(key).read(value, env);
  return { ...text, value: named(text.from, read, text.value) };
}

/** Returns `undefined` if no source has the setting. */
function findText(key: SettingKey, layers: readonly Layer[]): Setting<string> | undefined {
  for (const { source, nameOf, values } of layers) {
    const value = values[key];
    if (value !== undefined) return { value, source, from: nameOf(key) };
  }
  return undefined;
}

/** Reads a value, and names its source in the error for an invalid one. */
function named<Value>(from: string, read: (text: string) => Value, text: string): Value {
  try {
    return read(text);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const { message, code, hint } = error;
    throw new UsageError(`${message} (From ${from}.)`, { code, ...(hint && { hint }) });
  }
}

export interface ShownSetting {
  readonly name: string;

  /** A token is masked, a password is `set`; `undefined` without a value. */
  readonly value: string | undefined;
  readonly source: SettingSource;
  readonly from: string;
}

/** Masks tokens, and shows passwords as `set`. */
export function nameSettings(settings: Settings): ShownSetting[] {
  return settingKeys.map((key) => {
    const { value, source, from } = settings[key];
    const text = value instanceof URL ? formatBaseUrl(value) : value;
    const { name, show = (plain: string) => plain } = entryOf(key);
    return { name, value: text && show(text), source, from };
  });
}
