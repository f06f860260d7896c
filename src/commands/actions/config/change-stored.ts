import type { Changed } from '../../../config/change-setting.ts';
import { findProjectFile } from '../../../config/project-file-path.ts';
import { resolveAccount } from '../../../config/settings.ts';
import type { StoredSettings } from '../../../config/stored-settings.ts';
import type { Context } from '../../../context.ts';
import type { ConfigOptions } from '../../config.ts';

/**
 * Changes what is stored, for the account that commands would use, and says what was done. Of the settings only that name
 * is looked at: a base URL or token that is wrong must not keep anyone from mending it. Throws what `change` throws, and
 * then nothing has changed.
 */
export async function changeStored(
  context: Context,
  options: ConfigOptions,
  change: (stored: StoredSettings, account: string) => Changed,
): Promise<void> {
  const { env, cwd } = context.host;
  const path = findProjectFile(cwd);
  const projectFile = path ? (await import('../../../config/project-file.ts')).readProjectDefaults(path) : {};
  let said = '';
  await (await context.store()).update((stored) => {
    const account = resolveAccount({ flags: options, env, projectFile, stored });
    const changed = change(stored, account.value);
    said = changed.said;
    return changed.settings;
  });
  context.console.note(said);
}
