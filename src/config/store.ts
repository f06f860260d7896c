import { chmodSync, existsSync, mkdirSync, type Stats, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, posix, win32 } from 'node:path';
import type Conf from 'conf';
import { type Encoding, encodings, type WindowClock, windowClocks } from '../contract/messages.ts';
import { type Profile, profiles } from '../contract/vocabulary.ts';
import { codeOf, UsageError } from '../errors.ts';
import { nearest } from '../text/nearest.ts';

/** An account as it is stored; the password never is. */
export interface StoredAccount {
  readonly baseUrl: string;
  /** Absent once signed out. */
  readonly token?: string;
  readonly profile?: Profile;
  readonly email?: string;
  readonly encoding?: Encoding;
  readonly windowClock?: WindowClock;
  /** ISO 8601, when it was last signed in to. */
  readonly savedAt?: string;
}

/** What the settings file holds. Members that are not known here are kept: a newer version may have written them. */
export interface StoredSettings {
  readonly defaultAccount?: string;
  readonly accounts: Readonly<Record<string, StoredAccount>>;
}

/** What is stored before anything is. */
export const noSettings: StoredSettings = { accounts: {} };

const text = { type: 'string' } as const;

/** The same as a JSON schema, by which conf tells a file of ours from others. */
const schema = {
  defaultAccount: text,
  accounts: {
    type: 'object',
    additionalProperties: {
      type: 'object',
      required: ['baseUrl'],
      properties: {
        baseUrl: text,
        token: text,
        profile: { enum: profiles },
        email: text,
        encoding: { enum: encodings },
        windowClock: { enum: windowClocks },
        savedAt: text,
      },
    },
  },
} as const;

/** The stored account of that name, whatever the name: `constructor` is none. */
export function findAccount({ accounts }: StoredSettings, name: string): StoredAccount | undefined {
  return Object.hasOwn(accounts, name) ? accounts[name] : undefined;
}

/** What an error says of an account that is not stored: its message, and what to do. */
export function unknownAccount(name: string, { accounts }: StoredSettings): [message: string, { hint: string }] {
  const known = Object.keys(accounts);
  const guess = nearest(name, known);
  return [
    `No account “${name}” is stored${known.length > 0 ? `; there are ${known.join(', ')}` : ''}.`,
    { hint: guess ? `Did you mean ${guess}?` : `Sign in to it: adreport login --account ${name}` },
  ];
}

/** The settings with an account stored, in place of an older one of that name; the first one becomes the default. */
export function withAccount(settings: StoredSettings, name: string, account: StoredAccount): StoredSettings {
  return {
    ...settings,
    defaultAccount: settings.defaultAccount ?? name,
    accounts: { ...settings.accounts, [name]: account },
  };
}

/** The settings file of this user: `settings.json`, mode 0600, in a folder that is made with mode 0700. */
export type Store = Awaited<ReturnType<typeof openStore>>;

/** What the store needs to know of the machine. */
export interface StoreOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Told one sentence when something was open to other users. */
  readonly warn: (sentence: string) => void;
  /** Milliseconds since 1970. */
  readonly wallClock: () => number;
}

/** Opens the settings file with conf, which is loaded only where there is one, or one is written. */
export async function openStore({ env, warn, wallClock }: StoreOptions) {
  const directory = settingsFolder(env);
  const path = join(directory, 'settings.json');
  let ConfClass = existsSync(path) ? await loadConf() : undefined;

  /**
   * What is stored now; empty where nothing is. A file that is open to other users is closed to them, with a warning.
   * Throws `UsageError`, naming the file, if it cannot be read or was not written by adreport.
   */
  const read = (): StoredSettings => {
    if (!isThere(path) || !ConfClass) return noSettings;
    tighten(path, warn);
    const { accounts, ...others } = readFile(ConfClass, path);
    if (!accounts) throw badFile(path, 'was not written by adreport: it holds no accounts');
    return { ...others, accounts };
  };

  /**
   * Changes what is stored; a reader sees the old file or the new one. Throws as `read`, and `UsageError` if the file
   * cannot be written.
   */
  const update = async (change: (settings: StoredSettings) => StoredSettings): Promise<void> => {
    ConfClass ??= await loadConf();
    const before = read();
    const settings = change(before);
    if (settings === before) return;
    try {
      makeFolder(directory);
      sayIfOpen(directory, warn);
      openConf(ConfClass, path).store = { ...settings };
    } catch (cause) {
      throw new UsageError(`The settings file ${path} cannot be written: ${reasonOf(cause)}.`, {
        hint: 'ADREPORT_CONFIG_DIR names another folder; ADREPORT_TOKEN and ADREPORT_BASE_URL need none.',
        cause,
      });
    }
  };

  return {
    /** The folder of the file, for what else belongs to this user. */
    directory,
    path,
    read,
    update,

    /** Stores an account, in place of an older one of that name; the first one becomes the default. Throws as `update`. */
    saveAccount: (name: string, account: Omit<StoredAccount, 'savedAt'>): Promise<void> =>
      update((settings) => withAccount(settings, name, { ...account, savedAt: new Date(wallClock()).toISOString() })),

    /** Forgets the token of an account; whether there was one. Throws as `update`. */
    async forgetToken(name: string): Promise<boolean> {
      let had = false;
      await update((settings) => {
        const { token, ...rest } = findAccount(settings, name) ?? { baseUrl: '' };
        had = token !== undefined;
        return had ? withAccount(settings, name, rest) : settings;
      });
      return had;
    },
  };
}

/** The folder of the settings and the ledger: `ADREPORT_CONFIG_DIR`, else where the platform keeps such things. */
export function settingsFolder(env: StoreOptions['env'], platform = process.platform, home = homeFolder()): string {
  const { join, resolve } = platform === 'win32' ? win32 : posix;
  if (env.ADREPORT_CONFIG_DIR) return resolve(env.ADREPORT_CONFIG_DIR);
  if (platform === 'win32') return join(env.APPDATA || join(home, 'AppData', 'Roaming'), 'adreport', 'Config');
  if (platform === 'darwin') return join(home, 'Library', 'Preferences', 'adreport');
  return join(env.XDG_CONFIG_HOME || join(home, '.config'), 'adreport');
}

/**
 * The user's home. A container may run as a number that no user has: its home is the root folder then, as most containers
 * say themselves, and conf, which asks the system too, is told so.
 */
function homeFolder(): string {
  try {
    return homedir();
  } catch {
    process.env.HOME = '/';
    return '/';
  }
}

async function loadConf(): Promise<typeof Conf> {
  return (await import('conf')).default;
}

function openConf(ConfClass: typeof Conf, path: string): Conf<Partial<StoredSettings>> {
  return new ConfClass<Partial<StoredSettings>>({
    cwd: dirname(path),
    configName: 'settings',
    configFileMode: 0o600,
    accessPropertiesByDotNotation: false,
    schema,
    // Editors on Windows write a byte order mark.
    deserialize: (json) => JSON.parse(json.replace(/^\ufeff/, '')),
  });
}

/** What the file holds. Throws `UsageError`, naming the file and what is wrong with it; the file stays as it is. */
function readFile(ConfClass: typeof Conf, path: string): Partial<StoredSettings> {
  try {
    return openConf(ConfClass, path).store;
  } catch (error) {
    if (error instanceof SyntaxError) throw badFile(path, 'is not whole JSON');
    const [, violation] = /^Config schema violation: (.*)/s.exec(error instanceof Error ? error.message : '') ?? [];
    throw badFile(path, violation ? `was not written by adreport: ${violation}` : `cannot be read: ${reasonOf(error)}`);
  }
}

function badFile(path: string, what: string): UsageError {
  return new UsageError(`The settings file ${path} ${what}.`, {
    code: 'BAD_SETTINGS',
    hint: 'It was left as it is. Repair it, or move it away and sign in again: adreport login',
  });
}

/** Whether there is a settings file. Throws `UsageError` for what is there and no file of settings. */
function isThere(path: string): boolean {
  let stats: Stats | undefined;
  try {
    stats = statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    throw badFile(path, `cannot be read: ${reasonOf(error)}`);
  }
  // A pipe that nobody writes to, or a device without an end, would be read for ever.
  if (stats && !stats.isFile()) throw badFile(path, 'is no regular file');
  return stats !== undefined;
}

/** Makes a folder and those above it, one by one, because Node's own way of it never ends below `/proc`. */
function makeFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return;
    if (codeOf(error) !== 'ENOENT' || dirname(path) === path) throw error;
    makeFolder(dirname(path));
    mkdirSync(path, { mode: 0o700 });
  }
}

/** The mode of what is there and open to others; Windows has no such modes. */
function openMode(path: string): string | undefined {
  const mode = statSync(path).mode & 0o7777;
  return process.platform === 'win32' || (mode & 0o077) === 0 ? undefined : mode.toString(8).padStart(4, '0');
}

/** Takes the file away from everyone but its owner. */
function tighten(path: string, warn: StoreOptions['warn']): void {
  const mode = openMode(path);
  if (mode === undefined) return;
  try {
    chmodSync(path, 0o600);
    warn(
      `${path} was open to other users (mode ${mode}); it is now 0600. If somebody may have read it, make a new token.`,
    );
  } catch {
    warn(`${path} is open to other users (mode ${mode}), and is not ours to close.`);
  }
}

/** A folder that adreport did not make keeps its mode: to close `/tmp` or a home folder would break more than it protects. */
function sayIfOpen(directory: string, warn: StoreOptions['warn']): void {
  const mode = openMode(directory);
  if (mode)
    warn(`${directory} is open to other users (mode ${mode}), and is left so; the settings in it have mode 0600.`);
}

/** `EACCES: permission denied, open '/…'`: only the middle is for people. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return /^\w+: ([^,]*)/.exec(message)?.[1] ?? message;
}
