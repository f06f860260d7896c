import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, onTestFinished, test } from 'vitest';
import { bundleScript } from '../support/bundle.ts';
import { expectRefusal, interruption, runCli, temporaryFolder } from '../support/run-cli.ts';
import { launcher, runToEnd, spawnCli, startCli } from '../support/spawn.ts';

/**
 * What an attack from outside found, by its numbers; each is shown here or by a test of its folder:
 *
 * |  1 | commands/hard-service.test.ts: nothing is kept in a cache folder           |
 * |  2 | long/bounds.test.ts                                                        |
 * |  3 | commands/hard-service.test.ts: a secret of 50 kB; text/secrets.test.ts;    |
 * |    | contract/odd-services.ts: a token of 5,000 characters                      |
 * |  4 | here; output/file.test.ts: leftovers of runs that were killed              |
 * |  5 | here; long/bounds.test.ts; commands/streams.test.ts: a second signal       |
 * |  6 | api/timeouts.test.ts: an exchange that never pauses                        |
 * |  7 | account/project-file.test.ts: a file that is none                          |
 * |  8 | commands/hard-service.test.ts: settings that cannot be read;               |
 * |    | account/store.test.ts: modes                                               |
 * |  9 | here                                                                       |
 * | 10 | bin.test.ts: a working folder that was deleted                             |
 * | 11 | here; output/file.test.ts: below /proc; server/own-data.test.ts            |
 * | 12 | here; rows/report-file.test.ts: damaged Parquet                            |
 * | 13 | here; server/refusals.test.ts: a Host header; server/own-data.test.ts;     |
 * |    | commands/local-server-process.test.ts: nobody reads its stderr             |
 * | 14 | commands/steps.test.ts: report ids                                         |
 * | 15 | here; bin.test.ts: signals while waiting;                                  |
 * |    | commands/local-server-process.test.ts: SIGHUP;                             |
 * |    | commands/terminal.test.ts: a terminal that closes                          |
 * | 16 | output/open-files.test.ts; api/exchange.test.ts: Retry-After               |
 */

const onWindows = process.platform === 'win32';

test('4: hosts with the same first 16 characters do not touch each other’s files', async (context) => {
  const folder = temporaryFolder();
  const inHost = (host: string, ...argv: string[]) => {
    const args = [
      '--uts',
      'sh',
      '-c',
      'hostname "$0" && exec "$@"',
      host,
      process.execPath,
      ...argv,
    ];
    return runToEnd('unshare', args, folder);
  };
  if (inHost('probe', '--version').status !== 0)
    context.skip('unshare --uts is not to be had here');
  const script = bundleScript(`
    import { temporaryName } from './src/output/file/temporary-files.ts';
    process.stdout.write(temporaryName('x.csv'));
  `);
  onTestFinished(script.remove);
  const [one, other] = ['nightly-report-job-7f9c4-aaaaa', 'nightly-report-job-7f9c4-bbbbb'];

  const name = inHost(one, script.file).stdout;

  expect(name).toMatch(/\.tmp$/);

  writeFileSync(join(folder, name), 'half');
  const run = [launcher, 'run', '--local', '--period', '2026-11-09', '-q', '-o', 'x.csv'];

  expect(inHost(other, ...run).status).toBe(0);
  expect(readdirSync(folder)).toContain(name);
  expect(inHost(one, ...run).status).toBe(0);
  expect(readdirSync(folder)).not.toContain(name);
});

describe.skipIf(onWindows)('5: signals end a table of endless rows', () => {
  function* endless(): Generator<string> {
    yield 'date,campaignName,clicks\n';
    for (let i = 0; ; i++) yield `2026-11-01,Campaign ${i % 100},1\n`.repeat(1_000);
  }

  test.each([
    { line: 'view -', signals: ['SIGINT'] },
    { line: 'view -', signals: ['SIGINT', 'SIGINT'] },
    { line: 'view - --format table', signals: ['SIGINT', 'SIGINT'] },
  ] as const)('$line: $signals', { timeout: 30_000 }, async ({ line, signals }) => {
    const stdin = Readable.from(endless());
    const { child, ended } = startCli(line, { stdin });
    // It has read more than fits into the pipe.
    let sentBytes = 0;
    stdin.on('data', (text: string) => {
      const before = sentBytes;
      sentBytes += text.length;
      if (before < 5_000_000 && sentBytes >= 5_000_000)
        for (const signal of signals) child.kill(signal);
    });
    const { exitCode, signal } = await ended;
    stdin.destroy();

    expect([130, 'SIGINT']).toContain(exitCode ?? signal);
  });
});

test.skipIf(onWindows)(
  '9: the curl line of a token with shell characters runs no other command',
  async () => {
    const cwd = temporaryFolder();
    const wild = "x';touch${IFS}ran;'$(touch${IFS}ran)`touch${IFS}ran`";
    await runCli(['local-server', 'export', 'data', '--period', '2026-10-09'], { cwd });
    const file = join(cwd, 'data', 'accounts.json');
    const accounts = JSON.parse(readFileSync(file, 'utf8'));
    accounts[0].token = wild;
    writeFileSync(file, JSON.stringify(accounts));
    const { signal, send } = interruption(130);
    const onOutput = (text: string): void => void (text.includes('Press Ctrl-C to stop') && send());

    const { exitCode, stderr } = await runCli('local-server --port 0 --fixtures data', {
      cwd,
      signal,
      onOutput,
    });

    expect(exitCode).toBe(0);

    const [, line = ''] = /Try: (curl .*)/.exec(stderr) ?? [];

    const { stdout } = spawnSync('sh', ['-c', `curl() { printf '%s\\n' "$@"; }; ${line}`], {
      cwd,
      encoding: 'utf8',
    });

    expect(stdout.split('\n').slice(0, 2)).toEqual(['-H', `Authorization: ${wild}`]);
    expect(readdirSync(cwd)).not.toContain('ran');
  },
);

test('11: homes and folders below /proc: the report is printed, and nothing hangs', async (context) => {
  if (!existsSync('/proc/self')) context.skip('there is no /proc here');
  for (const name of ['HOME', 'XDG_CONFIG_HOME', 'XDG_CACHE_HOME', 'ADREPORT_CONFIG_DIR']) {
    const usual = /^(HOME|XDG_CONFIG_HOME)$/.test(name) ? { ADREPORT_CONFIG_DIR: undefined } : {};
    const line = 'run --local --direct --period 2026-11-09 --by DAILY -q --format ndjson';
    const { exitCode, stdout, stderr } = await spawnCli(line, {
      env: { ...usual, [name]: '/proc/nowhere/x' },
    });
    expect({ name, exitCode, rows: stdout.trim().split('\n').length }).toEqual({
      name,
      exitCode: 0,
      rows: 1,
    });
    expect(stderr).not.toMatch(/\n\s+at /);
  }

  for (const line of [
    'local-server export /proc/nowhere/x --period 2026-10-09',
    'run --local --direct --period 2026-11-09 --by DAILY',
  ]) {
    // What goes to stdout is kept in a temporary file until it is complete.
    const env = { TMPDIR: '/proc/nowhere/x' };
    const { exitCode, stdout, stderr } = await spawnCli(line, { env });

    expect({ line, exitCode, stdout }).toEqual({ line, exitCode: 8, stdout: '' });
    expect(stderr).toContain('/proc/nowhere/x');
    expect(stderr).not.toMatch(/\n\s+at /);
  }
});

test('12: a damaged Parquet page that would make hyparquet loop forever is exit 9', async () => {
  const file = join(temporaryFolder(), 'report.parquet');
  const run = `run --local --direct --period 2026-11-01..2026-11-09 --by DAILY,COUNTRY -q -o ${file}`;

  expect(await runCli(run)).toMatchObject({ exitCode: 0 });

  const bytes = readFileSync(file);

  // With the type of its second field changed, this header has no lengths of its levels, and
  // hyparquet never ends.
  const at = bytes.indexOf(0x5c);

  expect(at).toBeGreaterThan(4);

  bytes[at + 1] = 0x03;
  writeFileSync(file, bytes);

  expectRefusal(await spawnCli(['view', file]), 9, 'takes too long to decode');
});
