import { constants } from 'node:fs';
import { access, lstat, mkdir, open, readlink, rmdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { codeOf, OutputError } from '../../errors.ts';
import { printable } from '../../text/printable.ts';
import { ByteQueue } from '../bytes/byte-queue.ts';
import type { Sink } from '../encoder.ts';
import { AtomicFile } from './atomic-file.ts';
import { fileExists, withReason } from './file-error.ts';
import { sweepFolder } from './temporary-file.ts';

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
}

/**
 * Opens a file for writing. What is written goes to a temporary file beside it, which takes its place on `commit`; its
 * mode stays. Folders that are missing are made (`date=2026-11-01/`), and removed again on `abort`. A symbolic link
 * stays: what it points to is replaced. What is no regular file (`/dev/stdout`, a named pipe) is written to directly.
 *
 * @throws OutputError where it cannot be written; what is written later throws it too
 */
export async function openOutput(path: string, options: OpenOptions = {}): Promise<OutputFile> {
  return withReason(path, async () => {
    if (await isDirect(path)) return openDirect(path);
    const target = await followLinks(resolve(path));
    const existing = await findReplaceable(target, path, options);
    const folder = dirname(target);
    const madeFolder = await mkdir(folder, { recursive: true });
    await sweepFolder(folder);
    const removeFolders = () => removeEmpty(folder, madeFolder);
    try {
      return await AtomicFile.create(target, {
        shownPath: path,
        existing,
        noClobber: options.noClobber ?? false,
        afterAbort: removeFolders,
      });
    } catch (error) {
      await removeFolders();
      throw error;
    }
  });
}

/**
 * Refuses early what `openOutput` would refuse later, so that nothing is fetched in vain.
 * @throws OutputError where the file exists and `--no-clobber` was given, a folder stands there, or its folder cannot be
 *   written to
 */
export async function checkTarget(path: string, options: OpenOptions = {}): Promise<void> {
  await withReason(path, async () => {
    if (await isDirect(path)) return;
    const target = await followLinks(resolve(path));
    await findReplaceable(target, path, options);
    await access(await nearestFolder(dirname(target)), constants.W_OK);
  });
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

/** The folder, or the one above it in which it would be made. */
async function nearestFolder(folder: string): Promise<string> {
  const found = await statOrNothing(folder);
  if (found?.isDirectory()) return folder;
  if (found) throw Object.assign(new Error('not a folder'), { code: 'ENOTDIR' });
  const above = dirname(folder);
  return above === folder ? folder : nearestFolder(above);
}

/** Whether the path is an open stream of ours, or something that cannot be replaced: a pipe, a device. */
async function isDirect(path: string): Promise<boolean> {
  if (/^\/(dev\/(stdout|stderr|fd\/\d+)|proc\/self\/fd\/\d+)$/.test(path)) return true;
  const existing = await statOrNothing(path);
  return existing !== undefined && !existing.isFile() && !existing.isDirectory();
}

async function openDirect(path: string): Promise<OutputFile> {
  // Not `w`: where a shell has put a file behind a stream (`-o /dev/stdout >> all.csv`), what it holds must stay.
  const file = await open(path, 'a');
  const queue = new ByteQueue(file);
  let isOpen = true;
  const close = async () => {
    if (isOpen) await file.close();
    isOpen = false;
  };
  return {
    path,
    write: (bytes) => withReason(path, () => queue.write(bytes)),
    commit: () =>
      withReason(path, async () => {
        await queue.flush();
        await close();
      }),
    abort: () => close().catch(() => {}),
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

/** Removes the folders from `folder` up to `top`, which this run made, as far as they are empty. */
async function removeEmpty(folder: string, top: string | undefined): Promise<void> {
  if (top === undefined) return;
  try {
    for (let current = folder; ; current = dirname(current)) {
      await rmdir(current);
      if (current === top) return;
    }
  } catch {
    // Somebody else put something there meanwhile: the folder stays.
  }
}
