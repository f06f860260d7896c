import { findSettingName } from '../../../config/change-setting.ts';
import { nameSettings } from '../../../config/named-settings.ts';
import type { Context } from '../../../context.ts';
import { printable } from '../../../text/printable.ts';
import { visibleJson } from '../../../ui/visible-json.ts';
import type { ConfigOptions } from '../../config.ts';

/**
 * Prints a setting's value alone, a secret masked; where there is none, nothing, and a note on stderr (`null` with
 * `--json`). Throws `UsageError` for a name that no setting has.
 */
export async function getConfig(context: Context, _options: ConfigOptions, text: string): Promise<void> {
  const name = findSettingName(text);
  const found = nameSettings(await context.settings()).find((each) => each.name === name);
  if (context.flags.json) return context.console.result(visibleJson(found?.value ?? null));
  if (found?.value !== undefined) return context.console.result(printable(found.value));
  context.console.note(`${name} is not set.`);
}
