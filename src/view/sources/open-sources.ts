import { stat } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { UsageError } from '../../errors.ts';
import type { FolderQuery } from '../../folder/declaration.ts';
import { readDeclaration } from '../../folder/declaration-file.ts';
import { isChanged, partOfFile } from '../../folder/due.ts';
import {
  type FolderState,
  findFolders,
  isFolderRecord,
  readFolder,
} from '../../folder/folder-state.ts';
import { expectNoUrlToRead } from '../../query/url.ts';
import type { Context } from '../../run/context.ts';
import { printable } from '../../text/printable.ts';
import { knownGap, type SourceFile } from './source-file.ts';
import { openFolder, queryOf, type Search, type ViewedFolder } from './viewed-folder.ts';

/** Path of the command line: a folder or a file. */
export type Source = { readonly viewed: ViewedFolder } | { readonly file: SourceFile };

interface Opening {
  readonly host: Context['host'];
  readonly search: Search;

  /** Those of single files, each read once. */
  readonly folders: Map<string, Promise<FolderState | undefined>>;
  readonly warnings: string[];
}

export async function openSources(paths: readonly string[], opening: Opening): Promise<Source[]> {
  const sources: Source[] = [];
  for (const path of paths) {
    expectNoUrlToRead(path);
    sources.push(await openSource(path, opening));
  }
  return sources;
}

async function openSource(path: string, opening: Opening): Promise<Source> {
  const { host, search, warnings } = opening;
  if (path === '-') return { file: { path, shown: 'stdin' } };
  if (path === '') {
    throw new UsageError('The path is empty.', { hint: 'Give a report file or a folder.' });
  }

  const absolute = resolve(host.cwd, path);
  const stats = await stat(absolute).catch(() => undefined);
  if (stats?.isDirectory()) {
    return { viewed: await openFolder({ absolute, shown: path }, host.platform, search) };
  }
  if (!stats && path.includes('*')) throw patternError(path);
  if (isFolderRecord(basename(path))) throw recordError(path);

  const file = { path: absolute, shown: path, sizeBytes: stats?.isFile() ? stats.size : undefined };
  if (!stats?.isFile()) return { file };

  const known = await findKnownFile(absolute, opening);
  if (known === 'changed') {
    warnings.push(`${printable(path)} has changed since it was downloaded.`);
    return { file };
  }
  return { file: { ...file, ...known } };
}

function patternError(path: string): UsageError {
  return new UsageError(`No file is named ${printable(path)}.`, {
    hint: 'Some shells leave a * as it is: name the folder, or each file.',
  });
}

function recordError(path: string): UsageError {
  const folder = printable(dirname(path));
  return new UsageError(`${printable(path)} is the record of a folder, not a report.`, {
    hint: `View the folder: adreport view ${folder}`,
  });
}

export function queryOfSource(source: Source): FolderQuery | undefined {
  return 'viewed' in source ? queryOf(source.viewed) : source.file.declaration?.query;
}

/**
 * Returns what the folder of a file knows about it, if the file has the size of its line; `changed`
 * if it has another, or was found to have other bytes.
 *
 * @param path absolute
 */
async function findKnownFile(
  path: string,
  { search, folders }: Opening,
): Promise<Pick<SourceFile, 'unit' | 'line' | 'declaration'> | 'changed' | undefined> {
  const [found] = await findFolders({ absolute: path, shown: path }, search.signal).catch(() => []);
  if (found?.file === undefined) return undefined;
  const { folder, file } = found;
  const state = folders.get(folder) ?? readState(folder, search);
  folders.set(folder, state);
  const { declaration, history, onDisk } = (await state) ?? {};
  const line = history?.lines.get(file);
  const onPlace = onDisk?.get(file);
  if (!declaration || line?.id !== declaration.id || onPlace?.kind !== 'file') return undefined;

  const isOther = isChanged(onPlace, line) || knownGap(search.unusable, path, line) !== undefined;
  return isOther ? 'changed' : { unit: partOfFile(file, declaration), line, declaration };
}

/** Resolves to `undefined` for a folder whose declaration cannot be used. */
async function readState(folder: string, { signal }: Search): Promise<FolderState | undefined> {
  const file = await readDeclaration(folder);
  if (file.kind !== 'valid') return undefined;
  return readFolder(folder, file.declaration, { signal, hashes: false });
}
