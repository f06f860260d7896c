import { checkBaseUrl } from '../api/base-url.ts';
import { type Encoding, encodings, type WindowClock, windowClocks } from '../contract/messages.ts';
import { type Profile, profiles } from '../contract/vocabulary.ts';
import {
  allowedHttpHosts,
  checkToken,
  maskToken,
  parseAccountName,
  parseCommand,
  parseSettingChoice,
} from './setting-values.ts';

export type Env = Readonly<Record<string, string | undefined>>;

/** A setting, with its name in each source. */
interface SettingEntry<Value> {
  /** Name in `adreport config` and `adreport.yaml`. */
  readonly name: string;

  /** Whether the setting can come only from `login` or the environment. */
  readonly isCredential?: true;

  readonly variable?: string;

  /** Parses the value. Throws `UsageError` if the value is invalid. */
  readonly read: (text: string, env: Env) => Value;

  readonly show?: (text: string) => string;

  readonly defaultValue?: Value;
}

/**
 * All settings, by option name. A flag takes precedence over a variable, a variable over the file,
 * and the file over the stored account. `adreport.yaml` has no base URL and no secrets, because a
 * cloned repository must not decide where a token is sent.
 */
const settingTable = {
  account: {
    name: 'account',
    variable: 'ADREPORT_ACCOUNT',
    read: parseAccountName,
    defaultValue: 'default',
  },
  baseUrl: {
    name: 'base-url',
    variable: 'ADREPORT_BASE_URL',
    read: (text: string, env: Env): URL => checkBaseUrl(text, allowedHttpHosts(env)),
  },
  profile: {
    name: 'profile',
    variable: 'ADREPORT_PROFILE',
    read: (value: string): Profile => parseSettingChoice('profile', profiles, value),
    defaultValue: 'buyer',
  },
  encoding: {
    name: 'encoding',
    read: (value: string): Encoding => parseSettingChoice('encoding', encodings, value),
    defaultValue: 'json',
  },
  windowClock: {
    name: 'window-clock',
    read: (value: string): WindowClock => parseSettingChoice('window clock', windowClocks, value),
    defaultValue: 'instant',
  },
  token: {
    name: 'token',
    isCredential: true,
    variable: 'ADREPORT_TOKEN',
    read: checkToken,
    show: maskToken,
  },
  email: {
    name: 'email',
    isCredential: true,
    variable: 'ADREPORT_EMAIL',
    read: (address: string): string => address.trim(),
  },
  password: {
    name: 'password',
    isCredential: true,
    variable: 'ADREPORT_PASSWORD',
    read: (password: string): string => password,
    show: () => 'set',
  },
  passwordCommand: {
    name: 'password-command',
    read: parseCommand,
  },
} as const satisfies Readonly<Record<string, SettingEntry<unknown>>>;

export type SettingKey = keyof typeof settingTable;

type SettingValue<Key extends SettingKey> = ReturnType<(typeof settingTable)[Key]['read']>;

/** Value of a setting. `undefined` is possible only if there is no default. */
export type ResolvedValue<Key extends SettingKey> =
  | SettingValue<Key>
  | ((typeof settingTable)[Key] extends { readonly defaultValue: unknown } ? never : undefined);

/** Settings of one source, before they are parsed. */
export type RawSettings = { readonly [Key in SettingKey]?: string | undefined };

/** Settings in `adreport.yaml`, under `defaults` or in a saved report. */
export const projectKeys = ['account', 'profile', 'encoding', 'windowClock'] as const;

/** Account settings of `adreport.yaml`, for all commands or for one saved report. */
export type ProjectChoice = Pick<RawSettings, (typeof projectKeys)[number]>;

export const settingKeys = Object.keys(settingTable) as readonly SettingKey[];

export function findEntry<Key extends SettingKey>(key: Key): SettingEntry<SettingValue<Key>> {
  return settingTable[key] as SettingEntry<SettingValue<Key>>;
}
