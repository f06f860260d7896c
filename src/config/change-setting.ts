import { encodings, windowClocks } from '../contract/messages.ts';
import { profiles } from '../contract/vocabulary.ts';
import { UsageError } from '../errors.ts';
import { nearest } from '../text/nearest.ts';
import { checkBaseUrl, formatBaseUrl, originOf } from './base-url.ts';
import { checkAccountName, checkChoice, type SettingName, settingNames } from './settings.ts';
import { findAccount, type StoredSettings, unknownAccount, withAccount } from './store.ts';

/** What is stored after a change, and the sentence that tells of it. */
export interface Changed {
  readonly settings: StoredSettings;
  readonly said: string;
}

/** The settings of an account that take one of a few words. */
const settingChoices = {
  profile: { key: 'profile', known: profiles },
  encoding: { key: 'encoding', known: encodings },
  'window-clock': { key: 'windowClock', known: windowClocks },
} as const;

/** The words that a setting can be, where it is one of a few. */
export function choicesOf(name: string): readonly string[] {
  return Object.entries(settingChoices).find(([known]) => known === name)?.[1].known ?? [];
}

/** The settings that `adreport config set` stores; the others are signed in with, or come from the environment. */
export const storableNames = ['account', 'base-url', 'profile', 'encoding', 'window-clock'] as const;

type StorableName = (typeof storableNames)[number];

const elsewhere: Readonly<Record<Exclude<SettingName, StorableName>, string>> = {
  token: 'A token is stored by adreport login --token-stdin, or set ADREPORT_TOKEN.',
  email: 'An e-mail address is stored by adreport login, or set ADREPORT_EMAIL.',
  password: 'A password is never stored: set ADREPORT_PASSWORD, or sign in with adreport login.',
};

/** The setting of that name. Throws `UsageError`, with the nearest, for a name that none has. */
export function findSettingName(text: string): SettingName {
  const found = settingNames.find((name) => name === text);
  if (found) return found;
  const guess = nearest(text.replaceAll('_', '-'), settingNames);
  throw new UsageError(`There is no setting “${text}”.`, {
    hint: guess ? `Did you mean ${guess}?` : `There are ${settingNames.join(', ')}.`,
  });
}

/** The same, of a setting that can be stored. Throws `UsageError` that says where the others come from. */
export function findStorableName(text: string): StorableName {
  const name = findSettingName(text);
  if (!(name in elsewhere)) return name as StorableName;
  const hint = elsewhere[name as keyof typeof elsewhere];
  throw new UsageError(`The setting ${name} is not stored with adreport config.`, { hint });
}

/**
 * Stores a value for an account, as its flag takes it. A token goes only to the origin it was stored for: with another
 * base URL it is forgotten. Throws `UsageError` for a value that cannot be one.
 */
export function setStored(stored: StoredSettings, account: string, name: StorableName, value: string): Changed {
  if (name === 'account') {
    checkAccountName(value);
    if (!findAccount(stored, value)) throw new UsageError(...unknownAccount(value, stored));
    return { settings: { ...stored, defaultAccount: value }, said: `The default account: “${value}”.` };
  }
  const before = findAccount(stored, checkAccountName(account));
  if (name !== 'base-url') {
    const { key, known } = settingChoices[name];
    const word = checkChoice(value, name, known);
    if (!before) throw new UsageError(...unknownAccount(account, stored));
    return {
      settings: withAccount(stored, account, { ...before, [key]: word }),
      said: `${name} of account “${account}”: ${word}.`,
    };
  }
  const baseUrl = checkBaseUrl(value);
  const said = `${name} of account “${account}”: ${formatBaseUrl(baseUrl)}.`;
  const { token, ...rest } = { ...before, baseUrl: baseUrl.href };
  if (token === undefined) return { settings: withAccount(stored, account, rest), said };
  if (before && originOf(before.baseUrl) === baseUrl.origin) {
    return { settings: withAccount(stored, account, { ...rest, token }), said };
  }
  return {
    settings: withAccount(stored, account, rest),
    said: `${said} Its token was for another address, and is forgotten.`,
  };
}

/** Takes back what is stored; without its base URL nothing else of an account has a use, and all of it goes. */
export function unsetStored(stored: StoredSettings, account: string, name: StorableName): Changed {
  const { defaultAccount, ...others } = stored;
  if (name === 'account') {
    if (defaultAccount === undefined) return { settings: stored, said: 'No default account was stored.' };
    return { settings: others, said: `“${defaultAccount}” is no longer the default account.` };
  }
  const before = findAccount(stored, account);
  if (!before) return { settings: stored, said: `No account “${account}” is stored.` };
  if (name !== 'base-url') {
    const { [settingChoices[name].key]: value, ...rest } = before;
    if (value === undefined) return { settings: stored, said: `No ${name} of account “${account}” was stored.` };
    return { settings: withAccount(stored, account, rest), said: `The ${name} of account “${account}” is forgotten.` };
  }
  const { [account]: _forgotten, ...accounts } = stored.accounts;
  const kept = defaultAccount === undefined || defaultAccount === account ? {} : { defaultAccount };
  return {
    settings: { ...others, ...kept, accounts },
    said: `The account “${account}” is forgotten: without its base URL, its other settings have no use.`,
  };
}
