import { existsSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { platform } from 'node:process';
import { savedKeys, savedOptions } from '../../../app/plan/saved-options.ts';
import { readProjectFile } from '../../../config/project-file.ts';
import { findProjectFile, projectFileName } from '../../../config/project-file-path.ts';
import { openStore } from '../../../config/store.ts';
import type { Context } from '../../../context.ts';
import { formatPlural } from '../../../text/quantity.ts';
import { quoteForShell } from '../../../text/quote-for-shell.ts';
import { broken, type Finding, fine, odd } from './finding.ts';

/** The settings folder: whether what is in it can be read, and by its owner alone. */
export function checkStore({ host, isLocal }: Context): Finding[] {
  const closed: string[] = [];
  const store = openStore({ env: host.env, warn: (sentence) => closed.push(sentence), wallClock: host.wallClock });
  const findings: Finding[] = [];
  try {
    const names = Object.keys(store.read().accounts);
    const accounts =
      names.length === 0 ? 'no account is stored' : `${formatPlural(names.length, 'account')}: ${names.join(', ')}`;
    findings.push(fine('settings-file', `${store.path}: ${accounts}.`));
  } catch (error) {
    const finding = broken('settings-file', error);
    const { message, fix = '' } = finding;
    findings.push(isLocal ? odd('settings-file', message, fix) : finding);
  }
  const loose = [store.directory, join(store.directory, 'ledger')].flatMap((path) => findLoose(path));
  return [
    ...findings,
    ...closed.map((sentence) =>
      odd('permissions', sentence, 'Nothing is left to do, if nobody else uses this machine.'),
    ),
    ...loose,
    ...(closed.length + loose.length === 0 ? [fine('permissions', 'open to no other user')] : []),
  ];
}

function findLoose(path: string): Finding[] {
  // Windows has no such modes; what is not there, or cannot be looked at, is open to nobody.
  if (platform === 'win32' || !existsSync(path)) return [];
  const stats = statSync(path);
  if ((stats.mode & 0o077) === 0) return [];
  const mode = (stats.mode & 0o7777).toString(8).padStart(4, '0');
  const wanted = stats.isDirectory() ? '700' : '600';
  return [
    odd('permissions', `${path} is open to other users (mode ${mode}).`, `chmod ${wanted} ${quoteForShell(path)}`),
  ];
}

/** `adreport.yaml`: whether there is one, and whether every key of it is right. */
export function checkProjectFile({ host }: Context): Finding {
  const path = findProjectFile(host.cwd);
  if (path === undefined) return fine(projectFileName, 'not here, nor in a folder above');
  try {
    const file = readProjectFile(path, relative(host.cwd, path), savedKeys);
    for (const section of file.reports.values()) savedOptions(file, section, [], dirname(path));
    return fine(projectFileName, `${path}: ${formatPlural(file.reports.size, 'report')}.`);
  } catch (error) {
    return broken(projectFileName, error);
  }
}
