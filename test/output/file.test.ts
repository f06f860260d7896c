import { execFileSync, spawn } from 'node:child_process';
import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { InterruptedError, OutputError } from '../../src/errors.ts';
import { checkTarget, openOutput, temporaryName } from '../../src/output/file/output-file.ts';

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adreport-file-'));
  path = join(folder, 'report.csv');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function write(text: string, options: { noClobber?: boolean } = {}): Promise<void> {
  const file = await openOutput(path, options);
  await file.write(Buffer.from(text));
  await file.commit();
}

describe('an output file', () => {
  it('is the old one until it is whole', async () => {
    await writeFile(path, 'old');
    const file = await openOutput(path);
    await file.write(Buffer.alloc(1_000_000, 'x'));
    expect(await readFile(path, 'utf8')).toBe('old');
    expect(await readdir(folder)).toHaveLength(2);
    await file.commit();
    expect((await readFile(path)).length).toBe(1_000_000);
    expect(await readdir(folder)).toEqual(['report.csv']);
  });

  it('holds exactly what was written, in pieces of any size, from a buffer that is used again', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 600_000 }), { maxLength: 6 }), async (sizes) => {
        const file = await openOutput(path);
        const buffer = Buffer.alloc(600_000);
        for (const [i, size] of sizes.entries()) {
          await file.write(buffer.fill(i + 1).subarray(0, size));
        }
        await file.commit();
        expect(
          Buffer.compare(await readFile(path), Buffer.concat(sizes.map((size, i) => Buffer.alloc(size, i + 1)))),
        ).toBe(0);
      }),
      { numRuns: 15 },
    );
  });

  it('leaves nothing when aborted, the folders that were made included', async () => {
    await mkdir(join(folder, 'kept'));
    path = join(folder, 'kept', 'date=2026-11-01', 'part', 'x.csv');
    const file = await openOutput(path);
    await file.write(Buffer.from('x'));
    await file.abort();
    await file.abort();
    expect(await readdir(join(folder, 'kept'))).toEqual([]);
    await write('x');
    expect(await readFile(path, 'utf8')).toBe('x');
  });

  it('keeps its permissions', async () => {
    await writeFile(path, 'old');
    await chmod(path, 0o640);
    await write('new');
    expect((await stat(path)).mode & 0o777).toBe(0o640);
  });

  it('is reached through symbolic links, which stay', async () => {
    await mkdir(join(folder, 'there'));
    await symlink('there/second', path);
    await symlink('real.csv', join(folder, 'there', 'second'));
    await write('x');
    expect(await readFile(join(folder, 'there', 'real.csv'), 'utf8')).toBe('x');
    expect(await readlink(path)).toBe('there/second');
    expect((await lstat(join(folder, 'there', 'second'))).isSymbolicLink()).toBe(true);
  });
});

describe('what is no regular file', () => {
  it.skipIf(process.platform === 'win32')('may be a named pipe that nobody reads: a signal ends the wait', async () => {
    execFileSync('mkfifo', [path]);
    const controller = new AbortController();
    const opened = openOutput(path, { signal: controller.signal });
    controller.abort(new InterruptedError(143));
    await expect(opened).rejects.toMatchObject({ exitCode: 143 });
  });

  it('is packed where its name says so', async () => {
    path = join(folder, 'report.csv.gz');
    await write('date,clicks\r\n'.repeat(100_000));
    const bytes = await readFile(path);
    expect(bytes.length).toBeLessThan(10_000);
    expect(gunzipSync(bytes).toString()).toBe('date,clicks\r\n'.repeat(100_000));
    const file = await openOutput(path);
    await file.write(Buffer.from('new'));
    await file.abort();
    expect(await readFile(path)).toEqual(bytes);
    expect(await readdir(folder)).toEqual(['report.csv.gz']);
  });

  it.skipIf(process.platform !== 'linux')('below /proc is refused at once, before anything is fetched', async () => {
    for (const open of [checkTarget, openOutput]) {
      await expect(open('/proc/nowhere/at/all/x.csv')).rejects.toMatchObject({ exitCode: 8 });
    }
  });

  it.skipIf(process.platform === 'win32')('may be a named pipe', async () => {
    execFileSync('mkfifo', [path]);
    const reader = spawn('cat', [path], { stdio: ['ignore', 'pipe', 'inherit'] });
    const text = reader.stdout.toArray().then((chunks) => Buffer.concat(chunks).toString());
    await write('through the pipe');
    expect(await text).toBe('through the pipe');
    expect((await stat(path)).isFIFO()).toBe(true);
  });
});

describe('--no-clobber', () => {
  it('refuses an existing file before and while it is opened', async () => {
    await writeFile(path, 'old');
    const refusal = {
      exitCode: 8,
      message: `${path} could not be written: it exists already, and --no-clobber keeps it.`,
    };
    await expect(checkTarget(path, { noClobber: true })).rejects.toMatchObject(refusal);
    await expect(openOutput(path, { noClobber: true })).rejects.toMatchObject(refusal);
    await expect(checkTarget(path)).resolves.toBeUndefined();
  });

  it('refuses a file that somebody else puts there meanwhile, and leaves it alone', async () => {
    const file = await openOutput(path, { noClobber: true });
    await file.write(Buffer.from('mine'));
    await writeFile(path, 'theirs');
    await expect(file.commit()).rejects.toMatchObject({ exitCode: 8, code: 'EEXIST' });
    expect(await readFile(path, 'utf8')).toBe('theirs');
    expect(await readdir(folder)).toEqual(['report.csv']);
  });
});

describe('leftovers of runs that were killed', () => {
  it('are swept away by the next run into their folder', async () => {
    const child = spawn('sleep', ['0']);
    await new Promise((resolve) => child.once('exit', resolve));
    const alive = temporaryName('report.csv');
    const dead = alive.replace(`-${process.pid}-`, `-${child.pid}-`);
    const elsewhere = '.report.csv.adreport-otherhost-1-abc123.tmp';
    const oldElsewhere = '.other.csv.adreport-otherhost-1-abc123.tmp';
    const notOurs = '.report.csv.tmp';
    for (const name of [dead, alive, elsewhere, oldElsewhere, notOurs]) await writeFile(join(folder, name), '');
    const twoDaysAgo = new Date(Date.now() - 2 * 86_400_000);
    await utimes(join(folder, oldElsewhere), twoDaysAgo, twoDaysAgo);
    await write('x');
    expect((await readdir(folder)).sort()).toEqual([alive, elsewhere, notOurs, 'report.csv'].sort());
  });
});

describe('what cannot be written', () => {
  it('is a folder', async () => {
    await expect(openOutput(folder)).rejects.toMatchObject({
      exitCode: 8,
      message: `${folder} could not be written: it is a folder.`,
    });
    await expect(checkTarget(folder)).rejects.toThrow(OutputError);
  });

  it('lies below a file', async () => {
    await writeFile(path, '');
    for (const below of [join(path, 'x.csv'), join(path, 'deeper', 'x.csv')]) {
      const error = {
        exitCode: 8,
        message: `${below} could not be written: a part of its path is a file, not a folder.`,
      };
      await expect(openOutput(below)).rejects.toMatchObject(error);
      await expect(checkTarget(below)).rejects.toMatchObject(error);
    }
  });
});
