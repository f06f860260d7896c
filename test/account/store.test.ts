import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { Store, type StoredAccount, settingsFolder, withAccount } from '../../src/account/store.ts';
import { bundleScript } from '../support/bundle.ts';
import { temporaryFolder } from '../support/run-cli.ts';

const isWindows = process.platform === 'win32';
const mayReadAnything = isWindows || process.getuid?.() === 0;

let directory: string;
let file: string;
beforeEach(() => {
  directory = join(temporaryFolder(), 'settings');
  file = join(directory, 'settings.json');
});

const open = () => new Store({ ADREPORT_CONFIG_DIR: directory });
const save = (name: string, account: StoredAccount) =>
  open().update((stored) => withAccount(stored, name, account));
const modeOf = (path: string) => (statSync(path).mode & 0o7777).toString(8);

const account = {
  baseUrl: 'https://x.example',
  token: 'stored-token',
  profile: 'dsp',
  email: 'a@x.example',
} as const;

test('without a file there are no settings, and reading creates nothing', async () => {
  expect(await open().read()).toEqual({ accounts: {} });
  expect(existsSync(directory)).toBe(false);
});

test('an account is read back as saved; the first one is the default; unknown members are kept', async () => {
  await save('work', account);
  writeFileSync(
    file,
    JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), future: { x: 1 } }),
  );
  await save('home', { baseUrl: 'https://y.example', token: undefined });
  const expected = {
    defaultAccount: 'work',
    future: { x: 1 },
    accounts: { work: account, home: { baseUrl: 'https://y.example' } },
  };

  expect(await open().read()).toEqual(expected);
  expect(readdirSync(directory)).toEqual(['settings.json']);
});

describe.skipIf(isWindows)('modes', () => {
  test('0600 in a folder of 0700, with any umask', async () => {
    const umask = process.umask(0);
    onTestFinished(() => void process.umask(umask));

    await save('work', account);

    expect([modeOf(directory), modeOf(file)]).toEqual(['700', '600']);
  });
});

describe('an invalid file is named, and not changed', () => {
  test.each([
    { name: 'an empty file', content: '' },
    { name: 'NULs, as after a crash', content: Buffer.alloc(200) },
    { name: 'Latin-1', content: Buffer.from('{"accounts":{"é":{}}}', 'latin1') },
    {
      name: 'a token that is not a string',
      content: '{"accounts":{"work":{"baseUrl":"https://x.example","token":1}}}',
    },
    { name: 'UTF-16', content: Buffer.from('{"accounts":{}}', 'utf16le') },
  ])('$name', async ({ content }) => {
    mkdirSync(directory, { mode: 0o700 });
    writeFileSync(file, content, { mode: 0o600 });
    const before = readFileSync(file);

    const expected = { name: 'UsageError', exitCode: 2, message: expect.stringContaining(file) };

    await expect(open().read()).rejects.toMatchObject(expected);
    await expect(open().read()).rejects.not.toThrow('hush');
    await expect(save('work', account)).rejects.toMatchObject(expected);
    expect(readFileSync(file)).toEqual(before);
    expect(readdirSync(directory)).toEqual(['settings.json']);
  });

  test.skipIf(mayReadAnything)('a file that may not be read', async () => {
    await save('work', account);
    chmodSync(file, 0);

    await expect(open().read()).rejects.toThrow(
      /Cannot read the settings file .*settings\.json: permission denied/,
    );
  });
});

test('concurrent processes lose no changes, and readers never see half a file', async () => {
  const script = bundleScript(`
    import { Store, withAccount } from './src/account/store.ts';
    const store = new Store(process.env);
    for (let i = 0; i < 4; i += 1) {
      const account = { baseUrl: 'https://x.example', token: 'x'.repeat(500) };
      await store.update((stored) => withAccount(stored, process.env.NAME + i, account));
      await store.read();
    }
  `);
  onTestFinished(script.remove);
  const names = ['a', 'b', 'c'];
  const writers = names.map((NAME) =>
    spawn(process.execPath, [script.file], {
      env: { ...process.env, ADREPORT_CONFIG_DIR: directory, NAME },
      stdio: ['ignore', 'ignore', 'inherit'],
    }),
  );

  const ends = await Promise.all(writers.map((child) => once(child, 'exit')));
  expect(ends).toEqual(names.map(() => [0, null]));
  const stored = Object.keys((await open().read()).accounts).sort();
  expect(stored).toEqual(names.flatMap((name) => [0, 1, 2, 3].map((i) => `${name}${i}`)));
  expect(readdirSync(directory)).toEqual(['settings.json']);
});

test('the lock of a killed process is taken over', async () => {
  await save('work', account);
  const lock = `${file}.lock`;
  mkdirSync(lock);
  const past = new Date(Date.now() - 60_000);
  utimesSync(lock, past, past);
  await save('home', account);
  expect(Object.keys((await open().read()).accounts)).toEqual(['work', 'home']);
});

const linux = { platform: 'linux', home: '/home/ana' } as const;
const mac = { platform: 'darwin', home: '/Users/ana' } as const;
const windows = { platform: 'win32', home: 'C:\\Users\\ana' } as const;

test.each([
  { machine: linux, env: {}, expected: '/home/ana/.config/adreport' },
  { machine: linux, env: { XDG_CONFIG_HOME: '/x' }, expected: '/x/adreport' },
  {
    machine: linux,
    env: { XDG_CONFIG_HOME: '/x', ADREPORT_CONFIG_DIR: '/etc/adreport' },
    expected: '/etc/adreport',
  },
  { machine: mac, env: {}, expected: '/Users/ana/Library/Preferences/adreport' },
  { machine: windows, env: {}, expected: 'C:\\Users\\ana\\AppData\\Roaming\\adreport\\Config' },
  { machine: windows, env: { APPDATA: 'D:\\Roaming' }, expected: 'D:\\Roaming\\adreport\\Config' },
])('the folder on $machine with $env: $expected', ({ machine, env, expected }) => {
  expect(settingsFolder(env, machine.platform, machine.home)).toBe(expected);
});
