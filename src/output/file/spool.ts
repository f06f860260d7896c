import { type FileHandle, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { ByteQueue } from '../bytes/byte-queue.ts';
import { fileError } from './file-error.ts';
import { temporaryName } from './temporary-file.ts';

/** Bytes that wait on the disk until it is their turn. */
export interface Spool {
  write(bytes: Uint8Array): void | Promise<void>;
  /** Must be called after the last `write`, and before `read`. */
  finish(): Promise<void>;
  read(): AsyncIterable<Buffer>;
  /** Gives the disk space back. Never throws. */
  close(): Promise<void>;
}

/**
 * A spool in a folder that exists. The file has no name there once it is open, so nothing is left behind whatever
 * happens to the program. Throws `OutputError`.
 */
export async function createSpool(folder: string): Promise<Spool> {
  const path = join(folder, temporaryName('part'));
  const withReason = async <T>(action: () => Promise<T>): Promise<T> => {
    try {
      return await action();
    } catch (error) {
      throw fileError(error, path);
    }
  };
  const file = await withReason(() => openNameless(path));
  // Let go of when it is finished: many spools may wait, and each queue holds half a megabyte.
  let queue: ByteQueue | undefined = new ByteQueue(file);
  return {
    write: (bytes) => {
      const waiting = queue?.write(bytes);
      return waiting && withReason(() => waiting);
    },
    finish: () =>
      withReason(async () => {
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
