import * as fs from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { codeOf, UsageError } from '../errors.ts';
import { printable } from '../text/printable.ts';
import { type Books, isBookName, nameInFolder, newestOf, readBooks } from './book.ts';
import type { FolderFacts } from './check.ts';
import { FileNames } from './series.ts';
import { type LookOptions, lookAtAll, type Standing } from './standing.ts';

/** What a path leads to: folders that keep books, each with the part of it that the path means. */
export interface FoundFolder {
  readonly books: Books;

  /** What the path means of the folder, as a path from it; empty for all of it. */
  readonly within: string;
}

/** A path may lie so many folders below the books that tell of it. */
const foldersAbove = 4;

/**
 * The folders with books at a path, below it, or up to four above it.
 *
 * @returns none where nobody keeps books of what is there
 * @throws UsageError for a path that is not there, or leads to no folder and no regular file
 */
export async function findFolders(path: string, signal: AbortSignal): Promise<FoundFolder[]> {
  const isFolder = await isFolderAt(path);
  if (isFolder) {
    const below = await foldersWithBooks(path, signal);
    const found: FoundFolder[] = [];
    for (const folder of below) {
      found.push({ books: await readBooks(folder, signal), within: '' });
    }
    if (found.length > 0) return found;
  }

  let folder = dirname(resolve(path));
  if (!isFolder && isBookName(basename(path))) {
    return [{ books: await readBooks(folder, signal), within: '' }];
  }
  for (let step = isFolder ? 1 : 0; step <= foldersAbove; step += 1) {
    const books = await readOpenBooks(folder, signal);
    const within = nameInFolder(folder, resolve(path));
    if (books && knows(books, within)) return [{ books, within }];
    if (folder === dirname(folder)) break;
    folder = dirname(folder);
  }
  return [];
}

async function isFolderAt(path: string): Promise<boolean> {
  const refuse = (why: string): UsageError =>
    new UsageError(`${printable(path)} ${why}.`, {
      hint: 'Give a folder of reports, or a report file.',
    });

  try {
    const stats = await fs.stat(path);
    if (stats.isDirectory()) return true;
    if (stats.isFile()) return false;
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') throw refuse('does not exist');
    if (code === 'ELOOP') throw refuse('is a link that leads to itself');
    throw refuse(`cannot be looked at (${code})`);
  }
  throw refuse('is neither a folder nor a regular file');
}

/**
 * The folders at and below a path that hold books; links are not followed. What cannot be listed is
 * passed over.
 */
async function foldersWithBooks(root: string, signal: AbortSignal): Promise<string[]> {
  const found: string[] = [];
  const waiting = [resolve(root)];

  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    signal.throwIfAborted();
    const entries = await fs.readdir(folder, { withFileTypes: true }).catch(() => []);
    if (entries.some(({ name }) => isBookName(name))) found.push(folder);
    for (const entry of entries) {
      if (entry.isDirectory() && !entry.name.startsWith('.'))
        waiting.push(join(folder, entry.name));
    }
  }
  return found.sort();
}

/** The books of a folder; nothing where it may not be listed. */
async function readOpenBooks(folder: string, signal: AbortSignal): Promise<Books | undefined> {
  try {
    return await readBooks(folder, signal);
  } catch (error) {
    if (signal.aborted) throw error;
    return undefined;
  }
}

/** Whether books tell of a path: by a line, or by a name that fits one of their series. */
function knows(books: Books, path: string): boolean {
  for (const name of books.files.keys()) {
    if (name === path || name.startsWith(`${path}/`)) return true;
  }
  return [...books.newestOrders.keys()].some((output) => {
    return new FileNames(output).daysIn(path) !== undefined;
  });
}

/**
 * What stands in a folder, of all that its books tell and of all names that fit its series.
 *
 * @throws the reason of the signal once that is aborted
 */
export async function readFolder(
  { books, within }: FoundFolder,
  { now, ...options }: LookOptions & { readonly now: number },
): Promise<FolderFacts> {
  const closedFolders = new Map<string, string>();
  const names = new Set(books.files.keys());
  for (const output of books.newestOrders.keys()) {
    for (const name of await namesLike(books.folder, output, closedFolders)) names.add(name);
  }

  const isMeant = (name: string): boolean =>
    within === '' || name === within || name.startsWith(`${within}/`);
  const paths = new Map<string, string>();
  for (const name of names) {
    if (isMeant(name)) paths.set(join(books.folder, name), name);
  }

  const looks = await lookAtAll([...paths.keys()], options);
  const standings = new Map<string, Standing>();
  for (const [path, standing] of looks) standings.set(paths.get(path) ?? path, standing);
  const isUntold = await hasUntoldFiles(books);
  const part = within !== '' && { isMeant };
  return { books, standings, isUntold, closedFolders, now, ...part };
}

/** Whether something stands beside books that have no sound line. */
async function hasUntoldFiles({ folder, orders, files }: Books): Promise<boolean> {
  if (orders.size > 0 || files.size > 0) return false;
  const names = await fs.readdir(folder).catch(() => []);
  return names.some((name) => !isBookName(name) && !name.startsWith('.'));
}

/** The paths below a folder that fit an `output`, whatever stands there. */
async function namesLike(
  folder: string,
  output: string,
  closedFolders: Map<string, string>,
): Promise<string[]> {
  let paths = [''];
  for (const segment of new FileNames(output).segments) {
    const next: string[] = [];
    for (const path of paths) {
      const entries = await fs.readdir(join(folder, path)).catch((error) => {
        const code = codeOf(error);
        if (code === 'EACCES' || code === 'EPERM') {
          closedFolders.set(path || '.', 'permission is denied');
        }
        return [];
      });
      for (const name of entries) {
        if (segment.test(name)) next.push(path === '' ? name : `${path}/${name}`);
      }
    }
    paths = next;
  }
  return paths;
}

/** How many bytes there are to read, as far as the books know. */
export function bytesIn({ books }: FoundFolder): number {
  let bytes = 0;
  for (const name of books.files.keys()) bytes += newestOf(books, name)?.line.bytes ?? 0;
  return bytes;
}
