import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, posix, win32 } from 'node:path';
import type Conf from 'conf';
import type { Encoding, WindowClock } from '../contract/messages.ts';
import type { Profile } from '../contract/vocabulary.ts';
import { AdreportError, codeOf, SignInError, UsageError } from '../errors.ts';
import { withLock } from '../text/file-lock.ts';
import { isJson, isObject } from '../text/json-object.ts';
import { makeFolder } from '../text/make-folder.ts';
import { didYouMean, findNearest } from '../text/nearest.ts';

/** A stored account, which never contains a password. */
export interface StoredAccount {
  /** Not set after `adreport config unset base-url`. */
  readonly baseUrl?: string;
  readonly token?: string;
  readonly profile?: Profile;
  readonly email?: string;
  readonly encoding?: Encoding;
  readonly windowClock?: WindowClock;

  /** Shell command that prints the password. */
  readonly passwordCommand?: string;
}

/**
 * Content of the settings file. Unknown keys are kept, because a newer version may have written
 * them.
 */
export interface StoredSettings {
  readonly defaultAccount?: string;
  readonly accounts: Readonly<Record<string, StoredAccount>>;
}

export const noSettings: StoredSettings = { accounts: {} };

/** Finds an account by name. Any name works, even `constructor`. */
export function findAccount({ accounts }: StoredSettings, name: string): StoredAccount | undefined {
  return Object.hasOwn(accounts, name) ? accounts[name] : undefined;
}

/** Message and hint for an account that is not stored. */
export function describeUnknownAccount(name: string, { accounts }: StoredSettings) {
  const names = Object.keys(accounts);
  const signIn = `adreport login --account ${name}`;
  const advice =
    names.length > 0 ? `Choose from ${names.join(', ')}, or sign in with:` : 'Sign in with:';
  return {
    message: `No stored account is named “${name}”.`,
    hint: didYouMean(findNearest(name, names), `${advice} ${signIn}`),
  };
}

export function unknownAccountError(name: string, stored: StoredSettings): SignInError {
  const { message, hint } = describeUnknownAccount(name, stored);
  return new SignInError(message, { hint });
}

/** Adds or replaces an account. Without a default account, this account becomes the default. */
export function withAccount(
  settings: StoredSettings,
  name: string,
  account: StoredAccount,
): StoredSettings {
  const { defaultAccount = name, accounts } = settings;
  return { ...settings, defaultAccount, accounts: { ...accounts, [name]: account } };
}

/** Removes an account. If it was the default, there is no default afterwards. */
export function withoutAccount(settings: StoredSettings, name: string): StoredSettings {
  const { [name]: _removed, ...accounts } = settings.accounts;
  const defaultAccount = settings.defaultAccount === name ? undefined : settings.defaultAccount;
  return { ...settings, defaultAccount, accounts };
}

type SettingsConf = Conf<Partial<StoredSettings>>;

/**
 * The user's settings file, `settings.json`, with mode 0600 in a folder with mode 0700. The package
 * conf loads slowly, so it is imported only if the file exists or will be written.
 */
export class Store {
  readonly directory: string;
  readonly path: string;

  constructor(env: NodeJS.ProcessEnv) {
    this.directory = settingsFolder(env);
    this.path = join(this.directory, 'settings.json');
  }

  /**
   * Reads the settings, which are empty without a file. Throws `UsageError` for an invalid file.
   */
  async read(): Promise<StoredSettings> {
    if (!existsSync(this.path)) return noSettings;
    return toSettings(await this.#open());
  }

  /**
   * Changes the settings under a lock. The file is replaced atomically. `change` may be called
   * twice, and may return its argument to change nothing. Throws `UsageError` if the file cannot be
   * changed.
   */
  async update(change: (settings: StoredSettings) => StoredSettings): Promise<void> {
    // The folder is not created if nothing changes.
    if (!existsSync(this.path) && change(noSettings) === noSettings) return;

    try {
      makeFolder(this.directory, 0o700);
      await withLock(this.path, async () => {
        const conf = await this.#open();
        const before = toSettings(conf);
        const settings = change(before);
        if (settings !== before) conf.store = { ...settings };
      });
    } catch (cause) {
      if (cause instanceof AdreportError) throw cause;
      throw codeOf(cause) === 'ELOCKED' ? this.#lockedError(cause) : this.#writeError(cause);
    }
  }

  /** Throws `UsageError` if the file cannot be read. */
  async #open(): Promise<SettingsConf> {
    const { default: ConfClass } = await import('conf');
    try {
      return new ConfClass<Partial<StoredSettings>>({
        cwd: this.directory,
        configName: 'settings',
        configFileMode: 0o600,
        accessPropertiesByDotNotation: false,
        deserialize: parseSettings,
      });
    } catch (error) {
      throw new UsageError(
        `Cannot read the settings file ${this.path}: ${describeSystemError(error)}.`,
        {
          code: 'BAD_SETTINGS',
          hint: `The file was not changed. Repair it, or delete ${this.path} and sign in again: adreport login`,
        },
      );
    }
  }

  #lockedError(cause: unknown): UsageError {
    return new UsageError(`Another process is changing the settings file ${this.path}.`, {
      hint: `Run the command again. If no other command is running, remove ${this.path}.lock.`,
      retryable: true,
      cause,
    });
  }

  #writeError(cause: unknown): UsageError {
    return new UsageError(
      `Cannot write the settings file ${this.path}: ${describeSystemError(cause)}.`,
      {
        hint: 'Set ADREPORT_CONFIG_DIR to a different folder, or use ADREPORT_TOKEN and ADREPORT_BASE_URL.',
        cause,
      },
    );
  }
}

function toSettings(conf: SettingsConf): StoredSettings {
  return { accounts: {}, ...conf.store };
}

/** Throws if the file was not written by this program. */
function parseSettings(text: string): StoredSettings {
  if (text.includes('\uFFFD')) throw new Error('it is not UTF-8');
  if (!isJson(text)) throw new Error('it is not valid JSON');
  const value: unknown = JSON.parse(text);
  if (!isSettings(value)) throw new Error('it was not written by adreport');
  return value;
}

function isSettings(value: unknown): value is StoredSettings {
  if (!isObject(value) || !isObject(value.accounts)) return false;
  const { accounts, defaultAccount = '' } = value;
  return typeof defaultAccount === 'string' && Object.values(accounts).every(isAccount);
}

function isAccount(account: unknown): account is StoredAccount {
  return isObject(account) && Object.values(account).every((value) => typeof value === 'string');
}

/**
 * Returns the folder for settings and recorded requests: `ADREPORT_CONFIG_DIR`, or conf's default
 * for the platform.
 */
export function settingsFolder(
  env: NodeJS.ProcessEnv,
  platform = process.platform,
  home = findHomeFolder(),
): string {
  const { join, resolve } = platform === 'win32' ? win32 : posix;
  if (env.ADREPORT_CONFIG_DIR) return resolve(env.ADREPORT_CONFIG_DIR);
  if (platform === 'win32')
    return join(env.APPDATA || join(home, 'AppData', 'Roaming'), 'adreport', 'Config');
  if (platform === 'darwin') return join(home, 'Library', 'Preferences', 'adreport');
  return join(env.XDG_CONFIG_HOME || join(home, '.config'), 'adreport');
}

/**
 * Returns the home folder, or `/` for a user without an entry in the password file, as in some
 * containers. Also sets HOME, which conf reads.
 */
function findHomeFolder(): string {
  try {
    return homedir();
  } catch {
    process.env.HOME = '/';
    return '/';
  }
}

/** Returns `permission denied` for the message `EACCES: permission denied, open '/…'`. */
function describeSystemError(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return /^\w+: ([^,]*)/.exec(message)?.[1] ?? message;
}
