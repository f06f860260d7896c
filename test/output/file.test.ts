import { execFileSync, spawn } from 'node:child_process';
import * as fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkTarget, openOutput } from '../../src/output/file/output-file.ts';
import { temporaryName } from '../../src/output/file/temporary-files.ts';
import { fileHost } from '../support/file-host.ts';

const host = fileHost();
const onWindows = process.platform === 'win32';
let folder: string;
let path: string;

beforeEach(async () => {
  folder = await fs.mkdtemp(join(tmpdir(), 'adreport-file-'));
  path = join(folder, 'report.csv');
});
afterEach(() => fs.rm(folder, { recursive: true, force: true }));

async function write(text: string, options: { noClobber?: boolean } = {}): Promise<void> {
  const file = await openOutput(path, { host, ...options });
  await file.write(Buffer.from(text));
  await file.commit();
}

describe('an output file', () => {
  it('keeps its old content until it is complete', async () => {
    await fs.writeFile(path, 'old');
    const file = await openOutput(path, { host });

    await file.write(Buffer.alloc(1_000_000, 'x'));

    expect(await fs.readFile(path, 'utf8')).toBe('old');
    expect(await fs.readdir(folder)).toHaveLength(2);

    await file.commit();

    expect((await fs.readFile(path)).length).toBe(1_000_000);
    expect(await fs.readdir(folder)).toEqual(['report.csv']);
  });

  it('contains exactly what was written, in pieces of any size, from a reused buffer', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 600_000 }), { maxLength: 6 }),
        async (sizes) => {
          const file = await openOutput(path, { host });
          const buffer = Buffer.alloc(600_000);
          for (const [i, size] of sizes.entries()) {
            await file.write(buffer.fill(i + 1).subarray(0, size));
          }
          await file.commit();
          expect(
            Buffer.compare(
              await fs.readFile(path),
              Buffer.concat(sizes.map((size, i) => Buffer.alloc(size, i + 1))),
            ),
          ).toBe(0);
        },
      ),
      { numRuns: 15 },
    );
  });

  it('leaves nothing behind when aborted, not even new folders', async () => {
    await fs.mkdir(join(folder, 'kept'));
    path = join(folder, 'kept', 'date=2026-11-01', 'part', 'x.csv');
    const file = await openOutput(path, { host });
    await file.write(Buffer.from('x'));
    await file.abort();

    await file.abort();

    expect(await fs.readdir(join(folder, 'kept'))).toEqual([]);

    await write('x');

    expect(await fs.readFile(path, 'utf8')).toBe('x');
  });

  it.skipIf(onWindows)('keeps its permissions', async () => {
    await fs.writeFile(path, 'old', { mode: 0o640 });

    await write('new');

    expect((await fs.stat(path)).mode & 0o777).toBe(0o640);
  });

  it.skipIf(onWindows)('is written through symbolic links, which are kept', async () => {
    await fs.mkdir(join(folder, 'there'));
    await fs.symlink('there/second', path);
    await fs.symlink('real.csv', join(folder, 'there', 'second'));

    await write('x');

    expect(await fs.readFile(join(folder, 'there', 'real.csv'), 'utf8')).toBe('x');
    expect(await fs.readlink(path)).toBe('there/second');
    expect((await fs.lstat(join(folder, 'there', 'second'))).isSymbolicLink()).toBe(true);
  });
});

describe('a target that is not a plain file', () => {
  it('is compressed if its name ends in .gz', async () => {
    path = join(folder, 'report.csv.gz');
    await write('date,clicks\r\n'.repeat(100_000));

    const bytes = await fs.readFile(path);

    expect(bytes.length).toBeLessThan(10_000);
    expect(gunzipSync(bytes).toString()).toBe('date,clicks\r\n'.repeat(100_000));

    const file = await openOutput(path, { host });
    await file.write(Buffer.from('new'));

    await file.abort();

    expect(await fs.readFile(path)).toEqual(bytes);
    expect(await fs.readdir(folder)).toEqual(['report.csv.gz']);
  });

  it.skipIf(process.platform === 'win32')('may be a named pipe', async () => {
    execFileSync('mkfifo', [path]);
    const reader = spawn('cat', [path], { stdio: ['ignore', 'pipe', 'inherit'] });
    const text = reader.stdout.toArray().then((chunks) => Buffer.concat(chunks).toString());

    await write('through the pipe');

    expect(await text).toBe('through the pipe');
    expect((await fs.stat(path)).isFIFO()).toBe(true);
  });
});

describe('--no-clobber', () => {
  it('refuses an existing file before and while it is opened', async () => {
    await fs.writeFile(path, 'old');
    const refusal = {
      exitCode: 8,
      message: `Cannot write ${path}: it already exists.`,
    };

    await expect(checkTarget(path, { host, noClobber: true })).rejects.toMatchObject(refusal);
    await expect(openOutput(path, { host, noClobber: true })).rejects.toMatchObject(refusal);
    await expect(checkTarget(path, { host })).resolves.toBeUndefined();
  });

  it('refuses a file that appears in the meantime, and leaves it alone', async () => {
    const file = await openOutput(path, { host, noClobber: true });
    await file.write(Buffer.from('mine'));

    await fs.writeFile(path, 'theirs');

    await expect(file.commit()).rejects.toMatchObject({ exitCode: 8, code: 'EEXIST' });
    expect(await fs.readFile(path, 'utf8')).toBe('theirs');
    expect(await fs.readdir(folder)).toEqual(['report.csv']);
  });
});

it('the check on Windows leaves the file and its folder unchanged', async () => {
  await fs.writeFile(path, 'old');
  await fs.utimes(path, 1, 1);

  await checkTarget(path, { host: fileHost('win32') });

  expect(await fs.readFile(path, 'utf8')).toBe('old');
  expect((await fs.stat(path)).mtimeMs).toBe(1_000);
  expect((await fs.stat(path)).nlink).toBe(1);
  expect(await fs.readdir(folder)).toEqual(['report.csv']);
});

describe('temporary files of killed runs', () => {
  it('are removed by the next run into their folder', async () => {
    const child = spawn('sleep', ['0']);
    await new Promise((resolve) => child.once('exit', resolve));
    const alive = temporaryName('report.csv');
    const dead = alive.replace(`-${process.pid}-`, `-${child.pid}-`);
    const elsewhere = '.report.csv.adreport-otherhost-1-abc123.tmp';
    const oldElsewhere = '.other.csv.adreport-otherhost-1-abc123.tmp';
    const notOurs = '.report.csv.tmp';
    for (const name of [dead, alive, elsewhere, oldElsewhere, notOurs])
      await fs.writeFile(join(folder, name), '');
    const twoDaysAgo = new Date(Date.now() - 2 * 86_400_000);
    for (const name of [alive, oldElsewhere])
      await fs.utimes(join(folder, name), twoDaysAgo, twoDaysAgo);

    await write('x');

    expect((await fs.readdir(folder)).sort()).toEqual(
      [alive, elsewhere, notOurs, 'report.csv'].sort(),
    );
  });
});

it('a target that is a folder, or below a file, is refused by the check and when it is opened', async () => {
  await fs.writeFile(path, '');
  for (const { target, reason } of [
    { target: folder, reason: 'it is a folder' },
    { target: join(path, 'x.csv'), reason: 'part of its path is a file, not a folder' },
    { target: join(path, 'deeper', 'x.csv'), reason: 'part of its path is a file, not a folder' },
  ] as const) {
    const error = { exitCode: 8, message: `Cannot write ${target}: ${reason}.` };
    await expect(openOutput(target, { host })).rejects.toMatchObject(error);
    await expect(checkTarget(target, { host })).rejects.toMatchObject(error);
  }
});
