import { type FileHandle, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { ByteQueue } from '../bytes/byte-queue.ts';
import { withReason } from './file-error.ts';
import { temporaryName } from './temporary-file.ts';

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
