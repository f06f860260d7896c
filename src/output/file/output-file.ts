import { once } from 'node:events';
import { constants, type Stats } from 'node:fs';
import * as fs from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
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

  /** Refuse a file that exists. */
  readonly noClobber?: boolean;

  /** Compute the hash of what is written. */
  readonly hashes?: boolean;
}

/** What a file holds that stands whole. */
export interface WholeFile {
  readonly sizeBytes: number;

  /** In hexadecimal digits; absent where nobody asked for it. */
  readonly sha256?: string;
}

/** A file that is open for writing, and what becomes of it. */
interface OpenedFile {
  readonly file: fs.FileHandle;

  /** Closes the file, whole. */
  close(): Promise<void>;

  /** Puts the closed file into its place. */
  place(): Promise<void>;

  /** Takes back what was done; the file is closed already. */
  undo(): Promise<void>;
}

/**
 * Opens a file for writing. What is written goes to a temporary file beside it, which takes its
 * place on `place`; its mode stays. Folders that are missing are made (`date=2026-11-01/`), and
 * removed again on `abort`. A symbolic link stays: what it points to is replaced. `/dev/stdout`, a
 * named pipe and all else that is no regular file is written directly, once somebody reads it.
 * Where the name ends in `.gz` the file is packed. Throws `OutputError`.
 */
export async function openOutput(path: string, options: OutputFileOptions): Promise<OutputFile> {
  const { machine } = options;
  const opened = await withReason(path, async () => {
    if (await isDirect(path, machine.platform)) return openDirect(path, machine.signal);
    return FileBeside.open(path, options);
  });
  return new OutputFile(path, opened, options);
}

/**
 * A file that is there when it is whole, or not at all. All calls but `abort` throw `OutputError`,
 * and have then undone everything.
 */
export class OutputFile implements Sink {
  readonly #path: string;

  readonly #opened: OpenedFile;

  readonly #pieces: PieceWriter;

  /**
   * Present where the file is packed: what packs it, and what takes the packed bytes to the file.
   */
  readonly #gzip: Gzip | undefined;

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
    // The next call reports what goes wrong.
    this.#packing.catch(() => {});
  }

  /** Takes bytes, which may be used again once this has returned, or its promise is fulfilled. */
  write(bytes: Uint8Array): Promise<void> | undefined {
    const writing = this.#gzip ? this.#pack(bytes, this.#gzip) : this.#pieces.write(bytes);
    return writing && this.#orUndone(() => writing);
  }

  /** Makes the bytes whole, beside their place. */
  async finish(): Promise<WholeFile> {
    await this.#orUndone(async () => {
      this.#gzip?.end();
      await this.#packing;
      await this.#pieces.end();
      await this.#opened.close();
    });
    return this.#pieces.facts();
  }

  /** Puts the file into its place, once it is finished. */
  async place(): Promise<void> {
    await this.#orUndone(() => this.#opened.place());
    this.#isDone = true;
  }

  /** Makes the bytes whole and puts them into their place. */
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

  async #orUndone(action: () => Promise<void>): Promise<void> {
    try {
      await withReason(this.#path, action);
    } catch (error) {
      await this.abort();
      throw error;
    }
  }

  async #pack(bytes: Uint8Array, gzip: Gzip): Promise<void> {
    // The bytes are copied, because the caller may use them again.
    const hasRoom = gzip.write(Buffer.from(bytes));
    if (!hasRoom) await Promise.race([this.#packing, once(gzip, 'drain')]);
  }

  async #writePacks(packs: AsyncIterable<Buffer>): Promise<void> {
    for await (const pack of packs) await this.#pieces.write(pack);
  }
}

/**
 * Throws early what `openOutput` would throw later, so that nothing is fetched in vain; on Windows
 * also if another program has the file open.
 */
export async function checkTarget(path: string, options: OutputFileOptions): Promise<void> {
  const { platform } = options.machine;
  await withReason(path, async () => {
    if (await isDirect(path, platform)) return;

    const target = await findTarget(path, options);
    const folder = dirname(target.path);
    const [outermost] = await missingFolders(folder);
    if (outermost === undefined) {
      await tryToPlace(folder, target);
      if (platform === 'win32') await expectReplaceable(target, options.machine);
      return;
    }

    // Some folders, as those of /proc, seem to be writable and let nobody make anything in them.
    // What is made has a name of its own: another part of the same run may be about to use the
    // folders that are missing.
    const probe = join(dirname(outermost), temporaryName('folder'));
    await fs.mkdir(probe);
    try {
      await tryToPlace(probe, target);
    } finally {
      await fs.rmdir(probe);
    }
  });
}

/**
 * Writes an empty file into a folder and renames or links it there, as a report will be. Some
 * network disks refuse that.
 */
async function tryToPlace(folder: string, { existing, keepsExisting }: Target): Promise<void> {
  const before = join(folder, temporaryName('before'));
  const after = join(folder, temporaryName('after'));
  const file = await fs.open(before, 'wx');
  try {
    if (existing) await takeMode(file, existing);
    await file.close();
    await (keepsExisting ? link(before, after) : fs.rename(before, after));
  } finally {
    await file.close().catch(() => {});
    await fs.unlink(before).catch(() => {});
    await fs.unlink(after).catch(() => {});
  }
}

/** A person waits, and who has a file open for longer has it open for minutes. */
const checkedAtMostMs = 2_000;

/** Throws `HeldFileError` if another program has the target open, so that it cannot be replaced. */
async function expectReplaceable({ path, existing }: Target, machine: FileMachine): Promise<void> {
  if (!existing) return;
  await changeFile(machine, () => tryToMove(path), checkedAtMostMs);

  const secondName = join(dirname(path), temporaryName('second'));
  try {
    await fs.link(path, secondName);
  } catch {
    // A disk without hard links shows the rest only when the file is replaced.
    return;
  }
  try {
    await changeFile(machine, () => tryToReplace(secondName), checkedAtMostMs);
  } finally {
    await fs.unlink(secondName).catch(() => {});
  }
}

/** Writes nothing to a file, and moves it nowhere: Excel forbids the first, others the second. */
async function tryToMove(path: string): Promise<void> {
  const file = await fs.open(path, 'r+');
  await file.close();
  await fs.rename(path, path);
}

/**
 * Replaces a second name of a file. Some programs allow the file to be written and moved, and
 * still keep it from being replaced.
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

/** Gives a file the mode of the one that it is to replace. */
async function takeMode(file: fs.FileHandle, { mode }: Stats): Promise<void> {
  const own = await file.stat();
  const wantedMode = mode & 0o7777;
  if ((own.mode & 0o7777) !== wantedMode) await file.chmod(wantedMode);
}

/** Links a file to a second name, which must be free. */
async function link(path: string, name: string): Promise<void> {
  try {
    await fs.link(path, name);
  } catch (error) {
    // Disks without hard links say so in different ways; an existing file is the one other reason.
    if (codeOf(error) === 'EEXIST') throw error;
    throw systemError('NO_HARD_LINKS', error);
  }
}

/** A regular file, which is written beside its place. */
class FileBeside implements OpenedFile {
  readonly file: fs.FileHandle;

  readonly #temporaryPath: string;

  readonly #target: Target;

  readonly #madeFolders: readonly string[];

  readonly #machine: FileMachine;

  private constructor({ file, temporaryPath, target, madeFolders, machine }: BegunFile) {
    this.file = file;
    this.#temporaryPath = temporaryPath;
    this.#target = target;
    this.#madeFolders = madeFolders;
    this.#machine = machine;
  }

  /** Begins the file. If this fails, nothing of it stays. */
  static async open(path: string, options: OutputFileOptions): Promise<FileBeside> {
    const target = await findTarget(path, options);
    const folder = dirname(target.path);
    const temporaryPath = join(folder, temporaryName(basename(target.path)));

    const madeFolders: string[] = [];
    try {
      await makeFolders(folder, madeFolders);
      await sweepFolder(folder);
      const file = await fs.open(temporaryPath, 'wx');
      const { machine } = options;
      return new FileBeside({ file, temporaryPath, target, madeFolders, machine });
    } catch (error) {
      await removeFolders(madeFolders);
      throw error;
    }
  }

  async close(): Promise<void> {
    const { existing } = this.#target;
    // By its handle: whoever owns the folder may have put a link to another file in place of the
    // name.
    if (existing) await takeMode(this.file, existing);
    await this.file.sync();
    await this.#expectOwnFile();
    await this.file.close();
  }

  async place(): Promise<void> {
    const { path, keepsExisting } = this.#target;
    if (!keepsExisting) {
      await changeFile(this.#machine, () => fs.rename(this.#temporaryPath, path));
      return;
    }

    // Unlike a rename, a link never replaces what somebody has put there meanwhile.
    await link(this.#temporaryPath, path);
    await changeFile(this.#machine, () => fs.unlink(this.#temporaryPath));
  }

  /** Throws where the name of the temporary file no longer leads to what was written. */
  async #expectOwnFile(): Promise<void> {
    const written = await this.file.stat({ bigint: true });
    const named = await fs.lstat(this.#temporaryPath, { bigint: true });
    if (named.ino !== written.ino) throw systemError('EXCHANGED');
  }

  async undo(): Promise<void> {
    await fs.unlink(this.#temporaryPath).catch(() => {});
    await removeFolders(this.#madeFolders);
  }
}

/**
 * Makes the folders that are missing, and adds each to `madeFolders` at once, also where a later
 * one fails.
 */
async function makeFolders(folder: string, madeFolders: string[]): Promise<void> {
  // One by one: Node's own way of making all never returns below /proc.
  for (const missing of await missingFolders(folder)) {
    const isMade = await fs.mkdir(missing).then(() => true, ignore('EEXIST'));
    if (isMade) madeFolders.push(missing);
  }
}

/** Removes folders, the innermost first, as far as nobody has put something into them meanwhile. */
async function removeFolders(folders: readonly string[]): Promise<void> {
  for (const folder of folders.toReversed()) await fs.rmdir(folder).catch(() => {});
}

async function openDirect(path: string, signal: AbortSignal): Promise<OpenedFile> {
  // To open a named pipe that nobody reads yet would hold up the program, signals included.
  let reader: fs.FileHandle | undefined;
  while (!reader && (await statOrNothing(path))?.isFIFO()) {
    signal.throwIfAborted();
    reader = await fs.open(path, constants.O_WRONLY | constants.O_NONBLOCK).catch(ignore('ENXIO'));
    if (!reader) await pause(100);
  }

  // Not `w`: where a shell has put a file behind a stream (`-o /dev/stdout >> all.csv`), what it
  // holds must stay.
  const file = await fs.open(path, 'a');
  await reader?.close();
  return { file, close: () => file.close(), place: async () => {}, undo: async () => {} };
}

/** A file that was opened beside its target. */
interface BegunFile {
  readonly file: fs.FileHandle;
  readonly temporaryPath: string;
  readonly target: Target;

  /** The folders that were made for it. */
  readonly madeFolders: readonly string[];
  readonly machine: FileMachine;
}

/** Where a file is to be, its symbolic links followed, and what stands there. */
interface Target {
  readonly path: string;

  /** The file that stands there, and may be replaced. */
  readonly existing: Stats | undefined;

  /** Whether a file that somebody puts there meanwhile is kept. */
  readonly keepsExisting: boolean;
}

async function findTarget(path: string, { noClobber = false }: OutputFileOptions): Promise<Target> {
  const target = followLinks(resolve(path));
  const existing = await statOrNothing(target);
  if (existing?.isDirectory()) throw systemError('EISDIR');
  if (existing && noClobber) throw systemError('EEXIST');
  if (existing) await fs.access(target, constants.W_OK);

  return { path: target, existing, keepsExisting: noClobber };
}

/** The folders down to this one that do not exist, the outermost first. */
async function missingFolders(folder: string): Promise<string[]> {
  const existing = await statOrNothing(folder);
  if (existing && !existing.isDirectory()) throw systemError('ENOTDIR');
  if (existing) return [];
  // The drive, or the machine of the network, does not exist.
  if (folder === dirname(folder)) throw systemError('ENOENT');

  return [...(await missingFolders(dirname(folder))), folder];
}

/**
 * Whether the path is an open stream of ours, or something that cannot be replaced: a pipe, a
 * device.
 */
async function isDirect(path: string, platform: NodeJS.Platform): Promise<boolean> {
  const isStream = /^\/(dev\/(stdout|stderr|fd\/\d+)|proc\/self\/fd\/\d+)$/.test(path);
  if (isStream && platform !== 'win32') return true;

  const existing = await statOrNothing(path);
  return existing !== undefined && !existing.isFile() && !existing.isDirectory();
}

async function statOrNothing(path: string): Promise<Stats | undefined> {
  return fs.stat(path).catch(ignore('ENOENT', 'ENOTDIR'));
}
