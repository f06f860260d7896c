import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import * as fs from 'node:fs/promises';
import { codeOf } from '../errors.ts';

/** What stands at the place of a file. */
export type Standing =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'file'; readonly bytes: number; readonly sha256: string }

  /** A regular file that cannot be read; `why` is a clause. */
  | { readonly kind: 'unreadable'; readonly why: string }

  /** What no file can replace, such as a folder; `why` is a clause. */
  | { readonly kind: 'blocked'; readonly why: string };

/** How files are looked at, and what ends it. */
export interface LookOptions {
  readonly signal: AbortSignal;

  /** Hears how many more bytes were read. */
  readonly onBytes?: (count: number) => void;
}

const nothing: Standing = { kind: 'nothing' };
const noRegularFile: Standing = { kind: 'blocked', why: 'no regular file stands in its place' };

/**
 * What stands at a path, with its hash: the bytes alone tell whether a file is that of its line.
 * Nothing is decoded.
 *
 * @throws the reason of the signal once that is aborted
 */
export async function lookAt(path: string, options: LookOptions): Promise<Standing> {
  try {
    const stats = await fs.stat(path);
    if (stats.isDirectory()) return { kind: 'blocked', why: 'a folder stands in its place' };
    if (!stats.isFile()) return noRegularFile;
    return await hashFile(path, options);
  } catch (error) {
    if (options.signal.aborted) throw options.signal.reason;
    return standingOf(error);
  }
}

function standingOf(error: unknown): Standing {
  const code = codeOf(error);
  if (code === 'ENOENT') return nothing;
  if (code === 'ENOTDIR') {
    return { kind: 'blocked', why: 'a file stands where a folder of its path should be' };
  }
  if (code === 'ELOOP') return { kind: 'blocked', why: 'a link in its path leads to itself' };
  if (code === 'EACCES' || code === 'EPERM') {
    return { kind: 'unreadable', why: 'permission is denied' };
  }
  return { kind: 'unreadable', why: code ?? String(error) };
}

const pieceBytes = 256 * 1024;

async function hashFile(path: string, { signal, onBytes }: LookOptions): Promise<Standing> {
  // A pipe that has taken the place of the file meanwhile would hold the program up.
  const file = await fs.open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = await file.stat();
    if (!stats.isFile()) return noRegularFile;

    const hash = createHash('sha256');
    // Most files are small, and a byte more than one has tells that it has ended.
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

/**
 * So many files are read at a time: their disk has a queue, and the hashes are made one after the
 * other anyway.
 */
const lookedAtOnce = 8;

/** What stands at each of some paths. Throws as `lookAt`. */
export async function lookAtAll(
  paths: readonly string[],
  options: LookOptions,
): Promise<Map<string, Standing>> {
  const standings = new Map<string, Standing>();
  const waiting = [...paths];

  const workers = Array.from({ length: lookedAtOnce }, async () => {
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      standings.set(path, await lookAt(path, options));
    }
  });
  await Promise.all(workers);
  return standings;
}
