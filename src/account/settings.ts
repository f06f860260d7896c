import { type Encoding, encodings, type WindowClock, windowClocks } from '../contract/messages.ts';
import { type Profile, profiles } from '../contract/vocabulary.ts';
import {
  checkBaseUrl,
  checkToken,
  maskToken,
  readCommand,
  readOneAccount,
  readPassword,
  readSettingWord,
} from './setting-values.ts';

/** Any text, or one of some words. */
export type StoredForm = { readonly type: 'string' } | { readonly enum: readonly string[] };

/**
 * One setting: what it is called in each place that may give it, how its text is read, and whether
 * it is a secret.
 */
interface SettingEntry<Value> {
  /** As `adreport config` calls it. */
  readonly name: string;

  /**
   * As a command line takes it. A setting without one is signed in with, or stands in the
   * environment.
   */
  readonly flag?: string;
  readonly variable?: string;

  /** In `adreport.yaml`, under `defaults` or of a saved report. */
  readonly fileKey?: string;

  /** What an account may have stored of it, under the name that the setting has in the code. */
  readonly stored?: StoredForm;

  /** Throws `UsageError` for a text that is no such value. */
  readonly read: (text: string) => Value;

  /**
   * From what it is hidden: from stderr altogether, or from traces, which are made to be sent to
   * others.
   */
  readonly hiddenFrom?: 'stderr' | 'traces';

  /** How a secret is shown. */
  readonly show?: (text: string) => string;
}

const text = { type: 'string' } as const;

/**
 * Every setting by its name in the code. The places stand in the order of their strength: a flag
 * beats a variable, that beats the file, and that beats what is stored. `adreport.yaml` never gives
 * an address or a secret: a folder that was cloned must not say where a token goes. The stored name
 * of the default account stands beside the accounts.
 */
export const settingTable = {
  account: {
    name: 'account',
    flag: '--account <name>',
    variable: 'ADREPORT_ACCOUNT',
    fileKey: 'account',
    read: readOneAccount,
  },
  baseUrl: {
    name: 'base-url',
    flag: '--base-url <url>',
    variable: 'ADREPORT_BASE_URL',
    stored: text,
    read: checkBaseUrl,
  },
  profile: {
    name: 'profile',
    flag: '--profile <name>',
    variable: 'ADREPORT_PROFILE',
    fileKey: 'profile',
    stored: { enum: profiles },
    read: (word: string): Profile => readSettingWord('profile', profiles, word),
  },
  encoding: {
    name: 'encoding',
    flag: '--encoding <kind>',
    fileKey: 'encoding',
    stored: { enum: encodings },
    read: (word: string): Encoding => readSettingWord('encoding', encodings, word),
  },
  windowClock: {
    name: 'window-clock',
    flag: '--window-clock <kind>',
    fileKey: 'window-clock',
    stored: { enum: windowClocks },
    read: (word: string): WindowClock => readSettingWord('clock', windowClocks, word),
  },
  token: {
    name: 'token',
    variable: 'ADREPORT_TOKEN',
    stored: text,
    read: checkToken,
    hiddenFrom: 'stderr',
    show: maskToken,
  },
  email: {
    name: 'email',
    variable: 'ADREPORT_EMAIL',
    stored: text,
    read: (address: string): string => address.trim(),
    hiddenFrom: 'traces',
  },
  password: {
    name: 'password',
    variable: 'ADREPORT_PASSWORD',
    read: readPassword,
    hiddenFrom: 'stderr',
    show: () => 'set',
  },
  passwordCommand: {
    name: 'password-command',
    flag: '--password-command <cmd>',
    stored: text,
    read: readCommand,
  },
} as const satisfies Readonly<Record<string, SettingEntry<unknown>>>;

/** The name of a setting in the code. */
export type SettingKey = keyof typeof settingTable;

/** What a setting is once its text is read. */
export type SettingValue<Key extends SettingKey> = ReturnType<(typeof settingTable)[Key]['read']>;

/** Texts that one source gives. */
export type SettingTexts = { readonly [Key in SettingKey]?: string | undefined };

type KeyWith<Place extends string> = {
  [Key in SettingKey]: (typeof settingTable)[Key] extends Readonly<Record<Place, unknown>>
    ? Key
    : never;
}[SettingKey];

/** What `adreport.yaml` says of the account, for all commands or for one saved report. */
export type ProjectChoice = Pick<SettingTexts, KeyWith<'fileKey'>>;

export const settingKeys = Object.keys(settingTable) as readonly SettingKey[];

/** A setting of the table, whichever it is. */
export function entryOf<Key extends SettingKey>(key: Key): SettingEntry<SettingValue<Key>> {
  return settingTable[key] as SettingEntry<SettingValue<Key>>;
}

/** The values of a saved report, taken apart. */
interface SplitChoice<Values> {
  readonly choice: ProjectChoice;
  readonly others: Omit<Values, keyof ProjectChoice>;
}

/**
 * What a saved report says of its account, and everything else that it says. The account is a
 * setting: the environment comes between the command line and the file.
 */
export function splitChoice<Values extends ProjectChoice>(values: Values): SplitChoice<Values> {
  const choice: Record<string, string | undefined> = {};
  const others: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(values)) {
    const isSetting = settingKeys.some((key) => key === name && entryOf(key).fileKey !== undefined);
    if (isSetting) choice[name] = value;
    else others[name] = value;
  }
  return { choice, others: others as SplitChoice<Values>['others'] };
}

/** The setting that a key of `adreport.yaml` gives; `undefined` for a key that gives none. */
export function settingOfFileKey(fileKey: string): SettingKey | undefined {
  return settingKeys.find((key) => entryOf(key).fileKey === fileKey);
}

/**
 * The variable of the environment that stands in for a flag, by the name of the flag's option;
 * `undefined` where there is none.
 */
export function variableOfOption(name: string): string | undefined {
  const key = settingKeys.find((candidate) => candidate === name);
  return key && entryOf(key).variable;
}
