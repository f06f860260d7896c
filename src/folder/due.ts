import type { FileState } from './disk.ts';
import { isFinal } from './finality.ts';
import type { FolderSnapshot } from './folder-snapshot.ts';
import type { FileLine } from './history-schema.ts';
import { type FolderPart, listParts } from './parts.ts';

/**
 * Returns the parts of a folder to download, in time order. A part is skipped if something other
 * than a regular file is at its path.
 *
 * @param now in unix seconds
 */
export function listDueParts(snapshot: FolderSnapshot, now: number): FolderPart[] {
  return listParts(snapshot.declaration, now, snapshot.selection).filter((part) => {
    const isReplaceable = snapshot.onDisk.get(part.name)?.kind !== 'unreadable';
    return isReplaceable && isDue(part, snapshot);
  });
}

/** A part is due until it has a final file that matches the history and the declaration. */
export function isDue(part: FolderPart, snapshot: FolderSnapshot): boolean {
  const line = snapshot.history.lines.get(part.name);
  const matches = findMismatch(part.name, snapshot) === undefined;
  return !matches || !line || !isFinal(line, part, snapshot.declaration);
}

/** How a file differs from its history line or the declaration. */
export type Mismatch = 'missing' | 'unreadable' | 'untracked' | 'other report' | 'changed';

/** Compares a file with its history line and the declaration. Returns `undefined` if they match. */
export function findMismatch(
  name: string,
  { declaration, history, onDisk }: FolderSnapshot,
): Mismatch | undefined {
  const file = onDisk.get(name);
  if (!file) return 'missing';
  if (file.kind === 'unreadable') return 'unreadable';

  const line = history.lines.get(name);
  if (!line) return 'untracked';
  if (line.id !== declaration.id) return 'other report';
  return isChanged(file, line) ? 'changed' : undefined;
}

/**
 * Whether a file differs from its history line in size, or in its hash if the file was hashed.
 */
export function isChanged(
  file: Extract<FileState, { readonly kind: 'file' }>,
  line: FileLine,
): boolean {
  const hasOtherBytes = file.sha256 !== undefined && file.sha256 !== line.sha256;
  return file.bytes !== line.bytes || hasOtherBytes;
}
