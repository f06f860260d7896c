import { readFileStates } from './disk.ts';
import { isChanged } from './due.ts';
import { hasNumbers } from './history.ts';
import type { FileLine } from './history-schema.ts';

/** File that a report without numbers must not replace. */
export interface KeptFile {
  /** Rows of the file; `null` if it is not the file of its line. */
  readonly rows: number | null;
  readonly bytes: number;
  readonly sha256: string;

  /** True if it is the report of the declaration. */
  readonly matchesDeclaration: boolean;
}

/**
 * Finds the file that a report without numbers would replace, unless the file is empty or its
 * history line has no numbers.
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
