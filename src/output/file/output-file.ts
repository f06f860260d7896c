import { once } from 'node:events';
import { constants, type Stats } from 'node:fs';
import * as fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip, type Gzip } from 'node:zlib';
import { codeOf } from '../../errors.ts';
import { type FileHost, retryWhileInUse } from '../../text/file-in-use.ts';
import { makeFolder } from '../../text/make-folder.ts';
import type { Sink } from '../encoder.ts';
import { ignore, systemError, withReason } from './file-error.ts';
import { followLinks } from './file-name.ts';
import { PieceWriter } from './piece-writer.ts';
import { openPrivate } from './spool.ts';
import { sweepFolder, temporaryName } from './temporary-files.ts';

export interface OutputFileOptions {
  readonly host: FileHost;

  /** Set if an existing file must not be replaced. */
  readonly noClobber?: boolean;

  /** Set if the hash of the output is needed. */
  readonly hashes?: boolean;
}

export interface CompleteFile {
  readonly sizeBytes: number;

  /** Hexadecimal hash; absent if `hashes` was not set. */
  readonly sha256?: string;
}

/** An open file with the steps that complete it. */
interface OpenedFile {
  readonly file: fs.FileHandle;

  /** Set for stdout, pipes and devices. */
  readonly isStream: boolean;

  /** Flushes and closes the file. */
  close(): Promise<void>;

  /** Moves the closed file into place. */
  place(): Promise<void>;

  /** Removes the file and the folders created for it. The file is already closed. */
  undo(): Promise<void>;
}

/**
 * Opens a file for writing. The output goes to a temporary file next to the target. `place` moves
 * it into place with the target's mode. Missing folders are created (`date=2026-11-01/`), and
 * `abort` removes them again. If the target is a symbolic link, the link is kept and the file that
 * it points to is replaced. Anything that is not a regular file, such as `/dev/stdout` or a named
 * pipe, is written like stdout. If the name ends in `.gz`, the output is compressed. Throws
 * `OutputError`.
 */
export async function openOutput(path: string, options: OutputFileOptions): Promise<OutputFile> {
  const { host } = options;
  const opened = await withReason(path, async () => {
    if (await isDirect(path, host.platform)) return openHeld((bytes) => appendTo(path, bytes));
    return openTemporary(path, options);
  });
  return new OutputFile(path, opened, options);
}

/**
 * Opens stdout. The output goes to a private temporary file first, and `place` copies it to stdout.
 * A report that fails thus leaves stdout empty. Throws `OutputError`.
 */
export async function openStdout(stdout: Sink): Promise<OutputFile> {
  const shown = `a temporary file in ${tmpdir()}`;
  const opened = await withReason(shown, () =>
    openHeld(async (bytes) => {
      for await (const piece of bytes) await stdout.write(piece);
    }),
  );
  return new OutputFile(shown, opened, {});
}

/**
 * A file that is either complete or absent. If a call other than `abort` fails, it undoes
 * everything and throws `OutputError`.
 */
export class OutputFile implements Sink {
  readonly #path: string;

  readonly #opened: OpenedFile;

  readonly #pieces: PieceWriter;

  /** Compressor, if the output is compressed. */
  readonly #gzip: Gzip | undefined;

  /** Moves compressed bytes to the file. */
  readonly #packing: Promise<void> | undefined;

  #isDone = false;

  constructor(
    path: string,
    opened: OpenedFile,
    { hashes = false }: Pick<OutputFileOptions, 'hashes'>,
  ) {
    this.#path = path;
    this.#opened = opened;
    this.#pieces = new PieceWriter(opened.file, { hashes });
    if (!/\.gz$/i.test(path)) return;

    this.#gzip = createGzip();
    this.#packing = pipeline(this.#gzip, (packs) => this.#writePacks(packs));
    // The error is reported by the next call.
    this.#packing.catch(() => {});
  }

  /** True for stdout, pipes and devices. */
  get isStream(): boolean {
    return this.#opened.isStream;
  }

  /**
   * Writes bytes. The caller may reuse them once the call has returned or its promise is fulfilled.
   */
  write(bytes: Uint8Array): Promise<void> | undefined {
    const writing = this.#gzip ? this.#pack(bytes, this.#gzip) : this.#pieces.write(bytes);
    return writing && this.#undoOnError(() => writing);
  }

  /** Completes the file without moving it into place. */
  async finish(): Promise<CompleteFile> {
    await this.#undoOnError(async () => {
      this.#gzip?.end();
      await this.#packing;
      await this.#pieces.end();
      await this.#opened.close();
    });
    return this.#pieces.facts();
  }

  /** Moves the finished file into place. */
  async place(): Promise<void> {
    await this.#undoOnError(() => this.#opened.place());
    this.#isDone = true;
  }

  /** Completes the file and moves it into place. */
  async commit(): Promise<void> {
    await this.finish();
    await this.place();
  }

  async abort(): Promise<void> {
    if (this.#isDone) return;
    this.#isDone = true;

    this.#gzip?.destroy();
    await this.#packing?.catch(() => {});
    await this.#opened.file.close().catch(() => {});
    await this.#opened.undo();
  }

  async #undoOnError(action: () => Promise<void>): Promise<void> {
    try {
      await withReason(this.#path, action);
    } catch (error) {
      await this.abort();
      throw error;
    }
  }

  async #pack(bytes: Uint8Array, gzip: Gzip): Promise<void> {
    // The bytes are copied, because the caller may reuse them.
    const hasRoom = gzip.write(Buffer.from(bytes));
    if (!hasRoom) await Promise.race([this.#packing, once(gzip, 'drain')]);
  }

  async #writePacks(packs: AsyncIterable<Buffer>): Promise<void> {
    for await (const pack of packs) await this.#pieces.write(pack);
  }
}

/**
 * Throws `OutputError` if the folder of a target is not writable, or if the target may not be
 * replaced. On Windows, also throws if another program has the target open. Called before a report
 * is requested.
 */
export async function checkTarget(path: string, options: OutputFileOptions): Promise<void> {
  const { host } = options;
  await withReason(path, async () => {
    if (await isDirect(path, host.platform)) return;

    const target = await findTarget(path, options);
    await fs.access(await existingFolder(dirname(target.path)), constants.W_OK);
    if (host.platform === 'win32' && target.existing) {
      await retryWhileInUse(host, () => tryToMove(target.path), maxTargetInUseMs);
    }
  });
}

/**
 * The wait is short, because a user is waiting. Programs that hold a file usually hold it for
 * minutes.
 */
const maxTargetInUseMs = 2_000;

/**
 * Opens a file for writing and renames it to itself. Excel blocks the opening, other programs block
 * the renaming.
 */
async function tryToMove(path: string): Promise<void> {
  const file = await fs.open(path, 'r+');
  await file.close();
  await fs.rename(path, path);
}

/** Copies the mode of the file that is about to be replaced. */
async function copyMode(file: fs.FileHandle, { mode }: Stats): Promise<void> {
  const own = await file.stat();
  const wantedMode = mode & 0o7777;
  if ((own.mode & 0o7777) !== wantedMode) await file.chmod(wantedMode);
}

/** Links a file to a second name. The name must be free. */
async function link(path: string, name: string): Promise<void> {
  try {
    await fs.link(path, name);
  } catch (error) {
    // Without support for hard links, disks report various errors. The only other cause is an
    // existing file.
    if (codeOf(error) === 'EEXIST') throw error;
    throw systemError('NO_HARD_LINKS', error);
  }
}

/** Opens a temporary file next to a regular target. If that fails, nothing is left behind. */
async function openTemporary(path: string, options: OutputFileOptions): Promise<OpenedFile> {
  const { host, noClobber } = options;
  const target = await findTarget(path, options);
  const folder = dirname(target.path);
  const temporaryPath = join(folder, temporaryName(basename(target.path)));
  const createdFolders = makeFolder(folder);

  async function undo(): Promise<void> {
    await fs.unlink(temporaryPath).catch(() => {});
    // The innermost folder comes first. A folder that contains other files stays.
    for (const created of createdFolders.toReversed()) await fs.rmdir(created).catch(() => {});
  }

  await sweepFolder(folder);
  const file = await fs.open(temporaryPath, 'wx').catch(async (error) => {
    await undo();
    throw error;
  });

  async function close(): Promise<void> {
    // The mode is set through the handle, because the owner of the folder may have replaced the
    // name with a link.
    if (target.existing) await copyMode(file, target.existing);
    await file.sync();
    await file.close();
  }

  async function place(): Promise<void> {
    if (!noClobber) {
      await retryWhileInUse(host, () => fs.rename(temporaryPath, target.path));
      return;
    }
    // Unlike a rename, a link never replaces a file that appeared in the meantime.
    await link(temporaryPath, target.path);
    await retryWhileInUse(host, () => fs.unlink(temporaryPath));
  }

  return { file, isStream: false, close, place, undo };
}

/** Opens a private temporary file. Its bytes are delivered once they are complete. */
async function openHeld(
  deliver: (bytes: AsyncIterable<Buffer>) => Promise<void>,
): Promise<OpenedFile> {
  const file = await openPrivate(join(tmpdir(), temporaryName('stdout')));
  return {
    file,
    isStream: true,
    close: async () => {},
    async place() {
      await deliver(file.createReadStream({ start: 0, autoClose: false }));
      await file.close();
    },
    undo: async () => {},
  };
}

/**
 * Writes to a stream, pipe or device. It appends, because the shell may have redirected a stream to
 * a file whose content must be kept (`-o /dev/stdout >> all.csv`).
 */
async function appendTo(path: string, bytes: AsyncIterable<Buffer>): Promise<void> {
  const file = await fs.open(path, 'a');
  try {
    for await (const piece of bytes) await file.writeFile(piece);
  } finally {
    await file.close();
  }
}

/** Final path of a file, with symbolic links resolved, and the file that it replaces. */
interface Target {
  readonly path: string;
  readonly existing: Stats | undefined;
}

async function findTarget(path: string, { noClobber }: OutputFileOptions): Promise<Target> {
  const target = followLinks(resolve(path));
  const existing = await statIfExists(target);
  if (existing?.isDirectory()) throw systemError('EISDIR');
  if (existing && noClobber) throw systemError('EEXIST');
  if (existing) await fs.access(target, constants.W_OK);
  return { path: target, existing };
}

/** Finds the innermost existing folder on a path. */
async function existingFolder(path: string): Promise<string> {
  const existing = await statIfExists(path);
  if (existing?.isDirectory()) return path;
  if (existing) throw systemError('ENOTDIR');
  // The drive or network host does not exist.
  if (path === dirname(path)) throw systemError('ENOENT');
  return existingFolder(dirname(path));
}

/**
 * Returns true if the target cannot be replaced: an open stream of this process, a pipe or a
 * device.
 */
async function isDirect(path: string, platform: NodeJS.Platform): Promise<boolean> {
  const isStream = /^\/(dev\/(stdout|stderr|fd\/\d+)|proc\/self\/fd\/\d+)$/.test(path);
  if (isStream && platform !== 'win32') return true;

  const existing = await statIfExists(path);
  return existing !== undefined && !existing.isFile() && !existing.isDirectory();
}

async function statIfExists(path: string): Promise<Stats | undefined> {
  return fs.stat(path).catch(ignore('ENOENT', 'ENOTDIR'));
}
