import { readFileStates } from './disk.ts';
import { isChanged } from './due.ts';
import { hasNumbers } from './history.ts';
import type { FileLine } from './history-schema.ts';

/** A file that must not be replaced by a report without numbers. */
export interface KeptFile {
  /** Rows of the file; `null` if the file does not match its history line. */
  readonly rows: number | null;
  readonly bytes: number;
  readonly sha256: string;

  /** True if the file has the report of the declaration. */
  readonly matchesDeclaration: boolean;
}

/**
 * Finds the file that a report without numbers would replace. A file is not protected if it is
 * empty or if its history line has no numbers.
 *
 * @returns `undefined` if nothing would be lost
 */
export async function findFileToKeep(options: {
  readonly folder: string;
  readonly name: string;
  readonly line: FileLine | undefined;

  /** `id` of the declaration. */
  readonly id: string;
  readonly signal: AbortSignal;
}): Promise<KeptFile | undefined> {
  const { folder, name, line, id, signal } = options;
  const states = await readFileStates(folder, [name], { hashes: true, signal });
  const file = states.get(name);
  if (file?.kind !== 'file' || file.bytes === 0) return undefined;

  const { bytes, sha256 = '' } = file;
  const isKnown = line !== undefined && !isChanged(file, line);
  if (!isKnown) return { rows: null, bytes, sha256, matchesDeclaration: false };
  if (!hasNumbers(line)) return undefined;
  return { rows: line.rows, bytes, sha256, matchesDeclaration: line.id === id };
}
