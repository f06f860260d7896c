import { once } from 'node:events';
import { constants, type Stats } from 'node:fs';
import * as fs from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip, type Gzip } from 'node:zlib';
import { codeOf } from '../../errors.ts';
import { changeFile, type FileMachine } from '../../text/held-file.ts';
import type { Sink } from '../encoder.ts';
import { ignore, systemError, withReason } from './file-error.ts';
import { followLinks } from './file-name.ts';
import { PieceWriter } from './piece-writer.ts';
import { sweepFolder, temporaryName } from './temporary-files.ts';

export interface OutputFileOptions {
  readonly machine: FileMachine;

  /** Refuse to replace an existing file. */
  readonly noClobber?: boolean;

  /** Compute the hash of the output. */
  readonly hashes?: boolean;
}

/** A complete file. */
export interface CompleteFile {
  readonly sizeBytes: number;

  /** Hexadecimal; absent if `hashes` was not set. */
  readonly sha256?: string;
}

/** An open file and its completion steps. */
interface OpenedFile {
  readonly file: fs.FileHandle;

  /** Flushes and closes the file. */
  close(): Promise<void>;

  /** Moves the closed file into place. */
  place(): Promise<void>;

  /** Removes the file and created folders; the file is already closed. */
  undo(): Promise<void>;
}

/**
 * Opens a file for writing. The output goes to a temporary file next to the target, which `place`
 * moves into place with the target's mode. Missing folders are created (`date=2026-11-01/`), and
 * removed again by `abort`. A symbolic link is kept and its target is replaced. `/dev/stdout`,
 * named pipes and everything else that is not a regular file are written directly. Output to names
 * ending in `.gz` is compressed. Throws `OutputError`.
 */
export async function openOutput(path: string, options: OutputFileOptions): Promise<OutputFile> {
  const { machine } = options;
  const opened = await withReason(path, async () => {
    if (await isDirect(path, machine.platform)) return openDirect(path);
    return TemporaryFile.open(path, options);
  });
  return new OutputFile(path, opened, options);
}

/**
 * A file that is either complete or absent. On failure, all calls but `abort` undo everything and
 * throw `OutputError`.
 */
export class OutputFile implements Sink {
  readonly #path: string;

  readonly #opened: OpenedFile;

  readonly #pieces: PieceWriter;

  /** Present if the output is compressed. */
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
    // The next call reports the error.
    this.#packing.catch(() => {});
  }

  /** Writes bytes, which may be reused once this has returned or its promise is fulfilled. */
  write(bytes: Uint8Array): Promise<void> | undefined {
    const writing = this.#gzip ? this.#pack(bytes, this.#gzip) : this.#pieces.write(bytes);
    return writing && this.#undoOnError(() => writing);
  }

  /** Completes the file, but does not move it into place. */
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
    // Copied, because the caller may reuse the bytes.
    const hasRoom = gzip.write(Buffer.from(bytes));
    if (!hasRoom) await Promise.race([this.#packing, once(gzip, 'drain')]);
  }

  async #writePacks(packs: AsyncIterable<Buffer>): Promise<void> {
    for await (const pack of packs) await this.#pieces.write(pack);
  }
}

/**
 * Throws `OutputError` before a report is requested if its folder is not writable or its target may
 * not be replaced; on Windows also if another program has the target open.
 */
export async function checkTarget(path: string, options: OutputFileOptions): Promise<void> {
  const { machine } = options;
  await withReason(path, async () => {
    if (await isDirect(path, machine.platform)) return;

    const target = await findTarget(path, options);
    const [outermost] = await missingFolders(dirname(target.path));
    await fs.access(dirname(outermost ?? target.path), constants.W_OK);
    if (machine.platform === 'win32') await expectReplaceable(target, machine);
  });
}

/** Short, because a user is waiting, and programs that hold a file usually do so for minutes. */
const heldFileCheckMs = 2_000;

/** Throws `HeldFileError` if the target cannot be replaced because another program has it open. */
async function expectReplaceable({ path, existing }: Target, machine: FileMachine): Promise<void> {
  if (!existing) return;
  await changeFile(machine, () => tryToMove(path), heldFileCheckMs);

  const secondName = join(dirname(path), temporaryName('second'));
  try {
    await fs.link(path, secondName);
  } catch {
    // Without hard links this only shows when the file is replaced.
    return;
  }
  try {
    await changeFile(machine, () => tryToReplace(secondName), heldFileCheckMs);
  } finally {
    await fs.unlink(secondName).catch(() => {});
  }
}

/**
 * Opens a file for writing and renames it to itself: Excel blocks the former, other programs the
 * latter.
 */
async function tryToMove(path: string): Promise<void> {
  const file = await fs.open(path, 'r+');
  await file.close();
  await fs.rename(path, path);
}

/**
 * Replaces a second name of a file. Some programs allow writing and renaming, but not replacing.
 */
async function tryToReplace(secondName: string): Promise<void> {
  const empty = join(dirname(secondName), temporaryName('empty'));
  await fs.writeFile(empty, '', { flag: 'wx' });
  try {
    await fs.rename(empty, secondName);
  } finally {
    await fs.unlink(empty).catch(() => {});
  }
}

/** Copies the mode of the file that will be replaced. */
async function copyMode(file: fs.FileHandle, { mode }: Stats): Promise<void> {
  const own = await file.stat();
  const wantedMode = mode & 0o7777;
  if ((own.mode & 0o7777) !== wantedMode) await file.chmod(wantedMode);
}

/** Links a file to a second name, which must be free. */
async function link(path: string, name: string): Promise<void> {
  try {
    await fs.link(path, name);
  } catch (error) {
    // Disks without hard links report various errors; an existing file is the only other cause.
    if (codeOf(error) === 'EEXIST') throw error;
    throw systemError('NO_HARD_LINKS', error);
  }
}

/** A regular file, written to a temporary file next to its target. */
class TemporaryFile implements OpenedFile {
  readonly file: fs.FileHandle;

  readonly #temporaryPath: string;

  readonly #target: Target;

  readonly #createdFolders: readonly string[];

  readonly #machine: FileMachine;

  private constructor({
    file,
    temporaryPath,
    target,
    createdFolders,
    machine,
  }: OpenedTemporaryFile) {
    this.file = file;
    this.#temporaryPath = temporaryPath;
    this.#target = target;
    this.#createdFolders = createdFolders;
    this.#machine = machine;
  }

  /** Creates the temporary file. On failure nothing is left behind. */
  static async open(path: string, options: OutputFileOptions): Promise<TemporaryFile> {
    const target = await findTarget(path, options);
    const folder = dirname(target.path);
    const temporaryPath = join(folder, temporaryName(basename(target.path)));

    const createdFolders: string[] = [];
    try {
      await createFolders(folder, createdFolders);
      await sweepFolder(folder);
      const file = await fs.open(temporaryPath, 'wx');
      const { machine } = options;
      return new TemporaryFile({ file, temporaryPath, target, createdFolders, machine });
    } catch (error) {
      await removeFolders(createdFolders);
      throw error;
    }
  }

  async close(): Promise<void> {
    const { existing } = this.#target;
    // Through the handle: the owner of the folder may have replaced the name with a link.
    if (existing) await copyMode(this.file, existing);
    await this.file.sync();
    await this.file.close();
  }

  async place(): Promise<void> {
    const { path, keepsExisting } = this.#target;
    if (!keepsExisting) {
      await changeFile(this.#machine, () => fs.rename(this.#temporaryPath, path));
      return;
    }

    // Unlike a rename, a link never replaces a file that has appeared in the meantime.
    await link(this.#temporaryPath, path);
    await changeFile(this.#machine, () => fs.unlink(this.#temporaryPath));
  }

  async undo(): Promise<void> {
    await fs.unlink(this.#temporaryPath).catch(() => {});
    await removeFolders(this.#createdFolders);
  }
}

/**
 * Creates missing folders. Each is added to `createdFolders` immediately, even if a later one
 * fails.
 */
async function createFolders(folder: string, createdFolders: string[]): Promise<void> {
  // One at a time: Node's recursive mode never returns below /proc.
  for (const missing of await missingFolders(folder)) {
    const isMade = await fs.mkdir(missing).then(() => true, ignore('EEXIST'));
    if (isMade) createdFolders.push(missing);
  }
}

/** Removes folders that are still empty, innermost first. */
async function removeFolders(folders: readonly string[]): Promise<void> {
  for (const folder of folders.toReversed()) await fs.rmdir(folder).catch(() => {});
}

async function openDirect(path: string): Promise<OpenedFile> {
  // Not `w`: if the shell has redirected a stream to a file (`-o /dev/stdout >> all.csv`), its
  // contents must be kept.
  const file = await fs.open(path, 'a');
  return { file, close: () => file.close(), place: async () => {}, undo: async () => {} };
}

/** An open temporary file. */
interface OpenedTemporaryFile {
  readonly file: fs.FileHandle;
  readonly temporaryPath: string;
  readonly target: Target;

  /** The folders that were created for it. */
  readonly createdFolders: readonly string[];
  readonly machine: FileMachine;
}

/** The final path of a file, with symbolic links resolved, and the file that exists there. */
interface Target {
  readonly path: string;

  /** The existing file, which may be replaced. */
  readonly existing: Stats | undefined;

  /** True if a file that appears in the meantime must be kept. */
  readonly keepsExisting: boolean;
}

async function findTarget(path: string, { noClobber = false }: OutputFileOptions): Promise<Target> {
  const target = followLinks(resolve(path));
  const existing = await statIfExists(target);
  if (existing?.isDirectory()) throw systemError('EISDIR');
  if (existing && noClobber) throw systemError('EEXIST');
  if (existing) await fs.access(target, constants.W_OK);

  return { path: target, existing, keepsExisting: noClobber };
}

/** The missing folders on a path, outermost first. */
async function missingFolders(folder: string): Promise<string[]> {
  const existing = await statIfExists(folder);
  if (existing && !existing.isDirectory()) throw systemError('ENOTDIR');
  if (existing) return [];
  // The drive or network host does not exist.
  if (folder === dirname(folder)) throw systemError('ENOENT');

  return [...(await missingFolders(dirname(folder))), folder];
}

/**
 * True if the path is an open stream of this process or cannot be replaced, such as a pipe or a
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
