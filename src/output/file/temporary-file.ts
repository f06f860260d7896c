import { readdir, stat, unlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { codeOf } from '../../errors.ts';

/** A temporary file that nobody has written to for so long belongs to nobody any more. */
const abandonedAfterMs = 24 * 60 * 60 * 1000;

const host =
  hostname()
    .replace(/[^A-Za-z0-9]/g, '')
    .slice(0, 16) || 'host';

const pattern = /^\..*\.adreport-([A-Za-z0-9]+)-(\d+)-[a-z0-9]+\.tmp$/;

/** A name beside `name` that says who writes it: hidden, at most 255 bytes, different each time. */
export function temporaryName(name: string): string {
  const ending = `.adreport-${host}-${process.pid}-${Math.random().toString(36).slice(2, 10)}.tmp`;
  let beginning = name;
  while (Buffer.byteLength(beginning) > 250 - ending.length) beginning = beginning.slice(0, -1);
  return `.${beginning}${ending}`;
}

/** Removes what runs that were killed have left in a folder: their process is gone, or the file is a day old. */
export async function sweepFolder(folder: string): Promise<void> {
  // A folder may be one to write to and not to list.
  for (const name of await readdir(folder).catch(() => [])) {
    const [, owner, pid] = pattern.exec(name) ?? [];
    if (pid === undefined) continue;
    const path = join(folder, name);
    try {
      const isOrphan = owner === host && !isRunning(Number(pid));
      if (isOrphan || Date.now() - (await stat(path)).mtimeMs > abandonedAfterMs) await unlink(path);
    } catch {
      // Another run swept it away first, or it is not ours to remove.
    }
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}
