import { UsageError } from '../errors.ts';
import { nearest } from '../text/nearest.ts';
import {
  checkBaseUrl,
  checkChoice,
  formatBaseUrl,
  originOf,
  type SettingName,
  settingNames,
  settingTable,
} from './settings.ts';
import { findAccount, type StoredSettings, unknownAccount, withAccount } from './store.ts';

/** What `adreport config set` stores: what a flag can give as well. The rest is signed in with, or stands in the environment. */
const storableNames: readonly SettingName[] = ['account', 'base-url', 'profile', 'encoding', 'window-clock'];

/** The words that a setting can be, where these are few. */
function choicesOf(name: SettingName): readonly string[] {
  const { [name]: setting } = settingTable;
  return 'choices' in setting ? setting.choices : [];
}

/** The setting of that name. Throws `UsageError`, with the nearest, for a name that none has. */
export function findSettingName(text: string): SettingName {
  const found = settingNames.find((name) => name === text);
  if (found) return found;
  const guess = nearest(text.replaceAll('_', '-'), settingNames);
  throw new UsageError(`There is no setting “${text}”.`, {
    hint: guess ? `Did you mean ${guess}?` : `There are ${settingNames.join(', ')}.`,
  });
}

/**
 * Stores a setting of an account as its flag takes it, or, without a value, takes it back. Throws `UsageError` for a setting
 * that is not stored this way, an account that is not stored, and a value that cannot be one.
 */
export function changeSetting(stored: StoredSettings, account: string, text: string, value?: string) {
  const name = findSettingName(text);
  if (!storableNames.includes(name)) {
    throw new UsageError(`The setting ${name} is not stored with adreport config.`, {
      hint: `Sign in with adreport login (a token: adreport login --token-stdin), or set ADREPORT_${name.toUpperCase()}.`,
    });
  }
  if (name === 'account') {
    if (value !== undefined && !findAccount(stored, value)) throw new UsageError(...unknownAccount(value, stored));
    const said = value === undefined ? 'There is no default account any more.' : `The default account: “${value}”.`;
    return { settings: { ...stored, defaultAccount: value }, said };
  }
  const before = findAccount(stored, account);
  if (name === 'base-url' && value !== undefined) {
    const baseUrl = checkBaseUrl(value);
    const said = `${name} of account “${account}”: ${formatBaseUrl(baseUrl)}.`;
    const moved = { ...before, baseUrl: baseUrl.href };
    // A token goes only to the origin it was stored for.
    const keepsToken = moved.token === undefined || originOf(before?.baseUrl ?? '') === baseUrl.origin;
    return keepsToken
      ? { settings: withAccount(stored, account, moved), said }
      : {
          settings: withAccount(stored, account, { ...moved, token: undefined }),
          said: `${said} Its token was for another address, and is forgotten.`,
        };
  }
  if (!before) {
    const [said, details] = unknownAccount(account, stored);
    if (value === undefined) return { settings: stored, said };
    throw new UsageError(said, details);
  }
  if (name === 'base-url') {
    const { [account]: _forgotten, ...accounts } = stored.accounts;
    const defaultAccount = stored.defaultAccount === account ? undefined : stored.defaultAccount;
    return {
      settings: { ...stored, defaultAccount, accounts },
      said: `The account “${account}” is forgotten: without its base URL, its other settings have no use.`,
    };
  }
  const key = name === 'window-clock' ? 'windowClock' : name;
  const word = value === undefined ? undefined : checkChoice(value, name, choicesOf(name));
  return {
    settings: withAccount(stored, account, { ...before, [key]: word }),
    said: `${name} of account “${account}”: ${word ?? 'not stored any more'}.`,
  };
}
