import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { json, serve, serveAnswers } from '../support/http-server.ts';
import { expectRefusal, runCli, temporaryFolder } from '../support/run-cli.ts';
import { spawnCli } from '../support/spawn.ts';

const token = 'c0ffee'.repeat(7);
const run = 'run --period yesterday --metrics displays --format json';

describe('a service that takes forms only', () => {
  const own = { '/auth-reporting': { token }, '/buyer-reporting': { id: 'r 1&' } };
  const serveForms = () => serveAnswers(own, { formsOnly: true });
  const password = { ADREPORT_EMAIL: 'me+you@example.com', ADREPORT_PASSWORD: 'p&q=1' };

  test('--encoding form holds for every POST of a command', async () => {
    const { url, received } = await serveForms();
    const env = { ADREPORT_BASE_URL: url.href, ...password };

    expect(await runCli(`${run} --encoding form`, { env })).toMatchObject({ exitCode: 0 });

    const signIn = 'auth%5Bemail%5D=me%2Byou%40example.com&auth%5Bpassword%5D=p%26q%3D1';

    expect(received.map(({ path, body }) => [path, body])).toEqual([
      ['/auth-reporting', expect.stringContaining(signIn)],
      ['/buyer-reporting', expect.stringMatching(/^since=\d+&/)],
      ['/status-reporting', 'id=r+1%26'],
      ['/download-reporting', 'id=r+1%26'],
    ]);
  });

  test('login keeps it with the account, and status and download follow', async () => {
    const { url } = await serveForms();
    const cwd = temporaryFolder();

    const login = await runCli(`login --base-url ${url} --encoding form`, { cwd, env: password });

    expect(login).toMatchObject({ exitCode: 0 });
    expect(await runCli('status r1', { cwd })).toMatchObject({ exitCode: 0, stdout: 'ready\n' });
    expect(await runCli('download r1 --format json', { cwd })).toMatchObject({ exitCode: 0 });
    expect((await runCli('config get encoding', { cwd })).stdout).toBe('form\n');
  });

  test('adreport.yaml says it for a saved report', async () => {
    const { env } = await serveForms();
    const cwd = temporaryFolder();
    const report = '{ period: yesterday, metrics: displays, format: json }';
    writeFileSync(
      join(cwd, 'adreport.yaml'),
      `defaults: { encoding: form }\nreports: { a: ${report} }\n`,
    );

    expect(await runCli('run a', { cwd, env })).toMatchObject({ exitCode: 0 });
    expect(await runCli('status r1', { cwd, env })).toMatchObject({ exitCode: 0 });
  });
});

test.each([403, 404])(
  'login stores a token of an account without campaigns (%i), with a warning',
  async (status) => {
    const { url } = await serve(({ path }, response) =>
      path === '/campaigns' ? json(response, {}, status) : json(response, { status: 'ready' }),
    );
    const cwd = temporaryFolder();

    const login = await runCli(`login --base-url ${url} --token-stdin`, { cwd, stdin: token });

    expect(login).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('The token was not checked'),
    });
    expect(await runCli('status r1', { cwd })).toMatchObject({ exitCode: 0 });
  },
);

test('settings that cannot be read do not matter where the environment suffices, and are said', async () => {
  const { env } = await serveAnswers();
  const cwd = temporaryFolder();
  mkdirSync(join(cwd, '.config'), { mode: 0o700 });
  writeFileSync(join(cwd, '.config', 'settings.json'), '{"acc', { mode: 0o600 });

  const result = await runCli('status r1', { cwd, env });

  expect(result).toMatchObject({
    exitCode: 0,
    stderr: expect.stringContaining('is not valid JSON'),
  });
  for (const line of ['status r1 --account work', 'config set profile dsp']) {
    expect(await runCli(line, { cwd, env })).toMatchObject({ exitCode: 2 });
  }
});

test.each(['TOKEN', 'PASSWORD'])(
  'a secret of 50 kB in ADREPORT_%s is exit 2, and shown nowhere',
  async (name) => {
    const base = { ADREPORT_BASE_URL: 'https://reports.example.com', ADREPORT_EMAIL: 'a@b.c' };

    const result = await runCli('campaigns -vv', {
      env: { ...base, [`ADREPORT_${name}`]: 'S3cret'.repeat(9_000) },
    });

    expectRefusal(result, 2, 'longer than 4096 characters');
    expect(result.stderr).not.toContain('S3cret');
  },
);

test('no compiled code and nothing else is kept in a cache folder', async () => {
  const cwd = temporaryFolder();

  const env = { HOME: cwd, XDG_CACHE_HOME: join(cwd, 'cache'), TMPDIR: join(cwd, 'tmp') };

  expect(await spawnCli('fields', { cwd, env })).toMatchObject({ exitCode: 0 });
  expect(readdirSync(cwd)).toEqual([]);
});

test.skipIf(process.platform !== 'linux')(
  'a settings folder that cannot be: the report comes, and it is said',
  async () => {
    const nowhere = { ADREPORT_CONFIG_DIR: '/proc/nowhere/adreport' };
    const { url, env } = await serveAnswers();

    const result = await runCli(run, { env: { ...env, ...nowhere } });

    expect(result).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('/proc') });

    const login = await runCli(`login --base-url ${url} --token-stdin`, {
      env: nowhere,
      stdin: token,
    });

    expect(login).toMatchObject({ exitCode: 2 });
  },
);
