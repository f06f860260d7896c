import { findStorableName, unsetStored } from '../../../config/change-setting.ts';
import type { Context } from '../../../context.ts';
import type { ConfigOptions } from '../../config.ts';
import { changeStored } from './change-stored.ts';

/** Takes back a stored setting. Throws `UsageError` for a name that cannot be stored. */
export async function unsetConfig(context: Context, options: ConfigOptions, text: string): Promise<void> {
  const name = findStorableName(text);
  await changeStored(context, options, (stored, account) => unsetStored(stored, account, name));
}
