import type { Declaration } from './declaration.ts';
import {
  type DiskOptions,
  type FileState,
  type Listing,
  listNames,
  readFileStates,
} from './disk.ts';
import { type History, readHistory } from './history.ts';
import { findPart, overlaps, type Selection } from './parts.ts';

/** State of a folder: its declaration, its history and the selected files. */
export interface FolderSnapshot {
  /** Absolute path. */
  readonly folder: string;
  readonly declaration: Declaration;
  readonly selection: Selection;
  readonly history: History;
  readonly listing: Listing;

  /** Files that match the pattern, by path relative to the folder. */
  readonly onDisk: ReadonlyMap<string, FileState>;
}

/**
 * Reads the history of a folder and the state of the selected files.
 *
 * @throws `signal.reason` if aborted
 */
export async function readFolder(
  folder: string,
  declaration: Declaration,
  { selection = {}, ...options }: DiskOptions & { readonly selection?: Selection },
): Promise<FolderSnapshot> {
  const { pattern } = declaration;
  const isSelected = (name: string): boolean => {
    if (selection.names && !selection.names.has(name)) return false;
    const part = selection.window && findPart(name, declaration);
    return !part || overlaps(part, selection);
  };
  const { names: allNames, unreadable } = await listNames(folder, pattern.depth, options.signal);
  const names = allNames.filter(isSelected);
  const matching = names.filter((name) => pattern.readDay(name) !== undefined);
  // The history is read after the files, because a run writes the history line before the file.
  const onDisk = await readFileStates(folder, matching, options);
  const history = await readHistory(folder, options.signal);
  return {
    folder,
    declaration,
    selection,
    history,
    listing: { names, unreadable },
    onDisk,
  };
}

/** Reads the history and some of the files again. */
export async function refreshSnapshot(
  snapshot: FolderSnapshot,
  names: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<FolderSnapshot> {
  const { folder, declaration, onDisk } = snapshot;
  const now = await readFolder(folder, declaration, {
    selection: { names },
    signal,
    computeHash: true,
  });
  return { ...snapshot, history: now.history, onDisk: new Map([...onDisk, ...now.onDisk]) };
}
