import { stat } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { UsageError } from '../../errors.ts';
import { readFileStates } from '../../folder/disk.ts';
import { foldersAbove, readIfOpen } from '../../folder/find-folders.ts';
import {
  type FileEntry,
  type FolderSpec,
  type History,
  nameInFolder,
  newestEntry,
} from '../../folder/history.ts';
import { type FolderUnit, unitOfDay } from '../../folder/units.ts';
import { isHistoryName } from '../../output/file/file-name.ts';
import { expectNoUrlToRead } from '../../output/file/url.ts';
import { formatDate } from '../../query/calendar.ts';
import { printable } from '../../text/printable.ts';
import type { ViewOptions } from '../view-flags.ts';
import type { ViewHost } from '../view-tools.ts';
import { openSeries, type Search, specOf, type ViewedSeries } from './folder-series.ts';
import { knownGap, type SourceFile } from './source-file.ts';

/** Path of the command line: a series of a folder, or a file. */
export type Source = { readonly viewed: ViewedSeries } | { readonly file: SourceFile };

interface Opening {
  readonly host: ViewHost;
  readonly options: ViewOptions;
  readonly search: Search;

  /** Those of the folders of single files, each read once. */
  readonly histories: Map<string, History | undefined>;
  readonly warnings: string[];
}

export async function openSources(paths: readonly string[], opening: Opening): Promise<Source[]> {
  const sources: Source[] = [];
  for (const path of paths) {
    expectNoUrlToRead(path);
    sources.push(await openSource(path, opening));
  }
  const hasFolder = sources.some((source) => 'viewed' in source);
  if (opening.options.series !== undefined && !hasFolder) {
    throw new UsageError('--series is for folders.', { about: { flag: '--series' } });
  }
  return sources;
}

async function openSource(path: string, opening: Opening): Promise<Source> {
  const { host, options, search, warnings } = opening;
  if (path === '-') return { file: { path, shown: 'stdin' } };
  if (path === '') {
    throw new UsageError('The path is empty.', { hint: 'Give a report file or a folder.' });
  }

  const absolute = resolve(host.cwd, path);
  const stats = await stat(absolute).catch(() => undefined);
  if (stats?.isDirectory()) {
    const folder = { path: absolute, shown: path, platform: host.platform };
    return { viewed: await openSeries(folder, options.series, search) };
  }
  if (!stats && path.includes('*')) throw patternError(path);
  if (isHistoryName(basename(path))) throw historyFileError(path);

  const file = { path: absolute, shown: path, sizeBytes: stats?.isFile() ? stats.size : undefined };
  if (!stats?.isFile()) return { file };

  const known = await findEntry(absolute, opening);
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

function historyFileError(path: string): UsageError {
  const folder = printable(dirname(path));
  return new UsageError(`${printable(path)} is the history of a folder.`, {
    hint: `View the folder: adreport view ${folder}`,
  });
}

export function specOfSource(source: Source): FolderSpec | undefined {
  return 'viewed' in source ? specOf(source.viewed) : source.file.entry?.own?.spec;
}

/** History line of a file, and the unit of its report. */
interface KnownFile {
  readonly entry: FileEntry;
  readonly unit: FolderUnit;
}

/**
 * Returns the newest history line of a file, if the file has its size; `changed` if it has another,
 * or was found to have other bytes.
 *
 * @param path absolute
 */
async function findEntry(
  path: string,
  { search, histories }: Opening,
): Promise<KnownFile | 'changed' | undefined> {
  for (const folder of foldersAbove(path)) {
    if (!histories.has(folder)) histories.set(folder, await readIfOpen(folder, search));
    const history = histories.get(folder);
    const known = history && (await findEntryIn(history, path, search));
    if (known) return known;
  }
  return undefined;
}

async function findEntryIn(
  history: History,
  path: string,
  search: Search,
): Promise<KnownFile | 'changed' | undefined> {
  const name = nameInFolder(history.folder, path);
  const entry = newestEntry(history, name);
  if (!entry?.own) return undefined;

  const onDisk = await readFileStates(history.folder, [name], { ...search, reads: () => false });
  const file = onDisk.get(name);
  const hasSize = file?.kind === 'file' && file.bytes === entry.line.bytes;
  if (!hasSize || knownGap(search.unusable, path, entry)) return 'changed';

  const { split, timezone: zone } = entry.own.spec;
  const unit = unitOfDay(formatDate(Date.parse(entry.line.since) / 1_000, zone), split, zone);
  return unit && { entry, unit };
}
