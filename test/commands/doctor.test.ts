import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { serve } from '../support/http-server.ts';
import {
  type CliOptions,
  expectRefusal,
  interruption,
  runCli,
  temporaryFolder,
} from '../support/run-cli.ts';
import { serveForTest } from '../support/service.ts';

type Finding = Readonly<Record<'check' | 'status' | 'message', string>> & {
  readonly fix: string | null;
  readonly exitCode: number | null;
};

/** Parses the findings and checks their invariants; returns a function that finds one by name. */
function findings({ exitCode, stdout }: { readonly exitCode: unknown; readonly stdout: string }) {
  const all: Finding[] = JSON.parse(stdout);
  for (const { check, status, message, fix, exitCode: code } of all) {
    expect(check).toMatch(/^[a-z.-]+$/);
    expect(message).not.toBe('');
    expect(fix === null).toBe(status === 'ok');
    expect(code === null).toBe(status !== 'broken');
  }
  expect(exitCode).toBe(all.find(({ status }) => status === 'broken')?.exitCode ?? 0);
  return (wanted: string): Finding => {
    const found = all.filter(({ check }) => check === wanted);
    expect(found.map(({ check }) => check)).toEqual([wanted]);
    return found[0] as Finding;
  };
}

const token = 'f'.repeat(40);
const doctor = (options: CliOptions = {}) => runCli('doctor --json', options);
const doctorAlone = (cwd: string, options: CliOptions = {}) =>
  runCli('doctor --json --local', { ...options, cwd });

describe('no problems', () => {
  test('against a service: exit 0, the source of each setting, no secret', async () => {
    const { server, run } = await serveForTest({ clock: Date.now });
    const env = { ADREPORT_PASSWORD: 'sesame-open', ADREPORT_EMAIL: 'me@example.com' };

    const { exitCode, stdout, stderr } = await run('doctor', { now: Date.now(), env });

    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toMatch(
      /^✓ {2}base-url +http:\/\/127\.0\.0\.1:\d+ \(from ADREPORT_BASE_URL\)$/m,
    );
    expect(stdout).toMatch(/^✓ {2}connection .*answers 401/m);
    expect(stdout).toMatch(/^✓ {2}clock +in sync with the service \(\d[\d.]* m?s off\)/m);
    expect(stdout).toMatch(/^✓ {2}sign-in +works: \d+ campaigns\./m);
    expect(stdout).toMatch(/^✓ {2}window-clock +instant \(default\)/m);
    expect(stdout).not.toMatch(/^[!✗]/m);
    expect(stdout).not.toContain('sesame');
    expect(stdout).not.toContain(server.accounts[0]?.token);

    // A call without the token, then one with it: no report is requested.
    const calls = server.requests().map(({ path, status }) => `${path} ${status}`);
    expect(calls).toEqual(['/campaigns 401', '/campaigns 200']);
  });

  test('--local needs no account, no network and no valid settings', async () => {
    const cwd = temporaryFolder();
    mkdirSync(join(cwd, '.config'), { mode: 0o700 });
    writeFileSync(join(cwd, '.config', 'settings.json'), '{', { mode: 0o600 });
    const proxy = { HTTPS_PROXY: 'http://me:hush-hush@127.0.0.1:9', NO_PROXY: 'example.com' };

    const result = await doctorAlone(cwd, { env: proxy, now: Date.now() });

    const found = findings(result);

    expect(found('sign-in').status).toBe('ok');
    expect(found('settings-file').status).toBe('warning');
    expect(found('proxy').message).toMatch(
      /^http:\/\/127\.0\.0\.1:9 for https\b.*except for example\.com/,
    );
    expect(result.stdout).not.toContain('hush');
  });
});

describe('settings', () => {
  const https = { ADREPORT_BASE_URL: 'https://reports.test', ADREPORT_TOKEN: token };
  test.each([
    { name: 'nothing at all', env: {}, check: 'sign-in', exitCode: 3 },
    {
      name: 'a base URL with plain http',
      env: { ...https, ADREPORT_BASE_URL: 'http://reports.example.com' },
      check: 'settings',
      exitCode: 2,
    },
    {
      name: 'a token with its scheme',
      env: { ...https, ADREPORT_TOKEN: 'Bearer x' },
      check: 'settings',
      exitCode: 2,
    },
    {
      name: 'an invalid proxy',
      env: { ...https, HTTPS_PROXY: 'socks5://me:hush@x' },
      check: 'proxy',
      exitCode: 2,
    },
    {
      name: 'no token',
      env: { ADREPORT_BASE_URL: 'http://127.0.0.1:9' },
      check: 'sign-in',
      exitCode: 3,
    },
  ])('$name: the exit code is that of other commands', async ({ env, check, exitCode }) => {
    const result = await doctor({ env });

    expect(findings(result)(check)).toMatchObject({ status: 'broken', exitCode });
    expect(result.stdout).not.toContain('hush');
    expect((await runCli('campaigns --retries 0', { env })).exitCode).toBe(exitCode);
  });

  test('adreport.yaml: the number of reports, or the line of a mistake', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'adreport.yaml'), 'reports:\n  a: { period: today }\n');

    const fine = findings(await doctorAlone(cwd))('adreport.yaml');

    expect(fine.message).toMatch(/adreport\.yaml: 1 report\.$/);

    writeFileSync(join(cwd, 'adreport.yaml'), 'reports:\n  a:\n    concurrency: many\n');

    const found = findings(await doctorAlone(cwd))('adreport.yaml');

    expect(found).toMatchObject({
      status: 'broken',
      exitCode: 2,
      message: expect.stringContaining('adreport.yaml:3'),
    });
  });

  test.skipIf(process.platform === 'win32')(
    'paths open to other users are reported with their mode; files that may hold a token are closed',
    async () => {
      const cwd = temporaryFolder();
      const config = join(cwd, '.config');
      mkdirSync(join(config, 'ledger'), { recursive: true });
      writeFileSync(join(config, 'settings.json'), '{"accounts":{}}');
      chmodSync(join(config, 'settings.json'), 0o644);
      chmodSync(join(config, 'ledger'), 0o750);
      chmodSync(config, 0o755);
      const permissions = async (): Promise<Finding[]> =>
        JSON.parse((await doctorAlone(cwd)).stdout).filter(
          ({ check }: Finding) => check === 'permissions',
        );

      const found = await permissions();

      expect(found.map(({ status }) => status)).toEqual(['warning', 'warning', 'warning']);
      expect(found.map(({ message }) => message).join('\n')).toMatch(/0644.*0755.*0750/s);
      expect(found.at(-1)?.fix).toBe(`chmod 700 '${join(config, 'ledger')}'`);
      expect(await permissions()).toHaveLength(2);
    },
  );
});

test('on Windows file modes are not checked', async () => {
  const { exitCode, stdout } = await runCli('doctor --local --json', { platform: 'win32' });

  const checks = JSON.parse(stdout).map(({ check }: Finding) => check);
  expect(exitCode).toBe(0);
  expect(checks).toEqual(expect.arrayContaining(['node', 'settings-file', 'browser', 'clock']));
  expect(checks).not.toContain('permissions');
});

test.each([
  { named: 'nowhere/chrome', status: 'warning', message: 'which is not a program on this machine' },
  { named: process.execPath, status: 'ok', message: `${process.execPath} (for PDFs)` },
])('the browser for PDFs: $status', async ({ named, status, message }) => {
  const env = { ADREPORT_BROWSER: named };

  const { exitCode, stdout } = await runCli('doctor --local --json', { env });

  const browser = JSON.parse(stdout).find(({ check }: Finding) => check === 'browser');
  expect(browser).toMatchObject({ status, message: expect.stringContaining(message) });
  expect(exitCode).toBe(0);
});

test('a missing browser is fine', async () => {
  // Windows has Edge, but this one has no program folder.
  const { stdout } = await runCli('doctor --local --json', { platform: 'win32' });

  const browser = JSON.parse(stdout).find(({ check }: Finding) => check === 'browser');
  expect(browser).toMatchObject({ status: 'ok', message: expect.stringContaining('only PDFs') });
});

describe('the service', () => {
  test.each([
    { name: 'connection refused', baseUrl: 'http://127.0.0.1:1' },
    { name: 'unknown host', baseUrl: 'https://nowhere.invalid' },
  ])('$name: exit 5', async ({ baseUrl }) => {
    const found = findings(
      await doctor({ env: { ADREPORT_BASE_URL: baseUrl, ADREPORT_TOKEN: token } }),
    );
    expect(found('connection')).toMatchObject({ status: 'broken', exitCode: 5 });
  });

  test.each([
    { name: 'busy', faults: ['campaigns:503'], exitCode: 5 },
    { name: 'rejecting', faults: ['campaigns:400'], exitCode: 4 },
    { name: 'refusing the token', faults: [], exitCode: 3 },
  ])(
    '$name: the exit code is that of other commands, after one try; the token is not shown',
    async ({ faults, exitCode }) => {
      const { server, run } = await serveForTest({ faults });

      const result = await run('doctor --json', { env: { ADREPORT_TOKEN: token } });

      expect(findings(result)('sign-in')).toMatchObject({ status: 'broken', exitCode });
      expect(result.stdout).not.toContain(token);
      expect(server.requests()).toHaveLength(2);
    },
  );

  test.each([
    { offMs: 3_600_000, says: / 1 h ahead of/, status: 'warning' },
    { offMs: -3_600_000, says: / 1 h behind/, status: 'warning' },
    { offMs: 20_000, says: /in sync/, status: 'ok' },
  ])('a clock that is $offMs ms off', async ({ offMs, says, status }) => {
    const now = Date.UTC(2026, 10, 20, 12);
    const { env } = await serve((_request, response) => {
      response.writeHead(401, { date: new Date(now - offMs).toUTCString() }).end('{}');
    });

    const clock = findings(await doctor({ env, now }))('clock');

    expect(clock).toMatchObject({ status, message: expect.stringMatching(says) });
  });

  test('Ctrl-C ends the checks: exit 130 without findings', async () => {
    const { signal, send } = interruption(130);

    const { env } = await serve(send);

    expectRefusal(await doctor({ env, signal }), 130, 'Interrupted.');
  });
});
