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
import { type CompleteFile, PieceWriter } from './piece-writer.ts';
import { openPrivate } from './spool.ts';
import { sweepFolder, temporaryName } from './temporary-files.ts';

export interface OutputFileOptions {
  readonly host: FileHost;

  /** Whether to keep an existing file instead of replacing it. */
  readonly noClobber?: boolean;

  /** Whether to compute the hash of the output. */
  readonly computeHash?: boolean;
}

/** An open file with the steps that complete it. */
interface OpenedFile {
  readonly file: fs.FileHandle;

  /** Whether the output is stdout, a pipe or a device. */
  readonly isStream: boolean;

  /** Flushes and closes the file. */
  close(): Promise<void>;

  /** Moves the closed file into place. */
  place(): Promise<void>;

  /** Removes the closed file and the folders created for it. */
  undo(): Promise<void>;
}

/**
 * Opens a file for writing. Throws `OutputError`.
 *
 * - The output goes to a temporary file next to the target, which `place` then replaces. The new
 *   file keeps the mode of the old file.
 * - Missing folders are created, and `abort` removes them again.
 * - If the target is a symbolic link, the file that it points to is replaced.
 * - A target that is not a regular file, such as `/dev/stdout` or a named pipe, is written like
 *   stdout.
 * - If the name ends in `.gz`, the output is compressed.
 */
export async function openOutput(path: string, options: OutputFileOptions): Promise<OutputFile> {
  const { host } = options;
  const opened = await withReason(path, async () => {
    if (await isStreamOrDevice(path, host.platform))
      return openDeferred((bytes) => appendTo(path, bytes));
    return openTemporary(path, options);
  });
  return new OutputFile(path, opened, options);
}

/**
 * Opens stdout. The output goes to a private temporary file, which `place` copies to stdout. If the
 * report fails, stdout stays empty. Throws `OutputError`.
 */
export async function openStdout(stdout: Sink): Promise<OutputFile> {
  const displayPath = `a temporary file in ${tmpdir()}`;
  const opened = await withReason(displayPath, () =>
    openDeferred(async (bytes) => {
      for await (const piece of bytes) await stdout.write(piece);
    }),
  );
  return new OutputFile(displayPath, opened, {});
}

/**
 * A file that is either complete or does not exist. If a call fails, the output is removed and the
 * call throws `OutputError`.
 */
export class OutputFile implements Sink {
  readonly #path: string;

  readonly #opened: OpenedFile;

  readonly #pieces: PieceWriter;

  /** Set for compressed output. */
  readonly #gzip: Gzip | undefined;

  /** Settles once all compressed bytes are written. */
  readonly #compression: Promise<void> | undefined;

  #isDone = false;

  constructor(
    path: string,
    opened: OpenedFile,
    { computeHash = false }: Pick<OutputFileOptions, 'computeHash'>,
  ) {
    this.#path = path;
    this.#opened = opened;
    this.#pieces = new PieceWriter(opened.file, { computeHash });
    if (!/\.gz$/i.test(path)) return;

    this.#gzip = createGzip();
    this.#compression = pipeline(this.#gzip, (bytes) => this.#writeCompressed(bytes));
    // The error is reported by the next call.
    this.#compression.catch(() => {});
  }

  /** Whether the output is stdout, a pipe or a device. */
  get isStream(): boolean {
    return this.#opened.isStream;
  }

  write(bytes: Uint8Array): Promise<void> | undefined {
    const writing = this.#gzip ? this.#compress(bytes, this.#gzip) : this.#pieces.write(bytes);
    return writing && this.#undoOnError(() => writing);
  }

  /** Completes the file without moving it into place. */
  async finish(): Promise<CompleteFile> {
    return this.#undoOnError(async () => {
      this.#gzip?.end();
      await this.#compression;
      const complete = await this.#pieces.end();
      await this.#opened.close();
      return complete;
    });
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
    await this.#compression?.catch(() => {});
    await this.#opened.file.close().catch(() => {});
    await this.#opened.undo();
  }

  async #undoOnError<T>(action: () => Promise<T>): Promise<T> {
    try {
      return await withReason(this.#path, action);
    } catch (error) {
      await this.abort();
      throw error;
    }
  }

  async #compress(bytes: Uint8Array, gzip: Gzip): Promise<void> {
    // The bytes are copied, because the caller may reuse them.
    const hasRoom = gzip.write(Buffer.from(bytes));
    if (!hasRoom) await Promise.race([this.#compression, once(gzip, 'drain')]);
  }

  async #writeCompressed(bytes: AsyncIterable<Buffer>): Promise<void> {
    for await (const piece of bytes) await this.#pieces.write(piece);
  }
}

/**
 * Checks a target before a report is requested. Throws `OutputError` if its folder is not writable,
 * if it may not be replaced, or, on Windows, if another program has it open.
 */
export async function checkTarget(path: string, options: OutputFileOptions): Promise<void> {
  const { host } = options;
  await withReason(path, async () => {
    if (await isStreamOrDevice(path, host.platform)) return;

    const target = await findTarget(path, options);
    await fs.access(await findExistingFolder(dirname(target.path)), constants.W_OK);
    if (host.platform === 'win32' && target.existing) {
      await retryWhileInUse(host, () => tryToMove(target.path), maxTargetInUseMs);
    }
  });
}

/** Short, because most programs keep a file open for minutes. */
const maxTargetInUseMs = 2_000;

/** Opens a file and renames it to itself. Excel blocks opening, other programs block renaming. */
async function tryToMove(path: string): Promise<void> {
  const file = await fs.open(path, 'r+');
  await file.close();
  await fs.rename(path, path);
}

/** Copies the mode of the file that is about to be replaced. */
async function copyMode(file: fs.FileHandle, { mode }: Stats): Promise<void> {
  const current = await file.stat();
  const wantedMode = mode & 0o7777;
  if ((current.mode & 0o7777) !== wantedMode) await file.chmod(wantedMode);
}

/** Gives a file a second name, which must not exist yet. */
async function createHardLink(path: string, name: string): Promise<void> {
  try {
    await fs.link(path, name);
  } catch (error) {
    // Disks without hard links report various errors. The only other cause is an existing file.
    if (codeOf(error) === 'EEXIST') throw error;
    throw systemError('NO_HARD_LINKS', error);
  }
}

/** Opens a temporary file next to a regular target. Leaves nothing behind on failure. */
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
    await createHardLink(temporaryPath, target.path);
    await retryWhileInUse(host, () => fs.unlink(temporaryPath));
  }

  return { file, isStream: false, close, place, undo };
}

/** Opens a private temporary file, whose content is delivered once it is complete. */
async function openDeferred(
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
 * Appends to a stream, pipe or device. The shell may have redirected the stream to a file whose
 * content must be kept: `-o /dev/stdout >> all.csv`.
 */
async function appendTo(path: string, bytes: AsyncIterable<Buffer>): Promise<void> {
  const file = await fs.open(path, 'a');
  try {
    for await (const piece of bytes) await file.writeFile(piece);
  } finally {
    await file.close();
  }
}

interface Target {
  /** Path with symbolic links resolved. */
  readonly path: string;

  /** File to replace. */
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
async function findExistingFolder(path: string): Promise<string> {
  const existing = await statIfExists(path);
  if (existing?.isDirectory()) return path;
  if (existing) throw systemError('ENOTDIR');
  // The drive or network host does not exist.
  if (path === dirname(path)) throw systemError('ENOENT');
  return findExistingFolder(dirname(path));
}

/** Streams of this process, pipes and devices cannot be replaced. */
async function isStreamOrDevice(path: string, platform: NodeJS.Platform): Promise<boolean> {
  const isStreamPath = /^\/(dev\/(stdout|stderr|fd\/\d+)|proc\/self\/fd\/\d+)$/.test(path);
  if (isStreamPath && platform !== 'win32') return true;

  const existing = await statIfExists(path);
  return existing !== undefined && !existing.isFile() && !existing.isDirectory();
}

async function statIfExists(path: string): Promise<Stats | undefined> {
  return fs.stat(path).catch(ignore('ENOENT', 'ENOTDIR'));
}
