import type { Encoding, WindowClock } from '../contract/messages.ts';
import type { Profile } from '../contract/vocabulary.ts';
import { UsageError } from '../errors.ts';
import {
  allAccounts,
  checkAccountName,
  formatBaseUrl,
  namesSeveral,
  originOf,
} from './setting-values.ts';
import {
  entryOf,
  type ProjectChoice,
  type SettingKey,
  type SettingTexts,
  type SettingValue,
  settingKeys,
} from './settings.ts';
import {
  findAccount,
  noSettings,
  type Store,
  type StoredAccount,
  type StoredSettings,
} from './store.ts';

/** In order of precedence. */
type SettingSource = 'flag' | 'env' | 'file' | 'account' | 'default';

/** The sources of settings. */
export interface SettingsSources {
  readonly flags: SettingTexts;
  readonly env: NodeJS.ProcessEnv;
  readonly projectFile?: ProjectChoice;
  readonly stored: StoredSettings;
}

/** A value with its source. */
export interface Setting<Value> {
  readonly value: Value;
  readonly source: SettingSource;

  /** The source in messages: `--base-url`, `ADREPORT_TOKEN`, `account “work”`. */
  readonly from: string;
}

/** All settings of a command. One without a source is `undefined`, with the source `default`. */
export interface Settings {
  readonly account: Setting<string>;

  /** The account of that name, if stored. */
  readonly storedAccount: StoredAccount | undefined;

  /** All stored settings. */
  readonly stored: StoredSettings;
  readonly baseUrl: Setting<URL | undefined>;
  readonly token: Setting<string | undefined>;

  /** Why the stored token is not used, as a sentence; `undefined` if it is. */
  readonly tokenWithheld: string | undefined;

  /** Which sign-in is used, as a sentence, if two sources have different ones. */
  readonly signInNote: string | undefined;
  readonly email: Setting<string | undefined>;
  readonly password: Setting<string | undefined>;

  /**
   * True if the environment has a password but no e-mail address or service for it: it is used only
   * if the command uses a single account.
   */
  readonly isPasswordUnclaimed: boolean;
  readonly passwordCommand: Setting<string | undefined>;
  readonly profile: Setting<Profile>;
  readonly encoding: Setting<Encoding>;
  readonly windowClock: Setting<WindowClock>;
}

/**
 * Resolves all settings (`cli.md`, Settings). A stored account named by a flag uses its own service
 * and sign-in instead of the environment's. A stored token is used only with the origin and the
 * e-mail address it was stored for. Throws `UsageError`, with the source, for an invalid value.
 */
export function resolveSettings(sources: SettingsSources): Settings {
  const account = resolveAccount(sources);
  const storedAccount = findAccount(sources.stored, account.value);
  const from = `account “${account.value}”`;

  const isOwnSignIn = account.source === 'flag' && storedAccount !== undefined;
  const env = isOwnSignIn ? withoutSignIn(sources.env) : sources.env;
  const ownSources = { ...sources, env };
  const address = new SettingReader(ownSources, { ...storedAccount }, from);
  const baseUrl = address.read('baseUrl', undefined);
  const tokenWithheld = whyWithheld(storedAccount, from, { baseUrl, env });

  const ownToken = tokenWithheld === undefined ? storedAccount?.token : undefined;
  const isOfEnvironment = readEnv(env, 'token') !== undefined;
  const settings = new SettingReader(
    ownSources,
    {
      ...storedAccount,
      token: ownToken,
      // A token of the environment may belong to another e-mail address than the stored one.
      email: isOfEnvironment ? undefined : storedAccount?.email,
    },
    from,
  );
  const token = settings.read('token', undefined);
  const email = settings.read('email', undefined);
  const password = settings.read('password', undefined);
  const isOtherPassword =
    password.source === 'env' &&
    (!isPasswordOf(sources.env, { email, baseUrl }) ||
      isServiceOfOther({ account, baseUrl, email }, sources.stored));

  return {
    account,
    storedAccount,
    stored: sources.stored,
    baseUrl,
    token,
    tokenWithheld: token.value === undefined ? tokenWithheld : undefined,
    signInNote: noteOnSignIn(sources.env, isOtherPassword ? withoutPassword(env) : env, {
      account,
      baseUrl,
      token,
      email,
    }),
    email,
    password: isOtherPassword ? noPassword : password,
    isPasswordUnclaimed: password.source === 'env' && !claimsPassword(sources.env),
    passwordCommand: ownCommand(settings.read('passwordCommand', undefined), storedAccount, {
      email,
      baseUrl,
    }),
    profile: settings.read('profile', 'buyer'),
    encoding: settings.read('encoding', 'json'),
    windowClock: settings.read('windowClock', 'instant'),
  };
}

/** The settings of a sign-in. */
const signInKeys = ['baseUrl', 'token', 'email', 'password'] as const satisfies SettingKey[];
type SignInKey = (typeof signInKeys)[number];

/**
 * The environment without its sign-in, for an account with its own. The password stays:
 * `isPasswordOf` decides whether it is used.
 */
function withoutSignIn(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const own = { ...env };
  for (const key of signInKeys) {
    if (key !== 'password') delete own[variableOf(key)];
  }
  return own;
}

function withoutPassword(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { ...env, [variableOf('password')]: undefined };
}

/** The password command, unless the e-mail address or the service is not the stored one. */
function ownCommand(
  command: Setting<string | undefined>,
  stored: StoredAccount | undefined,
  { email, baseUrl }: PasswordUse,
): Setting<string | undefined> {
  const isOwnEmail = isSameEmail(stored?.email ?? '', email.value ?? '');
  const isOwnService = originOf(stored?.baseUrl ?? '') === baseUrl.value?.origin;
  return isOwnEmail && isOwnService ? command : noPassword;
}

const noPassword = { value: undefined, source: 'default', from: 'default' } as const;

/** True if the environment has an e-mail address or a service for its password. */
function claimsPassword(env: NodeJS.ProcessEnv): boolean {
  return readEnv(env, 'email') !== undefined || readEnv(env, 'baseUrl') !== undefined;
}

/** The e-mail address and the service that a password would be used for. */
interface PasswordUse {
  readonly email: Pick<Settings['email'], 'value'>;
  readonly baseUrl: Pick<Settings['baseUrl'], 'value'>;
}

/**
 * True if the environment's password may be used for an account: its e-mail address and its service
 * have to match the environment's, if set.
 */
export function isPasswordOf(env: NodeJS.ProcessEnv, { email, baseUrl }: PasswordUse): boolean {
  const ownEmail = readEnv(env, 'email');
  const ownAddress = readEnv(env, 'baseUrl');
  const isOtherEmail =
    ownEmail !== undefined && email.value !== undefined && !isSameEmail(ownEmail, email.value);
  if (isOtherEmail) return false;
  return ownAddress === undefined || originOf(ownAddress) === baseUrl.value?.origin;
}

/**
 * True if the environment's e-mail address would sign in at the service of another account: one
 * that was named, or any if a stored account with that e-mail address has a different service.
 */
function isServiceOfOther(
  { account, baseUrl, email }: Pick<Settings, 'account' | 'baseUrl' | 'email'>,
  stored: StoredSettings,
): boolean {
  if (email.source !== 'env' || baseUrl.source !== 'account') return false;
  const isOwn = (each: StoredAccount | undefined): boolean => {
    return each?.email !== undefined && isSameEmail(each.email, email.value ?? '');
  };
  if (isOwn(findAccount(stored, account.value))) return false;

  const isNamed = account.source === 'file' || account.source === 'env';
  if (isNamed) return true;
  const own = Object.values(stored.accounts).filter(isOwn);
  const isSameService = own.some((each) => originOf(each.baseUrl) === baseUrl.value?.origin);
  return own.length > 0 && !isSameService;
}

/** Why the token of a stored account is not used, as a sentence; `undefined` if it may be used. */
function whyWithheld(
  account: StoredAccount | undefined,
  name: string,
  { baseUrl, env }: Pick<Settings, 'baseUrl'> & Pick<SettingsSources, 'env'>,
): string | undefined {
  if (account?.token === undefined) return undefined;
  if (baseUrl.value && originOf(account.baseUrl) !== baseUrl.value.origin) {
    return `The token of ${name} is for ${account.baseUrl} and is not sent to ${formatBaseUrl(baseUrl.value)}.`;
  }
  const email = readEnv(env, 'email');
  const isOther = email && account.email !== undefined && !isSameEmail(email, account.email);
  if (!isOther) return undefined;
  return `The token of ${name} is not used, because ${variableOf('email')} is a different e-mail address.`;
}

function isSameEmail(one: string, other: string): boolean {
  return one.trim().toLowerCase() === other.trim().toLowerCase();
}

/** A note if the environment's sign-in conflicts with a named account. */
function noteOnSignIn(
  env: NodeJS.ProcessEnv,
  usedEnv: NodeJS.ProcessEnv,
  { account, baseUrl, token, email }: Pick<Settings, 'account' | 'baseUrl' | 'token' | 'email'>,
): string | undefined {
  const isUnused = (key: SignInKey): boolean => {
    const value = readEnv(env, key);
    if (value === undefined || readEnv(usedEnv, key) !== undefined) return false;
    if (key === 'email') return !isSameEmail(value, email.value ?? '');
    return key !== 'baseUrl' || originOf(value) !== baseUrl.value?.origin;
  };
  const unused = signInKeys.filter(isUnused).map(variableOf);
  if (unused.length > 0) {
    return `The named account has its own service and sign-in, so the environment's is not used (${unused.join(', ')}).`;
  }
  const isOverridden = account.source === 'file' && token.source === 'env';
  if (!isOverridden) return undefined;
  return `Using ${variableOf('token')} instead of account “${account.value}” of adreport.yaml: the environment takes precedence.`;
}

/** An environment variable. An empty one counts as unset, because CI systems clear it that way. */
function readEnv(env: NodeJS.ProcessEnv, key: SettingKey): string | undefined {
  const text = env[variableOf(key)];
  return text?.trim() ? text : undefined;
}

/** The environment variable of a setting; empty if it has none. */
function variableOf(key: SettingKey): string {
  return entryOf(key).variable ?? '';
}

/** The name of an account without a name. */
export const defaultAccountName = 'default';

/** The name of the account to use. Throws `UsageError` for an invalid name. */
export function resolveAccount(sources: SettingsSources): Setting<string> {
  const stored = { account: sources.stored.defaultAccount };
  return new SettingReader(sources, stored, 'the stored default').read(
    'account',
    defaultAccountName,
  );
}

/**
 * The accounts of a run: several names without duplicates, or `all`; `undefined` for a single
 * account. Throws `UsageError` for an invalid name, or if the environment has the sign-in of a
 * single account.
 */
export function resolveAccountList(
  sources: Omit<SettingsSources, 'stored'>,
): readonly string[] | typeof allAccounts | undefined {
  const reader = new SettingReader({ ...sources, stored: noSettings }, {}, '');
  const choice = reader.findText('account');
  if (!choice || !namesSeveral(choice.value)) return undefined;

  // A flag takes precedence over the environment: each named account has its own sign-in.
  if (choice.source !== 'flag') refuseSingleSignIn(sources.env, choice.from);
  if (choice.value.trim() === allAccounts) return allAccounts;
  try {
    const names = choice.value.split(',').map(checkAccountName);
    return [...new Set(names)];
  } catch (error) {
    throw error instanceof UsageError ? error.amend(`(From ${choice.from}.)`) : error;
  }
}

/** Throws `UsageError` for a sign-in in the environment, which would be used for every account. */
function refuseSingleSignIn(env: NodeJS.ProcessEnv, from: string): void {
  for (const key of ['token', 'email', 'password'] as const) {
    if (readEnv(env, key) === undefined) continue;
    const variable = variableOf(key);
    throw new UsageError(
      `${variable} signs in to one account, but several are named. (From ${from}.)`,
      {
        hint: `Unset ${variable}, or name the accounts with --account to use their stored tokens.`,
      },
    );
  }
}

/** The base URL of the command line or the environment. Throws `UsageError` if it is invalid. */
export function readGivenBaseUrl(flags: SettingTexts, env: NodeJS.ProcessEnv): URL | undefined {
  const reader = new SettingReader({ flags, env, stored: noSettings }, {}, '');
  return reader.read('baseUrl', undefined).value;
}

/** Reads settings, each from the source with the highest precedence. */
class SettingReader {
  readonly #sources: SettingsSources;
  readonly #stored: SettingTexts;
  readonly #storedName: string;

  /** @param storedName the name of the stored source in messages */
  constructor(sources: SettingsSources, stored: SettingTexts, storedName: string) {
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

  /** The text of a setting; `undefined` if no source has it. */
  findText(key: SettingKey): Setting<string> | undefined {
    const { flags, env, projectFile = {} } = this.#sources;
    const { name, flag, variable = '', fileKey } = entryOf(key);
    const byFile: SettingTexts = projectFile;

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

/**
 * The stored settings. If they cannot be read, but flags and environment are enough to sign in,
 * that is only a warning.
 */
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
    warn(`${error.message} Ignoring it: the base URL and the token are set without it.`);
    return noSettings;
  }
}

function canSignIn({ baseUrl, token, email, password }: Settings): boolean {
  const hasCredentials = Boolean(email.value && password.value);
  return baseUrl.value !== undefined && (Boolean(token.value) || hasCredentials);
}

/** A setting to show to the user, without secrets. */
export interface ShownSetting {
  readonly name: string;

  /** A token is masked, a password is `set`; `undefined` without a value. */
  readonly value: string | undefined;
  readonly source: SettingSource;
  readonly from: string;
}

/** All settings to show to the user, without secrets. */
export function nameSettings(settings: Settings): ShownSetting[] {
  return settingKeys.map((key) => {
    const { value, source, from } = settings[key];
    const text = value instanceof URL ? formatBaseUrl(value) : value;
    const { name, show = (plain: string) => plain } = entryOf(key);
    return { name, value: text && show(text), source, from };
  });
}
