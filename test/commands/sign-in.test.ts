import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startLocalServer } from '../../src/server/start.ts';
import { tokens } from '../server/local.ts';
import { expectRefusal, runCli } from '../support/run-cli.ts';
import { serveForTest } from '../support/service.ts';

/** A command line without any account of the environment. */
async function signedOut(options: Parameters<typeof serveForTest>[0] = {}) {
  const { server, cwd } = await serveForTest(options);
  return { server, cwd, cli: (argv: string[], more = {}) => runCli(argv, { cwd, ...more }) };
}

describe('login', () => {
  test('with e-mail and password: the token is stored, the password nowhere', async () => {
    const { server, cwd, cli } = await signedOut();
    const argv = ['login', '--base-url', server.url, '--email', 'buyer@example.com', '--password-stdin', '-vv'];
    const login = await cli(argv, { stdin: 'demo\n' });
    expect(login).toMatchObject({ exitCode: 0, stdout: '', stderr: expect.stringContaining('Signed in') });

    const path = join(cwd, '.config', 'settings.json');
    const stored = JSON.parse(readFileSync(path, 'utf8'));
    const { token } = stored.accounts.default;
    expect(token).toMatch(/^[0-9a-f]{40}$/);
    expect(readFileSync(path, 'utf8')).not.toContain('demo');
    expect(login.stderr).not.toContain(token);
    if (process.platform !== 'win32') {
      expect(statSync(path).mode & 0o777).toBe(0o600);
      expect(statSync(join(cwd, '.config')).mode & 0o777).toBe(0o700);
    }

    const me = await cli(['whoami']);
    expect(me).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('works') });
    expect(me.stdout).not.toContain(token);
    expect(JSON.parse((await cli(['whoami', '--json'])).stdout)).toMatchObject({
      account: 'default',
      tokenSource: 'account',
      profile: 'buyer',
      works: true,
    });

    expect(await cli(['logout'])).toMatchObject({ exitCode: 0 });
    expect(readFileSync(path, 'utf8')).not.toContain(token);
    expect(await cli(['campaigns'])).toMatchObject({ exitCode: 3, stderr: expect.stringContaining('adreport login') });
  });

  test('with a pasted token, as a second account with a profile', async () => {
    const { server, cli } = await signedOut();
    const token = server.accounts.find(({ name }) => name === 'dsp')?.token ?? '';
    const argv = ['login', '--base-url', server.url, '--token-stdin', '--account', 'agency', '--profile', 'dsp'];
    expect(await cli(argv, { stdin: `${token}\n` })).toMatchObject({ exitCode: 0 });
    const run = await cli(['run', '--account', 'agency', '--period', 'yesterday', '--direct', '--format', 'json']);
    expect(Object.keys(JSON.parse(run.stdout).data[0])).toEqual(['displays', 'revenueEuro', 'revenueDollar']);
  });

  test.each([
    ['a token', { ADREPORT_TOKEN: tokens.buyer }],
    ['an e-mail and a password', { ADREPORT_EMAIL: 'buyer@example.com', ADREPORT_PASSWORD: 'demo' }],
  ])('with %s of the environment, which the next command does without', async (_name, env) => {
    const { server, cli } = await signedOut();
    expect(await cli(['login', '--base-url', server.url], { env })).toMatchObject({ exitCode: 0, stdout: '' });
    expect(await cli(['whoami'])).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('works: ') });
  });

  test.each([
    [['--password-stdin', '--token-stdin'], 'standard input is read once'],
    [['--password-stdin'], 'Add --email.'],
  ])('%j is refused', async (flags, why) => {
    const { server, cli } = await signedOut();
    const result = await cli(['login', '--base-url', server.url, ...flags], { stdin: 'demo' });
    expect(result).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(why) });
    expect(server.requests()).toEqual([]);
  });

  test.each([
    ['a wrong password', ['--email', 'buyer@example.com', '--password-stdin'], 'wrong', 3],
    ['an unknown e-mail', ['--email', 'nobody@example.com', '--password-stdin'], 'demo', 3],
    ['a wrong token', ['--token-stdin'], 'f'.repeat(40), 3],
    ['a token with its scheme', ['--token-stdin'], 'Bearer abc', 2],
    ['nothing on stdin', ['--token-stdin'], '', 2],
    ['no terminal to ask on', [], '', 2],
  ])('%s stores nothing', async (_name, flags, stdin, exitCode) => {
    const { server, cwd, cli } = await signedOut();
    const result = await cli(['login', '--base-url', server.url, ...flags], { stdin });
    expect(result.exitCode).toBe(exitCode);
    expect(result.stderr).not.toMatch(/f{40}/);
    expect(() => statSync(join(cwd, '.config', 'settings.json'))).toThrow();
  });

  test('a DSP account is known by what the service refuses it, and stored as one', async () => {
    const { server, cli } = await signedOut();
    const login = await cli(['login', '--base-url', server.url, '--token-stdin'], { stdin: tokens.dsp });
    expect(login).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('dsp profile') });
    expect((await cli(['config', 'get', 'profile'])).stdout).toBe('dsp\n');
    // No report was made for it.
    expect(server.requests().filter(({ endpoint, status }) => endpoint === 'buyer' && status === 200)).toEqual([]);
  });

  test('a stored token beside a password of the environment is said', async () => {
    const { server, cli } = await signedOut();
    await cli(['login', '--base-url', server.url, '--token-stdin'], { stdin: tokens.buyer });
    const env = { ADREPORT_EMAIL: 'admin@example.com', ADREPORT_PASSWORD: 'demo' };
    expect((await cli(['campaigns'], { env })).stderr).toContain('ADREPORT_PASSWORD only renews it');
    expect((await cli(['campaigns'])).stderr).toBe('');
  });
});

test('a report of the wrong profile is refused with the flag that mends it', async () => {
  const { run } = await serveForTest({}, 'dsp');
  const result = await run(['run', '--profile', 'buyer', '--period', 'yesterday', '--metrics', 'clicks']);
  expect(result).toMatchObject({ exitCode: 4, stderr: expect.stringContaining('--profile dsp') });
});

describe('where the token comes from', () => {
  test('a stored token is not sent to another origin', async () => {
    const { server, cli } = await signedOut();
    const other = await startLocalServer();
    const token = server.accounts[0]?.token ?? '';
    await cli(['login', '--base-url', server.url, '--token-stdin'], { stdin: token });
    const result = await cli(['campaigns', '--base-url', other.url]);
    await other.close();
    expect(result.exitCode).toBe(3);
    expect(other.requests()).toEqual([]);
  });

  test('with credentials in the environment a token that dies is renewed, in the middle of a wait too', async () => {
    const { server, cli } = await signedOut({ delayMs: 60_000, faults: ['status:unauthorized:times=1:after=3'] });
    const env = {
      ADREPORT_BASE_URL: server.url,
      ADREPORT_EMAIL: 'buyer@example.com',
      ADREPORT_PASSWORD: 'demo',
    };
    const argv = ['run', '--period', 'yesterday', '--by', 'DAILY', '--format', 'json', '-vv'];
    const result = await cli(argv, { env, onSleep: (ms: number) => server.advance(ms) });
    expect(result.exitCode).toBe(0);
    expect(JSON.parse(result.stdout).data).toHaveLength(1);
    const calls = server.requests().map(({ endpoint }) => endpoint);
    expect(calls.filter((endpoint) => endpoint === 'auth')).toHaveLength(2);
    expect(calls.filter((endpoint) => endpoint === 'buyer')).toHaveLength(1);
  });
});

test('neither token nor password appears in any output at any verbosity', async () => {
  const { server, cli, cwd } = await signedOut({ faults: ['campaigns:503:times=1', 'auth:503:times=1'] });
  const env = { ADREPORT_BASE_URL: server.url, ADREPORT_EMAIL: 'buyer@example.com', ADREPORT_PASSWORD: 'sesame-open' };
  const argvs = [
    ['whoami', '-vv'],
    ['campaigns', '-vv', '--json'],
    ['run', '--period', 'yesterday', '-vv', '--dry-run'],
    ['run', '--period', 'yesterday', '-v'],
  ];
  for (const argv of argvs) {
    const wrong = await cli(argv, { env });
    expect(wrong.stdout + wrong.stderr).not.toContain('sesame-open');
  }
  const token = server.accounts[0]?.token ?? 'none';
  for (const argv of argvs) {
    const right = await cli(argv, { env: { ADREPORT_BASE_URL: server.url, ADREPORT_TOKEN: token } });
    expect(right.stdout + right.stderr).not.toContain(token);
  }
  const ledger = join(cwd, '.config', 'ledger');
  const noted = readdirSync(ledger).map((name) => readFileSync(join(ledger, name), 'utf8'));
  expect(noted).toEqual([expect.not.stringContaining(token)]);
});

test('a question on a terminal whose input has ended is given up, like with Ctrl-C', async () => {
  expectRefusal(await runCli('login', { tty: true }), 130, 'Base URL of the service:');
});
