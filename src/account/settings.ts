import { checkBaseUrl } from '../api/base-url.ts';
import { type Encoding, encodings, type WindowClock, windowClocks } from '../contract/messages.ts';
import { type Profile, profiles } from '../contract/vocabulary.ts';
import {
  allowedHttpHosts,
  checkToken,
  maskToken,
  readCommand,
  readOneAccount,
  readPassword,
  readSettingWord,
} from './setting-values.ts';

export type Env = Readonly<Record<string, string | undefined>>;

/** One setting: its name in each source, and how its value is read and shown. */
interface SettingEntry<Value> {
  /** Name in `adreport config`. */
  readonly name: string;

  /** Absent if no flag sets it, but signing in or the environment. */
  readonly flag?: string;

  readonly variable?: string;

  /** Key in `adreport.yaml`, under `defaults` or in a saved report. */
  readonly fileKey?: string;

  /** Set if a stored account may have it, as a string. */
  readonly isStored?: true;

  /** Reads the value. Throws `UsageError` if it is invalid. */
  readonly read: (text: string, env: Env) => Value;

  readonly show?: (text: string) => string;

  /** Default value. */
  readonly otherwise?: Value;
}

/**
 * All settings by their name in the code. The order of precedence is flag, variable, file, stored
 * account. `adreport.yaml` has no base URL and no secret, because a cloned folder must not decide
 * where a token is sent.
 */
export const settingTable = {
  account: {
    name: 'account',
    flag: '--account <name>',
    variable: 'ADREPORT_ACCOUNT',
    fileKey: 'account',
    read: readOneAccount,
    otherwise: 'default',
  },
  baseUrl: {
    name: 'base-url',
    flag: '--base-url <url>',
    variable: 'ADREPORT_BASE_URL',
    isStored: true,
    read: (text: string, env: Env): URL => checkBaseUrl(text, allowedHttpHosts(env)),
  },
  profile: {
    name: 'profile',
    flag: '--profile <name>',
    variable: 'ADREPORT_PROFILE',
    fileKey: 'profile',
    isStored: true,
    read: (word: string): Profile => readSettingWord('profile', profiles, word),
    otherwise: 'buyer',
  },
  encoding: {
    name: 'encoding',
    flag: '--encoding <kind>',
    fileKey: 'encoding',
    isStored: true,
    read: (word: string): Encoding => readSettingWord('encoding', encodings, word),
    otherwise: 'json',
  },
  windowClock: {
    name: 'window-clock',
    flag: '--window-clock <kind>',
    fileKey: 'window-clock',
    isStored: true,
    read: (word: string): WindowClock => readSettingWord('window clock', windowClocks, word),
    otherwise: 'instant',
  },
  token: {
    name: 'token',
    variable: 'ADREPORT_TOKEN',
    isStored: true,
    read: checkToken,
    show: maskToken,
  },
  email: {
    name: 'email',
    variable: 'ADREPORT_EMAIL',
    isStored: true,
    read: (address: string): string => address.trim(),
  },
  password: {
    name: 'password',
    variable: 'ADREPORT_PASSWORD',
    read: readPassword,
    show: () => 'set',
  },
  passwordCommand: {
    name: 'password-command',
    flag: '--password-command <cmd>',
    isStored: true,
    read: readCommand,
  },
} as const satisfies Readonly<Record<string, SettingEntry<unknown>>>;

export type SettingKey = keyof typeof settingTable;

type SettingValue<Key extends SettingKey> = ReturnType<(typeof settingTable)[Key]['read']>;

/** The value of a setting; `undefined` without a source and a default. */
export type ResolvedValue<Key extends SettingKey> =
  | SettingValue<Key>
  | ((typeof settingTable)[Key] extends { readonly otherwise: unknown } ? never : undefined);

/** Values of one source, as typed or stored. */
export type RawSettings = { readonly [Key in SettingKey]?: string | undefined };

/** Account settings of `adreport.yaml`, for all commands or for one saved report. */
export type ProjectChoice = {
  readonly [Key in SettingKey as (typeof settingTable)[Key] extends { readonly fileKey: unknown }
    ? Key
    : never]?: string | undefined;
};

export const settingKeys = Object.keys(settingTable) as readonly SettingKey[];

export function entryOf<Key extends SettingKey>(key: Key): SettingEntry<SettingValue<Key>> {
  return settingTable[key] as SettingEntry<SettingValue<Key>>;
}

interface SplitChoice<Values> {
  readonly choice: ProjectChoice;
  readonly others: Omit<Values, keyof ProjectChoice>;
}

/**
 * Separates the account settings of a saved report from its other values, because for settings the
 * environment takes precedence over the file.
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

/** Finds the setting of a key in `adreport.yaml`; `undefined` for any other key. */
export function settingOfFileKey(fileKey: string): SettingKey | undefined {
  return settingKeys.find((key) => entryOf(key).fileKey === fileKey);
}
