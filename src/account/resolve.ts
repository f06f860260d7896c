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

/** What a setting may come from, the strongest first. */
type SettingSource = 'flag' | 'env' | 'file' | 'account' | 'default';

/** All that settings may come from. */
export interface SettingsSources {
  readonly flags: SettingTexts;
  readonly env: NodeJS.ProcessEnv;
  readonly projectFile?: ProjectChoice;
  readonly stored: StoredSettings;
}

/**
 * A value, and what gave it, as people know that: `--base-url`, `ADREPORT_TOKEN`, `account "work"`.
 */
export interface Setting<Value> {
  readonly value: Value;
  readonly source: SettingSource;
  readonly from: string;
}

/**
 * Every setting of a command; what no source gives has the value `undefined` and the source
 * `default`.
 */
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

  /**
   * Whose sign-in is used where two sources name different ones, one sentence; `undefined` where
   * they agree.
   */
  readonly signInNote: string | undefined;
  readonly email: Setting<string | undefined>;
  readonly password: Setting<string | undefined>;

  /**
   * True if the environment has a password and does not say whose: it is used only if the command
   * uses one account.
   */
  readonly isPasswordUnclaimed: boolean;
  readonly passwordCommand: Setting<string | undefined>;
  readonly profile: Setting<Profile>;
  readonly encoding: Setting<Encoding>;
  readonly windowClock: Setting<WindowClock>;
}

/**
 * Every setting by its strongest source (`cli.md`, Settings). A stored account that a flag names
 * brings its own service and sign-in, whatever the environment says. A stored token is used only
 * with the origin and the e-mail address it was stored for, wherever these come from. Throws
 * `UsageError` for a value that cannot be one, naming where it came from.
 */
export function resolveSettings(sources: SettingsSources): Settings {
  const account = resolveAccount(sources);
  const storedAccount = findAccount(sources.stored, account.value);
  const from = `account “${account.value}”`;

  const isOwnSignIn = account.source === 'flag' && storedAccount !== undefined;
  const env = isOwnSignIn ? withoutSignIn(sources.env) : sources.env;
  const given = { ...sources, env };
  const address = new SettingReader(given, { ...storedAccount }, from);
  const baseUrl = address.read('baseUrl', undefined);
  const tokenWithheld = whyWithheld(storedAccount, from, { baseUrl, env });

  const ownToken = tokenWithheld === undefined ? storedAccount?.token : undefined;
  const isOfEnvironment = readEnv(env, 'token') !== undefined;
  const settings = new SettingReader(
    given,
    {
      ...storedAccount,
      token: ownToken,
      // Whose a token of the environment is, only the environment says.
      email: isOfEnvironment ? undefined : storedAccount?.email,
    },
    from,
  );
  const token = settings.read('token', undefined);
  const email = settings.read('email', undefined);
  const password = settings.read('password', undefined);
  const isOfAnother =
    password.source === 'env' &&
    (!isPasswordOf(sources.env, { email, baseUrl }) ||
      isAddressOfAnother({ account, baseUrl, email }, sources.stored));

  return {
    account,
    storedAccount,
    stored: sources.stored,
    baseUrl,
    token,
    tokenWithheld: token.value === undefined ? tokenWithheld : undefined,
    signInNote: noteOnSignIn(sources.env, isOfAnother ? withoutPassword(env) : env, account, token),
    email,
    password: isOfAnother ? noPassword : password,
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

/** What the environment signs in with, and where. */
const signInKeys = ['baseUrl', 'token', 'email', 'password'] as const satisfies SettingKey[];

/**
 * The environment without what it signs in with, for an account that brings its own; `isPasswordOf`
 * decides on the password.
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

/** The password command, unless another address or service is signed in to than the stored one. */
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

/** True if the environment says whose its password is. */
function claimsPassword(env: NodeJS.ProcessEnv): boolean {
  return readEnv(env, 'email') !== undefined || readEnv(env, 'baseUrl') !== undefined;
}

/** Who would sign in with a password, and where. */
interface PasswordUse {
  readonly email: Pick<Settings['email'], 'value'>;
  readonly baseUrl: Pick<Settings['baseUrl'], 'value'>;
}

/**
 * True if the password of the environment may go to an account: it is for the e-mail address and
 * the service that the environment names, as far as it does.
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
 * True if the e-mail address of the environment would sign in at an address that is stored for
 * another account: one that is named, or any while its own account has another address.
 */
function isAddressOfAnother(
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
  const isThere = own.some((each) => originOf(each.baseUrl) === baseUrl.value?.origin);
  return own.length > 0 && !isThere;
}

/**
 * Why the token of a stored account is not used, one sentence; `undefined` where it may be, or
 * there is none.
 */
function whyWithheld(
  account: StoredAccount | undefined,
  name: string,
  { baseUrl, env }: Pick<Settings, 'baseUrl'> & Pick<SettingsSources, 'env'>,
): string | undefined {
  if (account?.token === undefined) return undefined;
  if (baseUrl.value && originOf(account.baseUrl) !== baseUrl.value.origin) {
    return `The token of ${name} is for ${account.baseUrl}, and is not sent to ${formatBaseUrl(baseUrl.value)}.`;
  }
  const email = readEnv(env, 'email');
  const isOfAnother = email && account.email !== undefined && !isSameEmail(email, account.email);
  if (!isOfAnother) return undefined;
  return `The token of ${name} is not that of ${variableOf('email')}, and is not used.`;
}

function isSameEmail(one: string, other: string): boolean {
  return one.trim().toLowerCase() === other.trim().toLowerCase();
}

/**
 * Whose sign-in is used where the environment and a name of an account differ; `undefined` where
 * they do not.
 */
function noteOnSignIn(
  env: NodeJS.ProcessEnv,
  usedEnv: NodeJS.ProcessEnv,
  account: Setting<string>,
  token: Setting<string | undefined>,
): string | undefined {
  const unused = signInKeys
    .filter((key) => readEnv(env, key) !== undefined && readEnv(usedEnv, key) === undefined)
    .map(variableOf);
  if (unused.length > 0) {
    return `A stored account that is named has its own service and sign-in: the environment’s is not used (${unused.join(', ')}).`;
  }
  const isOutdone = account.source === 'file' && token.source === 'env';
  if (!isOutdone) return undefined;
  return `${variableOf('token')} is used, and not account “${account.value}” of adreport.yaml: the environment is stronger.`;
}

/**
 * A variable of the environment; one that is empty is not set: that is how shells and CI systems
 * clear it.
 */
function readEnv(env: NodeJS.ProcessEnv, key: SettingKey): string | undefined {
  const text = env[variableOf(key)];
  return text?.trim() ? text : undefined;
}

/** The variable of the environment that gives a setting; empty where none does. */
function variableOf(key: SettingKey): string {
  return entryOf(key).variable ?? '';
}

/** The name of the account where nobody gives it one. */
export const defaultAccountName = 'default';

/**
 * The name of the account that is used, by its strongest source. Throws `UsageError` for a name
 * that cannot be one.
 */
export function resolveAccount(sources: SettingsSources): Setting<string> {
  const stored = { account: sources.stored.defaultAccount };
  return new SettingReader(sources, stored, 'the stored default').read(
    'account',
    defaultAccountName,
  );
}

/**
 * The accounts that a run is for: several by their names, each once, or `all` that are stored;
 * `undefined` for one account. Throws `UsageError` for a name that cannot be one, and where the
 * environment holds what only one of them signs in with.
 */
export function resolveAccountList(
  sources: Omit<SettingsSources, 'stored'>,
): readonly string[] | typeof allAccounts | undefined {
  const reader = new SettingReader({ ...sources, stored: noSettings }, {}, '');
  const choice = reader.findText('account');
  if (!choice || !namesSeveral(choice.value)) return undefined;

  // A flag beats the environment: each account that it names has its own sign-in.
  if (choice.source !== 'flag') refuseSignInOfOne(sources.env, choice.from);
  if (choice.value.trim() === allAccounts) return allAccounts;
  try {
    const names = choice.value.split(',').map(checkAccountName);
    return [...new Set(names)];
  } catch (error) {
    throw error instanceof UsageError ? error.amend(`(From ${choice.from}.)`) : error;
  }
}

/**
 * Throws `UsageError` for a token or an address in the environment: every account would be signed
 * in to with the same.
 */
function refuseSignInOfOne(env: NodeJS.ProcessEnv, from: string): void {
  for (const key of ['token', 'email', 'password'] as const) {
    if (readEnv(env, key) === undefined) continue;
    const variable = variableOf(key);
    throw new UsageError(
      `${variable} signs in to one account, and several are named. (From ${from}.)`,
      { hint: `Unset ${variable}, or name them with --account: each has its own stored token.` },
    );
  }
}

/**
 * The base URL that the command line or the environment gives, whatever is stored. Throws
 * `UsageError`.
 */
export function readGivenBaseUrl(flags: SettingTexts, env: NodeJS.ProcessEnv): URL | undefined {
  const reader = new SettingReader({ flags, env, stored: noSettings }, {}, '');
  return reader.read('baseUrl', undefined).value;
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
  ): Setting<SettingValue<Key> | Default> {
    const text = this.findText(key);
    if (!text) return { value: byDefault, source: 'default', from: 'default' };

    try {
      return { ...text, value: entryOf(key).read(text.value) };
    } catch (error) {
      throw error instanceof UsageError ? error.amend(`(From ${text.from}.)`) : error;
    }
  }

  /**
   * A setting as its strongest source has it, before it is read; `undefined` where no source has
   * it.
   */
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
      { source: 'account', from: this.#storedWhere, value: this.#stored[key] },
    ];
    for (const { value, source, from } of places) {
      if (value !== undefined) return { value, source, from };
    }
    return undefined;
  }
}

/**
 * What is stored; what cannot be read is said, and passed over where the environment and flags give
 * all that a call needs.
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
    warn(`${error.message} It is passed over: the base URL and the token are given without it.`);
    return noSettings;
  }
}

function canSignIn({ baseUrl, token, email, password }: Settings): boolean {
  const hasCredentials = Boolean(email.value && password.value);
  return baseUrl.value !== undefined && (Boolean(token.value) || hasCredentials);
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
    const { name, show = (plain: string) => plain } = entryOf(key);
    return { name, value: text && show(text), source, from };
  });
}
