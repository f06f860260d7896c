import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, onTestFinished, test } from 'vitest';
import { call, createReport, refusalIn, smallReport, startForTest } from '../server/local.ts';
import { bundleScript } from '../support/bundle.ts';
import { json, serve } from '../support/http-server.ts';
import { runCli, temporaryFolder } from '../support/run-cli.ts';
import { launcher, spawnCli } from '../support/spawn-cli.ts';

/**
 * What an attack from outside found, by its numbers; each is shown here or by a test of its folder:
 *
 * |  1 | commands/hard-service.test.ts: nothing is kept in a cache folder                                          |
 * |  2 | long/bounds.test.ts                                                                                       |
 * |  3 | here; commands/hard-service.test.ts: a secret of 50 kB; ui/secrets.test.ts                                |
 * |  4 | here; output/file.test.ts: leftovers of runs that were killed                                             |
 * |  5 | here; long/bounds.test.ts; commands/streams.test.ts: a second signal                                      |
 * |  6 | api/timeouts.test.ts: an exchange that never pauses                                                       |
 * |  7 | config/project-file.test.ts: a file that is none                                                          |
 * |  8 | commands/hard-service.test.ts: settings that cannot be read; config/store.test.ts: modes                  |
 * |  9 | here                                                                                                      |
 * | 10 | bin.test.ts: a working folder that was deleted                                                            |
 * | 11 | here; output/file.test.ts: below /proc; server/fixtures-export.test.ts                                    |
 * | 12 | here; rows/report-file.test.ts: damaged Parquet                                                           |
 * | 13 | here; server/refusals.test.ts: a Host header; server/fixtures-load.test.ts;                               |
 * |    | commands/local-server-process.test.ts: nobody reads its stderr                                            |
 * | 14 | commands/report-ids.test.ts                                                                               |
 * | 15 | here; bin.test.ts: signals while waiting; commands/terminal.test.ts: a terminal that closes               |
 * | 16 | bin.test.ts: 128 open files; api/exchange.test.ts: Retry-After                                            |
 */

const onWindows = process.platform === 'win32';

test('3: a token of 100 kB from the service is exit 9, and shown nowhere', async () => {
  const { url } = await serve((_request, response) => json(response, { token: 'S3cret'.repeat(16_000) }));
  const env = { ADREPORT_BASE_URL: url.href, ADREPORT_EMAIL: 'a@b.c', ADREPORT_PASSWORD: 'secret' };
  const { exitCode, stdout, stderr } = await spawnCli('campaigns -vv --retries 0', { env });
  expect({ exitCode, stdout }).toEqual({ exitCode: 9, stdout: '' });
  expect(stderr).not.toMatch(/S3cret|\n\s+at /);
});

test('4: hosts whose names are alike in 16 characters leave each other’s files alone', async (context) => {
  const inHost = (host: string, argv: readonly string[], cwd: string) =>
    spawnSync('unshare', ['--uts', 'sh', '-c', 'hostname "$0" && exec "$@"', host, process.execPath, ...argv], {
      cwd,
      env: { PATH: process.env.PATH, ADREPORT_CONFIG_DIR: join(cwd, '.config') },
      encoding: 'utf8',
    });
  const folder = temporaryFolder();
  if (inHost('probe', ['--version'], folder).status !== 0) context.skip('unshare --uts is not to be had here');
  const script = bundleScript(`
    import { temporaryName } from './src/output/file/output-file.ts';
    process.stdout.write(temporaryName('x.csv'));
  `);
  onTestFinished(script.remove);
  const [one, other] = ['nightly-report-job-7f9c4-aaaaa', 'nightly-report-job-7f9c4-bbbbb'];
  const name = inHost(one, [script.file], folder).stdout;
  expect(name).toMatch(/\.tmp$/);
  writeFileSync(join(folder, name), 'half');
  const run = [launcher, 'run', '--local', '--period', '2026-11-09', '-q', '-o', 'x.csv'];
  expect(inHost(other, run, folder).status).toBe(0);
  expect(readdirSync(folder)).toContain(name);
  expect(inHost(one, run, folder).status).toBe(0);
  expect(readdirSync(folder)).not.toContain(name);
});

describe.skipIf(onWindows)('5: signals end a table of endless rows', () => {
  function* endless(): Generator<string> {
    yield 'date,campaignName,clicks\n';
    for (let i = 0; ; i++) yield `2026-11-01,Campaign ${i % 100},1\n`.repeat(1_000);
  }

  test.each([
    ['view one', ['view', '-'], ['SIGINT']],
    ['view two', ['view', '-'], ['SIGINT', 'SIGINT']],
    ['table two', ['view', '-', '--format', 'table'], ['SIGINT', 'SIGINT']],
  ] as const)('%s', { timeout: 30_000 }, async (_name, argv, signals) => {
    const env = { PATH: process.env.PATH, ADREPORT_CONFIG_DIR: temporaryFolder() };
    const child = spawn(process.execPath, [launcher, ...argv], { env, stdio: ['pipe', 'ignore', 'pipe'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    child.stderr.resume();
    const exit = once(child, 'exit');
    // It has read more than the pipe holds.
    let sentBytes = 0;
    const source = Readable.from(endless());
    child.stdin.on('error', () => source.destroy());
    source.on('data', (text: string) => {
      const before = sentBytes;
      sentBytes += text.length;
      if (before < 5_000_000 && sentBytes >= 5_000_000) for (const signal of signals) child.kill(signal);
    });
    source.pipe(child.stdin);
    const [code, signal] = await exit;
    source.destroy();
    expect([130, 'SIGINT']).toContain(code ?? signal);
  });
});

test.skipIf(onWindows)('9: the curl line of a token with shell characters runs nothing else', async () => {
  const cwd = temporaryFolder();
  const wild = "x';touch${IFS}ran;'$(touch${IFS}ran)`touch${IFS}ran`";
  await runCli(['local-server', 'export', 'data', '--period', '2026-10-09'], { cwd });
  const file = join(cwd, 'data', 'accounts.json');
  const accounts = JSON.parse(readFileSync(file, 'utf8'));
  accounts[0].token = wild;
  writeFileSync(file, JSON.stringify(accounts));
  const interrupt = { when: /Ctrl-C ends it/, signal: 'SIGINT' } as const;
  const { exitCode, stderr } = await runCli(['local-server', '--port', '0', '--fixtures', 'data'], { cwd, interrupt });
  expect(exitCode).toBe(0);
  const [, line = ''] = /Try: (curl .*)/.exec(stderr) ?? [];
  const { stdout } = spawnSync('sh', ['-c', `curl() { printf '%s\\n' "$@"; }; ${line}`], { cwd, encoding: 'utf8' });
  expect(stdout.split('\n').slice(0, 2)).toEqual(['-H', `Authorization: ${wild}`]);
  expect(readdirSync(cwd)).not.toContain('ran');
});

test('11: homes and folders below /proc: the report comes, and nothing hangs', async (context) => {
  if (!existsSync('/proc/self')) context.skip('there is no /proc here');
  for (const name of ['HOME', 'XDG_CONFIG_HOME', 'XDG_CACHE_HOME', 'ADREPORT_CONFIG_DIR', 'TMPDIR']) {
    const env = { ADREPORT_CONFIG_DIR: name === 'ADREPORT_CONFIG_DIR' ? undefined : temporaryFolder() };
    const isHome = name === 'HOME' || name === 'XDG_CONFIG_HOME';
    const line = 'run --local --period 2026-11-09 --by DAILY -q --format ndjson';
    const all = { ...env, ...(isHome ? { ADREPORT_CONFIG_DIR: undefined } : {}), [name]: '/proc/nowhere/x' };
    const { exitCode, stdout, stderr } = await spawnCli(line, { env: all });
    expect({ name, exitCode, rows: stdout.trim().split('\n').length }).toEqual({ name, exitCode: 0, rows: 1 });
    expect(stderr).not.toMatch(/\n\s+at /);
  }
  const { exitCode, stderr } = await spawnCli(['local-server', 'export', '/proc/nowhere/x', '--period', '2026-10-09']);
  expect({ exitCode, stderr }).toEqual({ exitCode: 8, stderr: expect.not.stringMatching(/\n\s+at /) });
});

test('12: a damaged page of Parquet, which hyparquet would read for ever, is exit 9', async () => {
  const file = join(temporaryFolder(), 'report.parquet');
  const run = ['run', '--local', '--period', '2026-11-01..2026-11-09', '--by', 'DAILY,COUNTRY', '-q', '-o', file];
  expect(await spawnCli([...run, '--format', 'parquet'])).toMatchObject({ exitCode: 0 });
  const whole = readFileSync(file);
  // With the type of its second field changed, this header lacks the lengths of its levels: hyparquet never ends.
  const at = whole.indexOf(0x5c);
  expect(at).toBeGreaterThan(4);
  const endless = Buffer.from(whole);
  endless[at + 1] = 0x03;
  writeFileSync(file, endless);
  expect(await spawnCli(['view', file])).toMatchObject({
    exitCode: 9,
    stderr: expect.stringContaining('comes to no end'),
  });
});

describe('13: the local server', () => {
  test('a report that is forgotten before its time is gone, and that is said', async () => {
    const server = await startForTest();
    const first = await createReport(server);
    // As bytes of their requests 64 MB are kept.
    const body = JSON.stringify(smallReport).padEnd(1_048_576);
    for (let i = 0; i < 65; i++) await call(server, '/buyer-reporting', { as: 'buyer', body });
    for (const path of ['/status-reporting', '/download-reporting']) {
      const answer = await call(server, path, { as: 'buyer', json: { id: first } });
      expect([answer.status, refusalIn(answer).error_id]).toEqual([410, 'REPORT_EXPIRED']);
      expect(answer.text).toContain('was forgotten');
      expect((await call(server, path, { as: 'admin', json: { id: first } })).status).toBe(404);
    }
  });

  test('an empty certificate and an empty command are exit 2', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'empty.pem'), '');
    for (const argv of ['--tls-cert empty.pem --tls-key empty.pem'.split(' '), ['exec', '--', '']]) {
      const { exitCode, stdout, stderr } = await runCli(['local-server', ...argv], { cwd });
      expect({ argv, exitCode, stdout }).toEqual({ argv, exitCode: 2, stdout: '' });
      expect(stderr).toMatch(/^adreport: /);
    }
  });
});

describe.skipIf(onWindows)('15: ends from outside', () => {
  test('SIGHUP ends the command of exec too', async () => {
    const argv = ['local-server', 'exec', '--', 'sh', '-c', 'echo $$; exec sleep 60'];
    let pid = 0;
    const { exitCode } = await spawnCli(argv, {
      onStart: (child) =>
        child.stdout?.once('data', (text) => {
          pid = Number(text);
          child.kill('SIGHUP');
        }),
    });
    expect(exitCode).toBe(143);
    expect(pid).toBeGreaterThan(0);
    await expect.poll(() => spawnSync('kill', ['-0', String(pid)]).status).not.toBe(0);
  });

  test('a named pipe that nobody reads, as a target: the first SIGTERM ends it', { timeout: 60_000 }, async () => {
    const cwd = temporaryFolder();
    spawnSync('mkfifo', [join(cwd, 'pipe')]);
    const server = await startForTest();
    const env = { ADREPORT_BASE_URL: server.url, ADREPORT_TOKEN: server.accounts[0]?.token };
    const { exitCode } = await spawnCli(['run', '--period', '2026-11-09', '-o', 'pipe', '--format', 'csv', '-v'], {
      cwd,
      env,
      onStart: (child: ChildProcess) => {
        let said = '';
        const listen = (text: Buffer | string): void => {
          said += text;
          if (!said.includes('download-reporting')) return;
          child.stderr?.off('data', listen);
          child.kill('SIGTERM');
        };
        child.stderr?.on('data', listen);
      },
    });
    expect(exitCode).toBe(143);
    expect(readdirSync(cwd).sort()).toEqual(['.config', 'pipe']);
  });
});
