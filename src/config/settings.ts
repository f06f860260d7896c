import { type Encoding, encodings, type WindowClock, windowClocks } from '../contract/messages.ts';
import { type Profile, profiles } from '../contract/vocabulary.ts';
import { SignInError, UsageError } from '../errors.ts';
import { checkBaseUrl, formatBaseUrl, originOf } from './base-url.ts';
import {
  findAccount,
  noSettings,
  type Store,
  type StoredAccount,
  type StoredSettings,
  unknownAccount,
} from './store.ts';
import { checkPassword, checkToken, maskToken } from './token.ts';

/** A process's environment; a variable that is not set is absent or `undefined`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The environment variables that the program reads, with their meanings; help derives from this list. */
export const environmentVariables: readonly (readonly [name: string, meaning: string])[] = [
  ['ADREPORT_BASE_URL', 'address of the service'],
  ['ADREPORT_TOKEN', 'the token; beats the stored one'],
  ['ADREPORT_EMAIL', 'with the password: signs in, and renews a token that expires in the middle of a run'],
  ['ADREPORT_PASSWORD', 'never stored, never shown'],
  ['ADREPORT_ACCOUNT', 'name of the stored account to use'],
  ['ADREPORT_PROFILE', 'buyer or dsp'],
  ['ADREPORT_CONFIG_DIR', 'folder of the settings and the ledger, instead of the platform’s own'],
  ['HTTPS_PROXY', 'proxy for every https call, e.g. http://127.0.0.1:3128'],
  ['NO_PROXY', 'hosts that are called without the proxy, separated by commas; * for all'],
  ['NODE_EXTRA_CA_CERTS', 'file of a private certificate authority, read by Node.js as it starts'],
  ['NO_COLOR', 'no colour, if it is not empty'],
  ['FORCE_COLOR', 'colour in pipes and files too; 0 for none'],
  ['COLUMNS', 'width of tables and help, instead of the terminal’s'],
];

/** Where a setting came from, the strongest first. */
type SettingSource = 'flag' | 'env' | 'file' | 'account' | 'default';

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
  /** How the bodies of calls are written. */
  readonly encoding: Setting<Encoding>;
  /** How the service reads the ends of a window. */
  readonly windowClock: Setting<WindowClock>;
}

/**
 * What `adreport.yaml` says of the account, for all commands or for one saved report. It never gives an address or a
 * secret: it is found upwards from the working folder, and a folder that was cloned must not say where a token goes.
 */
export interface ProjectChoice {
  readonly account?: string;
  readonly profile?: string;
  readonly encoding?: string;
  readonly windowClock?: string;
}

/** What settings can come from. */
export interface SettingsSources {
  readonly flags: ProjectChoice & { readonly baseUrl?: string };
  readonly env: Environment;
  readonly projectFile?: ProjectChoice;
  readonly stored: StoredSettings;
}

/**
 * Every setting by its strongest source: flag, environment, `adreport.yaml`, stored account, default (`cli.md`, Settings).
 * A stored token is used only with the origin it was stored for, wherever the base URL came from. Throws `UsageError` for
 * a value that cannot be one, naming where it came from.
 */
export function resolveSettings(sources: SettingsSources): Settings {
  const { flags, env, projectFile = {}, stored } = sources;
  const account = resolveAccount(sources);
  const storedAccount = findAccount(stored, account.value);
  const fromAccount = (text: string | undefined) => setting(text, 'account', `account "${account.value}"`);
  /** A setting of the account that a flag, `adreport.yaml` and, for some, a variable can give as well. */
  const choice = <T extends string>(
    key: keyof ProjectChoice & keyof StoredAccount,
    known: readonly T[],
    byDefault: T,
  ) => {
    const flag = key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    return checked(
      setting(flags[key], 'flag', `--${flag}`) ??
        (key === 'profile' ? fromEnv(env, 'ADREPORT_PROFILE') : undefined) ??
        setting(projectFile[key], 'file', `adreport.yaml (${key})`) ??
        fromAccount(storedAccount?.[key]) ??
        defaultSetting(byDefault),
      (text) => checkChoice(text, flag, known),
    );
  };

  const given = setting(flags.baseUrl, 'flag', '--base-url') ?? fromEnv(env, 'ADREPORT_BASE_URL');
  const baseUrl = checkedIfGiven(given ?? fromAccount(storedAccount?.baseUrl), checkBaseUrl);
  const withheld = whyWithheld(account.value, storedAccount, baseUrl.value);
  const token = checkedIfGiven(
    fromEnv(env, 'ADREPORT_TOKEN') ?? (withheld ? undefined : fromAccount(storedAccount?.token)),
    checkToken,
  );
  return {
    account,
    storedAccount,
    baseUrl,
    token,
    tokenWithheld: token.value ? undefined : withheld,
    email: fromEnv(env, 'ADREPORT_EMAIL') ?? fromAccount(storedAccount?.email) ?? defaultSetting(undefined),
    // The password is not trimmed, because blanks may belong to it.
    password: checkedIfGiven(setting(env.ADREPORT_PASSWORD || undefined, 'env', 'ADREPORT_PASSWORD'), checkPassword),
    profile: choice('profile', profiles, 'buyer'),
    encoding: choice('encoding', encodings, 'json'),
    windowClock: choice('windowClock', windowClocks, 'instant'),
  };
}

/** The name of the account that is used, by its strongest source. Throws `UsageError` for a name that cannot be one. */
export function resolveAccount({ flags, env, projectFile = {}, stored }: SettingsSources): Setting<string> {
  return checked(
    setting(flags.account, 'flag', '--account') ??
      fromEnv(env, 'ADREPORT_ACCOUNT') ??
      setting(projectFile.account, 'file', 'adreport.yaml (account)') ??
      setting(stored.defaultAccount, 'account', 'the stored default') ??
      defaultSetting('default'),
    checkAccountName,
  );
}

/** An account name as it may be stored and typed. Throws `UsageError`. */
export function checkAccountName(text: string): string {
  if (/^[\p{L}\p{N}][\p{L}\p{N}._@+-]{0,63}$/u.test(text)) return text;
  throw new UsageError('An account name begins with a letter or digit, and holds only letters, digits and . _ @ + -.');
}

/** The one of some words that is meant, in any case. Throws `UsageError`, naming them and what they are for. */
export function checkChoice<T extends string>(text: string, name: string, known: readonly T[]): T {
  const found = known.find((word) => word === text.toLowerCase());
  if (found) return found;
  throw new UsageError(`"${text}" is no ${name}; there are ${known.join(' and ')}.`);
}

function whyWithheld(name: string, account: StoredAccount | undefined, baseUrl: URL | undefined): string | undefined {
  if (!account?.token || !baseUrl || originOf(account.baseUrl) === baseUrl.origin) return undefined;
  return `The token of account "${name}" is for ${account.baseUrl}, and is not sent to ${formatBaseUrl(baseUrl)}.`;
}

function setting(text: string | undefined, source: SettingSource, from: string): Setting<string> | undefined {
  return text === undefined ? undefined : { value: text, source, from };
}

/** A variable that is empty is one that is not set: that is how shells and CI systems clear it. */
function fromEnv(env: Environment, name: string): Setting<string> | undefined {
  return setting(env[name]?.trim() || undefined, 'env', name);
}

function defaultSetting<T>(value: T): Setting<T> {
  return { value, source: 'default', from: 'default' };
}

function checkedIfGiven<T>(given: Setting<string> | undefined, check: (text: string) => T): Setting<T | undefined> {
  return given ? checked(given, check) : defaultSetting(undefined);
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

/** Every setting by the name that `adreport config` has for it, in the order of its list. */
export const settingNames = [
  'account',
  'base-url',
  'profile',
  'encoding',
  'window-clock',
  'token',
  'email',
  'password',
] as const;

export type SettingName = (typeof settingNames)[number];

/** A setting as it may be shown: a token is masked, a password is `set`, and what nothing gives has no value. */
export type NamedSetting = Setting<string | undefined> & { readonly name: SettingName };

/** The settings as they may be shown; no secret is among them. */
export function nameSettings(settings: Settings): NamedSetting[] {
  const { baseUrl, token, password, windowClock } = settings;
  const shown: Partial<Record<SettingName, Setting<string | undefined>>> = {
    'base-url': { ...baseUrl, value: baseUrl.value && formatBaseUrl(baseUrl.value) },
    token: { ...token, value: token.value && maskToken(token.value) },
    password: { ...password, value: password.value && 'set' },
    'window-clock': windowClock,
  };
  const others: Partial<Record<SettingName, Setting<string | undefined>>> = settings;
  return settingNames.flatMap((name) => {
    const setting = shown[name] ?? others[name];
    return setting ? [{ name, ...setting }] : [];
  });
}

/**
 * What is stored. Settings that cannot be read are reported and passed over where the environment and the flags give all that
 * a call needs; else throws as the store does.
 */
export function readUnlessNeedless(
  store: Store,
  env: Environment,
  flags: SettingsSources['flags'],
  warn: (sentence: string) => void,
): StoredSettings {
  try {
    return store.read();
  } catch (error) {
    const hasToken = fromEnv(env, 'ADREPORT_TOKEN') ?? (env.ADREPORT_EMAIL && env.ADREPORT_PASSWORD);
    const hasBaseUrl = flags.baseUrl ?? fromEnv(env, 'ADREPORT_BASE_URL');
    const namesAccount = flags.account ?? fromEnv(env, 'ADREPORT_ACCOUNT');
    if (!(error instanceof UsageError) || !hasToken || !hasBaseUrl || namesAccount) throw error;
    warn(`${error.message} It is passed over: the base URL and the token are given without it.`);
    return noSettings;
  }
}

/** What a call of the service needs: where to, and a token or the credentials that get one, or both. */
export interface SignIn {
  readonly baseUrl: URL;
  readonly encoding: Encoding;
  readonly token: string | undefined;
  readonly credentials: { readonly email: string; readonly password: string } | undefined;
}

/** What the settings give to sign in with. Throws `SignInError` that says what is missing and how to give it. */
export function requireSignIn(settings: Settings, stored: StoredSettings): SignIn {
  const { account, storedAccount, baseUrl, encoding, token, email, password } = settings;
  const credentials = email.value && password.value ? { email: email.value, password: password.value } : undefined;
  if (baseUrl.value && (token.value || credentials)) {
    return { baseUrl: baseUrl.value, encoding: encoding.value, token: token.value, credentials };
  }
  const isNamed = ['flag', 'env', 'file'].includes(account.source);
  if (!storedAccount && isNamed) throw new SignInError(...unknownAccount(account.value, stored));
  if (!baseUrl.value) {
    throw new SignInError('Not signed in: no account is stored, and no base URL is set.', {
      hint: 'Sign in with adreport login, or try everything without an account with --local.',
    });
  }
  throw new SignInError(settings.tokenWithheld ?? `Not signed in to account “${account.value}”: no token is stored.`, {
    hint: 'Sign in with adreport login, or set ADREPORT_TOKEN.',
  });
}
