import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import * as fs from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { codeOf } from '../errors.ts';

export type FileState =
  | { readonly kind: 'absent' }
  | {
      readonly kind: 'file';
      readonly bytes: number;

      /** Absent if only the size was read. */
      readonly sha256?: string;
    }

  /** Regular file that cannot be read; `why` is a clause. */
  | { readonly kind: 'unreadable'; readonly why: string }

  /** Something that is never replaced by a file, such as a folder or a link; `why` is a clause. */
  | { readonly kind: 'blocked'; readonly why: string };

export interface DiskOptions {
  readonly signal: AbortSignal;

  /** Selects files to read and hash; of others only the size is read. */
  readonly reads: (name: string) => boolean;

  /** Called with the number of bytes just read. */
  readonly onBytes?: (count: number) => void;
}

/** Disks queue requests, so reading several files at a time is faster. */
const workerCount = 8;

/**
 * Looks at files in a folder.
 *
 * @param names paths relative to the folder, with slashes
 * @throws the reason of the signal once it is aborted
 */
export async function readFileStates(
  folder: string,
  names: Iterable<string>,
  options: DiskOptions,
): Promise<Map<string, FileState>> {
  const found = new Map<string, FileState>();
  const links: KnownLinks = new Map();
  const waiting = [...names].reverse();

  const workers = Array.from({ length: workerCount }, async () => {
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      found.set(name, await lookAtFile(folder, name, { ...options, links }));
    }
  });
  await Promise.all(workers);
  return found;
}

/**
 * Describes a link on the path of a file below a folder, as a clause; `undefined` if there is none.
 */
export async function linkOnPath(folder: string, name: string): Promise<string | undefined> {
  const stats = await fs.lstat(join(folder, name)).catch(() => undefined);
  if (stats?.isSymbolicLink()) return 'it is a link';
  return findLinkAbove(folder, name, new Map());
}

/** Links on the paths of folders, as clauses, so that each folder is looked at once. */
type KnownLinks = Map<string, Promise<string | undefined>>;

/** Describes the outermost link among the parent folders of a file, as a clause. */
async function findLinkAbove(
  root: string,
  name: string,
  known: KnownLinks,
): Promise<string | undefined> {
  const folder = dirname(name);
  if (folder === '.') return undefined;

  const link = known.get(folder) ?? findLinkAt(root, folder, known);
  known.set(folder, link);
  return link;
}

async function findLinkAt(
  root: string,
  folder: string,
  known: KnownLinks,
): Promise<string | undefined> {
  const above = await findLinkAbove(root, folder, known);
  if (above !== undefined) return above;
  const stats = await fs.lstat(join(root, folder)).catch(() => undefined);
  return stats?.isSymbolicLink() ? `${folder} is a link` : undefined;
}

async function lookAtFile(
  folder: string,
  name: string,
  options: DiskOptions & { readonly links: KnownLinks },
): Promise<FileState> {
  options.signal.throwIfAborted();
  const link = await findLinkAbove(folder, name, options.links);
  if (link !== undefined) return { kind: 'blocked', why: link };

  const path = join(folder, name);
  try {
    const stats = await fs.lstat(path);
    if (stats.isSymbolicLink()) return { kind: 'blocked', why: 'it is a link' };
    if (stats.isDirectory()) return { kind: 'blocked', why: 'it is a folder' };
    if (!stats.isFile()) return notRegular;
    return options.reads(name)
      ? await readFile(path, options)
      : { kind: 'file', bytes: stats.size };
  } catch (error) {
    if (options.signal.aborted) throw options.signal.reason;
    return fromError(error);
  }
}

const notRegular: FileState = { kind: 'blocked', why: 'it is not a regular file' };

function fromError(error: unknown): FileState {
  const code = codeOf(error);
  if (code === 'ENOENT') return { kind: 'absent' };
  if (code === 'ENOTDIR') return { kind: 'blocked', why: 'a folder on its path is a file' };
  return { kind: 'unreadable', why: accessErrorReason(error) };
}

/** Explains why the system does not let a path be read, as a clause. */
export function accessErrorReason(error: unknown): string {
  const code = codeOf(error);
  return code === 'EACCES' || code === 'EPERM' ? 'permission denied' : (code ?? String(error));
}

const pieceBytes = 256 * 1024;

async function readFile(path: string, { signal, onBytes }: DiskOptions): Promise<FileState> {
  // If a pipe has replaced the file since, opening it without O_NONBLOCK would block.
  const file = await fs.open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = await file.stat();
    if (!stats.isFile()) return notRegular;

    const hash = createHash('sha256');
    // Most files are small. The extra byte makes the first read short, which ends the loop.
    const piece = Buffer.allocUnsafe(Math.min(pieceBytes, stats.size + 1));
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

export interface Listing {
  /** Paths with slashes: everything except folders, and folders at the maximum depth. */
  readonly names: readonly string[];

  /** Folders that cannot be listed, with the reason as a clause. */
  readonly closed: ReadonlyMap<string, string>;
}

/**
 * Lists a folder and its subfolders, without hidden names. Links are not followed.
 *
 * @param options `depth` is 1 for the folder alone; `marksOther` recognizes a file name that marks
 *   a subfolder as separate, so that it is skipped
 * @throws the reason of the signal once it is aborted
 */
export async function listNames(
  root: string,
  options: { depth: number; marksOther: (name: string) => boolean; signal: AbortSignal },
): Promise<Listing> {
  const names: string[] = [];
  const closed = new Map<string, string>();
  const waiting = [''];

  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    options.signal.throwIfAborted();
    const entries = await fs.readdir(join(root, folder), { withFileTypes: true }).catch((error) => {
      if (codeOf(error) !== 'ENOENT') closed.set(folder || '.', accessErrorReason(error));
      return [];
    });
    const isOther = folder !== '' && entries.some(({ name }) => options.marksOther(name));
    if (isOther) continue;

    for (const entry of entries) {
      if (entry.name.startsWith('.')) continue;
      const name = folder === '' ? entry.name : `${folder}/${entry.name}`;
      const isBelow = name.split('/').length < options.depth;
      if (entry.isDirectory() && isBelow) waiting.push(name);
      else names.push(name);
    }
  }
  return { names, closed };
}
