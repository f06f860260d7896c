import * as fs from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { codeOf, UsageError } from '../errors.ts';
import { isHistoryName } from '../output/file/file-name.ts';
import { expectWholeUnits } from '../query/parts.ts';
import { resolvePeriod } from '../query/period.ts';
import { printable } from '../text/printable.ts';
import { type Listing, listNames, readFileStates } from './disk.ts';
import { type CheckedFiles, checkFiles, type FolderSelection } from './folder-check.ts';
import {
  type History,
  nameInFolder,
  newestEntry,
  type ReadingOptions,
  readHistory,
} from './history.ts';
import type { Span } from './range.ts';
import { FileNames, type Series, SeriesIndex, seriesOf } from './series.ts';

/** Parent folders in which a history is looked for. */
const maxFoldersAbove = 4;

/**
 * Finds folders with a history at a path, below it, or up to four above it.
 *
 * @returns an empty list if no history covers the path
 * @throws UsageError for a path that does not exist, or is neither a folder nor a regular file
 */
export async function findFolders(
  path: string,
  options: ReadingOptions,
): Promise<FolderSelection[]> {
  const isFolder = await isFolderAt(path);
  if (isFolder) {
    const found: FolderSelection[] = [];
    for (const folder of await foldersBelow(path, options.signal)) {
      const history = await readIfOpen(folder, options);
      found.push({ history: history ?? { folder, sources: [], files: new Map() } });
    }
    if (found.length > 0) return found;
  }

  if (!isFolder && isHistoryName(basename(path))) {
    return [{ history: await readHistory(dirname(resolve(path)), options) }];
  }
  for (const folder of isFolder
    ? foldersAbove(path).slice(0, maxFoldersAbove)
    : foldersAbove(path)) {
    const history = await readIfOpen(folder, options);
    const within = nameInFolder(folder, resolve(path));
    if (history && covers(history, within)) {
      const isSelected = (name: string) => name === within || name.startsWith(`${within}/`);
      return [{ history, isSelected }];
    }
  }
  return [];
}

/** Returns the folder that a path is in, and up to four above that, the nearest first. */
export function foldersAbove(path: string): string[] {
  const folders = [dirname(resolve(path))];
  for (let step = 0; step < maxFoldersAbove; step += 1) {
    const above = dirname(folders.at(-1) ?? '');
    if (above === folders.at(-1)) break;
    folders.push(above);
  }
  return folders;
}

/** For a path without a history; `hint` says what to do instead. */
export function noHistory(path: string, hint: string): UsageError {
  const name = path === '.' ? 'this folder' : printable(path);
  return new UsageError(`No adreport history in ${name}.`, { hint });
}

async function isFolderAt(path: string): Promise<boolean> {
  const refusal = (why: string): UsageError =>
    new UsageError(`${printable(path)} ${why}.`, {
      hint: 'Give a folder of reports, or a report file.',
    });

  try {
    const stats = await fs.stat(path);
    if (stats.isDirectory()) return true;
    if (stats.isFile()) return false;
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') throw refusal('does not exist');
    if (code === 'ELOOP') throw refusal('is a link to itself');
    throw refusal(`cannot be read (${code})`);
  }
  throw refusal('is neither a folder nor a regular file');
}

/**
 * Finds folders with a history at a path and below it; the path itself if it may not be listed.
 * Links are not followed.
 */
async function foldersBelow(root: string, signal: AbortSignal): Promise<string[]> {
  const found: string[] = [];
  const waiting = [resolve(root)];

  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    signal.throwIfAborted();
    const entries = await fs.readdir(folder, { withFileTypes: true }).catch((error) => {
      const isDenied = ['EACCES', 'EPERM'].includes(codeOf(error) ?? '');
      if (isDenied && folder === resolve(root)) found.push(folder);
      return [];
    });
    if (entries.some(({ name }) => isHistoryName(name))) found.push(folder);
    for (const entry of entries) {
      const isVisible = entry.isDirectory() && !entry.name.startsWith('.');
      if (isVisible) waiting.push(join(folder, entry.name));
    }
  }
  return found.sort();
}

/** Returns `undefined` if there is no history, or it cannot be read. */
export async function readIfOpen(
  folder: string,
  options: ReadingOptions,
): Promise<History | undefined> {
  try {
    return await readHistory(folder, options);
  } catch (error) {
    if (options.signal.aborted) throw error;
    return undefined;
  }
}

/** Looks for a line for a path, or a series whose names fit it. */
function covers({ files, sources }: History, path: string): boolean {
  for (const name of files.keys()) {
    if (name === path || name.startsWith(`${path}/`)) return true;
  }
  return sources.some(({ specs }) => {
    return specs.some(({ spec }) => new FileNames(spec.output).matches(path));
  });
}

interface CheckingOptions extends ReadingOptions {
  /** Window to check; all of the range if none was typed. */
  readonly window?: TypedWindow;

  /** Called with the number of bytes just read. */
  readonly onBytes?: (count: number) => void;
}

export type TypedWindow = { readonly [Flag in 'period' | 'since' | 'until']?: string | undefined };

/**
 * Reads a folder and compares it with its history.
 *
 * @throws UsageError for a window that is invalid or cuts a unit, and the reason of the signal once
 *   it is aborted
 */
export async function checkFolder(
  part: FolderSelection,
  { now, signal, onBytes, window = {} }: CheckingOptions,
): Promise<CheckedFiles> {
  const { history } = part;
  const { folder } = history;
  const allSeries = seriesOf(history, now);
  const windows = new Map(allSeries.map((series) => [series, readWindow(series, window, now)]));
  const windowOf = (series: Series): Span | undefined => windows.get(series);

  const depth = Math.max(1, ...allSeries.map((series) => series.names.depth));
  const listing = await listNames(folder, { depth, marksOther: isHistoryName, signal });
  const names = namesToRead(part, { allSeries, listing });
  const onDisk = await readFileStates(folder, names, {
    signal,
    reads: () => true,
    ...(onBytes && { onBytes }),
  });
  return checkFiles({ ...part, allSeries, onDisk, listing, windowOf, now });
}

/** Resolves the window to check in the zone of a series; `undefined` if none was typed. */
function readWindow({ current }: Series, window: TypedWindow, now: number): Span | undefined {
  const { period, since, until } = window;
  if ((period ?? since ?? until) === undefined) return undefined;

  const { timezone: zone, split } = current.spec;
  const read = resolvePeriod({ period, since, until }, { zone, nowMs: now * 1_000, unit: split });
  const flag = period === undefined ? '--since' : '--period';
  const subject = `A folder of one file per ${split}`;
  expectWholeUnits(read, split, { now, subject, flag });
  return read;
}

/** Returns the files of series that exist or that the history knows. */
function namesToRead(
  { history, isSelected = () => true }: FolderSelection,
  { allSeries, listing }: { readonly allSeries: readonly Series[]; readonly listing: Listing },
): Set<string> {
  const index = new SeriesIndex(allSeries);
  const names = new Set(history.files.keys());
  for (const name of listing.names) if (index.find(name).length > 0) names.add(name);
  return new Set([...names].filter(isSelected));
}

/** Returns the total size of the files of a history, from its newest lines. */
export function bytesIn({ history }: FolderSelection): number {
  let bytes = 0;
  for (const name of history.files.keys()) bytes += newestEntry(history, name)?.line.bytes ?? 0;
  return bytes;
}
