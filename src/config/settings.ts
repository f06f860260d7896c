import { encodings, windowClocks } from '../contract/messages.ts';
import { profiles } from '../contract/vocabulary.ts';
import { SignInError, UsageError } from '../errors.ts';
import { didYouMean, nearest } from '../text/nearest.ts';
import {
  findAccount,
  noSettings,
  type Store,
  type StoredSettings,
  unknownAccount,
  withAccount,
} from './store.ts';

type SettingSource = 'flag' | 'env' | 'file' | 'account' | 'default';

/**
 * The settings by their names in `adreport config`: what each is called in the code, where it may come from, the strongest
 * source first, and what reads its text. `adreport.yaml` never gives an address or a secret: a folder that was cloned must
 * not say where a token goes.
 */
export const settingTable = {
  account: { key: 'account', sources: ['flag', 'env', 'file', 'account'], check: checkAccountName },
  'base-url': { key: 'baseUrl', sources: ['flag', 'env', 'account'], check: checkBaseUrl },
  profile: {
    key: 'profile',
    sources: ['flag', 'env', 'file', 'account'],
    check: oneOf('profile', profiles),
  },
  encoding: {
    key: 'encoding',
    sources: ['flag', 'file', 'account'],
    check: oneOf('encoding', encodings),
  },
  'window-clock': {
    key: 'windowClock',
    sources: ['flag', 'file', 'account'],
    check: oneOf('clock', windowClocks),
  },
  token: { key: 'token', sources: ['env', 'account'], check: checkToken },
  email: { key: 'email', sources: ['env', 'account'], check: (text: string) => text.trim() },
  // Blanks may belong to it.
  password: {
    key: 'password',
    sources: ['env'],
    check: (text: string) => bounded('password', text),
  },
} as const satisfies Record<
  string,
  { key: string; sources: readonly SettingSource[]; check(text: string): unknown }
>;

type SettingName = keyof typeof settingTable;
type ValueOf<Name extends SettingName> = ReturnType<(typeof settingTable)[Name]['check']>;

const settingNames = Object.keys(settingTable) as readonly SettingName[];

/** Texts that one source gives, by the settings' names in the code. */
type Given = {
  readonly [Name in SettingName as (typeof settingTable)[Name]['key']]?: string | undefined;
};

/** What `adreport.yaml` says of the account, for all commands or for one saved report. */
export type ProjectChoice = Pick<Given, 'account' | 'profile' | 'encoding' | 'windowClock'>;

export interface SettingsSources {
  readonly flags: Given;
  readonly env: NodeJS.ProcessEnv;
  readonly projectFile?: ProjectChoice;
  readonly stored: StoredSettings;
}

/** A value, and what gave it, as people know that: `--base-url`, `ADREPORT_TOKEN`, `account "work"`. */
export interface Setting<T> {
  readonly value: T;
  readonly source: SettingSource;
  readonly from: string;
}

/** Every setting of a command; what no source gives has the value `undefined` and the source `default`. */
export type Settings = ReturnType<typeof resolveSettings>;

/**
 * Every setting by its strongest source (`cli.md`, Settings). A stored token is used only with the origin it was stored for,
 * wherever the base URL came from. Throws `UsageError` for a value that cannot be one, naming where it came from.
 */
export function resolveSettings(sources: SettingsSources) {
  const account = resolveAccount(sources);
  const storedAccount = findAccount(sources.stored, account.value);
  const ofAccount = { ...storedAccount };
  const read = <Name extends SettingName, Default>(name: Name, byDefault: Default) =>
    readSetting(sources, name, ofAccount, `account "${account.value}"`, byDefault);

  const baseUrl = read('base-url', undefined);
  const isElsewhere =
    storedAccount?.token &&
    baseUrl.value &&
    originOf(storedAccount.baseUrl) !== baseUrl.value.origin;
  if (isElsewhere) delete ofAccount.token;
  const token = read('token', undefined);
  return {
    account,
    /** The account of that name, if it is stored, and all that is. */
    storedAccount,
    stored: sources.stored,
    baseUrl,
    token,
    /** Why the stored token is not used, one sentence, where it is not. */
    tokenWithheld:
      isElsewhere && !token.value
        ? `The token of account "${account.value}" is for ${storedAccount.baseUrl}, and is not sent to ${formatBaseUrl(baseUrl.value)}.`
        : undefined,
    email: read('email', undefined),
    password: read('password', undefined),
    profile: read('profile', 'buyer' as const),
    encoding: read('encoding', 'json' as const),
    windowClock: read('window-clock', 'instant' as const),
  };
}

/** The name of the account that is used, by its strongest source. Throws `UsageError` for a name that cannot be one. */
export function resolveAccount(sources: SettingsSources) {
  return readSetting(
    sources,
    'account',
    { account: sources.stored.defaultAccount },
    'the stored default',
    'default',
  );
}

function readSetting<Name extends SettingName, Default>(
  { flags, env, projectFile = {} }: SettingsSources,
  name: Name,
  stored: Given,
  storedWhere: string,
  byDefault: Default,
): Setting<ValueOf<Name> | Default> {
  const { key, sources, check } = settingTable[name];
  const variable = `ADREPORT_${name.replace('-', '_').toUpperCase()}`;
  const places = {
    flag: [flags[key], `--${name}`],
    // A variable that is empty is one that is not set: that is how shells and CI systems clear it.
    env: [env[variable]?.trim() ? env[variable] : undefined, variable],
    file: [projectFile[key as keyof ProjectChoice], `adreport.yaml (${key})`],
    account: [stored[key], storedWhere],
  } as const;
  for (const source of sources) {
    const [text, from] = places[source];
    if (text === undefined) continue;
    try {
      return { value: check(text) as ValueOf<Name>, source, from };
    } catch (error) {
      throw error instanceof UsageError ? error.amend(`(From ${from}.)`) : error;
    }
  }
  return { value: byDefault, source: 'default', from: 'default' };
}

/** The settings as they may be shown: a token is masked, a password is `set`, and what nothing gives has no value. */
export function nameSettings(settings: Settings) {
  return settingNames.map((name) => {
    const { value, source, from }: Setting<string | URL | undefined> =
      settings[settingTable[name].key];
    const text = value instanceof URL ? formatBaseUrl(value) : value;
    const shown =
      name === 'token' ? text && maskToken(text) : name === 'password' ? text && 'set' : text;
    return { name, value: shown, source, from };
  });
}

/** The setting of that name. Throws `UsageError`, with the nearest, for a name that none has. */
export function findSettingName(text: string): SettingName {
  const found = settingNames.find((name) => name === text);
  if (found) return found;
  const guess = nearest(text.replaceAll('_', '-'), settingNames);
  const hint = didYouMean(guess, `There are ${settingNames.join(', ')}.`);
  throw new UsageError(`There is no setting “${text}”.`, { hint });
}

/** Stores a setting of an account as its flag takes it, or, without a value, takes it back. Throws `UsageError`. */
export function changeSetting(
  stored: StoredSettings,
  account: string,
  text: string,
  value?: string,
) {
  const name = findSettingName(text);
  const { key, sources, check } = settingTable[name];
  // What no flag gives is signed in with, or stands in the environment.
  if (!(sources as readonly SettingSource[]).includes('flag')) {
    throw new UsageError(`The setting ${name} is not stored with adreport config.`, {
      hint: `Sign in with adreport login (a token: adreport login --token-stdin), or set ADREPORT_${name.toUpperCase()}.`,
    });
  }
  if (name === 'account') {
    if (value !== undefined && !findAccount(stored, value))
      throw new UsageError(...unknownAccount(value, stored));
    const said =
      value === undefined
        ? 'There is no default account any more.'
        : `The default account: “${value}”.`;
    return { settings: { ...stored, defaultAccount: value }, said };
  }
  const before = findAccount(stored, account);
  if (name === 'base-url' && value !== undefined) {
    const baseUrl = checkBaseUrl(value);
    // A token goes only to the origin it was stored for.
    const losesToken = before?.token !== undefined && originOf(before.baseUrl) !== baseUrl.origin;
    const token = losesToken ? undefined : before?.token;
    const loss = losesToken ? ' Its token was for another address, and is forgotten.' : '';
    return {
      settings: withAccount(stored, account, { ...before, token, baseUrl: baseUrl.href }),
      said: `${name} of account “${account}”: ${formatBaseUrl(baseUrl)}.${loss}`,
    };
  }
  // What is not stored need not be taken back.
  if (!before && value === undefined)
    return { settings: stored, said: unknownAccount(account, stored)[0] };
  if (!before) throw new UsageError(...unknownAccount(account, stored));
  if (name === 'base-url') {
    const { [account]: _forgotten, ...accounts } = stored.accounts;
    const defaultAccount = stored.defaultAccount === account ? undefined : stored.defaultAccount;
    return {
      settings: { ...stored, defaultAccount, accounts },
      said: `The account “${account}” is forgotten: without its base URL, its other settings have no use.`,
    };
  }
  const word = value === undefined ? undefined : check(value);
  return {
    settings: withAccount(stored, account, { ...before, [key]: word }),
    said: `${name} of account “${account}”: ${word ?? 'not stored any more'}.`,
  };
}

/** What is stored; what cannot be read is said, and passed over where the environment and flags give all that a call needs. */
export async function readUnlessNeedless(
  store: Store,
  env: NodeJS.ProcessEnv,
  flags: Given,
  warn: (sentence: string) => void,
): Promise<StoredSettings> {
  try {
    return await store.read();
  } catch (error) {
    const { account, baseUrl, token, email, password } = resolveSettings({
      flags,
      env,
      stored: noSettings,
    });
    const isEnough =
      baseUrl.value &&
      (token.value || (email.value && password.value)) &&
      account.source === 'default';
    if (!(error instanceof UsageError) || !isEnough) throw error;
    warn(`${error.message} It is passed over: the base URL and the token are given without it.`);
    return noSettings;
  }
}

/** What a call of the service needs: where to, and a token or the credentials that get one, or both. */
export type SignIn = ReturnType<typeof requireSignIn>;

/** What the settings give to sign in with. Throws `SignInError` that says what is missing and how to give it. */
export function requireSignIn(settings: Settings) {
  const {
    account,
    storedAccount,
    stored,
    baseUrl,
    encoding,
    token,
    email,
    password,
    tokenWithheld,
  } = settings;
  const credentials =
    email.value && password.value ? { email: email.value, password: password.value } : undefined;
  if (baseUrl.value && (token.value || credentials)) {
    return { baseUrl: baseUrl.value, encoding: encoding.value, token: token.value, credentials };
  }
  const isNamed = ['flag', 'env', 'file'].includes(account.source);
  if (!storedAccount && isNamed) throw new SignInError(...unknownAccount(account.value, stored));
  const hint =
    'Sign in with adreport login, set ADREPORT_TOKEN, or try everything without an account with --local.';
  if (!baseUrl.value)
    throw new SignInError('Not signed in: no account is stored, and no base URL is set.', { hint });
  const what = tokenWithheld ?? `Not signed in to account “${account.value}”: no token is stored.`;
  throw new SignInError(what, { hint });
}

/** An account name as it may be stored and typed. Throws `UsageError`. */
export function checkAccountName(text: string): string {
  if (/^[\p{L}\p{N}][\p{L}\p{N}._@+-]{0,63}$/u.test(text.trim())) return text.trim();
  throw new UsageError(
    'An account name begins with a letter or digit, and holds only letters, digits and . _ @ + -.',
  );
}

/** Reads one of some words, in any case. Throws `UsageError`, naming them and what they are for. */
function oneOf<T extends string>(name: string, known: readonly T[]) {
  return (text: string): T => {
    const found = known.find((word) => word === text.trim().toLowerCase());
    if (found) return found;
    throw new UsageError(`"${text}" is no ${name}; there are ${known.join(' and ')}.`);
  };
}

/** Reads a base URL: https, or http to this machine; no credentials, query or fragment; its path kept. Throws `UsageError`. */
export function checkBaseUrl(text: string): URL {
  const given = text.trim();
  const wrong = (what: string, hint?: string) =>
    new UsageError(`The base URL ${what}.`, hint ? { hint } : {});
  // `localhost:8787` is a URL too, with the scheme `localhost:`.
  const url = /^https?:\/\//i.test(given) && URL.canParse(given) ? new URL(given) : undefined;
  if (!url) {
    const guess = `${/^(localhost|127\.|\[::1\])/i.test(given) ? 'http' : 'https'}://${given}`;
    const isGuess = !given.includes('://') && !given.includes('@') && URL.canParse(guess);
    // Not quoted: what cannot be parsed may hold a password.
    throw wrong('is no http or https address', isGuess ? `Did you mean ${guess}?` : undefined);
  }
  if (url.username !== '' || url.password !== '') {
    throw wrong(
      'must not hold a user name or password',
      'Sign in with adreport login, or set ADREPORT_TOKEN.',
    );
  }
  if (/[?#]/.test(given)) throw wrong(`"${given}" must end with its path: no query, no fragment`);
  // `URL` writes every spelling of an IPv4 address (`127.1`, `0x7f000001`) as four decimal numbers.
  if (url.protocol === 'http:' && !/^(localhost|\[::1\]|127\.\d+\.\d+\.\d+)$/.test(url.hostname)) {
    throw wrong(
      `"${given}" must begin with https://, or the token would travel readable for everyone on the way`,
      'Plain http is for this machine alone: localhost, 127.0.0.1, [::1].',
    );
  }
  url.pathname = url.pathname.replace(/\/+$/, '');
  return url;
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
  const shown = Math.min(4, Math.floor(token.length / 8));
  return shown === 0 ? '…' : `${token.slice(0, shown)}…${token.slice(-shown)}`;
}
