import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
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

/** A service whose tokens expire after three calls, for accounts with these passwords. */
async function serveShortTokens(passwords: Readonly<Record<string, string>>) {
  const callsLeft = new Map<string, number>();
  const signIns: string[] = [];
  let refused = 0;
  let reports = 0;

  const { url } = await serve(({ path, headers, body }, response) => {
    if (path === '/auth-reporting') {
      const { email, password } = JSON.parse(body).auth;
      if (passwords[email] !== password) {
        refused += 1;
        return json(response, { error: 'no' }, 401);
      }
      signIns.push(email);
      const token = `${signIns.length}`.padStart(40, 't');
      callsLeft.set(token, 3);
      return json(response, { response: { token } });
    }

    const token = headers.authorization?.replace(/^Bearer /, '') ?? '';
    const left = callsLeft.get(token) ?? 0;
    callsLeft.set(token, left - 1);
    if (left <= 0) return json(response, { error: 'expired' }, 401);

    if (path === '/campaigns') return json(response, []);
    if (path === '/status-reporting') return json(response, { response: { status: 'ready' } });
    if (path !== '/buyer-reporting')
      return json(response, { data: [{ campaignId: 1, displays: 7 }] });
    reports += 1;
    return json(response, { report_id: `r${reports}` });
  });
  return {
    url,
    signIns: (email: string) => signIns.filter((each) => each === email).length,
    refusedSignIns: () => refused,
  };
}

describe('the password of the environment', () => {
  test('without an account is sent to neither of two', async () => {
    const { own, other, run, signIns } = await twoServices();

    const result = await run(`run --account a,b ${oneDay}`, { env: { ADREPORT_PASSWORD: 'demo' } });

    expect(result.exitCode).toBe(3);
    expect([signIns(own), signIns(other)]).toEqual([0, 0]);
  });

  test('is sent to the only account that a command uses', async () => {
    const { own, run, signIns } = await twoServices();

    const result = await run(`run --account a ${oneDay}`, { env: { ADREPORT_PASSWORD: 'demo' } });

    expect(result).toMatchObject({ exitCode: 0, files: { 'a.csv': expect.any(String) } });
    expect(signIns(own)).toBe(1);
  });

  test('is sent only to the account of ADREPORT_EMAIL', async () => {
    const { own, other, run, signIns } = await twoServices();
    const env = { ADREPORT_EMAIL: 'BUYER@example.com', ADREPORT_PASSWORD: 'demo' };

    const result = await run(`run --account a,b ${oneDay}`, { env });

    expect(result.exitCode).toBe(3);
    expect(Object.keys(result.files)).toEqual(['a.csv']);
    expect([signIns(own), signIns(other)]).toEqual([1, 0]);
  });

  test('is sent only to the service of ADREPORT_BASE_URL', async () => {
    const { own, other, run, signIns } = await twoServices();
    const env = { ADREPORT_BASE_URL: other.server.url, ADREPORT_PASSWORD: 'demo' };

    await run(`run --account a,b ${oneDay}`, { env });

    expect([signIns(own), signIns(other)]).toEqual([0, 1]);
  });
});

describe('the e-mail address and the password of the environment, without its address', () => {
  const ofA = { ADREPORT_EMAIL: 'buyer@example.com', ADREPORT_PASSWORD: 'demo' };

  test('are used only for their own account in adreport.yaml', async () => {
    const { own, other, run, signIns, cwd } = await twoServices();
    const reports = ['a', 'b'].map((name) => {
      return `  of-${name}: {account: ${name}, period: 2026-11-09, by: OS, output: ${name}.csv}`;
    });
    writeFileSync(join(cwd, 'adreport.yaml'), `reports:\n${reports.join('\n')}\n`);

    const result = await run('run --all -q', { env: ofA });

    expect(result.exitCode).toBe(3);
    expect(Object.keys(result.files)).toContain('a.csv');
    expect(Object.keys(result.files)).not.toContain('b.csv');
    expect([signIns(own), signIns(other)]).toEqual([1, 0]);
  });

  test.each(['ADREPORT_ACCOUNT', 'the stored default'])(
    'are not used for another account, set by %s',
    async (place) => {
      const { other, run, signIns } = await twoServices();
      if (place === 'the stored default') await run('config set account b');
      const env = place === 'ADREPORT_ACCOUNT' ? { ...ofA, [place]: 'b' } : ofA;

      const result = await run(`run ${oneDay}`, { env });

      expectRefusal(result, 3, 'Set ADREPORT_BASE_URL to the service of ADREPORT_EMAIL');
      expect(signIns(other)).toBe(0);
    },
  );
});

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

  test('of three accounts with three passwords renews their tokens in the middle of a run', async () => {
    const service = await serveShortTokens({
      'a@x.test': 'one',
      'b@x.test': 'two',
      'c@x.test': 'three',
    });
    const cwd = temporaryFolder();
    const settings = { ...bare, ADREPORT_CONFIG_DIR: temporaryFolder() };
    const run = (line: CommandLine) => runCli(line, { cwd, env: settings });
    for (const [name, password] of [
      ['a', 'one'],
      ['b', 'two'],
      ['c', 'three'],
    ]) {
      const words = ['login', '--account', `${name}`, '--email', `${name}@x.test`, '-q'];
      const command = ['--base-url', service.url.href, '--password-command', `echo ${password}`];
      expect(await run([...words, ...command])).toMatchObject({ exitCode: 0, stderr: '' });
    }

    const days = '--period 2026-11-01..2026-11-04 --by CAMPAIGN --metrics displays';
    const line = `run --account all ${days} --split day -o {account}/{date}.csv -q`;
    const result = await run(`${line} --concurrency 1`);

    expect(result).toMatchObject({ exitCode: 0, stderr: '' });
    const files = Object.keys(result.files).filter((file) => file.endsWith('.csv'));
    expect(files).toHaveLength(12);
    expect(service.signIns('a@x.test')).toBeGreaterThan(2);
    expect(service.refusedSignIns()).toBe(0);
  });

  test('that leaves a background process works', async () => {
    const { own, run } = await twoServices();
    const command = 'echo demo; sleep 20 &';
    await run(['config', 'set', 'password-command', command, '--account', 'a']);

    const result = await run(`run --account a ${oneDay}`);

    expect(result).toMatchObject({ exitCode: 0, stderr: '' });
    expect(own.calls('auth')).toBe(2);
  });

  test('is tried by login, and shown without its output', async () => {
    const { own, run } = await twoServices();
    const line = `login --account c --base-url ${own.server.url} --email buyer@example.com -q`;

    const login = await run([...line.split(' '), '--password-command', "printf 'demo\\nmore'"]);
    const shown = await run('whoami --account c');
    const listed = await run('config list --account c');

    expect(login).toMatchObject({ exitCode: 0, stderr: '' });
    expect(shown.stdout).toContain("password command printf 'demo");
    expect(listed.stdout).toContain('password-command');
    expect((await run('whoami --account c --json')).stdout).toContain('"passwordCommand":"printf');
  });

  test.each([
    { command: 'exit 4', says: 'failed with code 4' },
    { command: 'true', says: 'printed no password' },
  ])('that fails ($command) is exit 3', async ({ command, says }) => {
    const { own, run, signIns } = await twoServices();
    const set = await run(['config', 'set', 'password-command', command, '--account', 'a']);
    expect(set.exitCode).toBe(0);

    const result = await run(`run --account a ${oneDay}`);

    expectRefusal(result, 3, `The password command of account “a” ${says}.`);
    expect(signIns(own)).toBe(0);
  });

  test('is not run if the environment has the password of the account', async () => {
    const { run, own, signIns } = await twoServices();
    await run(['config', 'set', 'password-command', 'exit 1', '--account', 'a']);
    const env = { ADREPORT_EMAIL: 'buyer@example.com', ADREPORT_PASSWORD: 'demo' };

    expect(await run(`run --account a ${oneDay}`, { env })).toMatchObject({ exitCode: 0 });
    expect(signIns(own)).toBe(1);
  });

  test('cannot be set in adreport.yaml', async () => {
    const cwd = temporaryFolder();
    const report = '  x:\n    period: yesterday\n    password-command: touch pwned\n';
    writeFileSync(join(cwd, 'adreport.yaml'), `reports:\n${report}`);

    const result = await runCli('run x --local', { cwd });

    expectRefusal(result, 2, 'adreport.yaml:4');
    expect(result.files).not.toHaveProperty('pwned');
  });
});
