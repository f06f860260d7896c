import { createHash } from 'node:crypto';
import { type FileHandle, open, readdir, stat, unlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { codeOf } from '../../errors.ts';
import { ByteQueue } from './byte-queue.ts';
import { withReason } from './file-error.ts';

/** A temporary file that nobody has written to for so long belongs to nobody any more. */
const abandonedAfterMs = 24 * 60 * 60 * 1000;

/** All of the host's name counts, though not all of it fits: containers of one job differ in its end alone. */
const host = createHash('sha256').update(hostname()).digest('hex').slice(0, 16);

const pattern = /^\..*\.adreport-([A-Za-z0-9]+)-(\d+)-[a-z0-9]+\.tmp$/;

/** A name beside `name` that says who writes it: hidden, at most 255 bytes, different each time. */
export function temporaryName(name: string): string {
  const ending = `.adreport-${host}-${process.pid}-${Math.random().toString(36).slice(2, 10)}.tmp`;
  let beginning = name;
  while (Buffer.byteLength(beginning) > 250 - ending.length) beginning = beginning.slice(0, -1);
  return `.${beginning}${ending}`;
}

/** Removes what runs that were killed have left in a folder: their process is gone, or the file is a day old. */
export async function sweepFolder(folder: string): Promise<void> {
  // A folder may be one to write to and not to list.
  for (const name of await readdir(folder).catch(() => [])) {
    const [, owner, pid] = pattern.exec(name) ?? [];
    if (pid === undefined) continue;
    const path = join(folder, name);
    try {
      const isOrphan = owner === host && !isRunning(Number(pid));
      if (isOrphan || Date.now() - (await stat(path)).mtimeMs > abandonedAfterMs) await unlink(path);
    } catch {
      // Another run swept it away first, or it is not ours to remove.
    }
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

/** Bytes that wait on the disk until it is their turn. What fails throws `OutputError`. */
export interface Spool {
  /** Takes the bytes, which the caller may use again at once; a promise only where it must wait for the system. */
  write(bytes: Uint8Array): void | Promise<void>;
  /** Must be called after the last `write`, and before `read`. */
  finish(): Promise<void>;
  /** Everything that was written, in pieces. */
  read(): AsyncIterable<Buffer>;
  /** Gives the disk space back. Never throws. */
  close(): Promise<void>;
}

/**
 * A spool in a folder that exists. The file has no name there once it is open, so nothing is left behind whatever
 * happens to the program. Throws `OutputError` where the folder cannot be written to.
 */
export async function createSpool(folder: string): Promise<Spool> {
  const path = join(folder, temporaryName('part'));
  const file = await withReason(path, () => openNameless(path));
  // Let go of when it is finished: many spools may wait, and each queue holds half a megabyte.
  let queue: ByteQueue | undefined = new ByteQueue(file);
  return {
    write: (bytes) => {
      const waiting = queue?.write(bytes);
      return waiting && withReason(path, () => waiting);
    },
    finish: () =>
      withReason(path, async () => {
        await queue?.flush();
        queue = undefined;
      }),
    read: () => file.createReadStream({ start: 0, autoClose: false }),
    close: () => file.close().catch(() => {}),
  };
}

async function openNameless(path: string): Promise<FileHandle> {
  const file = await open(path, 'wx+');
  await unlink(path);
  return file;
}
