import { link, open, rename, unlink } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { codeOf } from '../../errors.ts';

/** What putting a file into its place takes from the machine; tests give their own. */
interface Machine {
  readonly platform: NodeJS.Platform;
  link(from: string, to: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  pause(durationMs: number): Promise<unknown>;
}

const thisMachine: Machine = { platform: process.platform, link, rename, pause };

const triesAtMost = 10;

/**
 * Gives a file the name of another, which it replaces. Windows refuses that for as long as a virus scanner or an indexer
 * looks at the other one, usually a moment: it is tried for 2 s.
 *
 * @throws what `rename` throws; `EBUSY` where a program on Windows keeps the other file open
 */
export async function replaceFile(from: string, to: string, machine: Machine = thisMachine): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await machine.rename(from, to);
    } catch (error) {
      const isInUse = ['EPERM', 'EACCES', 'EBUSY'].includes(codeOf(error) ?? '');
      if (machine.platform !== 'win32' || !isInUse) throw error;
      // The folder could be written to a moment ago, and the file is not read-only: somebody has it open.
      if (tries === triesAtMost) throw Object.assign(new Error('in use', { cause: error }), { code: 'EBUSY' });
      await machine.pause(50 * tries);
    }
  }
}

/**
 * Gives a file a name that nobody has. Unlike a rename, a link never replaces what somebody has put there meanwhile;
 * where the file system has no links (exFAT, some network shares), an empty file takes the name first.
 *
 * @throws what the system throws: `EEXIST` where the name is taken
 */
export async function placeNewFile(from: string, to: string, machine: Machine = thisMachine): Promise<void> {
  try {
    await machine.link(from, to);
  } catch {
    await (await open(to, 'wx')).close();
    try {
      return await replaceFile(from, to, machine);
    } catch (error) {
      await unlink(to);
      throw error;
    }
  }
  await unlink(from);
}
