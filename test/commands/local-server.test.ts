import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startLocalServer } from '../../src/local-server.ts';
import { portOf, tokens } from '../server/local.ts';
import { callServer } from '../support/programs.ts';
import {
  type CliOptions,
  expectRefusal,
  interruption,
  runCli,
  temporaryFolder,
} from '../support/run-cli.ts';
import { serveForTest } from '../support/service.ts';
import { launcher } from '../support/spawn.ts';

/** Runs the server, calls it when it is ready, and then ends it. */
function serveAndEnd(
  flags: string,
  call: (ready: string) => unknown = () => {},
  options: CliOptions = {},
) {
  const { signal, send } = interruption(143);
  let output = '';
  const onOutput = (text: string): void => {
    const wasReady = /Press Ctrl-C to stop|"listening"/.test(output);
    output += text;
    if (!wasReady && /Press Ctrl-C to stop|"listening"/.test(output))
      void Promise.resolve(call(output)).then(send);
  };
  return runCli(`local-server --port 0${flags}`, { signal, onOutput, ...options });
}

describe('while it serves', () => {
  test('prints its address and how to sign in, and ends with exit 0', async () => {
    const { exitCode, stdout, stderr } = await serveAndEnd('', undefined, { platform: 'linux' });

    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^adreport local-server listening on http:\/\/127\.0\.0\.1:\d+\n$/);
    expect(stderr).toContain(
      'buyer@example.com  password demo  token 00000000000000000000000000000000000000b1',
    );
    expect(stderr).toMatch(
      /Try: curl -H 'Authorization: 0{38}b1' http:\/\/127\.0\.0\.1:\d+\/campaigns/,
    );
  });

  test('warns when not on loopback, and prints an address that works on this machine', async () => {
    const { exitCode, stdout, stderr } = await serveAndEnd(' --host 0.0.0.0');

    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/http:\/\/127\.0\.0\.1:\d+\n$/)]);
    expect(stderr).toContain(
      'The server listens on 0.0.0.0: any machine that reaches it can use it',
    );
    expect((await serveAndEnd(' --host localhost')).stderr).not.toContain('Warning');
    expect(await runCli(['local-server', '--host', ''])).toMatchObject({ exitCode: 2 });
  });

  test('--json has everything that a client needs', async () => {
    let called: Response | undefined;

    const { exitCode, stdout } = await serveAndEnd(' --json', async (ready) => {
      const { url, accounts } = JSON.parse(ready);
      called = await fetch(`${url}/campaigns`, { headers: { authorization: accounts[0].token } });
    });

    expect([exitCode, called?.status]).toEqual([0, 200]);
    expect(JSON.parse(stdout)).toEqual({
      event: 'listening',
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      pid: process.pid,
      accounts: [
        {
          email: 'buyer@example.com',
          password: 'demo',
          profile: 'buyer',
          admin: false,
          token: tokens.buyer,
        },
        {
          email: 'admin@example.com',
          password: 'demo',
          profile: 'buyer',
          admin: true,
          token: tokens.admin,
        },
        {
          email: 'dsp@example.com',
          password: 'demo',
          profile: 'dsp',
          admin: false,
          token: tokens.dsp,
        },
        {
          email: 'awkward@example.com',
          password: 'demo',
          profile: 'buyer',
          admin: false,
          token: tokens.awkward,
        },
      ],
    });
  });

  test('logs each request on stderr with status and reason', async () => {
    const faults = ' --fault campaigns:503:times=1 --fault campaigns:reset:times=1:after=1';
    const { stderr } = await serveAndEnd(faults, async (ready) => {
      const [, url = ''] = /listening on (\S+)/.exec(ready) ?? [];
      for (const authorization of [tokens.buyer, tokens.buyer, tokens.dsp, 'none']) {
        await fetch(`${url}/campaigns`, { headers: { authorization } }).then(
          (answer) => answer.text(),
          () => 'cut',
        );
      }
    });
    const lines = stderr.split('\n').filter((line) => line.includes('/campaigns '));

    expect(lines.map((line) => line.replace(/^[\d:]{8}/, 'T'))).toEqual([
      'T GET /campaigns 503 INTERNAL: Injected fault: 503.',
      'T GET /campaigns cut The connection was cut before the response.',
      'T GET /campaigns 200',
      'T GET /campaigns 401 INVALID_TOKEN: Unknown token: sign in again.',
    ]);
  });
});

describe.skipIf(process.platform === 'win32')('exec', () => {
  const exec = (script: string, options: CliOptions = {}, flags: readonly string[] = []) =>
    runCli(['local-server', ...flags, 'exec', '--', 'sh', '-c', script], options);

  test('sets the environment of the first account for the command, overriding earlier values', async () => {
    const env = {
      PATH: process.env.PATH,
      ADREPORT_ACCOUNT: 'mine',
      ADREPORT_TOKEN: 'mine',
      ADREPORT_EMAIL: 'mine',
      KEPT: 'kept',
    };
    const names = ['URL', 'TOKEN', 'PROFILE', 'EMAIL', 'ACCOUNT'].map(
      (name) => `$ADREPORT_${name}`,
    );

    const { files } = await exec(
      `echo "${names.join(' ').replace('_URL', '_BASE_URL')} $KEPT" > out`,
      { env },
    );

    expect(files.out).toMatch(/^http:\/\/127\.0\.0\.1:\d+ 0{38}b1 buyer {3}kept\n$/);
  });

  test('the command reaches the server past a proxy that is down', async () => {
    const deadProxy = 'http://127.0.0.1:9';
    const proxies = { http_proxy: deadProxy, HTTPS_PROXY: deadProxy, ALL_PROXY: deadProxy };
    const script = `${process.execPath} ${launcher} campaigns --format json > out`;

    const { exitCode, files } = await exec(script, { env: { PATH: process.env.PATH, ...proxies } });

    expect(exitCode).toBe(0);
    expect(files.out).toContain('"campaignId"');
  });

  test.each([
    { env: {}, value: '127.0.0.1' },
    { env: { NO_PROXY: 'corp.example' }, value: 'corp.example,127.0.0.1' },
    // With another host, it would no longer mean every host.
    { env: { no_proxy: '*' }, value: '*' },
  ])('the hosts without a proxy are $value with $env', async ({ env, value }) => {
    const { files } = await exec('echo "$NO_PROXY $no_proxy" > out', {
      env: { PATH: process.env.PATH, ...env },
    });

    expect(files.out).toBe(`${value} ${value}\n`);
  });

  test('the command reaches no stored account, and its settings are removed', async () => {
    const real = await serveForTest();
    const env = { PATH: process.env.PATH, ...real.env };
    const { cwd } = await real.run('login --account mine --token-stdin', {
      stdin: real.env.ADREPORT_TOKEN,
    });

    const { exitCode, files } = await exec(
      'cd "$ADREPORT_CONFIG_DIR" && pwd > "$OLDPWD/out" && ls -A > "$OLDPWD/list"; touch settings.json',
      { cwd, env },
    );

    expect(exitCode).toBe(0);
    expect(files.list).toBe('');
    expect(files.out).toMatch(/adreport-exec-\w+\n$/);
    expect(existsSync(files.out?.trim() ?? '')).toBe(false);
  });

  test('the reason of each refused call is shown if the command fails', async () => {
    const signedIn = ['Authorization: $ADREPORT_TOKEN'];
    const refused = callServer('POST /buyer-reporting', signedIn, 'since=1&until=2');
    const calls = `${refused}; ${callServer('GET /campaigns', signedIn)}; ${refused}`;
    const run = async (exitCode: number, ...flags: string[]) => {
      const words = ['local-server', ...flags, 'exec', '--', 'bash', '-c'];
      const result = await runCli([...words, `${calls}; exit ${exitCode}`], { env: process.env });
      expect(result.exitCode).toBe(exitCode);
      return result.stderr.replaceAll(/[\d:]{8} /g, '');
    };

    const line =
      '  POST /buyer-reporting 400 MISSING_PARAMETER: metrics: is missing: name at least one metric.\n';
    expect(await run(7)).toBe(`local-server: 2 of 3 requests failed:\n${line}${line}`);
    expect(await run(0)).toBe('');
    expect(await run(7, '-q')).toBe('');
  });

  test('needs -- before the command', async () => {
    const result = await runCli('local-server --delay 1s exec curl -v x');

    expectRefusal(result, 2, 'Missing -- before the command of exec.');
  });

  test('says why a program cannot be run', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'script'), '#!/bin/sh\n', { mode: 0o644 });
    const run = (program: string) => runCli(['local-server', 'exec', '--', program], { cwd });

    expectRefusal(await run('./script'), 2, /\.\/script: it is not executable[\s\S]*chmod \+x/);
    expectRefusal(await run('no-such-program'), 2, /there is no such program[\s\S]*its name/);
  });

  test.each([
    { script: 'exit 7', exitCode: 7 },
    { script: 'kill -KILL $$', exitCode: 137 },
  ])('exits like the command: $script', async ({ script, exitCode }) => {
    expect(await exec(script)).toMatchObject({ exitCode });
  });
});

test('a port in use is exit 2 with a hint', async () => {
  const server = await startLocalServer();
  onTestFinished(() => server.close());

  const result = await runCli(`local-server --port ${portOf(server)}`);

  expectRefusal(result, 2, /the port is already in use[\s\S]*Use port 0/);
});

describe('invalid flags are refused before the server listens', () => {
  test.each([
    {
      flags: '--delay 2s --polls 3',
      message: /--delay cannot be used with --polls/,
    },
    {
      flags: '--now noon',
      message: /Invalid --now “noon”[\s\S]*Use a time with an offset, such as 2026-11-01T09:00:00Z/,
    },
  ])('$flags', async ({ flags, message }) => {
    expectRefusal(await runCli(`local-server ${flags}`), 2, message);
  });
});

test('openapi prints the document that the server sends', async () => {
  const server = await startLocalServer();
  onTestFinished(() => server.close());
  const served = await fetch(`${server.url}/openapi.json`);

  const { stdout } = await runCli('local-server openapi');

  expect(JSON.parse(stdout)).toEqual(await served.json());
});

describe('own data', () => {
  test('exported data is valid and can be served', async () => {
    const cwd = temporaryFolder();

    const exported = await runCli('local-server export data --period 2026-10-25 --json', { cwd });

    expect(exported.exitCode).toBe(0);

    const { files, facts, since, until } = JSON.parse(exported.stdout);

    expect(files).toHaveLength(4);
    expect(facts).toBeGreaterThan(100);
    expect(exported.stderr).toMatch(/^Wrote \d,\d{3} facts\. /);
    // The day of a clock change, in Paris.
    expect(until - since).toBe(25 * 3_600 - 1);

    const serve = () => serveAndEnd(' --fixtures data', undefined, { cwd });

    expect((await serve()).exitCode).toBe(0);

    // Every mistake is listed with its file and line.
    writeFileSync(join(cwd, 'data', 'accounts.json'), '[\n  {"nam": "x"}\n]');
    appendFileSync(join(cwd, 'data', 'facts.csv'), '1,2\n3,4\n');

    const refused = await serve();

    expectRefusal(refused, 2, /data[\\/]accounts\.json:2: /);
    expect(refused.stderr.match(/data[\\/]facts\.csv:\d+: /g)).toHaveLength(2);
  });

  test('export never replaces a file', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'accounts.json'), '[]');

    const result = await runCli('local-server export . --period 2026-10-25', { cwd });

    expectRefusal(result, 8, 'already exists');
    expect(result.files['accounts.json']).toBe('[]');
  });
});
