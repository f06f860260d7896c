import * as fs from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { codeOf, UsageError } from '../errors.ts';
import { printable } from '../text/printable.ts';
import { declarationName } from './declaration.ts';
import { isHistoryName } from './history.ts';

/** Recognizes declarations and history files, which are never replaced by a report. */
export function isFolderRecord(name: string): boolean {
  return name === declarationName || isHistoryName(name);
}

/** A path from the command line. */
export interface PathArgument {
  readonly absolute: string;

  /** Path as the user entered it, for messages. */
  readonly displayPath: string;
}

/** A declared folder at a path from the command line. */
export interface FolderTarget {
  /** Absolute path. */
  readonly folder: string;

  /** Path of a single file, relative to the folder. Selects the whole folder if not set. */
  readonly file?: string;
}

/**
 * Finds the declared folders at a path and below it. For a file, finds the folder that contains it.
 *
 * @throws UsageError if a path does not exist or has no declaration, so that an unmounted disk does
 * not pass the check
 */
export async function findFolders(
  path: PathArgument,
  signal: AbortSignal,
): Promise<FolderTarget[]> {
  if (!(await isFolder(path))) return [await findFolderAbove(path)];

  const targets: FolderTarget[] = [];
  const waiting = [path.absolute];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    signal.throwIfAborted();
    const entries = await fs.readdir(folder, { withFileTypes: true }).catch(() => []);
    if (entries.some(({ name }) => name === declarationName)) targets.push({ folder });
    for (const entry of entries) {
      const isVisible = entry.isDirectory() && !entry.name.startsWith('.');
      if (isVisible) waiting.push(join(folder, entry.name));
    }
  }
  if (targets.length === 0) throw await notDeclaredError(path);
  return targets.sort((a, b) => (a.folder < b.folder ? -1 : 1));
}

async function isFolder({ absolute, displayPath }: PathArgument): Promise<boolean> {
  try {
    return (await fs.stat(absolute)).isDirectory();
  } catch (error) {
    const code = codeOf(error) ?? '';
    const isAbsent = ['ENOENT', 'ENOTDIR'].includes(code);
    const why = isAbsent ? 'does not exist' : `cannot be read (${code})`;
    throw new UsageError(`${printable(displayPath)} ${why}.`, {
      hint: 'Pass a folder written by run, or a file in it. If the path existed before, check that its disk is mounted.',
    });
  }
}

/** Finds the nearest declared folder above a file. */
async function findFolderAbove(path: PathArgument): Promise<FolderTarget> {
  let folder = path.absolute;
  while (folder !== dirname(folder)) {
    folder = dirname(folder);
    const names = await listNames(folder);
    if (!names.includes(declarationName)) continue;
    return { folder, file: relative(folder, path.absolute).split(sep).join('/') };
  }
  throw await notDeclaredError(path);
}

async function listNames(folder: string): Promise<string[]> {
  return fs.readdir(folder).catch(() => []);
}

async function notDeclaredError({ absolute, displayPath }: PathArgument): Promise<UsageError> {
  const hasHistory = (await listNames(absolute)).some(isHistoryName);
  return new UsageError(`${printable(displayPath)} has no declaration (${declarationName}).`, {
    hint: hasHistory
      ? 'It has a history: run the command that filled it again, which writes a new declaration.'
      : 'If run has filled it, check that its disk is mounted. To fill a folder, see: adreport help folders',
  });
}
