import { createHash } from 'node:crypto';
import * as fs from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { codeOf } from '../../errors.ts';

/** Temporary files of other machines count as abandoned after this time. */
const abandonedAfterMs = 24 * 60 * 60 * 1000;

/** Slightly below the limit of file systems, which is 255 bytes. */
const maxNameBytes = 250;

/**
 * Hashed, because host names may be too long, and those of containers may differ only at their
 * ends.
 */
const hostHash = createHash('sha256').update(hostname()).digest('hex').slice(0, 16);

/** Returns a hidden name that identifies the writer, is unique, and has at most 255 bytes. */
export function temporaryName(name: string): string {
  const random = Math.random().toString(36).slice(2, 10);
  const ending = `.adreport-${hostHash}-${process.pid}-${random}.tmp`;

  let beginning = name;
  while (Buffer.byteLength(beginning) > maxNameBytes - ending.length)
    beginning = beginning.slice(0, -1);
  return `.${beginning}${ending}`;
}

/**
 * Removes temporary files and folders that killed runs left behind. Files of this machine are
 * removed if their process no longer exists, files of other machines after a day.
 */
export async function sweepFolder(folder: string): Promise<void> {
  // The folder may be writable but not readable.
  const names = await fs.readdir(folder).catch(() => []);
  for (const name of names) {
    const match = /^\..*\.adreport-([A-Za-z0-9]+)-(\d+)-[a-z0-9]+\.tmp$/.exec(name);
    if (!match) continue;

    const path = join(folder, name);
    const isLocalProcess = match[1] === hostHash;
    try {
      const isAbandoned = isLocalProcess ? !isRunning(Number(match[2])) : await isOld(path);
      if (isAbandoned) await remove(path);
    } catch {
      // Another run removed the file first, or this user may not remove it.
    }
  }
}

async function isOld(path: string): Promise<boolean> {
  const { mtimeMs } = await fs.lstat(path);
  return Date.now() - mtimeMs > abandonedAfterMs;
}

async function remove(path: string): Promise<void> {
  const stat = await fs.lstat(path);
  if (!stat.isDirectory()) return fs.unlink(path);

  // Another user could place a link into their folder while it is being emptied.
  const isOwn = stat.uid === (process.getuid?.() ?? stat.uid);
  if (isOwn) await fs.rm(path, { recursive: true });
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}
