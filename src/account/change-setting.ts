import { checkBaseUrl } from '../api/base-url.ts';
import { UsageError } from '../errors.ts';
import { didYouMean, nearest } from '../text/nearest.ts';
import { formatBaseUrl, originOf } from './setting-values.ts';
import { entryOf, type SettingKey, settingKeys } from './settings.ts';
import { findAccount, type StoredSettings, unknownAccount, withAccount } from './store.ts';

/** Throws `UsageError` with the nearest name for an unknown setting. */
export function findSettingName(text: string): string {
  return entryOf(findSettingKey(text)).name;
}

function findSettingKey(text: string): SettingKey {
  const key = settingKeys.find((candidate) => entryOf(candidate).name === text);
  if (key) return key;
  const settingNames = settingKeys.map((candidate) => entryOf(candidate).name);
  const suggestion = nearest(text.replaceAll('_', '-'), settingNames);
  const hint = didYouMean(suggestion, `Choose from ${settingNames.join(', ')}.`);
  throw new UsageError(`Unknown setting “${text}”.`, { hint });
}

export interface SettingChange {
  readonly settings: StoredSettings;
  readonly message: string;
}

/** Removes the setting without a value. Throws `UsageError` for an invalid name or value. */
export function changeSetting(
  stored: StoredSettings,
  account: string,
  name: string,
  value?: string,
): SettingChange {
  const key = findSettingKey(name);
  // Settings without a flag come from signing in, or from the environment.
  const { flag, variable, read } = entryOf(key);
  if (flag === undefined) {
    throw new UsageError(`Cannot change ${name} with adreport config.`, {
      hint: `Sign in with adreport login (for a token: adreport login --token-stdin), or set ${variable}.`,
    });
  }
  if (key === 'account') return chooseDefault(stored, value);
  if (key === 'baseUrl' && value !== undefined) {
    return changeBaseUrl(stored, account, checkBaseUrl(value));
  }

  const before = findAccount(stored, account);
  if (!before) {
    const { message, hint } = unknownAccount(account, stored);
    if (value === undefined) return { settings: stored, message };
    throw new UsageError(message, { hint });
  }
  if (key === 'baseUrl') return changeBaseUrl(stored, account, undefined);

  const newValue = value === undefined ? undefined : String(read(value));
  const change = newValue === undefined ? 'Removed' : 'Set';
  const target = newValue === undefined ? '' : ` to ${newValue}`;
  return {
    settings: withAccount(stored, account, { ...before, [key]: newValue }),
    message: `${change} ${name} of account “${account}”${target}.`,
  };
}

function chooseDefault(stored: StoredSettings, account: string | undefined): SettingChange {
  const settings = { ...stored, defaultAccount: account };
  if (account === undefined) return { settings, message: 'Removed the default account.' };
  if (findAccount(stored, account)) {
    return { settings, message: `The default account is now “${account}”.` };
  }
  const { message, hint } = unknownAccount(account, stored);
  throw new UsageError(message, { hint });
}

/** Without a base URL, removes it. */
function changeBaseUrl(
  stored: StoredSettings,
  account: string,
  baseUrl: URL | undefined,
): SettingChange {
  const before = findAccount(stored, account);
  // A token goes only to the origin it was stored for.
  const losesToken = before?.token !== undefined && originOf(before.baseUrl) !== baseUrl?.origin;
  const changed = { ...before, baseUrl: baseUrl?.href, ...(losesToken && { token: undefined }) };

  const change = baseUrl
    ? `Set base-url of account “${account}” to ${formatBaseUrl(baseUrl)}.`
    : `Removed base-url of account “${account}”.`;
  const tokenToo = ' Its token was for the previous base URL and has been removed.';
  return {
    settings: withAccount(stored, account, changed),
    message: losesToken ? change + tokenToo : change,
  };
}
