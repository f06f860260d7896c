import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { tokens } from '../server/local.ts';
import { type CliOptions, expectRefusal, runCli } from '../support/run-cli.ts';
import { serveForTest } from '../support/service.ts';

/** Command lines without an account in the environment; `login` signs in to the server. */
async function signedOut() {
  const { server, cwd } = await serveForTest();
  const cli = (line: string, options: CliOptions = {}) => runCli(line, { cwd, ...options });
  const login = (flags: string, stdin = '', options: CliOptions = {}) =>
    cli(`login --base-url ${server.url} ${flags}`, { stdin, ...options });
  return { server, cli, login, settings: join(cwd, '.config', 'settings.json') };
}

describe('login', () => {
  test('with e-mail and password: the token is stored, the password nowhere', async () => {
    const { cli, login, settings } = await signedOut();

    const signIn = await login('--email buyer@example.com --password-stdin -v', 'demo\n');

    expect(signIn).toMatchObject({
      exitCode: 0,
      stdout: '',
      stderr: expect.stringContaining('Signed in'),
    });

    const stored = readFileSync(settings, 'utf8');

    const { token } = JSON.parse(stored).accounts.default;

    expect(token).toMatch(/^[0-9a-f]{40}$/);
    expect(stored).not.toContain('demo');
    expect(signIn.stderr).not.toContain(token);
    if (process.platform !== 'win32') {
      expect(statSync(settings).mode & 0o777).toBe(0o600);
      expect(statSync(join(settings, '..')).mode & 0o777).toBe(0o700);
    }

    const me = await cli('whoami');

    expect(me).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('works') });
    expect(me.stdout).not.toContain(token);

    const { stdout } = await cli('whoami --json');
    const known = { account: 'default', tokenSource: 'account', profile: 'buyer', works: true };

    expect(JSON.parse(stdout)).toMatchObject(known);

    expect(await cli('logout')).toMatchObject({ exitCode: 0 });
    expect(readFileSync(settings, 'utf8')).not.toContain(token);
    for (const line of ['campaigns', 'whoami']) {
      expectRefusal(await cli(line), 3, 'adreport login');
    }
  });

  test('with a pasted token, as a second account with a profile', async () => {
    const { cli, login } = await signedOut();

    const signIn = await login('--token-stdin --account agency --profile dsp', `${tokens.dsp}\n`);

    expect(signIn).toMatchObject({ exitCode: 0 });

    const run = await cli('run --account agency --period yesterday --direct --format json');

    expect(Object.keys(JSON.parse(run.stdout).data[0])).toEqual([
      'displays',
      'revenueEuro',
      'revenueDollar',
    ]);
  });

  test.each([
    {
      name: 'two secrets',
      flags: '--password-stdin --token-stdin',
      stdin: 'demo',
      exitCode: 2,
      says: '--password-stdin cannot be used with --token-stdin',
    },
    {
      name: 'a password without an e-mail',
      flags: '--password-stdin',
      stdin: 'demo',
      exitCode: 2,
      says: 'Add --email ADDRESS.',
    },
    {
      name: 'a wrong password',
      flags: '--email buyer@example.com --password-stdin',
      stdin: 'wrong',
      exitCode: 3,
      says: '',
    },
    {
      name: 'an unknown e-mail',
      flags: '--email nobody@example.com --password-stdin',
      stdin: 'demo',
      exitCode: 3,
      says: '',
    },
    { name: 'a wrong token', flags: '--token-stdin', stdin: 'f'.repeat(40), exitCode: 3, says: '' },
    {
      name: 'a token with its scheme',
      flags: '--token-stdin',
      stdin: 'Bearer abc',
      exitCode: 2,
      says: '',
    },
    { name: 'nothing on stdin', flags: '--token-stdin', stdin: '', exitCode: 2, says: '' },
    { name: 'no terminal to ask on', flags: '-v', stdin: '', exitCode: 2, says: '' },
  ])('$name is refused, and stores nothing', async ({ flags, stdin, exitCode, says }) => {
    const { login, settings } = await signedOut();

    const result = await login(flags, stdin);

    expectRefusal(result, exitCode, says);
    expect(result.stderr).not.toMatch(/f{40}/);
    expect(() => statSync(settings)).toThrow();
  });

  test('requests no report, and takes a buyer unless it is told', async () => {
    const { server, cli, login } = await signedOut();

    const signIn = await login('--token-stdin', tokens.dsp);

    expect(signIn).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('buyer profile') });
    expect(JSON.parse((await cli('whoami --json')).stdout).profile).toBe('buyer');
    expect(server.requests().map(({ endpoint }) => endpoint)).not.toContain('buyer');
  });

  test('on a terminal without input ends as with Ctrl-C', async () => {
    expectRefusal(await runCli('login', { tty: true }), 130, '(e.g. https://reports.example.com)');
  });
});

test('a report of the wrong profile is refused with the flag to use', async () => {
  const { run } = await serveForTest({}, 'dsp');
  expectRefusal(
    await run('run --profile buyer --period yesterday --metrics clicks'),
    4,
    '--profile dsp',
  );
});
