import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { link, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fileError } from '../../src/output/file/file-error.ts';
import { placeNewFile, replaceFile } from '../../src/output/file/place-file.ts';
import { temporaryFolder } from '../support/run-cli.ts';

/** A machine on which replacing is refused a number of times. */
function refusing(platform: NodeJS.Platform, code: string, times: number) {
  const pauses: number[] = [];
  let left = times;
  const machine = {
    platform,
    link,
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
  return { folder, from, to, read: () => readFileSync(to, 'utf8') };
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

/** A machine whose file system has no hard links, as exFAT. */
function linkless(machine = refusing('linux', 'EPERM', 0).machine) {
  const link = async () => {
    throw Object.assign(new Error('EPERM: operation not permitted, link'), { code: 'EPERM' });
  };
  return { ...machine, link };
}

test.each([
  ['with hard links', refusing('linux', 'EPERM', 0).machine],
  ['without hard links', linkless()],
])('on a file system %s a new file gets a name, unless somebody has it', async (_, machine) => {
  const { folder, from, to, read } = twoFiles();
  await expect(placeNewFile(from, to, machine)).rejects.toMatchObject({ code: 'EEXIST' });
  expect([read(), readFileSync(from, 'utf8')]).toEqual(['old', 'new']);
  rmSync(to);
  await placeNewFile(from, to, machine);
  expect(read()).toBe('new');
  expect(readdirSync(folder)).toEqual(['old']);
});

test('without hard links, a name that was taken in vain is given back', async () => {
  const { from, to } = twoFiles();
  rmSync(to);
  await expect(placeNewFile(from, to, linkless(refusing('linux', 'EIO', 1).machine))).rejects.toMatchObject({
    code: 'EIO',
  });
  expect(existsSync(to)).toBe(false);
  expect(readFileSync(from, 'utf8')).toBe('new');
});
