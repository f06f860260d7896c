import { createHash } from 'node:crypto';
import * as fs from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { codeOf } from '../../errors.ts';

/** What another machine has not written to for so long belongs to nobody any more. */
const abandonedAfterMs = 24 * 60 * 60 * 1000;

/** File systems take names of 255 bytes. */
const longestNameBytes = 250;

/**
 * All of the host's name counts, though not all of it fits: containers of one job differ in its end
 * alone.
 */
const host = createHash('sha256').update(hostname()).digest('hex').slice(0, 16);

/** A name beside `name` that says who writes it: hidden, at most 255 bytes, different each time. */
export function temporaryName(name: string): string {
  const random = Math.random().toString(36).slice(2, 10);
  const ending = `.adreport-${host}-${process.pid}-${random}.tmp`;

  let beginning = name;
  while (Buffer.byteLength(beginning) > longestNameBytes - ending.length)
    beginning = beginning.slice(0, -1);
  return `.${beginning}${ending}`;
}

/**
 * Removes the temporary files and folders that runs have left which were killed: their process is
 * gone, or they are those of another machine and a day old.
 */
export async function sweepFolder(folder: string): Promise<void> {
  // A folder may be one to write to and not to list.
  const names = await fs.readdir(folder).catch(() => []);
  for (const name of names) {
    const match = /^\..*\.adreport-([A-Za-z0-9]+)-(\d+)-[a-z0-9]+\.tmp$/.exec(name);
    if (!match) continue;

    const path = join(folder, name);
    const isOfThisHost = match[1] === host;
    try {
      const isAbandoned = isOfThisHost ? !isRunning(Number(match[2])) : await isOld(path);
      if (isAbandoned) await remove(path);
    } catch {
      // Another run swept it away first, or it is not ours to remove.
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

  // Somebody else could put a link to another folder into theirs while it is being emptied.
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
