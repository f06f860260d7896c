import { UsageError } from '../errors.ts';
import { didYouMean, nearest } from '../text/nearest.ts';
import { checkBaseUrl, formatBaseUrl, originOf } from './setting-values.ts';
import { entryOf, type SettingKey, settingKeys } from './settings.ts';
import { findAccount, type StoredSettings, unknownAccount, withAccount } from './store.ts';

/** The name of a setting. Throws `UsageError`, with the nearest, for a text that is none. */
export function findSettingName(text: string): string {
  return entryOf(findSettingKey(text)).name;
}

function findSettingKey(text: string): SettingKey {
  const key = settingKeys.find((candidate) => entryOf(candidate).name === text);
  if (key) return key;
  const settingNames = settingKeys.map((candidate) => entryOf(candidate).name);
  const meant = nearest(text.replaceAll('_', '-'), settingNames);
  const hint = didYouMean(meant, `There are ${settingNames.join(', ')}.`);
  throw new UsageError(`There is no setting “${text}”.`, { hint });
}

/** What a change of one setting leads to: what is to be stored, and the sentence that says so. */
export interface SettingChange {
  readonly settings: StoredSettings;
  readonly said: string;
}

/**
 * Stores a setting of an account as its flag takes it, or, without a value, takes it back. Throws
 * `UsageError`.
 */
export function changeSetting(
  stored: StoredSettings,
  account: string,
  name: string,
  value?: string,
): SettingChange {
  const key = findSettingKey(name);
  // What no flag gives is signed in with, or stands in the environment.
  const { flag, variable, read } = entryOf(key);
  if (flag === undefined) {
    throw new UsageError(`The setting ${name} is not stored with adreport config.`, {
      hint: `Sign in with adreport login (a token: adreport login --token-stdin), or set ${variable}.`,
    });
  }
  if (key === 'account') return chooseDefault(stored, value);
  if (key === 'baseUrl' && value !== undefined) return storeBaseUrl(stored, account, value);

  const before = findAccount(stored, account);
  if (!before) {
    const unknown = unknownAccount(account, stored);
    // What is not stored need not be taken back.
    if (value === undefined) return { settings: stored, said: unknown.message };
    throw new UsageError(unknown.message, { hint: unknown.hint });
  }
  if (key === 'baseUrl') return forgetAccount(stored, account);

  const word = value === undefined ? undefined : String(read(value));
  return {
    settings: withAccount(stored, account, { ...before, [key]: word }),
    said: `${name} of account “${account}”: ${word ?? 'not stored any more'}.`,
  };
}

function chooseDefault(stored: StoredSettings, account: string | undefined): SettingChange {
  const settings = { ...stored, defaultAccount: account };
  if (account === undefined) return { settings, said: 'There is no default account any more.' };
  if (findAccount(stored, account)) {
    return { settings, said: `The default account: “${account}”.` };
  }
  const { message, hint } = unknownAccount(account, stored);
  throw new UsageError(message, { hint });
}

function storeBaseUrl(stored: StoredSettings, account: string, text: string): SettingChange {
  const before = findAccount(stored, account);
  const baseUrl = checkBaseUrl(text);
  const { href } = baseUrl;
  const said = `base-url of account “${account}”: ${formatBaseUrl(baseUrl)}.`;

  // A token goes only to the origin it was stored for.
  const losesToken = before?.token !== undefined && originOf(before.baseUrl) !== baseUrl.origin;
  if (!losesToken) {
    return { settings: withAccount(stored, account, { ...before, baseUrl: href }), said };
  }
  return {
    settings: withAccount(stored, account, { ...before, token: undefined, baseUrl: href }),
    said: `${said} Its token was for another address, and is forgotten.`,
  };
}

function forgetAccount(stored: StoredSettings, account: string): SettingChange {
  const { [account]: _forgotten, ...accounts } = stored.accounts;
  const defaultAccount = stored.defaultAccount === account ? undefined : stored.defaultAccount;
  return {
    settings: { ...stored, defaultAccount, accounts },
    said: `The account “${account}” is forgotten: without its base URL, its other settings have no use.`,
  };
}
