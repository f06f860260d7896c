import { checkFolder, type FolderCheck, type Problem } from './check-folder.ts';
import { type Declaration, declarationName } from './declaration.ts';
import { type DefectiveDeclaration, describeDefect } from './declaration-file.ts';
import type { PathArgument } from './find-folders.ts';
import { refreshSnapshot } from './folder-snapshot.ts';
import { type NamedFolder, type ReadFoldersOptions, readFolders } from './read-folders.ts';

export interface CheckedFolder {
  /** Absolute path. */
  readonly folder: string;

  /** Not set if the declaration is unusable. */
  readonly declaration?: Declaration;
  readonly check: FolderCheck;
}

/** Checks the declared folders at a path and below it. Rejects like `readFolders`. */
export async function checkPath(
  path: PathArgument,
  options: ReadFoldersOptions,
): Promise<CheckedFolder[]> {
  const checked: CheckedFolder[] = [];
  for (const folder of await readFolders(path, options)) {
    checked.push(await checkNamedFolder(folder, options));
  }
  return checked;
}

async function checkNamedFolder(
  { folder, snapshot, defect }: NamedFolder,
  { nowMs, signal }: ReadFoldersOptions,
): Promise<CheckedFolder> {
  if (defect) return { folder, check: reportDefect(defect) };

  const { declaration } = snapshot;
  const now = Math.floor(nowMs / 1_000);
  const first = checkFolder(snapshot, now);
  if (first.problems.length === 0) return { folder, declaration, check: first };

  // A concurrent run may have written the history line of a file but not yet the file.
  const names = new Set(first.problems.map(({ file }) => file));
  const second = checkFolder(await refreshSnapshot(snapshot, names, signal), now);
  const problems = second.problems.filter(({ file }) => names.has(file));
  return { folder, declaration, check: { ...second, problems } };
}

function reportDefect(defect: DefectiveDeclaration): FolderCheck {
  const problem: Problem = {
    file: declarationName,
    kind: 'unreadable',
    clause: describeDefect(defect),
    advice: 'Undo the edit, restore the file, or replace it with run --fresh.',
    fixedBy: 'person',
  };
  return { parts: [], problems: [problem], notes: [], files: 0, rows: 0, totals: {} };
}
