import { open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sink } from '../encoder.ts';
import { temporaryName, withReason } from './output-file.ts';

/** Bytes that wait on the disk until it is their turn. What fails throws `OutputError`. */
export interface Spool extends Sink {
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
  const file = await withReason(path, () => open(path, 'wx+'));
  await withReason(path, () => unlink(path));
  return {
    write: (bytes) => withReason(path, () => file.writeFile(bytes)),
    read: () => file.createReadStream({ start: 0, autoClose: false }),
    close: () => file.close().catch(() => {}),
  };
}
