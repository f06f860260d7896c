import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { openStore } from '../../src/config/store.ts';
import { bundleScript } from '../support/bundle.ts';
import { temporaryFolder } from '../support/run-cli.ts';

const isWindows = process.platform === 'win32';
const mayReadAnything = isWindows || process.getuid?.() === 0;

let directory: string;
let warnings: string[];
beforeEach(() => {
  directory = join(temporaryFolder(), 'settings');
  warnings = [];
});

async function open() {
  return openStore({
    env: { ADREPORT_CONFIG_DIR: directory },
    warn: (sentence) => warnings.push(sentence),
    wallClock: () => Date.UTC(2026, 10, 20, 12),
  });
}

async function readStored() {
  return (await open()).read();
}

function modeOf(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}

const account = { baseUrl: 'https://x.example', token: 'stored-token', profile: 'dsp', email: 'a@x.example' } as const;

describe('accounts', () => {
  test('nothing is stored, and reading makes nothing', async () => {
    expect((await open()).read()).toEqual({ accounts: {} });
    expect(existsSync(directory)).toBe(false);
  });

  test('an account comes back as it was saved; the first one is the default', async () => {
    await (await open()).saveAccount('work', account);
    await (await open()).saveAccount('home', { baseUrl: 'https://y.example' });
    expect((await open()).read()).toEqual({
      defaultAccount: 'work',
      accounts: {
        work: { ...account, savedAt: '2026-11-20T12:00:00.000Z' },
        home: { baseUrl: 'https://y.example', savedAt: '2026-11-20T12:00:00.000Z' },
      },
    });
  });

  test('a forgotten token is in no file, and the rest of the account stays', async () => {
    await (await open()).saveAccount('work', account);
    expect(await (await open()).forgetToken('work')).toBe(true);
    expect((await open()).read().accounts.work).toMatchObject({ baseUrl: 'https://x.example', email: 'a@x.example' });
    for (const name of readdirSync(directory)) {
      expect(readFileSync(join(directory, name), 'utf8')).not.toContain('stored-token');
    }
    expect(await (await open()).forgetToken('work')).toBe(false);
    expect(await (await open()).forgetToken('nobody')).toBe(false);
  });

  test('what a newer version may have added is kept', async () => {
    await (await open()).saveAccount('work', account);
    const path = join(directory, 'settings.json');
    const text = JSON.parse(readFileSync(path, 'utf8'));
    writeFileSync(path, JSON.stringify({ ...text, future: { x: 1 }, settings: { retries: '3' } }));
    await (await open()).saveAccount('home', account);
    expect((await open()).read()).toMatchObject({ future: { x: 1 }, settings: { retries: '3' } });
  });
});

describe.skipIf(isWindows)('modes', () => {
  test('0600 in 0700, whatever the umask', async () => {
    const umask = process.umask(0);
    onTestFinished(() => void process.umask(umask));
    await (await open()).saveAccount('work', account);
    expect([modeOf(directory), modeOf(join(directory, 'settings.json'))]).toEqual(['700', '600']);
    expect(warnings).toEqual([]);
  });

  test('a file that others can read is closed, and said once', async () => {
    await (await open()).saveAccount('work', account);
    const path = join(directory, 'settings.json');
    chmodSync(path, 0o644);
    await readStored();
    expect(modeOf(path)).toBe('600');
    await readStored();
    expect(warnings).toEqual([expect.stringContaining(`${path} was open to other users (mode 0644)`)]);
  });

  test('a folder that adreport did not make keeps its mode, and that is said', async () => {
    mkdirSync(directory);
    chmodSync(directory, 0o1777);
    await (await open()).saveAccount('work', account);
    expect([statSync(directory).mode & 0o7777, modeOf(join(directory, 'settings.json'))]).toEqual([0o1777, '600']);
    expect(warnings).toEqual([expect.stringContaining(`${directory} is open to other users (mode 1777)`)]);
  });
});

describe('a file that cannot be used is named, and left alone', () => {
  async function expectLeftAlone(content: string | Buffer): Promise<void> {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const path = join(directory, 'settings.json');
    writeFileSync(path, content, { mode: 0o600 });
    const before = readFileSync(path);
    const expected = { name: 'UsageError', exitCode: 2, message: expect.stringContaining(path) };
    await expect(readStored()).rejects.toThrow(expect.objectContaining(expected));
    await expect((await open()).saveAccount('work', account)).rejects.toMatchObject(expected);
    expect(readFileSync(path)).toEqual(before);
    expect(readdirSync(directory)).toEqual(['settings.json']);
  }

  test.each([
    ['an empty file', ''],
    ['zero bytes, as after a crash', Buffer.alloc(200)],
    ['another program', '[core]\n\teditor = vi\n'],
    ['a list', '[]'],
    ['null', 'null'],
    ['an object of something else', '{"name":"x","version":"1"}'],
    ['a default account that is no text', '{"defaultAccount":1,"accounts":{}}'],
    ['an account that is no object', '{"accounts":{"work":null}}'],
    ['accounts that are a list', '{"accounts":[]}'],
    ['an account without a base URL', '{"accounts":{"work":{"token":"x"}}}'],
    ['a token that is no text', '{"accounts":{"work":{"baseUrl":"https://x.example","token":1}}}'],
    ['an unknown profile', '{"accounts":{"work":{"baseUrl":"https://x.example","profile":"seller"}}}'],
    ['a file that ends in the middle', '{"accounts":{"work":{"baseUrl":"https://x.example"}}'],
    ['UTF-16', Buffer.from('{"accounts":{}}', 'utf16le')],
  ])('%s', async (_name, content) => {
    await expectLeftAlone(content);
  });

  test.skipIf(mayReadAnything)('a file that may not be read', async () => {
    await (await open()).saveAccount('work', account);
    chmodSync(join(directory, 'settings.json'), 0);
    await expect(readStored()).rejects.toThrow(/settings\.json cannot be read: permission denied/);
  });
});

test('a byte order mark, which editors on Windows write, is no harm', async () => {
  mkdirSync(directory, { mode: 0o700 });
  writeFileSync(join(directory, 'settings.json'), '\ufeff{"accounts":{}}', { mode: 0o600 });
  await (await open()).saveAccount('work', account);
  expect((await open()).read().accounts.work?.token).toBe('stored-token');
});

test('while others write, a reader never sees half a file', async () => {
  const script = bundleScript(`
    import { openStore } from './src/config/store.ts';
    const store = await openStore({ env: process.env, warn: (text) => { throw new Error(text); }, wallClock: Date.now });
    for (let i = 0; i < 20; i += 1) {
      await store.saveAccount('x' + i, { baseUrl: 'https://x.example', token: 'x'.repeat(500) });
      store.read();
    }
  `);
  onTestFinished(script.remove);
  const writers = Array.from({ length: 3 }, () =>
    spawn(process.execPath, [script.file], {
      env: { ...process.env, ADREPORT_CONFIG_DIR: directory },
      stdio: ['ignore', 'ignore', 'inherit'],
    }),
  );
  expect(await Promise.all(writers.map((child) => once(child, 'exit')))).toEqual(Array(3).fill([0, null]));
  expect(Object.keys((await readStored()).accounts)).toContain('x19');
  expect(readdirSync(directory)).toEqual(['settings.json']);
});
