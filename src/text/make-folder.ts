import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates a folder and its missing parents. Returns the created folders, the outermost first.
 * Node's recursive `mkdir` never returns for a path below `/proc`.
 */
export function makeFolder(path: string, mode?: number): string[] {
  if (existsSync(path)) return [];

  const parent = dirname(path);
  // The parent of a missing drive is the drive itself.
  const created = parent === path ? [] : makeFolder(parent, mode);
  try {
    mkdirSync(path, { mode });
    created.push(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return created;
}
