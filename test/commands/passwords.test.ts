import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createClient } from '../../src/index.ts';
import { json, serve } from '../support/http-server.ts';
import {
  type CliOptions,
  type CommandLine,
  expectRefusal,
  runCli,
  temporaryFolder,
} from '../support/run-cli.ts';
import { serveForTest } from '../support/service.ts';

/** The sources of passwords, and the services they are sent to. */

type Service = Awaited<ReturnType<typeof serveForTest>>;

/** Nothing in the environment signs in. */
const bare = {
  ADREPORT_BASE_URL: undefined,
  ADREPORT_TOKEN: undefined,
  ADREPORT_PROFILE: undefined,
};

const oneDay = '--period 2026-11-09 --by CAMPAIGN -q -o {account}.csv';
const afterTheToken = 3 * 3_600_000;

/** A separate service for each of two accounts with expired tokens. */
async function twoServices() {
  const own = await serveForTest({ delayMs: 0 });
  const other = await serveForTest({ delayMs: 0 });
  const cwd = temporaryFolder();
  const settings = { ADREPORT_CONFIG_DIR: temporaryFolder() };
  const run = (line: CommandLine, more: CliOptions = {}) =>
    runCli(line, { cwd, ...more, env: { ...bare, ...settings, ...more.env } });

  const login = async (name: string, email: string, { server }: Service) => {
    const line = `login --account ${name} --base-url ${server.url} --email ${email} --password-stdin -q`;
    expect(await run(line, { stdin: 'demo' })).toMatchObject({ exitCode: 0 });
    server.advance(afterTheToken);
  };
  await login('a', 'buyer@example.com', own);
  await login('b', 'admin@example.com', other);
  const signIns = ({ calls }: Service) => calls('auth') - 1;
  return { own, other, run, signIns, cwd };
}

describe('the credentials of the environment', () => {
  const ofA = { ADREPORT_EMAIL: 'buyer@example.com', ADREPORT_PASSWORD: 'demo' };

  test('are not used for a stored account, even its own', async () => {
    const { own, other, run, signIns } = await twoServices();

    const result = await run(`run --account a,b ${oneDay}`, { env: ofA });

    expectRefusal(result, 3, /adreport login --account [ab]/);
    expect([signIns(own), signIns(other)]).toEqual([0, 0]);
  });

  test('sign in at the base URL of the default stored account', async () => {
    const { own, other, run, signIns } = await twoServices();

    const result = await run(`run ${oneDay}`, { env: ofA });

    expect(result.exitCode).toBe(0);
    expect([signIns(own), signIns(other)]).toEqual([1, 0]);
  });
});

describe('a stored token', () => {
  const received = async () => {
    const tokens: unknown[] = [];
    const { url } = await serve(({ headers }, response) => {
      tokens.push(headers.authorization);
      json(response, []);
    });
    return { url: url.href, tokens };
  };

  test('goes to the base URL it was stored for, and to no other', async () => {
    const [own, other] = [await received(), await received()];
    const cwd = temporaryFolder();
    const run = (line: string, env = {}, stdin = '') => runCli(line, { cwd, stdin, env });
    await run(`login --base-url ${own.url} --token-stdin --profile buyer -q`, {}, 'stored-token');
    const elsewhere = { ADREPORT_BASE_URL: other.url };

    const byDefault = await run('campaigns', elsewhere);
    const byFlag = await run(`campaigns --base-url ${other.url}`);
    const byName = await run('campaigns', { ...elsewhere, ADREPORT_ACCOUNT: 'default' });
    const named = await run('campaigns --account default', {
      ...elsewhere,
      ADREPORT_TOKEN: 'other-token',
    });

    expectRefusal(byDefault, 3, 'so it is not sent to');
    expectRefusal(byFlag, 3, 'so it is not sent to');
    expect([byName.exitCode, named.exitCode]).toEqual([0, 0]);
    expect(new Set(own.tokens)).toEqual(new Set(['stored-token']));
    expect(other.tokens).toEqual([]);
  });
});

test.skipIf(process.platform === 'win32')(
  'plain http to another host needs ADREPORT_ALLOW_HTTP, or allowHttp',
  async () => {
    const { url } = await serve((_request, response) => json(response, []));
    const baseUrl = `http://0.0.0.0:${url.port}`;
    const env = { ADREPORT_BASE_URL: baseUrl, ADREPORT_TOKEN: 'some-token' };

    expectRefusal(await runCli('campaigns', { env }), 2, 'add 0.0.0.0 to ADREPORT_ALLOW_HTTP');
    const allowed = { ...env, ADREPORT_ALLOW_HTTP: 'server, 0.0.0.0' };
    expect(await runCli('campaigns', { env: allowed })).toMatchObject({ exitCode: 0 });

    const options = { baseUrl, token: 'some-token' };
    const hint = expect.stringContaining('add 0.0.0.0 to allowHttp');
    expect(() => createClient(options)).toThrow(expect.objectContaining({ exitCode: 2, hint }));
    const client = createClient({ ...options, allowHttp: ['0.0.0.0'] });
    expect(await client.campaigns()).toHaveLength(0);
  },
);

describe.skipIf(process.platform === 'win32')('a password command', () => {
  test('of each account renews its token, unattended', async () => {
    const { own, other, run } = await twoServices();
    for (const name of ['a', 'b']) {
      const set = await run(['config', 'set', 'password-command', 'echo demo', '--account', name]);
      expect(set.exitCode).toBe(0);
    }

    const result = await run(`run --account all ${oneDay}`);

    expect(result).toMatchObject({ exitCode: 0, stderr: '' });
    expect(Object.keys(result.files).sort()).toEqual(['a.csv', 'b.csv']);
    expect([own.calls('auth'), other.calls('auth')]).toEqual([2, 2]);
  });

  test('is tried by login, and listed without its output', async () => {
    const { own, run } = await twoServices();
    const line = `login --account c --base-url ${own.server.url} --email buyer@example.com -q`;

    const login = await run([...line.split(' '), '--password-command', "printf 'demo\\nmore'"]);
    const listed = await run('config list --account c');

    expect(login).toMatchObject({ exitCode: 0, stderr: '' });
    expect(listed.stdout).toMatch(/^password-command +printf 'demo/m);
  });

  test.each([{ command: 'exit 4', says: 'failed with code 4' }])(
    'that fails ($command) is exit 3',
    async ({ command, says }) => {
      const { own, run, signIns } = await twoServices();
      const set = await run(['config', 'set', 'password-command', command, '--account', 'a']);
      expect(set.exitCode).toBe(0);

      const result = await run(`run --account a ${oneDay}`);

      expectRefusal(result, 3, `The password command of account “a” ${says}.`);
      expect(signIns(own)).toBe(0);
    },
  );

  test('cannot be set in adreport.yaml', async () => {
    const cwd = temporaryFolder();
    const report = '  x:\n    period: yesterday\n    password-command: touch pwned\n';
    writeFileSync(join(cwd, 'adreport.yaml'), `reports:\n${report}`);

    const result = await runCli('run x --local', { cwd });

    expectRefusal(result, 2, 'adreport.yaml:4');
    expect(result.files).not.toHaveProperty('pwned');
  });
});
