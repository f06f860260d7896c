import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { constants } from 'node:fs';
import * as fs from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { createGzip, type Gzip } from 'node:zlib';
import { AdreportError, codeOf, OutputError } from '../../errors.ts';
import { printable } from '../../text/printable.ts';

/**
 * Opens a file for writing. What is written goes to a temporary file beside it, which takes its place on `commit`; its
 * mode stays. Folders that are missing are made (`date=2026-11-01/`), and removed again on `abort`. A symbolic link
 * stays: what it points to is replaced. `/dev/stdout`, a named pipe and all else that is no regular file is written
 * directly, once somebody reads it. Where the name ends in `.gz` the file is packed. All calls but `abort` throw
 * `OutputError`, and have then taken back what was done.
 */
export async function openOutput(
  path: string,
  {
    noClobber = false,
    signal,
  }: { readonly noClobber?: boolean; readonly signal?: AbortSignal } = {},
) {
  const opened = await withReason(path, async () =>
    (await isDirect(path)) ? openDirect(path, signal) : openBeside(path, noClobber),
  );
  const { file } = opened;
  const pieces = pieceWriter(file);
  const gzip = /\.gz$/i.test(path) ? createGzip() : undefined;
  const packed =
    gzip &&
    pipeline(gzip, async (packs: AsyncIterable<Buffer>) => {
      for await (const pack of packs) await pieces.write(pack);
    });
  // The next call reports what goes wrong.
  packed?.catch(() => {});
  let isDone = false;

  async function abort(): Promise<void> {
    if (isDone) return;
    isDone = true;
    gzip?.destroy();
    await packed?.catch(() => {});
    await file.close().catch(() => {});
    await opened.undo();
  }

  const orUndone = (action: () => Promise<void>): Promise<void> =>
    withReason(path, action).catch(async (error: unknown) => {
      await abort();
      throw error;
    });
  async function pack(bytes: Uint8Array, into: Gzip): Promise<void> {
    // The bytes are copied, because the caller may use them again.
    if (!into.write(Buffer.from(bytes))) await Promise.race([packed, once(into, 'drain')]);
  }
  return {
    write(bytes: Uint8Array): Promise<void> | undefined {
      const written = gzip ? pack(bytes, gzip) : pieces.write(bytes);
      return written && orUndone(() => written);
    },
    commit: () =>
      orUndone(async () => {
        gzip?.end();
        await packed;
        await pieces.end();
        if (opened.isRegular) await file.sync();
        await file.close();
        await opened.place();
        isDone = true;
      }),
    abort,
  };
}

const pieceBytes = 256 * 1024;

/** Writes large pieces: while the system takes one, the next is filled. A Node stream takes a third longer for NDJSON. */
function pieceWriter(file: fs.FileHandle) {
  let [filling, other] = [Buffer.allocUnsafe(pieceBytes), Buffer.allocUnsafe(pieceBytes)];
  let filled = 0;
  let writing = Promise.resolve();

  async function begin(): Promise<void> {
    await writing;
    writing = file.writeFile(filling.subarray(0, filled));
    // An error is for whoever awaits it next; until then it must not count as unhandled.
    writing.catch(() => {});
    [filling, other] = [other, filling];
    filled = 0;
  }

  return {
    /** Gives a promise only where the piece is full: most batches of rows need not wait. */
    write(bytes: Uint8Array): Promise<void> | undefined {
      const part = bytes.subarray(0, pieceBytes - filled);
      filling.set(part, filled);
      filled += part.length;
      return filled < pieceBytes
        ? undefined
        : begin().then(() => this.write(bytes.subarray(part.length)));
    },
    end: () => begin().then(() => writing),
  };
}

/** Throws early what `openOutput` would throw later, so that nothing is fetched in vain. */
export async function checkTarget(path: string, { noClobber = false } = {}): Promise<void> {
  await withReason(path, async () => {
    if (await isDirect(path)) return;
    const folder = dirname((await findTarget(path, noClobber)).target);
    const [outermost] = await missingFolders(folder);
    if (outermost === undefined) return fs.access(folder, constants.W_OK);
    // Some folders, as those of /proc, seem to be writable and let nobody make anything in them. What is made has a name
    // of its own: another part of the same run may be about to use the folders that are missing.
    const probe = join(dirname(outermost), temporaryName('folder'));
    await fs.mkdir(probe);
    await fs.rmdir(probe);
  });
}

/** Begins a regular file, which is written beside its place. If this fails, nothing of it stays. */
async function openBeside(path: string, noClobber: boolean) {
  const { target, existing } = await findTarget(path, noClobber);
  const folder = dirname(target);
  const temporaryPath = join(folder, temporaryName(basename(target)));
  const made: string[] = [];

  async function undo(): Promise<void> {
    await fs.unlink(temporaryPath).catch(() => {});
    // As far as nobody has put something into them meanwhile.
    for (const each of made.reverse()) await fs.rmdir(each).catch(() => {});
  }

  async function place(): Promise<void> {
    if (existing) await fs.chmod(temporaryPath, existing.mode & 0o7777);
    // Unlike a rename, a link never replaces what somebody has put there meanwhile.
    if (noClobber) await fs.link(temporaryPath, target);
    await (noClobber ? fs.unlink(temporaryPath) : fs.rename(temporaryPath, target));
  }

  try {
    // One by one: Node's own way of making all never returns below /proc.
    for (const each of await missingFolders(folder)) {
      const isMade = await fs.mkdir(each).then(() => true, ignore('EEXIST'));
      if (isMade) made.push(each);
    }
    await sweepFolder(folder);
    return { file: await fs.open(temporaryPath, 'wx'), isRegular: true, place, undo };
  } catch (error) {
    await undo();
    throw error;
  }
}

async function openDirect(path: string, signal?: AbortSignal) {
  let reader: fs.FileHandle | undefined;
  // To open a named pipe that nobody reads yet would hold up the program, signals included.
  while (!reader && (await statOrNothing(path))?.isFIFO()) {
    signal?.throwIfAborted();
    reader = await fs.open(path, constants.O_WRONLY | constants.O_NONBLOCK).catch(ignore('ENXIO'));
    if (!reader) await pause(100);
  }
  // Not `w`: where a shell has put a file behind a stream (`-o /dev/stdout >> all.csv`), what it holds must stay.
  const file = await fs.open(path, 'a');
  await reader?.close();
  return { file, isRegular: false, place: async () => {}, undo: async () => {} };
}

/** Where a file is to be, its symbolic links followed, and what stands there, which may be replaced. */
async function findTarget(path: string, noClobber: boolean) {
  const target = await followLinks(resolve(path));
  const existing = await statOrNothing(target);
  if (existing?.isDirectory()) throw systemError('EISDIR');
  if (existing && noClobber) throw systemError('EEXIST');
  if (existing) await fs.access(target, constants.W_OK);
  return { target, existing };
}

async function followLinks(path: string, linksLeft = 40): Promise<string> {
  const next = await fs.readlink(path).catch(() => undefined);
  return next === undefined || linksLeft === 0
    ? path
    : followLinks(resolve(dirname(path), next), linksLeft - 1);
}

/** The folders down to this one that do not exist, the outermost first. */
async function missingFolders(folder: string): Promise<string[]> {
  const found = await statOrNothing(folder);
  if (found && !found.isDirectory()) throw systemError('ENOTDIR');
  return found ? [] : [...(await missingFolders(dirname(folder))), folder];
}

/** Whether the path is an open stream of ours, or something that cannot be replaced: a pipe, a device. */
async function isDirect(path: string): Promise<boolean> {
  if (/^\/(dev\/(stdout|stderr|fd\/\d+)|proc\/self\/fd\/\d+)$/.test(path)) return true;
  const existing = await statOrNothing(path);
  return existing !== undefined && !existing.isFile() && !existing.isDirectory();
}

async function statOrNothing(path: string) {
  return fs.stat(path).catch(ignore('ENOENT', 'ENOTDIR'));
}

/** Makes nothing of the system errors with these codes, and passes on any other. */
function ignore(...codes: readonly string[]) {
  return (error: unknown): undefined => {
    if (!codes.includes(codeOf(error) ?? '')) throw error;
  };
}

/**
 * A place on the disk for bytes that wait until it is their turn, in a folder that exists. Its file has no name once it is
 * open: nothing stays, whatever happens to the program. What fails throws `OutputError`; `close` gives the space back.
 */
export async function createSpool(folder: string) {
  const path = join(folder, temporaryName('part'));
  const file = await withReason(path, () => fs.open(path, 'wx+'));
  await withReason(path, () => fs.unlink(path));
  return {
    write: (bytes: Uint8Array) => withReason(path, () => file.writeFile(bytes)),
    read: (): AsyncIterable<Buffer> => file.createReadStream({ start: 0, autoClose: false }),
    close: () => file.close().catch(() => {}),
  };
}

/** A temporary file that nobody has written to for so long belongs to nobody any more. */
const abandonedAfterMs = 24 * 60 * 60 * 1000;

/** All of the host's name counts, though not all of it fits: containers of one job differ in its end alone. */
const host = createHash('sha256').update(hostname()).digest('hex').slice(0, 16);

/** A name beside `name` that says who writes it: hidden, at most 255 bytes, different each time. */
export function temporaryName(name: string): string {
  const ending = `.adreport-${host}-${process.pid}-${Math.random().toString(36).slice(2, 10)}.tmp`;
  let beginning = name;
  while (Buffer.byteLength(beginning) > 250 - ending.length) beginning = beginning.slice(0, -1);
  return `.${beginning}${ending}`;
}

/** Removes what runs that were killed have left in a folder: their process is gone, or the file is a day old. */
async function sweepFolder(folder: string): Promise<void> {
  // A folder may be one to write to and not to list.
  for (const name of await fs.readdir(folder).catch(() => [])) {
    const [, owner, pid] = /^\..*\.adreport-([A-Za-z0-9]+)-(\d+)-[a-z0-9]+\.tmp$/.exec(name) ?? [];
    if (pid === undefined) continue;
    const path = join(folder, name);
    try {
      const isOrphan = owner === host && !isRunning(Number(pid));
      if (isOrphan || Date.now() - (await fs.stat(path)).mtimeMs > abandonedAfterMs)
        await fs.unlink(path);
    } catch {
      // Another run swept it away first, or it is not ours to remove.
    }
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EROFS: 'the file system is read-only',
  EACCES: 'permission is denied',
  EPERM: 'the system does not permit it',
  ENOENT: 'its folder does not exist, or has vanished',
  ENOTDIR: 'a part of its path is a file, not a folder',
  EEXIST: 'it exists already, and --no-clobber keeps it',
  EISDIR: 'it is a folder',
};

const advice =
  'Check the path, its permissions and the space on its disk, or write elsewhere with -o.';

function systemError(code: string): Error {
  return Object.assign(new Error(code), { code });
}

/** Makes of a system error the reason why a file could not be written; any other error stays as it is. */
function withReason<T>(path: string, action: () => Promise<T>): Promise<T> {
  return action().catch((error: unknown) => {
    const code = codeOf(error);
    if (code === undefined || !(error instanceof Error) || error instanceof AdreportError)
      throw error;
    throw new OutputError(
      `${printable(path)} could not be written: ${reasons[code] ?? printable(error.message)}.`,
      {
        code,
        hint:
          code === 'EEXIST'
            ? 'Leave out --no-clobber to replace it, or choose another name.'
            : advice,
        cause: error,
      },
    );
  });
}
