import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { UsageError } from '../errors.ts';
import type { Environment } from './environment.ts';
import { settingsFolder } from './folder.ts';
import { tightenFile, tightenFolder } from './permissions.ts';
import {
  badFile,
  findAccount,
  noSettings,
  parseSettings,
  type StoredAccount,
  type StoredSettings,
  withAccount,
} from './stored-settings.ts';

const configName = 'settings';

/** The settings file of this user. */
export interface Store {
  /** The folder of the file, for what else belongs to this user. */
  readonly directory: string;
  readonly path: string;
  /**
   * What is stored now; empty where nothing is. A file or folder open to other users is closed to them, and said.
   * Throws `UsageError`, naming the file, if it cannot be read or was not written by adreport.
   */
  read(): StoredSettings;
  /**
   * Changes what is stored; of several processes at once each sees the work of those before it, and a reader sees the
   * old file or the new one. Throws as `read`, and `UsageError` if the file cannot be written.
   */
  update(change: (settings: StoredSettings) => StoredSettings): Promise<StoredSettings>;
  /** Stores an account, in place of an older one of that name; the first one becomes the default. Throws as `update`. */
  saveAccount(name: string, account: Omit<StoredAccount, 'savedAt'>): Promise<void>;
  /** Forgets the token of an account; whether there was one. Throws as `update`. */
  forgetToken(name: string): Promise<boolean>;
}

/** What the store needs to know of the machine. */
export interface StoreOptions {
  readonly env: Environment;
  /** Told one sentence when something was open to other users. */
  readonly warn: (sentence: string) => void;
  /** Milliseconds since 1970. */
  readonly wallClock: () => number;
}

/**
 * Opens the settings file, `settings.json` (mode 0600, in a folder of mode 0700).
 * It is written by conf, and read without it: conf takes twenty times as long, and almost every command only reads.
 */
export function openStore({ env, warn, wallClock }: StoreOptions): Store {
  const directory = settingsFolder(env);
  const path = join(directory, `${configName}.json`);

  const tighten = (): void => {
    for (const warning of [tightenFolder(directory), tightenFile(path)]) if (warning) warn(warning);
  };

  const read = (): StoredSettings => {
    const text = readText(path);
    if (text === undefined) return noSettings;
    tighten();
    return parseSettings(text, path);
  };

  const update: Store['update'] = async (change) => {
    const [write, { withLock }] = await Promise.all([loadWriter(directory), import('./lock.ts')]);
    try {
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      return await withLock(`${path}.lock`, () => {
        const before = read();
        const settings = change(before);
        if (settings === before) return settings;
        removeLeftovers(path);
        write(settings);
        tighten();
        return settings;
      });
    } catch (error) {
      throw isOfTheSystem(error) ? cannotWrite(path, error) : error;
    }
  };

  const saveAccount: Store['saveAccount'] = async (name, account) => {
    const saved = { ...account, savedAt: new Date(wallClock()).toISOString() };
    await update((settings) => withAccount(settings, name, saved));
  };

  const forgetToken: Store['forgetToken'] = async (name) => {
    let had = false;
    await update((settings) => {
      const account = findAccount(settings, name);
      if (account?.token === undefined) return settings;
      had = true;
      const { token: _token, ...rest } = account;
      return { ...settings, accounts: { ...settings.accounts, [name]: rest } };
    });
    return had;
  };

  return { directory, path, read, update, saveAccount, forgetToken };
}

async function loadWriter(directory: string): Promise<(settings: StoredSettings) => void> {
  const { default: Conf } = await import('conf');
  return (settings) => {
    const conf = new Conf<Record<string, unknown>>({
      cwd: directory,
      configName,
      configFileMode: 0o600,
      accessPropertiesByDotNotation: false,
      // What is there was read, and found good, a moment ago.
      deserialize: () => ({}),
    });
    conf.store = { ...settings };
  };
}

/** The text of the file; `undefined` if there is none. */
function readText(path: string): string | undefined {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    if (isOfTheSystem(error) && error.code === 'ENOENT') return undefined;
    throw badFile(path, `cannot be read: ${reasonOf(error)}`, { cause: error });
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw badFile(path, 'is not UTF-8 text', { cause: error });
  }
}

/** conf writes beside the file, then renames. What a killed process has left there holds tokens; under the lock it is nobody's. */
function removeLeftovers(path: string): void {
  for (const name of readdirSync(dirname(path))) {
    if (name.startsWith(`${basename(path)}.tmp-`)) rmSync(join(dirname(path), name), { force: true });
  }
}

function cannotWrite(path: string, error: unknown): UsageError {
  return new UsageError(`The settings file ${path} cannot be written: ${reasonOf(error)}.`, {
    hint: 'ADREPORT_CONFIG_DIR names another folder; ADREPORT_TOKEN and ADREPORT_BASE_URL need none.',
    cause: error,
  });
}

function isOfTheSystem(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}

/** `EACCES: permission denied, open '/…'`: only the middle is for people. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return /^\w+: ([^,]*)/.exec(message)?.[1] ?? message;
}
