import { homedir } from 'node:os';
import { posix, win32 } from 'node:path';
import type { Environment } from './environment.ts';

/** The machine, as far as the place of the settings depends on it. */
export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly home: string;
}

/**
 * The folder of the settings and the ledger: `ADREPORT_CONFIG_DIR`, else where the platform keeps such things (the same
 * places as conf's own default, without which nothing could be read before conf is loaded).
 */
export function settingsFolder(
  env: Environment,
  { platform, home }: Machine = { platform: process.platform, home: homeFolder() },
): string {
  const { join, resolve } = platform === 'win32' ? win32 : posix;
  if (env.ADREPORT_CONFIG_DIR) return resolve(env.ADREPORT_CONFIG_DIR);
  if (platform === 'win32') return join(env.APPDATA || join(home, 'AppData', 'Roaming'), 'adreport', 'Config');
  if (platform === 'darwin') return join(home, 'Library', 'Preferences', 'adreport');
  return join(env.XDG_CONFIG_HOME || join(home, '.config'), 'adreport');
}

/**
 * The user's home. A container may run as a number that no user has: its home is the root folder then, as most containers
 * say themselves, and conf, which asks the system too, is told so.
 */
function homeFolder(): string {
  try {
    return homedir();
  } catch {
    process.env.HOME = '/';
    return '/';
  }
}
