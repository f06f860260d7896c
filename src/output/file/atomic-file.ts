import { unlinkSync } from 'node:fs';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { codeOf } from '../../errors.ts';
import { ByteQueue } from '../bytes/byte-queue.ts';
import { fileError, fileExists } from './file-error.ts';
import { placeNewFile, replaceFile } from './place-file.ts';
import { temporaryName } from './temporary-file.ts';

interface AtomicOptions {
  /** The path as the user gave it, for messages. */
  readonly shownPath: string;
  /** The file that is replaced: its permissions are kept, and its owner where the system lets us. */
  readonly existing: { readonly mode: number; readonly uid: number; readonly gid: number } | undefined;
  /** Fail rather than replace a file that somebody puts there meanwhile. */
  readonly noClobber: boolean;
  /** Called once the file has been taken back, e.g. to remove the folders that were made for it. */
  afterAbort(): Promise<void>;
}

/** The temporary files that are open now. */
const openPaths = new Set<string>();

/** Removes every file that is half written, at once: for a program that must end now. */
export function discardOpenOutputs(): void {
  for (const path of openPaths) {
    try {
      unlinkSync(path);
    } catch {
      // The next run into that folder sweeps it away.
    }
  }
  openPaths.clear();
}

/**
 * A regular file that is written beside its place and put there once it is whole. What fails takes back all of it, and
 * throws `OutputError`.
 */
export class AtomicFile {
  readonly path: string;
  readonly #options: AtomicOptions;
  #temporaryPath: string;
  #file: FileHandle;
  #queue: ByteQueue;
  #isDone = false;

  private constructor(path: string, options: AtomicOptions, temporaryPath: string, file: FileHandle) {
    this.path = path;
    this.#options = options;
    this.#temporaryPath = temporaryPath;
    this.#file = file;
    this.#queue = new ByteQueue(file);
  }

  /** Begins a file at an absolute path whose folder exists. Throws what the system throws. */
  static async create(path: string, options: AtomicOptions): Promise<AtomicFile> {
    const [temporaryPath, file] = await createBeside(path);
    return new AtomicFile(path, options, temporaryPath, file);
  }

  /** Takes the bytes, which the caller may use again at once; a promise only where it must wait for the system. */
  write(bytes: Uint8Array): void | Promise<void> {
    return this.#queue.write(bytes)?.catch((error: unknown) => this.#fail(error));
  }

  /** Replaces what was written so far by what `change` makes of it. */
  async rewrite(change: (written: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>): Promise<void> {
    try {
      await this.#queue.flush();
      const [changedPath, changed] = await createBeside(this.path);
      const [writtenPath, written] = [this.#temporaryPath, this.#file];
      this.#temporaryPath = changedPath;
      this.#file = changed;
      this.#queue = new ByteQueue(changed);
      try {
        for await (const piece of change(written.createReadStream({ start: 0, autoClose: false }))) {
          await this.#queue.write(piece);
        }
      } finally {
        await written.close();
        await remove(writtenPath);
      }
    } catch (error) {
      await this.#fail(error);
    }
  }

  /** Flushes the file to the disk and puts it into its place. */
  async commit(): Promise<void> {
    try {
      await this.#queue.flush();
      await this.#keepPermissions();
      await this.#file.sync();
      await this.#file.close();
      await this.#place();
      this.#isDone = true;
      openPaths.delete(this.#temporaryPath);
      await syncFolder(dirname(this.path));
    } catch (error) {
      await this.#fail(error);
    }
  }

  /** Removes what was written, unless it has been committed. Never throws. */
  async abort(): Promise<void> {
    if (this.#isDone) return;
    this.#isDone = true;
    await this.#file.close().catch(() => {});
    await remove(this.#temporaryPath);
    await this.#options.afterAbort();
  }

  async #keepPermissions(): Promise<void> {
    const { existing } = this.#options;
    if (!existing) return;
    await this.#file.chown(existing.uid, existing.gid).catch(() => {});
    await this.#file.chmod(existing.mode & 0o7777);
  }

  async #place(): Promise<void> {
    const { noClobber, shownPath } = this.#options;
    if (!noClobber) return replaceFile(this.#temporaryPath, this.path);
    try {
      await placeNewFile(this.#temporaryPath, this.path);
    } catch (error) {
      throw codeOf(error) === 'EEXIST' ? fileExists(shownPath) : error;
    }
  }

  async #fail(error: unknown): Promise<never> {
    await this.abort();
    throw fileError(error, this.#options.shownPath);
  }
}

let isGuarded = false;

async function createBeside(path: string): Promise<[temporaryPath: string, file: FileHandle]> {
  // A second Ctrl-C ends the program at once.
  if (!isGuarded) process.once('exit', discardOpenOutputs);
  isGuarded = true;
  const temporaryPath = join(dirname(path), temporaryName(basename(path)));
  const file = await open(temporaryPath, 'wx+');
  openPaths.add(temporaryPath);
  return [temporaryPath, file];
}

async function remove(temporaryPath: string): Promise<void> {
  await unlink(temporaryPath).catch(() => {});
  openPaths.delete(temporaryPath);
}

/** Makes the rename itself survive a power cut, where the system lets a folder be flushed. */
async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, 'r');
    await handle.sync().finally(() => handle.close());
  } catch {
    // Windows, and some network file systems.
  }
}
