import { spawnSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { temporaryFolder } from './run-cli.ts';
import { launcher } from './spawn-cli.ts';

/** A PATH on which `adreport` is the built program, for one test. */
export function pathWithAdreport(): string {
  const folder = temporaryFolder();
  symlinkSync(launcher, join(folder, 'adreport'));
  return [folder, process.env.PATH].join(delimiter);
}

/** Whether this machine has a program; it is asked for its version. */
export function isInstalled(program: string): boolean {
  return spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined;
}
