import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { settingsFolder } from '../../../config/folder.ts';
import { findProjectFile } from '../../../config/project-file-path.ts';
import { noSettings, parseSettings, type StoredSettings } from '../../../config/stored-settings.ts';
import type { Context } from '../../../context.ts';
import type { Candidate } from './values.ts';

/**
 * What this machine knows by name. Files are read as they are: nothing is mended and nothing said, which is for the
 * command that is run.
 */

/** The stored accounts, with the addresses they are for. */
export function accountNames(context: Context): Candidate[] {
  return Object.entries(readStored(context).accounts).map(([value, { baseUrl }]) => ({ value, meaning: baseUrl }));
}

/** The profile that commands would use, by the environment, else by what is stored for the account. */
export function profileInUse(context: Context, account: string | undefined): string | undefined {
  const { env } = context.host;
  if (env.ADREPORT_PROFILE) return env.ADREPORT_PROFILE.toLowerCase();
  const { accounts, defaultAccount } = readStored(context);
  return accounts[account ?? env.ADREPORT_ACCOUNT ?? defaultAccount ?? '']?.profile;
}

function readStored({ host }: Context): StoredSettings {
  const path = join(settingsFolder(host.env), 'settings.json');
  try {
    return parseSettings(readFileSync(path, 'utf8'), path);
  } catch {
    return noSettings;
  }
}

/** The reports of `adreport.yaml`, or of another file, with their window and breakdowns. */
export async function savedReports({ host }: Context, file: string | undefined): Promise<Candidate[]> {
  const path = file === undefined ? findProjectFile(host.cwd) : resolve(host.cwd, file);
  if (path === undefined) return [];
  const [{ readProjectFile }, { savedKeys }] = await Promise.all([
    import('../../../config/project-file.ts'),
    import('../../../app/plan/saved-options.ts'),
  ]);
  const { reports } = readProjectFile(path, path, savedKeys);
  return [...reports].map(([value, { entries }]) => {
    const told = ['period', 'since', 'by'].flatMap((key) => entries.get(key)?.texts.join(',') ?? []);
    return { value, meaning: told.join(', ') };
  });
}

/** The reports that this machine created, newest first, with their age and state. */
export async function ledgerReports({ host }: Context): Promise<Candidate[]> {
  const { openLedger } = await import('../../../report/ledger.ts');
  const directory = settingsFolder(host.env);
  const entries = openLedger({ directory, wallClock: host.wallClock, warn: () => {} }).list(200);
  return entries.map(({ id, createdAt, lastStatus, request }) => {
    const created = `${createdAt.slice(0, 16).replace('T', ' ')}Z`;
    return { value: id, meaning: [created, lastStatus, request.breakdowns.join(',')].filter(Boolean).join(', ') };
  });
}
