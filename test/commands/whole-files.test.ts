import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { expectRefusal, runCli, temporaryFolder } from '../support/run-cli.ts';

/** Files that are read completely have to be regular and of limited size. */

const things = [
  { name: 'nothing', make: () => {}, why: 'there is no such file' },
  { name: 'a folder', make: (path: string) => mkdirSync(path), why: 'it is a folder' },
  {
    name: 'a pipe that nobody writes to',
    make: (path: string) => void execFileSync('mkfifo', [path]),
    why: 'it is not a regular file',
  },
  {
    name: 'a device without an end',
    make: (path: string) => symlinkSync('/dev/zero', path),
    why: 'it is not a regular file',
  },
  {
    name: 'ten gigabytes',
    make: (path: string) => {
      writeFileSync(path, '');
      truncateSync(path, 10 * 1024 ** 3);
    },
    why: 'it is larger than',
  },
  {
    name: 'a file of the system whose size is 0',
    make: (path: string) => symlinkSync('/proc/kallsyms', path),
    why: 'it is larger than',
    platform: 'linux',
  },
];

const run = 'run --local --period yesterday';

describe.each([
  { flag: '--file', line: `${run} --file thing saved` },
  { flag: 'adreport.yaml', line: 'run saved --local', file: 'adreport.yaml' },
])('$flag', ({ flag, line, file = 'thing' }) => {
  test.each(things)(
    '$name: exit 2 immediately, with a sentence',
    async ({ name, make, why, platform }) => {
      if (process.platform === 'win32' || (platform && platform !== process.platform)) return;
      // Without this file there is no saved report, which has another message.
      if (flag === 'adreport.yaml' && name === 'nothing') return;
      const cwd = temporaryFolder();
      make(join(cwd, file));

      const result = await runCli(line, { cwd });

      expectRefusal(result, 2, why);
      expect(result.stderr).toContain(file);
    },
  );
});
