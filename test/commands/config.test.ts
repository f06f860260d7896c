import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { expectRefusal, runCli, temporaryFolder } from '../support/run-cli.ts';

const token = 'c0ffee'.repeat(7);

/** Command lines that share a folder, with its stored settings. */
function settle(env: Record<string, string> = {}) {
  const cwd = temporaryFolder();
  const path = join(cwd, '.config', 'settings.json');
  return {
    cwd,
    path,
    config: (words: string) => runCli(`config ${words}`, { cwd, env }),
    stored: () => JSON.parse(readFileSync(path, 'utf8')),
    store: (settings: object) => writeFileSync(path, JSON.stringify(settings), { mode: 0o600 }),
  };
}

/** Two accounts, of which the first is the default. */
async function twoAccounts(env: Record<string, string> = {}) {
  const settled = settle(env);
  await settled.config('set base-url https://reports.example.com');
  settled.store({
    defaultAccount: 'main',
    future: 1,
    accounts: {
      main: { baseUrl: 'https://reports.example.com/', token, email: 'me@example.com' },
      agency: { baseUrl: 'https://dsp.example.com/', profile: 'dsp' },
    },
  });
  return settled;
}

describe('list', () => {
  test('every setting with its source; no secrets', async () => {
    const { config, cwd } = await twoAccounts({ ADREPORT_PROFILE: 'dsp' });

    const { exitCode, stdout } = await config('list --json');

    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toEqual([
      { name: 'account', value: 'main', source: 'account', from: 'the stored default' },
      {
        name: 'base-url',
        value: 'https://reports.example.com',
        source: 'account',
        from: 'account “main”',
      },
      { name: 'profile', value: 'dsp', source: 'env', from: 'ADREPORT_PROFILE' },
      { name: 'encoding', value: 'json', source: 'default', from: 'default' },
      { name: 'window-clock', value: 'instant', source: 'default', from: 'default' },
      { name: 'token', value: 'c0ff…ffee', source: 'account', from: 'account “main”' },
      { name: 'email', value: 'me@example.com', source: 'account', from: 'account “main”' },
      { name: 'password', value: null, source: 'default', from: 'default' },
      { name: 'password-command', value: null, source: 'default', from: 'default' },
    ]);

    const table = await config('list');

    expect(table.stdout).toMatch(/^base-url +https:\/\/reports\.example\.com +account “main”$/m);
    expect(stdout + table.stdout).not.toContain(token);

    writeFileSync(join(cwd, 'adreport.yaml'), 'defaults: { account: agency }\n');
    expect((await config('list')).stdout).toMatch(/^account +agency +adreport\.yaml \(account\)$/m);
  });
});

describe('set and unset', () => {
  test('a first base URL creates the default account, readable by the owner only, then its profile', async () => {
    const { config, stored, path } = settle();

    const set = await config('set base-url https://reports.example.com/v1/');

    expect(set).toMatchObject({ exitCode: 0, stdout: '' });
    expect((await config('set profile DSP')).stderr).toBe(
      'Set profile to dsp for account “default”.\n',
    );
    expect(stored()).toEqual({
      defaultAccount: 'default',
      accounts: { default: { baseUrl: 'https://reports.example.com/v1', profile: 'dsp' } },
    });
    if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test('a token is kept only for its origin', async () => {
    const { config, stored } = await twoAccounts();

    await config('set base-url https://reports.example.com/other/path');

    expect(stored().accounts.main).toMatchObject({
      token,
      baseUrl: 'https://reports.example.com/other/path',
    });

    const moved = await config('set base-url https://evil.example.com');

    expect(moved.stderr).toContain('has been removed');
    expect(stored().accounts.main).toEqual({
      baseUrl: 'https://evil.example.com',
      email: 'me@example.com',
    });
    expect(JSON.stringify(stored())).not.toContain(token);
    expect(stored()).toMatchObject({ future: 1, accounts: { agency: { profile: 'dsp' } } });
  });

  test('the default account, settings of another one, the base URL with its token; never an account', async () => {
    const { config, stored } = await twoAccounts();

    expect(await config('set account agency')).toMatchObject({ exitCode: 0 });
    expect((await config('list')).stdout).toMatch(/^profile +dsp/m);

    await config('unset profile --account agency');

    expect(stored().accounts.agency).toEqual({ baseUrl: 'https://dsp.example.com/' });

    await config('unset account');

    expect(stored()).not.toHaveProperty('defaultAccount');

    await config('set account main');

    expect((await config('unset base-url')).stderr).toContain(
      'Removed base-url for account “main”',
    );
    expect(stored().accounts.main).toEqual({ email: 'me@example.com' });
    expect((await config('list')).exitCode).toBe(0);
  });

  test.each([
    { words: 'set BASE_URL https://x.example', says: 'Did you mean base-url?' },
    {
      words: 'set retries 3',
      says: 'Choose from account, base-url, profile, encoding, window-clock, password-command.',
    },
    { words: 'set base-url http://reports.example.com', says: 'must start with https://' },
    {
      words: 'set base-url https://me:pw@reports.example.com',
      says: 'must not contain a user name',
    },
    { words: 'set profile byer', says: 'Unknown profile “byer”.' },
    { words: 'set account agncy', says: 'Did you mean agency?' },
    { words: 'set account agency --account main', says: 'Use: adreport config set account NAME' },
    { words: 'set profile dsp --account nobody', says: 'adreport login --account nobody' },
    { words: `set token ${token}`, says: 'adreport login --token-stdin' },
    { words: 'set password sesame-open', says: 'ADREPORT_PASSWORD' },
    { words: 'unset email', says: 'adreport login' },
    { words: 'set profile', says: 'value' },
  ])('$words is exit 2, and nothing changes', async ({ words, says }) => {
    const { config, stored } = await twoAccounts();
    const before = stored();

    const result = await config(words);

    expectRefusal(result, 2, says);
    expect(result.stderr).not.toMatch(new RegExp(`${token}|sesame`));
    expect(stored()).toEqual(before);
  });
});

test('path: the file that login writes', async () => {
  const { config, path } = settle();

  expect((await config('path')).stdout).toBe(`${path}\n`);
  expect(JSON.parse((await config('path --json')).stdout)).toBe(path);
});
