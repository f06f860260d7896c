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
