import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { openStore } from '../../src/config/store.ts';
import { UsageError } from '../../src/errors.ts';
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

function open() {
  return openStore({
    env: { ADREPORT_CONFIG_DIR: directory },
    warn: (sentence) => warnings.push(sentence),
    wallClock: () => Date.UTC(2026, 10, 20, 12),
  });
}

function modeOf(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}

const account = { baseUrl: 'https://x.example', token: 'stored-token', profile: 'dsp', email: 'a@x.example' } as const;

describe('accounts', () => {
  test('nothing is stored, and reading makes nothing', () => {
    expect(open().read()).toEqual({ accounts: {} });
    expect(existsSync(directory)).toBe(false);
  });

  test('an account comes back as it was saved; the first one is the default', async () => {
    await open().saveAccount('work', account);
    await open().saveAccount('home', { baseUrl: 'https://y.example' });
    expect(open().read()).toEqual({
      defaultAccount: 'work',
      accounts: {
        work: { ...account, savedAt: '2026-11-20T12:00:00.000Z' },
        home: { baseUrl: 'https://y.example', savedAt: '2026-11-20T12:00:00.000Z' },
      },
    });
  });

  test('a saved account takes the place of the older one altogether', async () => {
    await open().saveAccount('work', account);
    await open().saveAccount('work', { baseUrl: 'https://y.example' });
    expect(open().read().accounts.work).toEqual({ baseUrl: 'https://y.example', savedAt: '2026-11-20T12:00:00.000Z' });
  });

  test('a forgotten token is in no file, and the rest of the account stays', async () => {
    await open().saveAccount('work', account);
    expect(await open().forgetToken('work')).toBe(true);
    expect(open().read().accounts.work).toMatchObject({ baseUrl: 'https://x.example', email: 'a@x.example' });
    for (const name of readdirSync(directory)) {
      expect(readFileSync(join(directory, name), 'utf8')).not.toContain('stored-token');
    }
    expect(await open().forgetToken('work')).toBe(false);
    expect(await open().forgetToken('nobody')).toBe(false);
  });

  test('what a process that was killed while writing has left is removed', async () => {
    mkdirSync(directory, { mode: 0o700 });
    writeFileSync(join(directory, 'settings.json.tmp-1795176000abcdef'), '{"accounts":{"work":{"token":"stored-to');
    await open().saveAccount('home', { baseUrl: 'https://y.example' });
    expect(readdirSync(directory)).toEqual(['settings.json']);
  });

  test('what a newer version may have added is kept', async () => {
    await open().saveAccount('work', account);
    const path = join(directory, 'settings.json');
    const text = JSON.parse(readFileSync(path, 'utf8'));
    writeFileSync(path, JSON.stringify({ ...text, future: { x: 1 }, settings: { retries: '3' } }));
    await open().saveAccount('home', account);
    expect(open().read()).toMatchObject({ future: { x: 1 }, settings: { retries: '3' } });
  });

  test('a change that changes nothing writes nothing', async () => {
    await open().update((settings) => settings);
    expect(existsSync(join(directory, 'settings.json'))).toBe(false);
  });

  test('an error in the middle leaves the file, and the lock is free again', async () => {
    await open().saveAccount('work', account);
    const fail = () => {
      throw new RangeError('in the middle');
    };
    await expect(open().update(fail)).rejects.toThrow(RangeError);
    await open().saveAccount('home', account);
    expect(Object.keys(open().read().accounts)).toEqual(['work', 'home']);
    expect(readdirSync(directory)).toEqual(['settings.json']);
  });
});

describe.skipIf(isWindows)('modes', () => {
  test('0600 in 0700, whatever the umask', async () => {
    const umask = process.umask(0);
    onTestFinished(() => void process.umask(umask));
    await open().saveAccount('work', account);
    expect([modeOf(directory), modeOf(join(directory, 'settings.json'))]).toEqual(['700', '600']);
    expect(warnings).toEqual([]);
  });

  test('looser ones are tightened, and said once', async () => {
    await open().saveAccount('work', account);
    const path = join(directory, 'settings.json');
    chmodSync(directory, 0o755);
    chmodSync(path, 0o644);
    open().read();
    expect([modeOf(directory), modeOf(path)]).toEqual(['700', '600']);
    expect(warnings).toEqual([
      expect.stringContaining(`${directory} was open to other users (mode 0755)`),
      expect.stringContaining(`${path} was open to other users (mode 0644)`),
    ]);
    open().read();
    expect(warnings).toHaveLength(2);
  });

  test('a folder that is not for settings alone is left as it is', async () => {
    mkdirSync(join(directory, 'project'), { recursive: true, mode: 0o755 });
    chmodSync(directory, 0o755);
    await open().saveAccount('work', account);
    expect([modeOf(directory), modeOf(join(directory, 'settings.json'))]).toEqual(['755', '600']);
    expect(warnings).toEqual([]);
  });

  test('a link is followed, and stays one', async () => {
    mkdirSync(directory, { mode: 0o700 });
    const target = join(directory, '..', 'dotfiles.json');
    writeFileSync(target, '{"accounts":{}}', { mode: 0o600 });
    symlinkSync(target, join(directory, 'settings.json'));
    await open().saveAccount('work', account);
    expect(readFileSync(target, 'utf8')).toContain('stored-token');
    expect(modeOf(target)).toBe('600');
  });
});

describe('a file that cannot be used is named, and left alone', () => {
  async function expectLeftAlone(content: string | Buffer): Promise<void> {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const path = join(directory, 'settings.json');
    writeFileSync(path, content, { mode: 0o600 });
    const before = readFileSync(path);
    const expected = { name: 'UsageError', exitCode: 2, message: expect.stringContaining(path) };
    expect(() => open().read()).toThrow(expect.objectContaining(expected));
    await expect(open().saveAccount('work', account)).rejects.toMatchObject(expected);
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
    ['bytes that are no text', Buffer.from([0x7b, 0xff, 0xfe, 0x7d])],
    ['UTF-16', Buffer.from('{"accounts":{}}', 'utf16le')],
  ])('%s', async (_name, content) => {
    await expectLeftAlone(content);
  });

  test('a file that ends in the middle, wherever that is', async () => {
    const whole = JSON.stringify({ defaultAccount: 'work', accounts: { work: account } }, null, 2);
    for (let length = 1; length < whole.length; length += 1) {
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      writeFileSync(join(directory, 'settings.json'), whole.slice(0, length), { mode: 0o600 });
      expect(() => open().read()).toThrow(UsageError);
    }
    await expectLeftAlone(whole.slice(0, -1));
  });

  test('random JSON is read only if it is ours', () => {
    mkdirSync(directory, { mode: 0o700 });
    fc.assert(
      fc.property(fc.json(), (json) => {
        writeFileSync(join(directory, 'settings.json'), json, { mode: 0o600 });
        expect(() => open().read()).toThrow(UsageError);
      }),
    );
  });

  test('a folder in its place', () => {
    mkdirSync(join(directory, 'settings.json'), { recursive: true });
    expect(() => open().read()).toThrow(/settings\.json cannot be read: illegal operation on a directory/);
  });

  test.skipIf(mayReadAnything)('a file that may not be read', async () => {
    await open().saveAccount('work', account);
    chmodSync(join(directory, 'settings.json'), 0);
    expect(() => open().read()).toThrow(/settings\.json cannot be read: permission denied/);
  });

  test('a file in the place of the folder', async () => {
    writeFileSync(directory, '');
    await expect(open().saveAccount('work', account)).rejects.toMatchObject({ exitCode: 2 });
    expect(readFileSync(directory, 'utf8')).toBe('');
  });
});

test('a byte order mark, which editors on Windows write, is no harm', async () => {
  mkdirSync(directory, { mode: 0o700 });
  writeFileSync(join(directory, 'settings.json'), '\ufeff{"accounts":{}}', { mode: 0o600 });
  await open().saveAccount('work', account);
  expect(open().read().accounts.work?.token).toBe('stored-token');
});

test('ten processes that write at once lose nothing, and a reader never sees half a file', async () => {
  const script = bundleScript(`
    import { openStore } from './src/config/store.ts';
    const store = openStore({ env: process.env, warn: (text) => { throw new Error(text); }, wallClock: Date.now });
    process.stdout.write('ready');
    process.stdin.once('data', async () => {
      for (let i = 0; i < 3; i += 1) {
        await store.saveAccount(process.argv[2] + '-' + i, { baseUrl: 'https://x.example', token: 'x'.repeat(500) });
        store.read();
      }
      process.exit(0);
    });
  `);
  onTestFinished(script.remove);
  const children = Array.from({ length: 10 }, (_, i) =>
    spawn(process.execPath, [script.file, `p${i}`], {
      env: { ...process.env, ADREPORT_CONFIG_DIR: directory },
      stdio: ['pipe', 'pipe', 'inherit'],
    }),
  );
  const exits = children.map((child) => once(child, 'exit'));
  await Promise.all(children.map((child) => once(child.stdout, 'data')));
  // They also find the lock of a process that has died, and must not break each other's locks over it.
  mkdirSync(directory, { mode: 0o700 });
  const dead = spawnSync(process.execPath, ['-e', '']).pid;
  writeFileSync(join(directory, 'settings.json.lock'), JSON.stringify({ host: hostname(), pid: dead, id: 'x' }));
  for (const child of children) child.stdin.write('go');
  expect((await Promise.all(exits)).map(([exitCode]) => exitCode)).toEqual(Array(10).fill(0));
  const expected = Array.from({ length: 30 }, (_, i) => `p${Math.floor(i / 3)}-${i % 3}`);
  expect(Object.keys(open().read().accounts).sort()).toEqual(expected);
  expect(readdirSync(directory)).toEqual(['settings.json']);
});
