import * as fs from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { codeOf, UsageError } from '../errors.ts';
import { printable } from '../text/printable.ts';
import { type Declaration, declarationName } from './declaration.ts';
import { readDeclaration } from './declaration-file.ts';
import { type FileState, type Listing, listNames, readFileStates } from './disk.ts';
import { type History, isHistoryName, readHistory } from './history.ts';

/** Recognizes the names of declarations and history files. No report replaces these files. */
export function isFolderRecord(name: string): boolean {
  return name === declarationName || isHistoryName(name);
}

/** A path that the user typed. */
export interface TypedPath {
  readonly absolute: string;

  /** The path as the user typed it. */
  readonly shown: string;
}

/** A declared folder at a path that the user typed. */
export interface FolderTarget {
  /** Absolute path. */
  readonly folder: string;

  /** Path of a single typed file from the folder; absent for the whole folder. */
  readonly file?: string;
}

/**
 * Finds the declared folders at a path and below it. For a file, finds the folder that contains it.
 *
 * @throws UsageError if a path does not exist or has no declaration, because an unmounted disk must
 * not pass the check
 */
export async function findFolders(path: TypedPath, signal: AbortSignal): Promise<FolderTarget[]> {
  if (!(await isFolderAt(path))) return [await findFolderAbove(path)];

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
  if (targets.length === 0) throw notDeclaredError(path, await listOrEmpty(path.absolute));
  return targets.sort((one, other) => (one.folder < other.folder ? -1 : 1));
}

async function listOrEmpty(path: string): Promise<string[]> {
  return fs.readdir(path).catch(() => []);
}

async function isFolderAt({ absolute, shown }: TypedPath): Promise<boolean> {
  try {
    return (await fs.stat(absolute)).isDirectory();
  } catch (error) {
    const code = codeOf(error);
    const isAbsent = code === 'ENOENT' || code === 'ENOTDIR';
    const why = isAbsent ? 'does not exist' : `cannot be read (${code})`;
    throw new UsageError(`${printable(shown)} ${why}.`, {
      hint: 'Name a folder that run fills, or a file in one. If there was one, check that its disk is mounted.',
    });
  }
}

/** Finds the declared folder nearest above a file. */
async function findFolderAbove(path: TypedPath): Promise<FolderTarget> {
  let folder = dirname(path.absolute);
  for (;;) {
    const names = await listOrEmpty(folder);
    if (names.includes(declarationName)) {
      const file = relative(folder, path.absolute).split(sep).join('/');
      return { folder, file };
    }
    if (dirname(folder) === folder) throw notDeclaredError(path, []);
    folder = dirname(folder);
  }
}

function notDeclaredError({ shown }: TypedPath, names: readonly string[]): UsageError {
  const hasHistory = names.some(isHistoryName);
  const hint = hasHistory
    ? 'It has a history: run the command that filled it again, which writes a new declaration.'
    : 'If run has filled it, check that its disk is mounted. To fill a folder, see: adreport help folders';
  return new UsageError(`${printable(shown)} has no declaration (${declarationName}).`, {
    hint,
  });
}

/** A folder at one time: its declaration, its history and its files. */
export interface FolderSnapshot {
  /** Absolute path. */
  readonly folder: string;
  readonly declaration: Declaration;
  readonly history: History;
  readonly listing: Listing;

  /** Files that match the pattern, by their paths from the folder. */
  readonly onDisk: ReadonlyMap<string, FileState>;
}

/**
 * Reads the history of a folder, and looks at its files.
 *
 * @param options `hashes` reads the files too, instead of only their sizes
 * @throws the reason of the signal once the signal is aborted
 */
export async function readFolder(
  folder: string,
  declaration: Declaration,
  options: {
    readonly signal: AbortSignal;
    readonly hashes: boolean;
    readonly onBytes?: ((count: number) => void) | undefined;
    readonly isSelected?: (name: string) => boolean;
  },
): Promise<FolderSnapshot> {
  const { signal, isSelected = () => true } = options;
  const { pattern } = declaration;
  const listing = await listNames(folder, pattern.depth, signal);
  const names = listing.names.filter((name) => {
    return pattern.dayIn(name) !== undefined && isSelected(name);
  });
  // A run writes the history line before it puts the file in place. Therefore the history is read
  // after the files.
  const onDisk = await readFileStates(folder, names, options);
  const history = await readHistory(folder, signal);
  return { folder, declaration, history, listing, onDisk };
}

/**
 * Reads a declaration, a history and some files again. A concurrent run may have written the
 * history line of a file, but not yet the file.
 */
export async function refreshSnapshot(
  snapshot: FolderSnapshot,
  names: Iterable<string>,
  signal: AbortSignal,
): Promise<FolderSnapshot> {
  const { folder, declaration } = snapshot;
  const file = await readDeclaration(folder);
  const onDisk = new Map(snapshot.onDisk);
  const states = await readFileStates(folder, names, { hashes: true, signal });
  for (const [name, fileState] of states) {
    if (fileState.kind === 'absent') onDisk.delete(name);
    else if (declaration.pattern.dayIn(name) !== undefined) onDisk.set(name, fileState);
  }
  const history = await readHistory(folder, signal);
  return { ...snapshot, history, onDisk, ...(file.kind === 'valid' && file) };
}
