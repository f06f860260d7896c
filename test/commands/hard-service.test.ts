import { describe, expect, test } from 'vitest';
import type { FaultRequest } from '../../src/local-server.ts';
import { tokens } from '../server/local.ts';
import { literalAnswers } from '../support/odd-service.ts';
import { runCli, temporaryFolder } from '../support/run-cli.ts';
import { serveForTest } from '../support/service.ts';

const line = 'run --period yesterday --metrics displays --format json';

describe('a service that takes forms only', () => {
  const email = 'me+you@example.com';
  const password = 'p&q=1';
  const credentials = { ADREPORT_EMAIL: email, ADREPORT_PASSWORD: password };

  /** Takes these credentials, as a form. */
  async function serveForms() {
    const service = await serveForTest();
    const { server } = service;
    const isForm = ({ headers }: FaultRequest) =>
      headers['content-type'] === 'application/x-www-form-urlencoded';
    server.fault({
      endpoint: '*',
      kind: '415',
      when: (request) => request.method === 'POST' && !isForm(request),
    });

    const auth = { token: tokens.buyer };
    const download = { data: [{ displays: 7 }] };
    for (const fault of literalAnswers({ buyer: { id: 'r 1&' }, download })) server.fault(fault);
    server.fault({
      endpoint: 'auth',
      answer: { body: auth },
      when: ({ body }) => JSON.stringify(body) === JSON.stringify({ auth: { email, password } }),
    });
    return service;
  }

  test('--encoding form applies to every POST', async () => {
    const { run, server } = await serveForms();
    const env = { ...credentials, ADREPORT_TOKEN: undefined };

    expect(await run(`${line} --encoding form`, { env })).toMatchObject({ exitCode: 0 });

    expect(server.requests().map(({ path, rawBody }) => [path, rawBody])).toEqual([
      ['/auth-reporting', 'auth%5Bemail%5D=me%2Byou%40example.com&auth%5Bpassword%5D=…'],
      ['/buyer-reporting', expect.stringMatching(/^since=\d+&/)],
      ['/status-reporting', 'id=r+1%26'],
      ['/download-reporting', 'id=r+1%26'],
    ]);
  });

  test('login stores it with the account, and status and download use it', async () => {
    const { server } = await serveForms();
    const cwd = temporaryFolder();

    const line = `login --base-url ${server.url} --encoding form --email ${email}`;
    const login = await runCli(`${line} --password-stdin`, { cwd, stdin: password });

    expect(login).toMatchObject({ exitCode: 0 });
    expect(await runCli('status r1', { cwd })).toMatchObject({ exitCode: 0, stdout: 'ready\n' });
    expect(await runCli('download r1 --format json', { cwd })).toMatchObject({ exitCode: 0 });
    expect((await runCli('config list', { cwd })).stdout).toMatch(/^encoding +form /m);
  });
});

test.each([403, 404])(
  'login stores a token of an account without campaigns (%i), with a warning',
  async (status) => {
    const { server } = await serveForTest({ faults: [`campaigns:${status}`] });
    for (const fault of literalAnswers()) server.fault(fault);
    const cwd = temporaryFolder();

    const login = await runCli(`login --base-url ${server.url} --token-stdin`, {
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
