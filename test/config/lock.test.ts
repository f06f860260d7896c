import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { withLock } from '../../src/config/lock.ts';
import { temporaryFolder } from '../support/run-cli.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = temporaryFolder();
  path = join(folder, 'lock');
});

const deadPid = spawnSync(process.execPath, ['-e', '']).pid;
const holder = (host: string, pid: number): string => JSON.stringify({ host, pid, id: 'x' });

function makeOld(file: string): void {
  utimesSync(file, new Date(0), new Date(0));
}

test('the lock is there during the work and gone after it, also when the work fails', async () => {
  expect(await withLock(path, () => existsSync(path))).toBe(true);
  await expect(
    withLock(path, () => {
      throw new RangeError('in the work');
    }),
  ).rejects.toThrow(RangeError);
  expect(readdirSync(folder)).toEqual([]);
});

test('the work of one process is done one after the other', async () => {
  let running = 0;
  const work = () => {
    running += 1;
    expect(running).toBe(1);
    running -= 1;
    return 1;
  };
  const done = await Promise.all(Array.from({ length: 20 }, () => withLock(path, work)));
  expect(done).toHaveLength(20);
});

test('a lock whose holder has died is broken at once', async () => {
  writeFileSync(path, holder(hostname(), deadPid));
  expect(await withLock(path, () => 'done', 2_000)).toBe('done');
  expect(readdirSync(folder)).toEqual([]);
});

test.each([
  ['of another machine', holder('elsewhere', 1)],
  ['of a living process', holder(hostname(), process.pid)],
  ['that says nothing', ''],
])('a lock %s is broken once it is old', async (_name, text) => {
  writeFileSync(path, text);
  makeOld(path);
  expect(await withLock(path, () => 'done', 2_000)).toBe('done');
  expect(readdirSync(folder)).toEqual([]);
});

test.each([
  ['of another machine', holder('elsewhere', 1)],
  ['of a living process', holder(hostname(), process.pid)],
  ['that is just being written', ''],
])('a fresh lock %s is waited for, then named', async (_name, text) => {
  writeFileSync(path, text);
  await expect(withLock(path, () => 'done', 20)).rejects.toMatchObject({
    name: 'UsageError',
    code: 'SETTINGS_LOCKED',
    retryable: true,
    hint: expect.stringContaining(path),
  });
  expect(readFileSync(path, 'utf8')).toBe(text);
});

test('a dead lock is broken even if another breaker died over it', async () => {
  writeFileSync(path, holder(hostname(), deadPid));
  writeFileSync(`${path}.breaking`, '');
  makeOld(`${path}.breaking`);
  expect(await withLock(path, () => 'done', 2_000)).toBe('done');
  expect(readdirSync(folder)).toEqual([]);
});

test('a lock that was removed by hand is missed by nobody', async () => {
  expect(await withLock(path, () => rmSync(path))).toBeUndefined();
  expect(readdirSync(folder)).toEqual([]);
});

test('where no file can be made, nothing is waited for', async () => {
  await expect(withLock(join(folder, 'missing', 'lock'), () => 'done')).rejects.toMatchObject({ code: 'ENOENT' });
});

test('a lock that was broken and taken by another is not removed after the work', async () => {
  await withLock(path, () => writeFileSync(path, holder('elsewhere', 1)));
  expect(readFileSync(path, 'utf8')).toBe(holder('elsewhere', 1));
});
