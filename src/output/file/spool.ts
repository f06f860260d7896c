import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { withReason } from './file-error.ts';
import { temporaryName } from './temporary-files.ts';

/**
 * A place on the disk for bytes that wait until it is their turn. What fails throws `OutputError`.
 */
export interface Spool {
  write(bytes: Uint8Array): Promise<void>;

  /** Gives all that was written, from its beginning. */
  read(): AsyncIterable<Buffer>;

  /** Gives the space back. */
  close(): Promise<void>;
}

/**
 * Opens a spool in a folder that exists. Its file has no name once it is open: nothing stays,
 * whatever happens to the program. Throws `OutputError`.
 */
export async function createSpool(folder: string): Promise<Spool> {
  const path = join(folder, temporaryName('part'));
  const file = await withReason(path, () => fs.open(path, 'wx+'));
  await withReason(path, () => fs.unlink(path));

  return {
    write: (bytes) => withReason(path, () => file.writeFile(bytes)),
    read: () => file.createReadStream({ start: 0, autoClose: false }),
    close: () => file.close().catch(() => {}),
  };
}
