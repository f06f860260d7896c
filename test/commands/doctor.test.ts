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

/** Parses the findings and checks their invariants; returns a function that lists those of a check. */
function findings({ exitCode, stdout }: { readonly exitCode: unknown; readonly stdout: string }) {
  const all: Finding[] = JSON.parse(stdout);
  for (const { status, message, fix, exitCode: code } of all) {
    expect(message).not.toBe('');
    expect(fix === null).toBe(status === 'ok');
    expect(code === null).toBe(status !== 'broken');
  }
  expect(exitCode).toBe(all.find(({ status }) => status === 'broken')?.exitCode ?? 0);
  return (wanted: string) => all.filter(({ check }) => check === wanted);
}

const token = 'f'.repeat(40);
const doctor = (options: CliOptions = {}) => runCli('doctor --json', options);
const doctorAlone = (cwd: string, options: CliOptions = {}) =>
  runCli('doctor --json --local', { ...options, cwd });

describe('no problems', () => {
  test('against a service: exit 0, a call without the token and one with it, no secret', async () => {
    const { server, run } = await serveForTest({ clock: Date.now });

    const { exitCode, stdout, stderr } = await run('doctor', { now: Date.now() });

    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toMatch(/^✓ {2}connection .*responds with 401/m);
    expect(stdout).toMatch(/^✓ {2}clock +in sync with the service \(\d[\d.]* m?s off\)/m);
    expect(stdout).toMatch(/^✓ {2}sign-in +works: \d+ campaigns$/m);
    expect(stdout).not.toMatch(/^[!✗]/m);
    expect(stdout).not.toContain(server.accounts[0]?.token);

    const calls = server.requests().map(({ path, status }) => `${path} ${status}`);
    expect(calls).toEqual(['/campaigns 401', '/campaigns 200']);
  });

  test('--local needs no account, no network and no valid settings', async () => {
    const cwd = temporaryFolder();
    mkdirSync(join(cwd, '.config'), { mode: 0o700 });
    writeFileSync(join(cwd, '.config', 'settings.json'), '{', { mode: 0o600 });

    const result = await doctorAlone(cwd, {
      env: { HTTPS_PROXY: 'not a proxy' },
      now: Date.now(),
    });

    const found = findings(result);
    expect(found('sign-in')).toMatchObject([{ status: 'ok' }]);
    expect(found('settings-file')).toMatchObject([{ status: 'warning' }]);
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
      check: 'connection',
      exitCode: 2,
    },
  ])('$name: the exit code is that of other commands', async ({ env, check, exitCode }) => {
    const result = await doctor({ env });

    expect(findings(result)(check)).toMatchObject([{ status: 'broken', exitCode }]);
    expect(result.stdout).not.toContain('hush');
    expect((await runCli('campaigns --retries 0', { env })).exitCode).toBe(exitCode);
  });

  test('adreport.yaml: the number of reports, or the line of a mistake', async () => {
    const cwd = temporaryFolder();
    const write = (text: string) => writeFileSync(join(cwd, 'adreport.yaml'), text);

    write('reports:\n  a: { period: today }\n');
    const message = expect.stringMatching(/adreport\.yaml: 1 report$/);
    expect(findings(await doctorAlone(cwd))('adreport.yaml')).toMatchObject([{ message }]);

    write('reports:\n  a:\n    concurrency: many\n');
    const place = expect.stringContaining('adreport.yaml:3');
    expect(findings(await doctorAlone(cwd))('adreport.yaml')).toMatchObject([
      { status: 'broken', exitCode: 2, message: place },
    ]);
  });

  test.skipIf(process.platform === 'win32')('files that other users can read', async () => {
    const cwd = temporaryFolder();
    const folder = join(cwd, '.config');
    const file = join(folder, 'settings.json');
    mkdirSync(folder);
    writeFileSync(file, '{"accounts":{}}');
    chmodSync(folder, 0o755);
    chmodSync(file, 0o644);

    const fixes = findings(await doctorAlone(cwd))('settings-file').map(({ fix }) => fix);
    expect(fixes).toEqual([null, `chmod 700 '${folder}'`, `chmod 600 '${file}'`]);

    const onWindows = await doctorAlone(cwd, { platform: 'win32' });
    expect(findings(onWindows)('settings-file')).toHaveLength(1);
  });
});

describe('the service', () => {
  test.each([
    { name: 'connection refused', baseUrl: 'http://127.0.0.1:1' },
    { name: 'unknown host', baseUrl: 'https://nowhere.invalid' },
  ])('$name: exit 5', async ({ baseUrl }) => {
    const result = await doctor({ env: { ADREPORT_BASE_URL: baseUrl, ADREPORT_TOKEN: token } });
    expect(findings(result)('connection')).toMatchObject([{ status: 'broken', exitCode: 5 }]);
  });

  test.each([
    { name: 'busy', faults: ['campaigns:503'], exitCode: 5 },
    { name: 'rejecting', faults: ['campaigns:400'], exitCode: 4 },
    { name: 'refusing the token', faults: [], exitCode: 3 },
  ])('$name: the exit code is that of other commands, after one try', async (service) => {
    const { server, run } = await serveForTest({ faults: service.faults });

    const result = await run('doctor --json', { env: { ADREPORT_TOKEN: token } });

    const { exitCode } = service;
    expect(findings(result)('sign-in')).toMatchObject([{ status: 'broken', exitCode }]);
    expect(result.stdout).not.toContain(token);
    expect(server.requests()).toHaveLength(2);
  });

  test.each([
    { offMs: 3_600_000, says: / 1 h ahead of/, status: 'warning' },
    { offMs: -3_600_000, says: / 1 h behind/, status: 'warning' },
    { offMs: 20_000, says: /in sync/, status: 'ok' },
  ])('a clock that is $offMs ms off', async ({ offMs, says, status }) => {
    const now = Date.UTC(2026, 10, 20, 12);
    const { env } = await serve((_request, response) => {
      response.writeHead(401, { date: new Date(now - offMs).toUTCString() }).end('{}');
    });

    const message = expect.stringMatching(says);
    expect(findings(await doctor({ env, now }))('clock')).toMatchObject([{ status, message }]);
  });

  test('Ctrl-C ends the checks: exit 130 without findings', async () => {
    const { signal, send } = interruption(130);
    const { env } = await serve(send);

    expectRefusal(await doctor({ env, signal }), 130, 'Interrupted.');
  });
});
