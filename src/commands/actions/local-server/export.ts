import { resolve } from 'node:path';
import type { Context } from '../../../context.ts';
import { defaultZone } from '../../../contract/messages.ts';
import { resolveWindow } from '../../../report/window/window-flags.ts';
import { exportFixtures } from '../../../server/fixtures/export.ts';
import { builtInFixtures } from '../../../server/world/built-in.ts';
import type { LocalServerExportOptions } from '../../local-server/export.ts';

/** Writes the built-in data of a period as files that `--fixtures` serves, and names them. */
export async function exportFixtureData(
  context: Context,
  { period, seed, scale }: LocalServerExportOptions,
  directory: string,
): Promise<void> {
  const { console, host, flags } = context;
  const { since, until } = resolveWindow({ period, zone: defaultZone, nowMs: host.wallClock() });
  const fixtures = builtInFixtures({ seed, scale });
  const { files, facts } = await exportFixtures(resolve(host.cwd, directory), { fixtures, since, until });
  await console.result(flags.json ? JSON.stringify({ files, facts, since, until }) : files.join('\n'));
  console.note(`${facts} facts written. Serve them with: adreport local-server --fixtures ${directory}`);
}
