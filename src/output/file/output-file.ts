import { once } from 'node:events';
import { constants, unlinkSync } from 'node:fs';
import {
  access,
  type FileHandle,
  link,
  lstat,
  mkdir,
  open,
  readlink,
  rename,
  rmdir,
  stat,
  unlink,
} from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createGzip } from 'node:zlib';
import { codeOf, OutputError } from '../../errors.ts';
import { printable } from '../../text/printable.ts';
import type { Sink } from '../encoder.ts';
import { ByteQueue } from './byte-queue.ts';
import { fileError, fileExists, withReason } from './file-error.ts';
import { sweepFolder, temporaryName } from './temporary-file.ts';

/** A file that is being written: whole once `commit` has returned, untouched if `abort` is called instead. */
export interface OutputFile extends Sink {
  /** Where it will be: absolute, symbolic links followed. */
  readonly path: string;
  /** Flushes it to the disk and puts it into its place. Throws `OutputError`, and has then taken back what was done. */
  commit(): Promise<void>;
  /** Takes back what was done. Never throws; does nothing after `commit`. */
  abort(): Promise<void>;
}

export interface OpenOptions {
  /** Refuse to replace an existing file. */
  readonly noClobber?: boolean;
  /** Ends the wait for somebody who reads a named pipe. */
  readonly signal?: AbortSignal;
}

/**
 * Opens a file for writing. What is written goes to a temporary file beside it, which takes its place on `commit`; its
 * mode stays. Folders that are missing are made (`date=2026-11-01/`), and removed again on `abort`. A symbolic link
 * stays: what it points to is replaced. `/dev/stdout`, a named pipe and all else that is no regular file is written directly.
 * Where the name ends in `.gz` the file is packed.
 *
 * @throws OutputError where it cannot be written; what is written later throws it too
 */
export async function openOutput(path: string, options: OpenOptions = {}): Promise<OutputFile> {
  const file = await openPlain(path, options);
  return /\.gz$/i.test(path) ? gzipped(file) : file;
}

async function openPlain(path: string, options: OpenOptions): Promise<OutputFile> {
  return withReason(path, async () => {
    if (await isDirect(path)) return openDirect(path, options.signal);
    const target = await followLinks(resolve(path));
    const existing = await findReplaceable(target, path, options);
    const folder = dirname(target);
    const madeFolders = await makeFolders(folder);
    try {
      await sweepFolder(folder);
      return await openBeside({
        target,
        shownPath: path,
        existing,
        madeFolders,
        noClobber: options.noClobber ?? false,
      });
    } catch (error) {
      await removeEmpty(madeFolders);
      throw error;
    }
  });
}

/**
 * Refuses early what `openOutput` would refuse later, so that nothing is fetched in vain.
 * @throws OutputError where the file exists and `--no-clobber` was given, a folder stands there, or its folder cannot be
 *   made or written to
 */
export async function checkTarget(path: string, options: OpenOptions = {}): Promise<void> {
  await withReason(path, async () => {
    if (await isDirect(path)) return;
    const target = await followLinks(resolve(path));
    await findReplaceable(target, path, options);
    const [missing, nearest] = await missingFolders(dirname(target));
    await access(nearest, constants.W_OK);
    if (missing.length === 0) return;
    // Some folders, as those of /proc, seem to be writable and let nobody make a folder in them.
    const probe = join(nearest, temporaryName('folder'));
    await mkdir(probe);
    await rmdir(probe);
  });
}

interface Beside {
  readonly target: string;
  /** The path as the user gave it, for messages. */
  readonly shownPath: string;
  /** The file that is replaced: its permissions are kept, and its owner where the system lets us. */
  readonly existing: { readonly mode: number; readonly uid: number; readonly gid: number } | undefined;
  readonly madeFolders: readonly string[];
  readonly noClobber: boolean;
}

/** Begins a regular file, which is written beside its place. If this fails, nothing of it stays. */
async function openBeside({ target, shownPath, existing, madeFolders, noClobber }: Beside): Promise<OutputFile> {
  const temporaryPath = join(dirname(target), temporaryName(basename(target)));
  const file = await open(temporaryPath, 'wx');
  openPaths.add(temporaryPath);
  const queue = new ByteQueue(file);
  let isDone = false;

  async function abort(): Promise<void> {
    if (isDone) return;
    isDone = true;
    await file.close().catch(() => {});
    await unlink(temporaryPath).catch(() => {});
    openPaths.delete(temporaryPath);
    await removeEmpty(madeFolders);
  }

  async function fail(error: unknown): Promise<never> {
    await abort();
    throw fileError(error, shownPath);
  }

  async function finish(): Promise<void> {
    await queue.flush();
    if (existing) {
      await file.chown(existing.uid, existing.gid).catch(() => {});
      await file.chmod(existing.mode & 0o7777);
    }
    await file.sync();
    await file.close();
    await (noClobber ? placeNewFile(temporaryPath, target, shownPath) : replaceFile(temporaryPath, target));
    isDone = true;
    openPaths.delete(temporaryPath);
    await syncFolder(dirname(target));
  }

  return {
    path: target,
    write: (bytes) => queue.write(bytes)?.catch(fail),
    commit: () => finish().catch(fail),
    abort,
  };
}

/** The temporary files that are open now. */
const openPaths = new Set<string>();

/** Removes every file that is half written, at once: for a program that must end now. */
function discardOpenOutputs(): void {
  for (const path of openPaths) {
    try {
      unlinkSync(path);
    } catch {
      // The next run into that folder sweeps it away.
    }
  }
  openPaths.clear();
}

// A second Ctrl-C ends the program at once.
process.once('exit', discardOpenOutputs);

/**
 * Gives a file the name of another, which it replaces. Windows refuses that for as long as a virus scanner or an indexer
 * looks at the other one, usually a moment: it is tried for 2 s.
 */
async function replaceFile(from: string, to: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await rename(from, to);
    } catch (error) {
      const isInUse = process.platform === 'win32' && ['EPERM', 'EACCES', 'EBUSY'].includes(codeOf(error) ?? '');
      if (!isInUse || tries === 10) throw error;
      await pause(50 * tries);
    }
  }
}

/**
 * Gives a file a name that nobody has. Unlike a rename, a link never replaces what somebody has put there meanwhile;
 * where the file system has no links (exFAT, some network shares), an empty file takes the name first.
 */
async function placeNewFile(from: string, to: string, shownPath: string): Promise<void> {
  const isLinked = await link(from, to).then(
    () => true,
    () => false,
  );
  if (isLinked) return unlink(from);
  try {
    await (await open(to, 'wx')).close();
  } catch (error) {
    throw codeOf(error) === 'EEXIST' ? fileExists(shownPath) : error;
  }
  await replaceFile(from, to);
}

/** Makes the rename itself survive a power cut, where the system lets a folder be flushed. */
async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, 'r');
    await handle.sync().finally(() => handle.close());
  } catch {
    // Windows and some network file systems cannot flush a folder.
  }
}

/** The file that stands there, which may be replaced; `undefined` where there is none. */
async function findReplaceable(target: string, shownPath: string, { noClobber = false }: OpenOptions) {
  const existing = await statOrNothing(target);
  if (!existing) return undefined;
  if (existing.isDirectory()) {
    throw new OutputError(`${printable(shownPath)} is a folder.`, { hint: 'Give a file name after it.' });
  }
  if (noClobber) throw fileExists(shownPath);
  await access(target, constants.W_OK);
  return existing;
}

/** The folders down to this one that do not exist, the outermost first, and the folder in which they would be made. */
async function missingFolders(folder: string): Promise<[missing: string[], nearest: string]> {
  const missing: string[] = [];
  for (let current = folder; ; current = dirname(current)) {
    const found = await statOrNothing(current);
    if (found?.isDirectory() || current === dirname(current)) return [missing, current];
    if (found) throw Object.assign(new Error('not a folder'), { code: 'ENOTDIR' });
    missing.unshift(current);
  }
}

/** Makes the folders that are missing one by one: Node's own way of making all never returns below /proc. */
async function makeFolders(folder: string): Promise<string[]> {
  const [missing] = await missingFolders(folder);
  const made: string[] = [];
  for (const path of missing) {
    try {
      await mkdir(path);
      made.push(path);
    } catch (error) {
      // Another part of the same run may have made it meanwhile.
      if (codeOf(error) === 'EEXIST' && (await statOrNothing(path))?.isDirectory()) continue;
      await removeEmpty(made);
      throw error;
    }
  }
  return made;
}

/** Removes folders that this run made, as far as they are empty. */
async function removeEmpty(made: readonly string[]): Promise<void> {
  try {
    for (const folder of [...made].reverse()) await rmdir(folder);
  } catch {
    // Somebody else put something there meanwhile: the folder stays.
  }
}

/** Whether the path is an open stream of ours, or something that cannot be replaced: a pipe, a device. */
async function isDirect(path: string): Promise<boolean> {
  if (/^\/(dev\/(stdout|stderr|fd\/\d+)|proc\/self\/fd\/\d+)$/.test(path)) return true;
  const existing = await statOrNothing(path);
  return existing !== undefined && !existing.isFile() && !existing.isDirectory();
}

/** An end of a named pipe, once somebody reads it: to open it before that would hold up the program, signals included. */
async function waitForReader(path: string, signal?: AbortSignal): Promise<FileHandle | undefined> {
  while ((await statOrNothing(path))?.isFIFO()) {
    signal?.throwIfAborted();
    try {
      return await open(path, constants.O_WRONLY | constants.O_NONBLOCK);
    } catch (error) {
      if (codeOf(error) !== 'ENXIO') throw error;
    }
    await pause(100);
  }
  return undefined;
}

async function openDirect(path: string, signal?: AbortSignal): Promise<OutputFile> {
  const other = await waitForReader(path, signal);
  // Not `w`: where a shell has put a file behind a stream (`-o /dev/stdout >> all.csv`), what it holds must stay.
  let file: FileHandle | undefined = await open(path, 'a');
  await other?.close();
  const queue = new ByteQueue(file);
  const close = async () => {
    const open = file;
    file = undefined;
    await open?.close();
  };
  return {
    path,
    write: (bytes) => queue.write(bytes)?.catch((error: unknown) => Promise.reject(fileError(error, path))),
    commit: () => withReason(path, () => queue.flush().then(close)),
    abort: () => close().catch(() => {}),
  };
}

/** The same file, packed on its way. */
function gzipped(file: OutputFile): OutputFile {
  const gzip = createGzip();
  const packed = (async () => {
    for await (const piece of gzip) await file.write(piece);
  })();
  // The next call reports what goes wrong.
  packed.catch(() => gzip.destroy());
  return {
    path: file.path,
    async write(bytes) {
      if (gzip.destroyed) return packed;
      // The bytes are copied, because the caller may use them again.
      if (!gzip.write(Buffer.from(bytes))) await Promise.race([once(gzip, 'drain'), packed]);
    },
    async commit() {
      gzip.end();
      await packed;
      await file.commit();
    },
    async abort() {
      gzip.destroy();
      await packed.catch(() => {});
      await file.abort();
    },
  };
}

/** The path at the end of symbolic links, which need not exist. */
async function followLinks(path: string): Promise<string> {
  let current = path;
  for (let links = 0; links < 40; links++) {
    const found = await lstat(current).catch(() => undefined);
    if (!found?.isSymbolicLink()) return current;
    current = resolve(dirname(current), await readlink(current));
  }
  throw Object.assign(new Error('too many symbolic links'), { code: 'ELOOP' });
}

async function statOrNothing(path: string) {
  try {
    return await stat(path);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '')) return undefined;
    throw error;
  }
}
