import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { codeOf } from '../../errors.ts';

/**
 * A file of lines that many processes append to at once and any of them may shorten, without a lock for appending.
 *
 * A line is one write in append mode, so lines never mix. Shortening writes a new file and renames it into place. A
 * line that an appender wrote to the old file meanwhile is not lost: the shortener carries over what came after its
 * reading, and an appender that finds the file replaced writes its line again. A line may thus appear twice.
 */

const ownerOnly = 0o600;

/**
 * Appends a line, on a line of its own even after one that was cut short. Creates file and folder, for the owner only.
 * Throws what the file system says.
 */
export function appendLine(path: string, line: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const triesAtMost = 5;
  for (let tries = 1; tries <= triesAtMost; tries += 1) {
    const file = openSync(path, 'a+', ownerOnly);
    try {
      const { size, mode, ino } = fstatSync(file, { bigint: true });
      if (process.platform !== 'win32' && (Number(mode) & 0o077) !== 0) fchmodSync(file, ownerOnly);
      writeWhole(file, Buffer.from(`${endsWithLine(file, Number(size)) ? '' : '\n'}${line}\n`));
      if (statSync(path, { bigint: true, throwIfNoEntry: false })?.ino === ino) return;
    } finally {
      closeSync(file);
    }
  }
}

/** The lines of the file, without blank ones; none where there is no file. Throws where it cannot be read. */
export function readLines(path: string): string[] {
  try {
    return splitLines(readFileSync(path, 'utf8'));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}

/**
 * Replaces the lines by what `shorten` makes of them, unless another process is doing so. Throws where the file cannot be
 * read or replaced; it is then as it was.
 */
export function shortenFile(
  path: string,
  shorten: (lines: string[]) => string[],
  platform: NodeJS.Platform = process.platform,
): void {
  const lock = `${path}.lock`;
  const fresh = `${path}.${process.pid}.tmp`;
  if (!takeLock(lock)) return;
  try {
    const file = openSync(path, 'r');
    try {
      const old = readFileSync(file);
      const readBytes = old.lastIndexOf('\n') + 1;
      writeFresh(fresh, shorten(splitLines(old.toString('utf8', 0, readBytes))));
      if (platform === 'win32') replaceOpen(fresh, path);
      else renameSync(fresh, path);
      const late = splitLines(readFrom(file, readBytes).toString('utf8'));
      for (const line of late) appendLine(path, line);
    } finally {
      closeSync(file);
    }
  } finally {
    rmSync(fresh, { force: true });
    rmSync(lock, { force: true });
  }
}

/**
 * Puts a file into the place of one that is open here, which Windows does not replace, but lets us rename. The lines of
 * a fresh file that finds the name taken by an appender are appended to that one's.
 */
function replaceOpen(fresh: string, path: string): void {
  const aside = `${fresh}.old`;
  renameSync(path, aside);
  try {
    renameSync(fresh, path);
  } catch {
    for (const line of readLines(fresh)) appendLine(path, line);
  } finally {
    rmSync(aside, { force: true });
  }
}

/** The size of a file in bytes; 0 where there is none. */
export function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** A lock that is older was left behind: shortening takes milliseconds. */
const lockLifeMs = 60_000;

/** Whether the lock is ours now. One that a killed process left behind is removed, for the next who asks. */
function takeLock(lock: string): boolean {
  try {
    closeSync(openSync(lock, 'wx', ownerOnly));
    return true;
  } catch {
    // Another process has it, or nobody can: the file stays as it is.
    const madeMs = statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (Date.now() - madeMs > lockLifeMs) rmSync(lock, { force: true });
    return false;
  }
}

function writeFresh(path: string, lines: readonly string[]): void {
  const file = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC, ownerOnly);
  try {
    writeWhole(file, Buffer.from(lines.map((line) => `${line}\n`).join('')));
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** One write, or an error: a rest written later could stand behind another process's line. */
function writeWhole(file: number, bytes: Buffer): void {
  const writtenBytes = writeSync(file, bytes);
  if (writtenBytes < bytes.length) throw new Error(`only ${writtenBytes} of ${bytes.length} bytes were written`);
}

function endsWithLine(file: number, sizeBytes: number): boolean {
  if (sizeBytes === 0) return true;
  const last = Buffer.alloc(1);
  readSync(file, last, 0, 1, sizeBytes - 1);
  return last.toString() === '\n';
}

function readFrom(file: number, position: number): Buffer {
  const bytes = Buffer.alloc(fstatSync(file).size - position);
  return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, position));
}

function splitLines(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}
