import * as fs from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { codeOf, UsageError } from '../errors.ts';
import { isHistoryName } from '../output/file/file-name.ts';
import { printable } from '../text/printable.ts';
import { listNames, lookAtFiles } from './disk.ts';
import { expectedOf, type FolderPart, type FolderVerdict, judgeFolder } from './folder-check.ts';
import {
  type History,
  nameInFolder,
  newestEntry,
  type ReadingOptions,
  readHistory,
} from './history.ts';
import { FileNames } from './series.ts';

/** Histories are looked for in at most this many parent folders. */
const maxFoldersAbove = 4;

/**
 * Folders with a history at a path, below it, or up to four above it.
 *
 * @returns an empty list if no history covers the path
 * @throws UsageError for a path that does not exist, or is neither a folder nor a regular file
 */
export async function findFolders(path: string, options: ReadingOptions): Promise<FolderPart[]> {
  const isFolder = await isFolderAt(path);
  if (isFolder) {
    const found: FolderPart[] = [];
    for (const folder of await foldersBelow(path, options.signal)) {
      found.push({ history: await readHistory(folder, options) });
    }
    if (found.length > 0) return found;
  }

  let folder = dirname(resolve(path));
  if (!isFolder && isHistoryName(basename(path))) {
    return [{ history: await readHistory(folder, options) }];
  }
  for (let step = isFolder ? 1 : 0; step <= maxFoldersAbove; step += 1) {
    const history = await readIfOpen(folder, options);
    const within = nameInFolder(folder, resolve(path));
    if (history && covers(history, within)) {
      const isSelected = (name: string) => name === within || name.startsWith(`${within}/`);
      return [{ history, isSelected }];
    }
    if (folder === dirname(folder)) break;
    folder = dirname(folder);
  }
  return [];
}

/** The error for a path without a history, with what to do instead. */
export function noHistory(path: string, hint: string): UsageError {
  const name = path === '.' ? 'this folder' : printable(path);
  return new UsageError(`No adreport history in ${name}.`, { hint });
}

async function isFolderAt(path: string): Promise<boolean> {
  const refusal = (why: string): UsageError =>
    new UsageError(`${printable(path)} ${why}.`, {
      hint: 'Name a folder of reports or a report file.',
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

/** True for a folder that may not be listed. */
export async function isUnlistable(path: string): Promise<boolean> {
  try {
    const folder = await fs.opendir(path);
    await folder.close();
    return false;
  } catch (error) {
    return ['EACCES', 'EPERM'].includes(codeOf(error) ?? '');
  }
}

/** Folders with a history at a path and below it. Links are not followed. */
async function foldersBelow(root: string, signal: AbortSignal): Promise<string[]> {
  const found: string[] = [];
  const waiting = [resolve(root)];

  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    signal.throwIfAborted();
    const entries = await fs.readdir(folder, { withFileTypes: true }).catch(() => []);
    if (entries.some(({ name }) => isHistoryName(name))) found.push(folder);
    for (const entry of entries) {
      const isVisible = entry.isDirectory() && !entry.name.startsWith('.');
      if (isVisible) waiting.push(join(folder, entry.name));
    }
  }
  return found.sort();
}

async function readIfOpen(folder: string, options: ReadingOptions): Promise<History | undefined> {
  try {
    return await readHistory(folder, options);
  } catch (error) {
    if (options.signal.aborted) throw error;
    return undefined;
  }
}

/** True if a history has a line for a path, or a series whose names fit it. */
function covers({ files, sources }: History, path: string): boolean {
  for (const name of files.keys()) {
    if (name === path || name.startsWith(`${path}/`)) return true;
  }
  return sources.some(({ specs }) => {
    return specs.some(({ spec }) => new FileNames(spec.output).fits(path));
  });
}

interface CheckingOptions extends ReadingOptions {
  /** Called with the number of bytes read. */
  readonly onBytes?: (count: number) => void;
}

/**
 * Reads a folder and compares it with its history.
 *
 * @throws the reason of the signal once it is aborted
 */
export async function checkFolder(
  part: FolderPart,
  { now, signal, onBytes }: CheckingOptions,
): Promise<FolderVerdict> {
  const { folder } = part.history;
  const expected = expectedOf(part, now);
  const names = expected.flatMap(({ series, units }) => units.map((unit) => series.names.of(unit)));
  const depth = Math.max(1, ...expected.map(({ series }) => series.names.depth));

  const listing = await listNames(folder, { depth, isOfOther: isHistoryName, signal });
  const reads = () => true;
  const onDisk = await lookAtFiles(folder, new Set(names), {
    signal,
    reads,
    ...(onBytes && { onBytes }),
  });
  return judgeFolder({ ...part, expected, onDisk, listing, now });
}

/** The total size of the files of a history, from its newest lines. */
export function bytesIn({ history }: FolderPart): number {
  let bytes = 0;
  for (const name of history.files.keys()) bytes += newestEntry(history, name)?.line.bytes ?? 0;
  return bytes;
}
