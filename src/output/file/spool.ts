import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { withReason } from './file-error.ts';
import { temporaryName } from './temporary-files.ts';

/** Stores bytes on disk until they are read. Failures throw `OutputError`. */
export interface Spool {
  write(bytes: Uint8Array): Promise<void>;

  /** Stores bytes and yields them. */
  copy(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer>;

  /** Reads everything from the beginning. */
  read(): AsyncIterable<Buffer>;

  /** Frees the disk space. */
  close(): Promise<void>;
}

/** Opens a spool in an existing folder. Throws `OutputError`. */
export async function createSpool(folder: string): Promise<Spool> {
  const path = join(folder, temporaryName('part'));
  const file = await withReason(path, () => openPrivate(path));

  const write = (bytes: Uint8Array) => withReason(path, () => file.writeFile(bytes));
  return {
    write,
    async *copy(bytes) {
      for await (const piece of bytes) {
        await write(piece);
        yield piece;
      }
    },
    read: () => file.createReadStream({ start: 0, autoClose: false }),
    close: () => file.close().catch(() => {}),
  };
}

/**
 * Creates a file that only this user can read. The file is unlinked immediately, so that nothing is
 * left behind if the program is killed.
 */
export async function openPrivate(path: string): Promise<fs.FileHandle> {
  const file = await fs.open(path, 'wx+', 0o600);
  try {
    await fs.unlink(path);
  } catch (error) {
    await file.close();
    throw error;
  }
  return file;
}
