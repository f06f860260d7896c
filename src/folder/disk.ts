import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf, OutputError } from '../errors.ts';
import { printable } from '../text/printable.ts';
import { declarationName } from './declaration.ts';

export type FileState =
  | { readonly kind: 'absent' }
  | {
      readonly kind: 'file';
      readonly bytes: number;

      /** Hash of the bytes; absent if only the size was read. */
      readonly sha256?: string;
    }

  /**
   * A file that cannot be read, or a folder or a link. No report replaces any of these. `why` is a
   * clause.
   */
  | { readonly kind: 'unreadable'; readonly why: string };

export interface DiskOptions {
  readonly signal: AbortSignal;

  /** True to read and hash the files, false to read only their sizes. */
  readonly hashes: boolean;

  /** Called with the number of bytes just read. */
  readonly onBytes?: ((count: number) => void) | undefined;
}

/** Disks queue requests, so reading several files at a time is faster. */
const workerCount = 8;

/**
 * Reads the sizes of files in a folder. Also reads their hashes, if wanted.
 *
 * @param names paths from the folder, with slashes
 * @throws the reason of the signal once the signal is aborted
 */
export async function readFileStates(
  folder: string,
  names: Iterable<string>,
  options: DiskOptions,
): Promise<Map<string, FileState>> {
  const states = new Map<string, FileState>();
  const waiting = [...names].reverse();

  const workers = Array.from({ length: workerCount }, async () => {
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      options.signal.throwIfAborted();
      states.set(name, await readFileState(folder, name, options));
    }
  });
  await Promise.all(workers);
  return states;
}

async function readFileState(
  folder: string,
  name: string,
  options: DiskOptions,
): Promise<FileState> {
  const path = join(folder, name);
  try {
    const obstacle = await findObstacle(folder, name);
    if (obstacle !== undefined) return { kind: 'unreadable', why: obstacle };
    if (options.hashes) return await hashFile(path, options);
    return { kind: 'file', bytes: (await fs.lstat(path)).size };
  } catch (error) {
    if (options.signal.aborted) throw options.signal.reason;
    if (codeOf(error) === 'ENOENT') return { kind: 'absent' };
    return { kind: 'unreadable', why: accessErrorReason(error) };
  }
}

/**
 * Describes the first obstacle on the path: a link, or a last part that is not a regular file. The
 * result is a clause.
 */
async function findObstacle(folder: string, name: string): Promise<string | undefined> {
  const segments = name.split('/');
  for (const [index] of segments.entries()) {
    const within = segments.slice(0, index + 1).join('/');
    const isLast = index === segments.length - 1;
    const subject = isLast ? 'it' : within;
    const stats = await fs.lstat(join(folder, within));
    if (stats.isSymbolicLink()) return `${subject} is a link`;
    if (isLast && stats.isDirectory()) return `${subject} is a folder`;
    if (isLast && !stats.isFile()) return `${subject} is not a regular file`;
  }
  return undefined;
}

/** Throws `OutputError` if the path of a file is taken by a link, a folder or a device. */
export async function requireWritablePath(folder: string, name: string): Promise<void> {
  const obstacle = await findObstacle(folder, name).catch(() => undefined);
  if (obstacle === undefined) return;
  throw new OutputError(`Cannot write ${printable(join(folder, name))}: ${printable(obstacle)}.`, {
    hint: 'Move it away, or replace it with a regular file or folder.',
  });
}

const pieceBytes = 256 * 1024;

async function hashFile(path: string, { signal, onBytes }: DiskOptions): Promise<FileState> {
  const file = await openRegularFile(path, constants.O_RDONLY);
  try {
    const { size } = await file.stat();
    const hash = createHash('sha256');
    // Most files are small. The extra byte makes the first read short, which ends the loop.
    const piece = Buffer.allocUnsafe(Math.min(pieceBytes, size + 1));
    let bytes = 0;
    for (;;) {
      signal.throwIfAborted();
      const { bytesRead } = await file.read(piece, 0, piece.length, null);
      hash.update(piece.subarray(0, bytesRead));
      bytes += bytesRead;
      onBytes?.(bytesRead);
      if (bytesRead < piece.length) break;
    }
    return { kind: 'file', bytes, sha256: hash.digest('hex') };
  } finally {
    await file.close();
  }
}

/** Error code for anything that is not a regular file. */
const notRegular = 'NOT_REGULAR';

/**
 * Opens a file. Throws if it is a link or not a regular file, because opening a pipe would block.
 */
export async function openRegularFile(path: string, flags: number): Promise<fs.FileHandle> {
  // Windows has no O_NOFOLLOW.
  const followsLinks = constants.O_NOFOLLOW === undefined;
  if (followsLinks && (await isLink(path))) throw Object.assign(new Error(), { code: 'ELOOP' });

  const file = await fs.open(path, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK, 0o644);
  const stats = await file.stat();
  if (stats.isFile()) return file;

  await file.close();
  throw Object.assign(new Error(notRegular), { code: notRegular });
}

async function isLink(path: string): Promise<boolean> {
  const stats = await fs.lstat(path).catch(() => undefined);
  return stats?.isSymbolicLink() === true;
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the disk is read-only',
  ENOSPC: 'the disk is full',
  EISDIR: 'it is a folder',
  ELOOP: 'it is a link',
  EMLINK: 'it is a link',
  ENXIO: 'it is not a regular file',
  ENOTDIR: 'a folder on its path is a file',
  [notRegular]: 'it is not a regular file',
};

/** Explains why the system does not allow a path to be used, as a clause. */
export function accessErrorReason(error: unknown): string {
  const code = codeOf(error) ?? '';
  return reasons[code] ?? (code || String(error));
}

export interface Listing {
  /** Paths with slashes of all files, and of folders at the maximum depth. */
  readonly names: readonly string[];

  /** Folders that cannot be listed, with the reason as a clause. */
  readonly closed: ReadonlyMap<string, string>;
}

/**
 * Lists a folder and its subfolders. Skips hidden names and folders with a declaration of their
 * own. Links are not followed.
 *
 * @param depth 1 for the folder alone
 * @throws the reason of the signal once the signal is aborted
 */
export async function listNames(
  root: string,
  depth: number,
  signal: AbortSignal,
): Promise<Listing> {
  const names: string[] = [];
  const closed = new Map<string, string>();
  const waiting = [''];

  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    signal.throwIfAborted();
    const entries = await fs.readdir(join(root, folder), { withFileTypes: true }).catch((error) => {
      if (codeOf(error) !== 'ENOENT') closed.set(folder || '.', accessErrorReason(error));
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
  return { names, closed };
}
