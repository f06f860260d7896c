import { UsageError } from '../errors.ts';
import { type PeriodInput, resolvePeriod } from '../query/period.ts';
import { printable } from '../text/printable.ts';
import { type DefectiveDeclaration, readDeclaration } from './declaration-file.ts';
import { findFolders, type PathArgument } from './find-folders.ts';
import { type FolderSnapshot, readFolder } from './folder-snapshot.ts';
import { listParts } from './parts.ts';

/** A folder that the user specified, or the reason why its declaration is unusable. */
export type NamedFolder = { readonly folder: string } & (
  | { readonly snapshot: FolderSnapshot; readonly defect?: undefined }
  | { readonly snapshot?: undefined; readonly defect: DefectiveDeclaration }
);

export interface ReadFoldersOptions {
  /** Period to read. Default: the whole folder. */
  readonly period: PeriodInput;

  /** Milliseconds since 1970. */
  readonly nowMs: number;
  readonly signal: AbortSignal;
}

/**
 * Reads the declared folders at a path and below it, and hashes their files.
 *
 * @throws UsageError if the path has no declaration, or if the period is invalid or outside these
 * folders
 */
export async function readFolders(
  path: PathArgument,
  options: ReadFoldersOptions,
): Promise<NamedFolder[]> {
  const { period, since, until } = options.period;
  const hasPeriod = (period ?? since ?? until) !== undefined;
  const folders: NamedFolder[] = [];
  for (const { folder, file: name } of await findFolders(path, options.signal)) {
    const file = await readDeclaration(folder);
    if (file.kind !== 'valid') {
      folders.push({ folder, defect: file });
      continue;
    }
    const { timezone: zone, split: unit } = file.declaration;
    const periodOptions = { zone, unit, nowMs: options.nowMs };
    const selection = {
      window: hasPeriod ? resolvePeriod({ period, since, until }, periodOptions) : undefined,
      names: name === undefined ? undefined : new Set([name]),
    };
    const reading = { selection, signal: options.signal, computeHash: true };
    folders.push({ folder, snapshot: await readFolder(folder, file.declaration, reading) });
  }
  if (hasPeriod) requireParts(path, folders, options);
  return folders;
}

/** Throws `UsageError` if the period is outside all of the folders. */
function requireParts(
  { displayPath }: PathArgument,
  folders: readonly NamedFolder[],
  { period: { period, since, until }, nowMs }: ReadFoldersOptions,
): void {
  const snapshots = folders.flatMap(({ snapshot }) => snapshot ?? []);
  const [first] = snapshots;
  const hasParts = snapshots.some(({ declaration, selection }) => {
    return listParts(declaration, nowMs / 1_000, selection).length > 0;
  });
  if (!first || hasParts) return;

  const input = period ?? [since, until].filter(Boolean).join(' to ');
  throw new UsageError(`${printable(displayPath)} has no days in ${printable(input)}.`, {
    about: { flag: period === undefined ? '--since' : '--period' },
    hint: `The folder covers ${first.declaration.since} to ${first.declaration.until}.`,
  });
}
