import { formatBaseUrl } from './base-url.ts';
import type { Setting, SettingSource, Settings } from './settings.ts';
import { maskToken } from './token.ts';

/** Every setting by the name that `adreport config` has for it, in the order of its list. */
export const settingNames = ['account', 'base-url', 'profile', 'token', 'email', 'password'] as const;

export type SettingName = (typeof settingNames)[number];

/** A setting as it may be shown. */
export interface NamedSetting {
  readonly name: SettingName;
  /** A token is masked, a password is `set`; absent where nothing gives a value. */
  readonly value: string | undefined;
  readonly source: SettingSource;
  /** What gave it, as people know it: `--base-url`, `ADREPORT_TOKEN`, `account "work"`. */
  readonly from: string;
}

/** The settings as they may be shown; no secret is among them. */
export function nameSettings(settings: Settings): NamedSetting[] {
  const named = <T>(
    name: SettingName,
    { value, source, from }: Setting<T | undefined>,
    show: (value: T) => string,
  ) => ({
    name,
    value: value === undefined ? undefined : show(value),
    source,
    from,
  });
  return [
    named('account', settings.account, String),
    named('base-url', settings.baseUrl, formatBaseUrl),
    named('profile', settings.profile, String),
    named('token', settings.token, maskToken),
    named('email', settings.email, String),
    named('password', settings.password, () => 'set'),
  ];
}
