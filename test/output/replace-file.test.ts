import { readFileSync, writeFileSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fileError } from '../../src/output/file/file-error.ts';
import { replaceFile } from '../../src/output/file/replace-file.ts';
import { temporaryFolder } from '../support/run-cli.ts';

/** A machine on which replacing is refused a number of times. */
function refusing(platform: NodeJS.Platform, code: string, times: number) {
  const pauses: number[] = [];
  let left = times;
  const machine = {
    platform,
    rename: async (from: string, to: string) => {
      if (left-- > 0) throw Object.assign(new Error(`${code}: refused`), { code });
      await rename(from, to);
    },
    pause: async (durationMs: number) => pauses.push(durationMs),
  };
  return { machine, pauses };
}

function twoFiles() {
  const folder = temporaryFolder();
  const [from, to] = [join(folder, 'new'), join(folder, 'old')];
  writeFileSync(from, 'new');
  writeFileSync(to, 'old');
  return { from, to, read: () => readFileSync(to, 'utf8') };
}

test.each(['EPERM', 'EACCES', 'EBUSY'])('%s on Windows passes: it is tried again, ever more slowly', async (code) => {
  const { from, to, read } = twoFiles();
  const { machine, pauses } = refusing('win32', code, 4);
  await replaceFile(from, to, machine);
  expect(read()).toBe('new');
  expect(pauses).toEqual([50, 100, 150, 200]);
});

test('a file that stays open on Windows is said to be', async () => {
  const { from, to, read } = twoFiles();
  const { machine, pauses } = refusing('win32', 'EPERM', 99);
  const error = await replaceFile(from, to, machine).catch((thrown: unknown) => fileError(thrown, 'week.csv'));
  expect(error).toMatchObject({ message: 'week.csv could not be written: another program has it open.' });
  expect(read()).toBe('old');
  expect(pauses.reduce((sum, each) => sum + each, 0)).toBeLessThan(3_000);
});

test.each([
  ['linux', 'EPERM'],
  ['darwin', 'EACCES'],
  ['win32', 'ENOSPC'],
] as const)('on %s %s is final', async (platform, code) => {
  const { from, to } = twoFiles();
  const { machine, pauses } = refusing(platform, code, 1);
  await expect(replaceFile(from, to, machine)).rejects.toMatchObject({ code });
  expect(pauses).toEqual([]);
});
