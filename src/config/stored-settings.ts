import { type Profile, profiles } from '../contract/vocabulary.ts';
import { UsageError } from '../errors.ts';
import { nearest } from '../text/nearest.ts';

/** An account as it is stored; the password never is. */
export interface StoredAccount {
  readonly baseUrl: string;
  /** Absent once signed out. */
  readonly token?: string;
  readonly profile?: Profile;
  readonly email?: string;
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

/** Reads the text of a settings file. Throws `UsageError`, naming the file and what is wrong with it. */
export function parseSettings(text: string, path: string): StoredSettings {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\ufeff/, ''));
  } catch (error) {
    const what = text.trim() === '' ? 'is empty' : 'is not whole JSON';
    throw badFile(path, what, { cause: error });
  }
  const problem = findProblem(value);
  if (problem) throw badFile(path, `was not written by adreport: ${problem}`);
  return value as StoredSettings;
}

/** The error for a settings file that cannot be used; the file is left as it is. */
export function badFile(path: string, what: string, details: { readonly cause?: unknown } = {}): UsageError {
  return new UsageError(`The settings file ${path} ${what}.`, {
    code: 'BAD_SETTINGS',
    hint: 'It was left as it is. Repair it, or move it away and sign in again: adreport login',
    ...details,
  });
}

function findProblem(value: unknown): string | undefined {
  if (!isRecord(value)) return 'it holds no object';
  const { defaultAccount, accounts } = value;
  if (!isTextOrAbsent(defaultAccount)) return 'defaultAccount is no text';
  if (!isRecord(accounts)) return 'accounts is no object';
  for (const [name, account] of Object.entries(accounts)) {
    const problem = findAccountProblem(account);
    if (problem) return `accounts.${name}${problem}`;
  }
  return undefined;
}

function findAccountProblem(account: unknown): string | undefined {
  if (!isRecord(account)) return ' is no object';
  if (typeof account.baseUrl !== 'string') return '.baseUrl is no text';
  for (const member of ['token', 'email', 'savedAt'] as const) {
    if (!isTextOrAbsent(account[member])) return `.${member} is no text`;
  }
  const { profile } = account;
  return profile === undefined || isProfile(profile) ? undefined : `.profile is none of ${profiles.join(', ')}`;
}

/** Whether a value is the name of a profile, in lower case as it is stored. */
export function isProfile(value: unknown): value is Profile {
  return (profiles as readonly unknown[]).includes(value);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isTextOrAbsent(value: unknown): boolean {
  return value === undefined || typeof value === 'string';
}
