import { chmodSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, posix, win32 } from 'node:path';
import type Conf from 'conf';
import type { Encoding, WindowClock } from '../contract/messages.ts';
import type { Profile } from '../contract/vocabulary.ts';
import { type AdreportError, codeOf, OutputError, UsageError } from '../errors.ts';
import { changeFile, type FileMachine, HeldFileError } from '../text/held-file.ts';
import { isObject } from '../text/json-object.ts';
import { didYouMean, nearest } from '../text/nearest.ts';
import { quoted } from '../text/printable.ts';
import { entryOf, type StoredForm, settingKeys } from './settings.ts';

/** An account as it is stored; the password never is. */
export interface StoredAccount {
  readonly baseUrl: string;
  readonly token?: string;
  readonly profile?: Profile;
  readonly email?: string;
  readonly encoding?: Encoding;
  readonly windowClock?: WindowClock;

  /** Prints the password; run when it is needed. */
  readonly passwordCommand?: string;
}

/**
 * What the settings file holds. Members that are not known here are kept: a newer version may have
 * written them.
 */
export interface StoredSettings {
  readonly defaultAccount?: string;
  readonly accounts: Readonly<Record<string, StoredAccount>>;
}

/** Room for some thousand accounts. */
const settingsBytesAtMost = 1_000_000;

export const noSettings: StoredSettings = { accounts: {} };

/** The stored account of that name, whatever the name: `constructor` is none. */
export function findAccount({ accounts }: StoredSettings, name: string): StoredAccount | undefined {
  return Object.hasOwn(accounts, name) ? accounts[name] : undefined;
}

/** What an error says of an account that is not stored, and what to do. */
export interface UnknownAccount {
  readonly message: string;
  readonly hint: string;
}

export function unknownAccount(name: string, { accounts }: StoredSettings): UnknownAccount {
  const names = Object.keys(accounts);
  const others = names.length > 0 ? `; there are ${names.join(', ')}` : '';
  const signIn = `Sign in to it: adreport login --account ${name}`;
  return {
    message: `No account “${name}” is stored${others}.`,
    hint: didYouMean(nearest(name, names), signIn),
  };
}

/**
 * The settings with an account stored, in place of an older one of that name; the first one becomes
 * the default.
 */
export function withAccount(
  settings: StoredSettings,
  name: string,
  account: StoredAccount,
): StoredSettings {
  const { defaultAccount = name, accounts } = settings;
  return { ...settings, defaultAccount, accounts: { ...accounts, [name]: account } };
}

/**
 * The settings file of this user: `settings.json`, mode 0600, in a folder that is made with mode
 * 0700. conf is loaded only where there is a file, or one is written.
 */
export class Store {
  /** The folder of the file. */
  readonly directory: string;
  readonly path: string;
  readonly #warn: (sentence: string) => void;
  readonly #machine: FileMachine;

  /** @param warn is told what is open to other users */
  constructor(env: NodeJS.ProcessEnv, warn: (sentence: string) => void, machine: FileMachine) {
    this.directory = settingsFolder(env);
    this.path = join(this.directory, 'settings.json');
    this.#warn = warn;
    this.#machine = machine;
  }

  /**
   * What is stored now; empty where nothing is. Throws `UsageError`, naming the file, if it is not
   * one of ours.
   */
  async read(): Promise<StoredSettings> {
    if (!existsSync(this.path)) return noSettings;
    const { default: ConfClass } = await import('conf');
    return this.#readNow(ConfClass);
  }

  /**
   * Changes what is stored, while every other process that would change it waits; a reader sees the
   * old file or the new one. `change` gives the settings that it was given where nothing is to be
   * changed, and may be called twice. Throws `UsageError` if the file cannot be changed, and
   * `OutputError` if another program has it open.
   */
  async update(change: (settings: StoredSettings) => StoredSettings): Promise<void> {
    // Where there is nothing to change, no folder is made.
    if (!existsSync(this.path) && change(noSettings) === noSettings) return;

    const { default: ConfClass } = await import('conf');
    const unlock = await this.#lock();
    try {
      const before = this.#readNow(ConfClass);
      const settings = change(before);
      if (settings !== before) await this.#write(ConfClass, settings);
    } finally {
      // A lock that another process has taken over is not ours to give back.
      await unlock().catch(() => {});
    }
  }

  /** Keeps other processes from changing the file, and gives what lets them again. */
  async #lock(): Promise<() => Promise<void>> {
    const { default: lockfile } = await import('proper-lockfile');
    try {
      makeFolder(this.directory);
      return await lockfile.lock(this.path, {
        lockfilePath: `${this.path}.lock`,
        // The file need not be there yet.
        realpath: false,
        // One that a process left behind when it was killed is taken over.
        stale: 5_000,
        retries: { retries: 200, factor: 1.2, minTimeout: 10, maxTimeout: 100, randomize: true },
        // Whoever takes the lock over, the file is whole: it is written beside its place and
        // renamed.
        onCompromised: () => {},
      });
    } catch (cause) {
      if (codeOf(cause) !== 'ELOCKED') throw this.#cannotWrite(cause);
      throw new UsageError(`The settings file ${this.path} is being changed by another process.`, {
        hint: `Run the command again. If no other is running, remove ${this.path}.lock.`,
        retryable: true,
        cause,
      });
    }
  }

  #readNow(ConfClass: typeof Conf): StoredSettings {
    try {
      const stats = statSync(this.path, { throwIfNoEntry: false });
      if (!stats) return noSettings;
      // A pipe that nobody writes to, or a device without an end, would be read for ever.
      if (!stats.isFile()) throw new Error('it is no regular file');
      if (stats.size > settingsBytesAtMost) throw new Error('it is larger than 1 MB');
      this.#sayIfOpen(this.path);
      expectSettings(JSON.parse(readFileSync(this.path, 'utf8')));
      const { accounts, ...others } = this.#conf(ConfClass).store;
      if (accounts) return { ...others, accounts };
      throw new Error('it was not written by adreport');
    } catch (error) {
      // A parser's message quotes the file, in which the token stands.
      const why = error instanceof SyntaxError ? 'it is not whole JSON' : reasonOf(error);
      throw new UsageError(`The settings file ${this.path} cannot be read: ${why}.`, {
        code: 'BAD_SETTINGS',
        hint: `It was left as it is. Repair it, or delete ${this.path} and sign in again: adreport login`,
      });
    }
  }

  async #write(ConfClass: typeof Conf, settings: StoredSettings): Promise<void> {
    try {
      this.#sayIfOpen(this.directory);
      await changeFile(this.#machine, () => {
        this.#conf(ConfClass).store = { ...settings };
      });
    } catch (cause) {
      throw this.#cannotWrite(cause);
    }
  }

  #conf(ConfClass: typeof Conf): Conf<Partial<StoredSettings>> {
    return new ConfClass<Partial<StoredSettings>>({
      cwd: this.directory,
      configName: 'settings',
      configFileMode: 0o600,
      accessPropertiesByDotNotation: false,
    });
  }

  /** Says what is open to other users, which Windows has no modes for; a file is closed to them. */
  #sayIfOpen(path: string): void {
    const stats = statSync(path);
    if (this.#machine.platform === 'win32' || (stats.mode & 0o077) === 0) return;

    const mode = (stats.mode & 0o7777).toString(8).padStart(4, '0');
    const isOpen = `${path} is open to other users (mode ${mode})`;
    // To close a folder that adreport did not make, such as `/tmp`, would break more than it
    // protects.
    if (stats.isDirectory()) {
      this.#warn(`${isOpen}, and is left so; the settings in it have mode 0600.`);
      return;
    }
    try {
      chmodSync(path, 0o600);
      this.#warn(
        `${isOpen}, and was closed: 0600. If somebody may have read it, make a new token.`,
      );
    } catch {
      this.#warn(`${isOpen}, and is not ours to close.`);
    }
  }

  #cannotWrite(cause: unknown): AdreportError {
    const sentence = `The settings file ${this.path} cannot be written: ${reasonOf(cause)}.`;
    if (cause instanceof HeldFileError) {
      return new OutputError(sentence, {
        code: cause.code,
        hint: 'Close it there, and run the same command again.',
        cause,
      });
    }
    return new UsageError(sentence, {
      hint: 'ADREPORT_CONFIG_DIR names another folder; ADREPORT_TOKEN and ADREPORT_BASE_URL need none.',
      cause,
    });
  }
}

/**
 * The folder of the settings and the ledger: `ADREPORT_CONFIG_DIR`, else conf's own, which is where
 * the platform has them.
 */
export function settingsFolder(
  env: NodeJS.ProcessEnv,
  platform = process.platform,
  home = homeFolder(),
): string {
  const { join, resolve } = platform === 'win32' ? win32 : posix;
  if (env.ADREPORT_CONFIG_DIR) return resolve(env.ADREPORT_CONFIG_DIR);
  if (platform === 'win32')
    return join(env.APPDATA || join(home, 'AppData', 'Roaming'), 'adreport', 'Config');
  if (platform === 'darwin') return join(home, 'Library', 'Preferences', 'adreport');
  return join(env.XDG_CONFIG_HOME || join(home, '.config'), 'adreport');
}

/**
 * The user's home; the root folder in a container that runs as a number that no user has. conf asks
 * too, and is told so.
 */
function homeFolder(): string {
  try {
    return homedir();
  } catch {
    process.env.HOME = '/';
    return '/';
  }
}

/**
 * Makes a folder and those above it, for the owner only: one by one, because Node's own way never
 * ends below `/proc`.
 */
export function makeFolder(path: string): void {
  if (existsSync(path)) return;
  const parent = dirname(path);
  // That of a drive that does not exist is the drive itself.
  if (parent !== path) makeFolder(parent);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

/** Throws for JSON that is not the settings of adreport, with the member that is wrong. */
function expectSettings(value: unknown): void {
  if (!isObject(value)) throw new Error('it has no settings');

  const { accounts = {}, defaultAccount = '' } = value;
  if (typeof defaultAccount !== 'string') throw new Error('its defaultAccount is not a text');
  if (!isObject(accounts)) throw new Error('its accounts are not an object');
  for (const [name, account] of Object.entries(accounts)) expectAccount(quoted(name), account);
}

function expectAccount(name: string, account: unknown): void {
  if (!isObject(account)) throw new Error(`its account ${name} is not an object`);
  if (account.baseUrl === undefined) throw new Error(`its account ${name} has no baseUrl`);

  for (const key of settingKeys) {
    const { stored } = entryOf(key);
    const value = account[key];
    if (value === undefined || stored === undefined || isStorable(value, stored)) continue;
    const words = 'enum' in stored ? stored.enum.join(' or ') : 'a text';
    throw new Error(`${key} of its account ${name} is not ${words}`);
  }
}

function isStorable(value: unknown, stored: StoredForm): boolean {
  if (typeof value !== 'string') return false;
  return 'enum' in stored ? stored.enum.includes(value) : true;
}

/** `EACCES: permission denied, open '/…'`: only the middle is for people. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return /^\w+: ([^,]*)/.exec(message)?.[1] ?? message;
}
