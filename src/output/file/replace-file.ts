import { rename } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

/** What replacing a file takes from the machine. */
interface Machine {
  readonly platform: NodeJS.Platform;
  rename(from: string, to: string): Promise<void>;
  pause(durationMs: number): Promise<unknown>;
}

const triesAtMost = 10;

/**
 * Gives a file the name of another, which it replaces. Windows refuses that for as long as a virus scanner or an indexer
 * looks at the other one, usually a moment: it is tried for 2 s.
 *
 * @throws what `rename` throws; `EBUSY` where a program on Windows keeps the other file open
 */
export async function replaceFile(
  from: string,
  to: string,
  machine: Machine = { platform: process.platform, rename, pause },
): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await machine.rename(from, to);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : '';
      if (machine.platform !== 'win32' || !['EPERM', 'EACCES', 'EBUSY'].includes(code)) throw error;
      // The folder could be written to a moment ago, and the file is not read-only: somebody has it open.
      if (tries === triesAtMost) throw Object.assign(new Error('in use', { cause: error }), { code: 'EBUSY' });
      await machine.pause(50 * tries);
    }
  }
}
