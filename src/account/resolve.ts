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
  entryOf,
  type ProjectChoice,
  type RawSettings,
  type SettingKey,
  type SettingValue,
  settingKeys,
} from './settings.ts';
import { findAccount, noSettings, type StoredAccount, type StoredSettings } from './store.ts';

/** In order of precedence. */
type SettingSource = 'flag' | 'env' | 'file' | 'account' | 'default';

export interface SettingsSources {
  readonly flags: RawSettings;
  readonly env: NodeJS.ProcessEnv;
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

  /** Variables that have credentials, used or not. */
  readonly variables: readonly string[];

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

  /** Sentence about a variable that has no effect. */
  readonly warning: string | undefined;

  /** Sentence about an account of `adreport.yaml` that the environment overrides. */
  readonly note: string | undefined;
}

/**
 * Throws `UsageError`, with the source, for an invalid value. Credentials are those of a stored
 * account or those of the environment, never some of each (`cli.md`, Settings).
 */
export function resolveSettings(sources: SettingsSources): Settings {
  const { flags, env, stored } = sources;
  const variables = credentialVariables(env);
  const isFromEnvironment = flags.account === undefined && variables.length > 0;
  const choice = isFromEnvironment ? chooseEnvironment(sources) : chooseStored(sources);

  const settings = new SettingReader({ ...sources, env: choice.env }, choice.texts, choice.from);
  return {
    account: choice.account,
    isFromEnvironment,
    variables,
    storedAccount: choice.storedAccount,
    stored,
    baseUrl: settings.read('baseUrl', undefined),
    token: settings.read('token', undefined),
    email: settings.read('email', undefined),
    password: settings.read('password', undefined),
    passwordCommand: settings.read('passwordCommand', undefined),
    profile: settings.read('profile', 'buyer'),
    encoding: settings.read('encoding', 'json'),
    windowClock: settings.read('windowClock', 'instant'),
    warning: incompleteLoginWarning(env),
    note: isFromEnvironment ? noteOnProjectFile(sources) : undefined,
  };
}

interface AccountChoice {
  readonly account: Setting<string>;
  readonly storedAccount: StoredAccount | undefined;

  /** Environment without the variables that this account does not use. */
  readonly env: NodeJS.ProcessEnv;

  /** Stored settings that this account uses. */
  readonly texts: RawSettings;

  /** Name of the stored settings in messages. */
  readonly from: string;
}

/**
 * Uses the credentials of the environment, by default at the base URL of the default stored
 * account. If a stored account is of the same service, its profile, encoding and clock apply.
 */
function chooseEnvironment({ flags, env, stored }: SettingsSources): AccountChoice {
  const reader = new SettingReader({ flags, env, stored: noSettings }, {}, '');
  const account = reader.read('account', defaultAccountName);
  const { defaultAccount = defaultAccountName } = stored;
  const name = account.source === 'env' ? account.value : defaultAccount;

  const baseUrl = reader.findText('baseUrl')?.value ?? findAccount(stored, defaultAccount)?.baseUrl;
  const similar = findAccount(stored, name);
  const isSameService = similar !== undefined && originOf(similar.baseUrl) === originOf(baseUrl);
  const { profile, encoding, windowClock } = isSameService ? similar : {};
  const incomplete = findIncompleteLogin(env);
  return {
    account,
    storedAccount: undefined,
    env: withoutVariables(env, incomplete ? [incomplete.half] : []),
    texts: { baseUrl, profile, encoding, windowClock },
    from: `account “${name}”`,
  };
}

/**
 * Uses the stored account that is named, else the default one. A name from the command line or the
 * environment implies its base URL. Its token and its password command are for that URL alone.
 */
function chooseStored(sources: SettingsSources): AccountChoice {
  const { flags } = sources;
  const account = resolveAccount(sources);
  const storedAccount = findAccount(sources.stored, account.value);

  const isNamed = account.source === 'flag' || account.source === 'env';
  const unused: SettingKey[] = ['token', 'email', 'password'];
  if (isNamed && storedAccount) unused.push('baseUrl');
  const env = withoutVariables(sources.env, unused);

  const givenUrl = readGivenBaseUrl(flags, env);
  const isElsewhere =
    givenUrl !== undefined && originOf(storedAccount?.baseUrl) !== givenUrl.origin;
  return {
    account,
    storedAccount,
    env,
    texts: {
      ...storedAccount,
      ...(isElsewhere && { token: undefined, passwordCommand: undefined }),
    },
    from: `account “${account.value}”`,
  };
}

/** Names the variables that sign in: that of the token, or those of e-mail address and password. */
function credentialVariables(env: NodeJS.ProcessEnv): string[] {
  const hasPair = readEnv(env, 'email') !== undefined && readEnv(env, 'password') !== undefined;
  const keys: SettingKey[] = hasPair ? ['email', 'password'] : [];
  if (readEnv(env, 'token') !== undefined) keys.unshift('token');
  return keys.map(variableOf);
}

/** Finds an e-mail address without a password, or a password without an e-mail address. */
function findIncompleteLogin(
  env: NodeJS.ProcessEnv,
): { half: SettingKey; missing: SettingKey } | undefined {
  const hasEmail = readEnv(env, 'email') !== undefined;
  const hasPassword = readEnv(env, 'password') !== undefined;
  if (hasEmail === hasPassword) return undefined;
  if (hasEmail) return { half: 'email', missing: 'password' };
  return { half: 'password', missing: 'email' };
}

function incompleteLoginWarning(env: NodeJS.ProcessEnv): string | undefined {
  const found = findIncompleteLogin(env);
  return found && `${variableOf(found.half)} is ignored: it needs ${variableOf(found.missing)}.`;
}

function noteOnProjectFile({ env, projectFile }: SettingsSources): string | undefined {
  const [variable] = credentialVariables(env);
  if (projectFile?.account === undefined) return undefined;
  return `Using ${variable} instead of account “${projectFile.account}” from adreport.yaml: the environment takes precedence.`;
}

function withoutVariables(env: NodeJS.ProcessEnv, keys: readonly SettingKey[]): NodeJS.ProcessEnv {
  const others = { ...env };
  for (const key of keys) delete others[variableOf(key)];
  return others;
}

/** Treats an empty variable as unset, because CI systems clear it that way. */
function readEnv(env: NodeJS.ProcessEnv, key: SettingKey): string | undefined {
  const text = env[variableOf(key)];
  return text?.trim() ? text : undefined;
}

/** Returns an empty string for a setting without a variable. */
function variableOf(key: SettingKey): string {
  return entryOf(key).variable ?? '';
}

/** Name of an account for which none is given. */
export const defaultAccountName = 'default';

/** Throws `UsageError` for an invalid name. */
export function resolveAccount(sources: SettingsSources): Setting<string> {
  const stored = { account: sources.stored.defaultAccount };
  return new SettingReader(sources, stored, 'the stored default').read(
    'account',
    defaultAccountName,
  );
}

/**
 * Returns the accounts of a run: several names without duplicates, or `all`; `undefined` for a
 * single account, such as that of the environment. Throws `UsageError` for an invalid name, or if
 * `ADREPORT_ACCOUNT` has several for the sign-in of the environment.
 */
export function resolveAccountList(
  sources: Omit<SettingsSources, 'stored'>,
): readonly string[] | typeof allAccounts | undefined {
  const reader = new SettingReader({ ...sources, stored: noSettings }, {}, '');
  const choice = reader.findText('account');
  if (!choice || !isAccountList(choice.value)) return undefined;

  const [variable] = credentialVariables(sources.env);
  if (variable !== undefined && choice.source === 'file') return undefined;
  if (variable !== undefined && choice.source === 'env') {
    throw new UsageError(`${variable} signs in to one account, but ${choice.from} names several.`, {
      hint: `Unset ${variable}, or name the accounts with --account to use their stored tokens.`,
    });
  }
  if (choice.value.trim() === allAccounts) return allAccounts;
  try {
    const names = choice.value.split(',').map(checkAccountName);
    return [...new Set(names)];
  } catch (error) {
    throw error instanceof UsageError ? error.amend(`(From ${choice.from}.)`) : error;
  }
}

/** Ignores stored settings and the project file. Throws `UsageError` for an invalid URL. */
export function readGivenBaseUrl(flags: RawSettings, env: NodeJS.ProcessEnv): URL | undefined {
  const reader = new SettingReader({ flags, env, stored: noSettings }, {}, '');
  return reader.read('baseUrl', undefined).value;
}

/** Reads settings, each from the source with the highest precedence. */
class SettingReader {
  readonly #sources: SettingsSources;
  readonly #stored: RawSettings;
  readonly #storedName: string;

  /** @param storedName names the stored source in messages */
  constructor(sources: SettingsSources, stored: RawSettings, storedName: string) {
    this.#sources = sources;
    this.#stored = stored;
    this.#storedName = storedName;
  }

  /** Throws `UsageError` with the source of an invalid value. */
  read<Key extends SettingKey, Default>(
    key: Key,
    defaultValue: Default,
  ): Setting<SettingValue<Key> | Default> {
    const text = this.findText(key);
    if (!text) return { value: defaultValue, source: 'default', from: 'default' };

    try {
      return { ...text, value: entryOf(key).read(text.value) };
    } catch (error) {
      throw error instanceof UsageError ? error.amend(`(From ${text.from}.)`) : error;
    }
  }

  /** Returns `undefined` if no source has the setting. */
  findText(key: SettingKey): Setting<string> | undefined {
    const { flags, env, projectFile = {} } = this.#sources;
    const { name, flag, variable = '', fileKey } = entryOf(key);
    const byFile: RawSettings = projectFile;

    const places: readonly (Omit<Setting<string | undefined>, 'source'> & {
      readonly source: SettingSource;
    })[] = [
      { source: 'flag', from: `--${name}`, value: flag && flags[key] },
      { source: 'env', from: variable, value: readEnv(env, key) },
      { source: 'file', from: `adreport.yaml (${fileKey})`, value: fileKey && byFile[key] },
      { source: 'account', from: this.#storedName, value: this.#stored[key] },
    ];
    for (const { value, source, from } of places) {
      if (value !== undefined) return { value, source, from };
    }
    return undefined;
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
