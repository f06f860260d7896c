import { describe, expect, test } from 'vitest';
import { tokens } from '../server/local.ts';
import { json, serve, serveAnswers } from '../support/http-server.ts';
import { runCli, temporaryFolder } from '../support/run-cli.ts';
import { serveForTest } from '../support/service.ts';

const line = 'run --period yesterday --metrics displays,clicks --format json';

describe('a service that takes forms only', () => {
  const credentials = { ADREPORT_EMAIL: 'me+you@example.com', ADREPORT_PASSWORD: 'p&q=1' };
  const answers = {
    '/auth-reporting': { token: tokens.buyer },
    '/download-reporting': { data: [{ displays: 7, clicks: 1 }] },
    '/buyer-reporting': { id: 'r 1&' },
  };

  test('--encoding form applies to every POST', async () => {
    const { env, received } = await serveAnswers(answers, { formsOnly: true });
    const signIn = { ...env, ADREPORT_TOKEN: undefined, ...credentials };

    expect(await runCli(`${line} --encoding form`, { env: signIn })).toMatchObject({ exitCode: 0 });

    expect(received.map(({ path, body }) => [path, body])).toEqual([
      ['/auth-reporting', 'auth%5Bemail%5D=me%2Byou%40example.com&auth%5Bpassword%5D=p%26q%3D1'],
      ['/buyer-reporting', expect.stringMatching(/^since=\d+&until=\d+&metrics=displays,clicks$/)],
      ['/status-reporting', 'id=r+1%26'],
      ['/download-reporting', 'id=r+1%26'],
    ]);
  });

  test('login stores it with the account, and status and download use it', async () => {
    const { url } = await serveAnswers(answers, { formsOnly: true });
    const cwd = temporaryFolder();

    const line = `login --base-url ${url} --encoding form --email me@example.com --password-stdin`;
    const login = await runCli(line, { cwd, stdin: 'demo' });

    expect(login).toMatchObject({ exitCode: 0 });
    expect(await runCli('status r1', { cwd })).toMatchObject({ exitCode: 0, stdout: 'ready\n' });
    expect(await runCli('download r1 --format json', { cwd })).toMatchObject({ exitCode: 0 });
    expect((await runCli('config list', { cwd })).stdout).toMatch(/^encoding +form /m);
  });
});

test.each([403, 404])(
  'login stores a token of an account without campaigns (%i), with a warning',
  async (status) => {
    const { url } = await serve(({ path }, response) => {
      json(response, { status: 'ready' }, path === '/campaigns' ? status : 200);
    });
    const cwd = temporaryFolder();

    const login = await runCli(`login --base-url ${url} --token-stdin`, {
      cwd,
      stdin: tokens.buyer,
    });

    expect(login).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('The token was not checked'),
    });
    expect(await runCli('status r1', { cwd })).toMatchObject({ exitCode: 0 });
  },
);

test.skipIf(process.platform !== 'linux')(
  'a settings folder that cannot be created is a warning, and the report is printed',
  async () => {
    const nowhere = { ADREPORT_CONFIG_DIR: '/proc/nowhere/adreport' };
    const { run, server } = await serveForTest({ delayMs: 0 });

    const result = await run(line, { env: nowhere });

    expect(result).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('/proc') });

    const login = await runCli(`login --base-url ${server.url} --token-stdin`, {
      env: nowhere,
      stdin: tokens.buyer,
    });

    expect(login).toMatchObject({ exitCode: 2 });
  },
);
