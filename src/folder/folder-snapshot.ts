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

/** A folder at one time: its declaration, its history and its selected files. */
export interface FolderSnapshot {
  /** Absolute path. */
  readonly folder: string;
  readonly declaration: Declaration;
  readonly selection: Selection;
  readonly history: History;
  readonly listing: Listing;

  /** Files that match the pattern, by their paths from the folder. */
  readonly onDisk: ReadonlyMap<string, FileState>;
}

/**
 * Reads the history of a folder, and looks at the selected files.
 *
 * @throws the reason of the signal once the signal is aborted
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
  // A run writes the history line before it puts the file in place. Therefore the history is read
  // after the files.
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
  const now = await readFolder(folder, declaration, { selection: { names }, signal, hashes: true });
  return { ...snapshot, history: now.history, onDisk: new Map([...onDisk, ...now.onDisk]) };
}
