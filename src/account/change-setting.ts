import { UsageError } from '../errors.ts';
import { suggestName } from '../text/nearest.ts';
import { formatBaseUrl, parseOrigin } from './setting-values.ts';
import { type Env, findEntry, type SettingKey, settingKeys } from './settings.ts';
import { describeUnknownAccount, findAccount, type StoredSettings, withAccount } from './store.ts';

interface SettingInput {
  readonly account: string;
  readonly name: string;

  /** Without a value, the setting is removed. */
  readonly value?: string;
  readonly env: Env;
}

interface SettingChange {
  readonly settings: StoredSettings;
  readonly message: string;
}

/** Changes a stored setting. Throws `UsageError` for an invalid name or value. */
export function changeSetting(
  stored: StoredSettings,
  { account, name, value, env }: SettingInput,
): SettingChange {
  const key = findSettingKey(name);
  if (key === 'account') return chooseDefault(stored, value);

  const read = value === undefined ? undefined : findEntry(key).read(value, env);
  const text = read instanceof URL ? formatBaseUrl(read) : read;
  const before = findAccount(stored, account);
  // A base URL may be set before the account exists.
  if (!before && !(key === 'baseUrl' && text !== undefined)) {
    const { message, hint } = describeUnknownAccount(account, stored);
    if (text === undefined) return { settings: stored, message };
    throw new UsageError(message, { hint });
  }

  const changed = { ...before, [key]: text };
  // A token is sent only to the origin for which it was stored.
  const losesToken =
    before?.token !== undefined && parseOrigin(changed.baseUrl) !== parseOrigin(before.baseUrl);
  const message = text === undefined ? `Removed ${name}` : `Set ${name} to ${text}`;
  const tokenToo = ' Its token was for the previous base URL and has been removed.';
  return {
    settings: withAccount(stored, account, losesToken ? { ...changed, token: undefined } : changed),
    message: `${message} for account “${account}”.${losesToken ? tokenToo : ''}`,
  };
}

/** Throws `UsageError` if the setting is unknown, or if only `login` can set it. */
function findSettingKey(input: string): SettingKey {
  const known = settingKeys.find((key) => findEntry(key).name === input);
  const storable = settingKeys.filter((key) => !findEntry(key).isCredential);
  if (known === undefined) {
    const names = storable.map((key) => findEntry(key).name);
    const hint = suggestName(input.replaceAll('_', '-'), names);
    throw new UsageError(`Unknown setting “${input}”.`, { hint });
  }
  if (storable.includes(known)) return known;
  throw new UsageError(`Cannot change ${input} with adreport config.`, {
    hint: `Sign in with adreport login (for a token: adreport login --token-stdin), or set ${findEntry(known).variable}.`,
  });
}

function chooseDefault(stored: StoredSettings, account: string | undefined): SettingChange {
  const settings = { ...stored, defaultAccount: account };
  if (account === undefined) return { settings, message: 'Removed the default account.' };
  if (findAccount(stored, account)) {
    return { settings, message: `The default account is now “${account}”.` };
  }
  const { message, hint } = describeUnknownAccount(account, stored);
  throw new UsageError(message, { hint });
}
