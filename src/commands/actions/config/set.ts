import { findStorableName, setStored } from '../../../config/change-setting.ts';
import type { Context } from '../../../context.ts';
import { UsageError } from '../../../errors.ts';
import type { ConfigOptions } from '../../config.ts';
import { changeStored } from './change-stored.ts';

/** Stores a setting. Throws `UsageError` for a name or a value that cannot be stored. */
export async function setConfig(context: Context, options: ConfigOptions, text: string, value: string): Promise<void> {
  const name = findStorableName(text);
  if (name === 'account' && options.account !== undefined) {
    throw new UsageError('--account names the account that is changed, and this chooses the default one.', {
      hint: `Leave it out: adreport config set account ${value}`,
    });
  }
  await changeStored(context, options, (stored, account) => setStored(stored, account, name, value));
}
