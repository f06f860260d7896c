import { type Encoding, encodings, type WindowClock, windowClocks } from '../contract/messages.ts';
import { type Profile, profiles } from '../contract/vocabulary.ts';
import { SignInError, UsageError } from '../errors.ts';
import { didYouMean, nearest } from '../text/nearest.ts';
import {
  findAccount,
  noSettings,
  type Store,
  type StoredAccount,
  type StoredSettings,
  unknownAccount,
  withAccount,
} from './store.ts';

/** What a setting may come from. */
type SettingSource = 'flag' | 'env' | 'file' | 'account' | 'default';

/** What each setting is once its text is read, by its name in the code. */
interface SettingValues {
  readonly account: string;
  readonly baseUrl: URL;
  readonly profile: Profile;
  readonly encoding: Encoding;
  readonly windowClock: WindowClock;
  readonly token: string;
  readonly email: string;
  readonly password: string;
}

type SettingKey = keyof SettingValues;

/** Texts that one source gives, by the settings' names in the code. */
type SettingTexts = { readonly [Key in SettingKey]?: string | undefined };

/** One setting: what it is called outside of the code, where it may come from, and what reads its text. */
interface SettingKind<Value> {
  /** As `adreport config` and the flag call it: `base-url`. */
  readonly name: string;
  /** The strongest first. */
  readonly sources: readonly SettingSource[];
  /** Throws `UsageError` for a text that is no such value. */
  readonly read: (text: string) => Value;
}

/**
 * The settings by their names in the code. `adreport.yaml` never gives an address or a secret: a folder that was cloned
 * must not say where a token goes.
 */
export const settingTable: { readonly [Key in SettingKey]: SettingKind<SettingValues[Key]> } = {
  account: {
    name: 'account',
    sources: ['flag', 'env', 'file', 'account'],
    read: readOneAccount,
  },
  baseUrl: {
    name: 'base-url',
    sources: ['flag', 'env', 'account'],
    read: checkBaseUrl,
  },
  profile: {
    name: 'profile',
    sources: ['flag', 'env', 'file', 'account'],
    read: (text) => oneOf('profile', profiles, text),
  },
  encoding: {
    name: 'encoding',
    sources: ['flag', 'file', 'account'],
    read: (text) => oneOf('encoding', encodings, text),
  },
  windowClock: {
    name: 'window-clock',
    sources: ['flag', 'file', 'account'],
    read: (text) => oneOf('clock', windowClocks, text),
  },
  token: {
    name: 'token',
    sources: ['env', 'account'],
    read: checkToken,
  },
  email: {
    name: 'email',
    sources: ['env', 'account'],
    read: (text) => text.trim(),
  },
  password: {
    name: 'password',
    sources: ['env'],
    // Blanks may belong to it.
    read: (text) => bounded('password', text),
  },
};

const settingKeys = Object.keys(settingTable) as readonly SettingKey[];
const settingNames = settingKeys.map((key) => settingTable[key].name);

/** What `adreport.yaml` says of the account, for all commands or for one saved report. */
export type ProjectChoice = Pick<SettingTexts, 'account' | 'profile' | 'encoding' | 'windowClock'>;

/** All that settings may come from. */
export interface SettingsSources {
  readonly flags: SettingTexts;
  readonly env: NodeJS.ProcessEnv;
  readonly projectFile?: ProjectChoice;
  readonly stored: StoredSettings;
}

/** A value, and what gave it, as people know that: `--base-url`, `ADREPORT_TOKEN`, `account "work"`. */
export interface Setting<Value> {
  readonly value: Value;
  readonly source: SettingSource;
  readonly from: string;
}

/** Every setting of a command; what no source gives has the value `undefined` and the source `default`. */
export interface Settings {
  readonly account: Setting<string>;
  /** The account of that name, if it is stored. */
  readonly storedAccount: StoredAccount | undefined;
  /** All that is stored. */
  readonly stored: StoredSettings;
  readonly baseUrl: Setting<URL | undefined>;
  readonly token: Setting<string | undefined>;
  /** Why the stored token is not used, one sentence, where it is not. */
  readonly tokenWithheld: string | undefined;
  readonly email: Setting<string | undefined>;
  readonly password: Setting<string | undefined>;
  readonly profile: Setting<Profile>;
  readonly encoding: Setting<Encoding>;
  readonly windowClock: Setting<WindowClock>;
}

/**
 * Every setting by its strongest source (`cli.md`, Settings). A stored token is used only with the origin it was stored for,
 * wherever the base URL came from. Throws `UsageError` for a value that cannot be one, naming where it came from.
 */
export function resolveSettings(sources: SettingsSources): Settings {
  const account = resolveAccount(sources);
  const storedAccount = findAccount(sources.stored, account.value);
  const from = `account "${account.value}"`;

  const address = new SettingReader(sources, { ...storedAccount }, from);
  const baseUrl = address.read('baseUrl', undefined);
  const isForAnother =
    storedAccount?.token !== undefined &&
    baseUrl.value !== undefined &&
    originOf(storedAccount.baseUrl) !== baseUrl.value.origin;

  const stored = isForAnother ? { ...storedAccount, token: undefined } : { ...storedAccount };
  const settings = new SettingReader(sources, stored, from);
  const token = settings.read('token', undefined);
  const tokenWithheld =
    isForAnother && !token.value
      ? `The token of ${from} is for ${storedAccount.baseUrl}, and is not sent to ${formatBaseUrl(baseUrl.value)}.`
      : undefined;

  return {
    account,
    storedAccount,
    stored: sources.stored,
    baseUrl,
    token,
    tokenWithheld,
    email: settings.read('email', undefined),
    password: settings.read('password', undefined),
    profile: settings.read('profile', 'buyer'),
    encoding: settings.read('encoding', 'json'),
    windowClock: settings.read('windowClock', 'instant'),
  };
}

/** The name of the account where nobody gives it one. */
export const defaultAccountName = 'default';

/** The name of the account that is used, by its strongest source. Throws `UsageError` for a name that cannot be one. */
export function resolveAccount(sources: SettingsSources): Setting<string> {
  const stored = { account: sources.stored.defaultAccount };
  return new SettingReader(sources, stored, 'the stored default').read(
    'account',
    defaultAccountName,
  );
}

/**
 * The accounts that a run is for: several by their names, each once, or `all` that are stored; `undefined` for one account.
 * Throws `UsageError` for a name that cannot be one, and where the environment holds what only one of them signs in with.
 */
export function resolveAccountList(
  sources: Omit<SettingsSources, 'stored'>,
): readonly string[] | typeof allAccounts | undefined {
  const reader = new SettingReader({ ...sources, stored: noSettings }, {}, '');
  const choice = reader.findText('account');
  if (!choice || !namesSeveral(choice.value)) return undefined;

  refuseSignInOfOne(sources.env);
  if (choice.value.trim() === allAccounts) return allAccounts;
  try {
    const names = choice.value.split(',').map(checkAccountName);
    return [...new Set(names)];
  } catch (error) {
    throw error instanceof UsageError ? error.amend(`(From ${choice.from}.)`) : error;
  }
}

/** The word for every stored account. */
const allAccounts = 'all';

function namesSeveral(text: string): boolean {
  return text.includes(',') || text.trim() === allAccounts;
}

/** Throws `UsageError` for a token or an address in the environment: every account would be signed in to with the same. */
function refuseSignInOfOne(env: NodeJS.ProcessEnv): void {
  for (const key of ['token', 'email', 'password'] as const) {
    const variable = variableOf(key);
    if (!env[variable]?.trim()) continue;
    throw new UsageError(`${variable} signs in to one account, and several are named.`, {
      hint: `Unset ${variable}: each account has its own stored token (adreport login --account NAME).`,
    });
  }
}

/** Reads settings, each from its strongest source. */
class SettingReader {
  readonly #sources: SettingsSources;
  readonly #stored: SettingTexts;
  readonly #storedWhere: string;

  constructor(sources: SettingsSources, stored: SettingTexts, storedWhere: string) {
    this.#sources = sources;
    this.#stored = stored;
    this.#storedWhere = storedWhere;
  }

  /** Throws `UsageError`, which says where the text came from. */
  read<Key extends SettingKey, Default>(
    key: Key,
    byDefault: Default,
  ): Setting<SettingValues[Key] | Default> {
    const kind: SettingKind<SettingValues[Key]> = settingTable[key];
    const text = this.findText(key);
    if (!text) return { value: byDefault, source: 'default', from: 'default' };

    try {
      return { ...text, value: kind.read(text.value) };
    } catch (error) {
      throw error instanceof UsageError ? error.amend(`(From ${text.from}.)`) : error;
    }
  }

  /** A setting as its strongest source has it, before it is read; `undefined` where no source has it. */
  findText(key: SettingKey): Setting<string> | undefined {
    for (const source of settingTable[key].sources) {
      const value = this.#textOf(source, key);
      if (value !== undefined) return { value, source, from: this.#nameOf(source, key) };
    }
    return undefined;
  }

  #textOf(source: SettingSource, key: SettingKey): string | undefined {
    const { flags, env, projectFile } = this.#sources;
    switch (source) {
      case 'flag':
        return flags[key];
      case 'env': {
        const text = env[variableOf(key)];
        // A variable that is empty is one that is not set: that is how shells and CI systems clear it.
        return text?.trim() ? text : undefined;
      }
      case 'file':
        return projectFile?.[key as keyof ProjectChoice];
      case 'account':
        return this.#stored[key];
      case 'default':
        return undefined;
    }
  }

  #nameOf(source: SettingSource, key: SettingKey): string {
    switch (source) {
      case 'flag':
        return `--${settingTable[key].name}`;
      case 'env':
        return variableOf(key);
      case 'file':
        return `adreport.yaml (${key})`;
      case 'account':
        return this.#storedWhere;
      case 'default':
        return 'default';
    }
  }
}

/**
 * The variable of the environment that stands in for a flag, by the name of the flag's option; `undefined` where there is
 * none.
 */
export function variableOfOption(name: string): string | undefined {
  const key = settingKeys.find((candidate) => candidate === name);
  if (key === undefined || !settingTable[key].sources.includes('env')) return undefined;
  return variableOf(key);
}

/** The variable of the environment that gives a setting: `ADREPORT_BASE_URL`. */
function variableOf(key: SettingKey): string {
  return `ADREPORT_${settingTable[key].name.replace('-', '_').toUpperCase()}`;
}

/** A setting as it may be shown. */
export interface ShownSetting {
  readonly name: string;
  /** A token is masked, a password is `set`; `undefined` where nothing gives one. */
  readonly value: string | undefined;
  readonly source: SettingSource;
  readonly from: string;
}

/** The settings as they may be shown. */
export function nameSettings(settings: Settings): ShownSetting[] {
  return settingKeys.map((key) => {
    const { value, source, from } = settings[key];
    const text = value instanceof URL ? formatBaseUrl(value) : value;
    return { name: settingTable[key].name, value: text && withoutSecret(key, text), source, from };
  });
}

function withoutSecret(key: SettingKey, text: string): string {
  if (key === 'token') return maskToken(text);
  if (key === 'password') return 'set';
  return text;
}

/** The name of a setting. Throws `UsageError`, with the nearest, for a text that is none. */
export function findSettingName(text: string): string {
  return settingTable[findSettingKey(text)].name;
}

function findSettingKey(text: string): SettingKey {
  const key = settingKeys.find((candidate) => settingTable[candidate].name === text);
  if (key) return key;
  const meant = nearest(text.replaceAll('_', '-'), settingNames);
  const hint = didYouMean(meant, `There are ${settingNames.join(', ')}.`);
  throw new UsageError(`There is no setting “${text}”.`, { hint });
}

/** What a change of one setting leads to: what is to be stored, and the sentence that says so. */
export interface SettingChange {
  readonly settings: StoredSettings;
  readonly said: string;
}

/** Stores a setting of an account as its flag takes it, or, without a value, takes it back. Throws `UsageError`. */
export function changeSetting(
  stored: StoredSettings,
  account: string,
  name: string,
  value?: string,
): SettingChange {
  const key = findSettingKey(name);
  // What no flag gives is signed in with, or stands in the environment.
  if (!settingTable[key].sources.includes('flag')) {
    throw new UsageError(`The setting ${name} is not stored with adreport config.`, {
      hint: `Sign in with adreport login (a token: adreport login --token-stdin), or set ${variableOf(key)}.`,
    });
  }
  if (key === 'account') return chooseDefault(stored, value);
  if (key === 'baseUrl' && value !== undefined) return storeBaseUrl(stored, account, value);

  const before = findAccount(stored, account);
  if (!before) {
    const unknown = unknownAccount(account, stored);
    // What is not stored need not be taken back.
    if (value === undefined) return { settings: stored, said: unknown.message };
    throw new UsageError(unknown.message, { hint: unknown.hint });
  }
  if (key === 'baseUrl') return forgetAccount(stored, account);

  const word = value === undefined ? undefined : String(settingTable[key].read(value));
  return {
    settings: withAccount(stored, account, { ...before, [key]: word }),
    said: `${name} of account “${account}”: ${word ?? 'not stored any more'}.`,
  };
}

function chooseDefault(stored: StoredSettings, account: string | undefined): SettingChange {
  const settings = { ...stored, defaultAccount: account };
  if (account === undefined) return { settings, said: 'There is no default account any more.' };
  if (findAccount(stored, account)) {
    return { settings, said: `The default account: “${account}”.` };
  }
  const { message, hint } = unknownAccount(account, stored);
  throw new UsageError(message, { hint });
}

function storeBaseUrl(stored: StoredSettings, account: string, text: string): SettingChange {
  const before = findAccount(stored, account);
  const baseUrl = checkBaseUrl(text);
  const { href } = baseUrl;
  const said = `base-url of account “${account}”: ${formatBaseUrl(baseUrl)}.`;

  // A token goes only to the origin it was stored for.
  const losesToken = before?.token !== undefined && originOf(before.baseUrl) !== baseUrl.origin;
  if (!losesToken) {
    return { settings: withAccount(stored, account, { ...before, baseUrl: href }), said };
  }
  return {
    settings: withAccount(stored, account, { ...before, token: undefined, baseUrl: href }),
    said: `${said} Its token was for another address, and is forgotten.`,
  };
}

function forgetAccount(stored: StoredSettings, account: string): SettingChange {
  const { [account]: _forgotten, ...accounts } = stored.accounts;
  const defaultAccount = stored.defaultAccount === account ? undefined : stored.defaultAccount;
  return {
    settings: { ...stored, defaultAccount, accounts },
    said: `The account “${account}” is forgotten: without its base URL, its other settings have no use.`,
  };
}

/** What is stored; what cannot be read is said, and passed over where the environment and flags give all that a call needs. */
export async function readUnlessNeedless(
  store: Store,
  env: NodeJS.ProcessEnv,
  flags: SettingTexts,
  warn: (sentence: string) => void,
): Promise<StoredSettings> {
  try {
    return await store.read();
  } catch (error) {
    const settings = resolveSettings({ flags, env, stored: noSettings });
    const needsAccount = settings.account.source !== 'default';
    if (!(error instanceof UsageError) || needsAccount || !canSignIn(settings)) throw error;
    warn(`${error.message} It is passed over: the base URL and the token are given without it.`);
    return noSettings;
  }
}

function canSignIn({ baseUrl, token, email, password }: Settings): boolean {
  const hasCredentials = Boolean(email.value && password.value);
  return baseUrl.value !== undefined && (Boolean(token.value) || hasCredentials);
}

/** What a call of the service needs: where to, and a token or the credentials that get one, or both. */
export interface SignIn {
  readonly baseUrl: URL;
  readonly encoding: Encoding;
  readonly token: string | undefined;
  readonly credentials: { readonly email: string; readonly password: string } | undefined;
}

/** What the settings give to sign in with. Throws `SignInError` that says what is missing and how to give it. */
export function requireSignIn(settings: Settings): SignIn {
  const { account, storedAccount, baseUrl, encoding, token, email, password } = settings;
  const credentials =
    email.value && password.value ? { email: email.value, password: password.value } : undefined;
  if (baseUrl.value && (token.value || credentials)) {
    return { baseUrl: baseUrl.value, encoding: encoding.value, token: token.value, credentials };
  }

  const isNamed = ['flag', 'env', 'file'].includes(account.source);
  if (!storedAccount && isNamed) {
    const { message, hint } = unknownAccount(account.value, settings.stored);
    throw new SignInError(message, { hint });
  }
  const hint =
    'Sign in with adreport login, set ADREPORT_TOKEN, or try everything without an account with --local.';
  if (!baseUrl.value) {
    throw new SignInError('Not signed in: no account is stored, and no base URL is set.', { hint });
  }
  const noToken = `Not signed in to account “${account.value}”: no token is stored.`;
  throw new SignInError(settings.tokenWithheld ?? noToken, { hint });
}

/**
 * What tells whoever signs in from everybody else: the address that a stored token was had for, which outlives the token,
 * else the token, else the address. It may be a secret.
 */
export function identityOf({ token, email, storedAccount }: Settings): string {
  if (token.source === 'account') return storedAccount?.email ?? token.value ?? '';
  return token.value ?? email.value ?? '';
}

function readOneAccount(text: string): string {
  refuseSeveralAccounts(text);
  return checkAccountName(text);
}

/** Throws `UsageError` for a text that means several accounts, which no command but `run` takes. */
export function refuseSeveralAccounts(text: string): void {
  if (!namesSeveral(text)) return;
  throw new UsageError(
    `“${text}” names several accounts, and only adreport run takes more than one.`,
    {
      hint: 'Name one of them with --account.',
    },
  );
}

/** An account name as it may be stored and typed. Throws `UsageError`. */
export function checkAccountName(text: string): string {
  if (/^[\p{L}\p{N}][\p{L}\p{N}._@+-]{0,63}$/u.test(text.trim())) return text.trim();
  throw new UsageError(
    'An account name begins with a letter or digit, and holds only letters, digits and . _ @ + -.',
  );
}

/** Reads one of some words, in any case. Throws `UsageError`, naming them and what they are for. */
function oneOf<Word extends string>(noun: string, words: readonly Word[], text: string): Word {
  const word = words.find((candidate) => candidate === text.trim().toLowerCase());
  if (word) return word;
  throw new UsageError(`"${text}" is no ${noun}; there are ${words.join(' and ')}.`);
}

/** Reads a base URL: https, or http to this machine; no credentials, query or fragment; its path kept. Throws `UsageError`. */
export function checkBaseUrl(text: string): URL {
  const address = text.trim();
  // `localhost:8787` is a URL too, with the scheme `localhost:`.
  const isWeb = /^https?:\/\//i.test(address) && URL.canParse(address);
  if (!isWeb) {
    // Not quoted: what cannot be parsed may hold a password.
    const hint = guessBaseUrl(address);
    throw new UsageError('The base URL is no http or https address.', { hint });
  }

  const url = new URL(address);
  if (url.username !== '' || url.password !== '') {
    const hint = 'Sign in with adreport login, or set ADREPORT_TOKEN.';
    throw new UsageError('The base URL must not hold a user name or password.', { hint });
  }
  if (/[?#]/.test(address)) {
    throw new UsageError(
      `The base URL "${address}" must end with its path: no query, no fragment.`,
    );
  }
  // `URL` writes every spelling of an IPv4 address (`127.1`, `0x7f000001`) as four decimal numbers.
  const isLoopback = /^(localhost|\[::1\]|127\.\d+\.\d+\.\d+)$/.test(url.hostname);
  if (url.protocol === 'http:' && !isLoopback) {
    const hint = 'Plain http is for this machine alone: localhost, 127.0.0.1, [::1].';
    const why = 'or the token would travel readable for everyone on the way';
    throw new UsageError(`The base URL "${address}" must begin with https://, ${why}.`, { hint });
  }
  url.pathname = withoutSlashesAtEnd(url.pathname);
  return url;
}

/** The hint that adds the scheme that was left out; `undefined` where nothing suggests that one was. */
function guessBaseUrl(address: string): string | undefined {
  if (address.includes('://') || address.includes('@')) return undefined;
  const scheme = /^(localhost|127\.|\[::1\])/i.test(address) ? 'http' : 'https';
  const guess = `${scheme}://${address}`;
  return URL.canParse(guess) ? `Did you mean ${guess}?` : undefined;
}

function withoutSlashesAtEnd(path: string): string {
  let length = path.length;
  while (path[length - 1] === '/') length -= 1;
  return path.slice(0, length);
}

export function formatBaseUrl(url: URL): string {
  return url.href.replace(/\/$/, '');
}

/** The origin of a stored base URL, which somebody may have edited since it was checked; `undefined` if it is no URL. */
function originOf(text: string): string | undefined {
  return URL.canParse(text) ? new URL(text).origin : undefined;
}

/** A token without blanks around it. Throws `UsageError` for one that no header can hold (RFC 9110, 5.5), or with a scheme. */
export function checkToken(text: string): string {
  const token = bounded('token', text.trim());
  if (token === '') throw new UsageError('The token is empty.');
  if (/^bearer\s/i.test(token)) {
    throw new UsageError('The token must stand alone, without the word "Bearer" in front of it.');
  }
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  const hint = 'Copy it again, on one line.';
  throw new UsageError('The token holds blanks or other characters that no token has.', { hint });
}

/** No secret is longer: a longer one is a mistake, such as a file in the place of its name. */
function bounded(what: string, text: string): string {
  if (text.length <= 4_096) return text;
  throw new UsageError(`The ${what} is longer than 4096 characters.`);
}

/** A token as it may be shown: its ends, so that two can be told apart, but never more than a quarter of it. */
export function maskToken(token: string): string {
  const endLength = Math.min(4, Math.floor(token.length / 8));
  if (endLength === 0) return '…';
  return `${token.slice(0, endLength)}…${token.slice(-endLength)}`;
}
