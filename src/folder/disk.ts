import { createHash } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf, OutputError } from '../errors.ts';
import { describeFileError, systemError } from '../output/file/file-error.ts';
import { printable } from '../text/printable.ts';
import { declarationName } from './declaration.ts';

/** A path in a folder. An unreadable path may be a folder or a link, and is never replaced. */
export type FileState =
  | {
      readonly kind: 'file';
      readonly bytes: number;

      /** Hash of the content, if it was read. */
      readonly sha256?: string;
    }

  /** @param why predicate for messages about the file: `is a link` */
  | { readonly kind: 'unreadable'; readonly why: string };

export interface DiskOptions {
  readonly signal: AbortSignal;

  /** Whether to hash the files instead of only reading their sizes. */
  readonly computeHash: boolean;
}

/** Number of files to read at a time. Parallel reads are faster, because disks queue requests. */
const workerCount = 8;

/**
 * Reads the sizes, and the hashes if requested, of the files that exist.
 *
 * @param names paths relative to the folder, with slashes
 * @throws `signal.reason` if aborted
 */
export async function readFileStates(
  folder: string,
  names: readonly string[],
  options: DiskOptions,
): Promise<Map<string, FileState>> {
  const states = new Map<string, FileState>();
  const waiting = names.values();

  // All workers share one iterator.
  const workers = Array.from({ length: workerCount }, async () => {
    for (const name of waiting) {
      options.signal.throwIfAborted();
      const state = await readFileState(folder, name, options);
      if (state) states.set(name, state);
    }
  });
  await Promise.all(workers);
  return states;
}

/** Resolves to `undefined` if there is no such file. */
async function readFileState(
  folder: string,
  name: string,
  { computeHash, signal }: DiskOptions,
): Promise<FileState | undefined> {
  try {
    const { size: bytes } = await statFile(folder, name);
    return computeHash
      ? await hashFile(join(folder, name), bytes, signal)
      : { kind: 'file', bytes };
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (codeOf(error) === 'ENOENT') return undefined;
    return { kind: 'unreadable', why: describeFileError(error) };
  }
}

/** Throws `OutputError` if a link, a folder or a device is at the path of a file. */
export async function requireWritablePath(folder: string, name: string): Promise<void> {
  try {
    await statFile(folder, name);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return;
    const message = `Cannot write ${join(folder, name)}: ${describeFileError(error)}.`;
    throw new OutputError(printable(message), {
      hint: 'Move it away, or replace it with a regular file or folder.',
    });
  }
}

/** Throws an error with a `code` unless the path leads to a regular file without passing a link. */
async function statFile(folder: string, name: string): Promise<Stats> {
  const segments = name.split('/');
  for (let depth = 1; depth < segments.length; depth += 1) {
    const parent = await fs.lstat(join(folder, ...segments.slice(0, depth)));
    if (parent.isSymbolicLink()) throw systemError('LINKED_FOLDER');
  }
  return statRegularFile(join(folder, name));
}

/** Throws an error with a `code` for anything but a regular file. Does not follow links. */
export async function statRegularFile(path: string): Promise<Stats> {
  const stats = await fs.lstat(path);
  if (stats.isSymbolicLink()) throw systemError('ELOOP');
  if (stats.isDirectory()) throw systemError('EISDIR');
  if (!stats.isFile()) throw systemError('NO_REGULAR_FILE');
  return stats;
}

/** Flags of `open` that reject links and do not block on a named pipe. */
const safeFlags = constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Opens or creates a regular file. Throws for anything else. */
export async function openRegularFile(path: string, flags: number): Promise<fs.FileHandle> {
  await statRegularFile(path).catch((error) => {
    if (codeOf(error) !== 'ENOENT') throw error;
  });
  return fs.open(path, flags | safeFlags, 0o644);
}

const maxPieceBytes = 256 * 1024;

async function hashFile(path: string, size: number, signal: AbortSignal): Promise<FileState> {
  const file = await fs.open(path, constants.O_RDONLY | safeFlags);
  try {
    const hash = createHash('sha256');
    // For a small file, the extra byte makes the first read a short read, which ends the loop.
    const piece = Buffer.allocUnsafe(Math.min(maxPieceBytes, size + 1));
    let bytes = 0;
    for (;;) {
      signal.throwIfAborted();
      const { bytesRead } = await file.read(piece);
      hash.update(piece.subarray(0, bytesRead));
      bytes += bytesRead;
      if (bytesRead < piece.length) break;
    }
    return { kind: 'file', bytes, sha256: hash.digest('hex') };
  } finally {
    await file.close();
  }
}

export interface Listing {
  /** Paths, with slashes, of all files and of folders at the maximum depth. */
  readonly names: readonly string[];

  /** Folders that cannot be listed, with the reason. */
  readonly unreadable: ReadonlyMap<string, string>;
}

/**
 * Lists a folder and its subfolders. Skips hidden names, links, and folders with a declaration of
 * their own.
 *
 * @param depth 1 for the folder alone
 * @throws `signal.reason` if aborted
 */
export async function listNames(
  root: string,
  depth: number,
  signal: AbortSignal,
): Promise<Listing> {
  const names: string[] = [];
  const unreadable = new Map<string, string>();
  const waiting = [''];

  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    signal.throwIfAborted();
    const entries = await fs.readdir(join(root, folder), { withFileTypes: true }).catch((error) => {
      if (codeOf(error) !== 'ENOENT') unreadable.set(folder || '.', describeFileError(error));
      return [];
    });
    const isOther = folder !== '' && entries.some(({ name }) => name === declarationName);
    if (isOther) continue;

    for (const entry of entries) {
      if (entry.name.startsWith('.')) continue;
      const name = folder === '' ? entry.name : `${folder}/${entry.name}`;
      const isBelow = name.split('/').length < depth;
      if (entry.isDirectory() && isBelow) waiting.push(name);
      else names.push(name);
    }
  }
  return { names, unreadable };
}
