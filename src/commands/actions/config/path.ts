import type { Context } from '../../../context.ts';
import type { GlobalFlags } from '../../flags.ts';

/** Prints the path of the settings file, whether it is there or not. */
export async function printConfigPath(context: Context, _options: GlobalFlags): Promise<void> {
  const { path } = await context.store();
  await context.console.result(context.flags.json ? JSON.stringify(path) : path);
}
