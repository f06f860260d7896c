import { spawn, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startLocalServer } from '../src/server/start.ts';
import { temporaryFolder } from './support/run-cli.ts';

/** The program as users run it: the built one, in processes and pipes of its own. */

const bin = resolve(import.meta.dirname, '../bin/adreport.js');
const manifest = JSON.parse(readFileSync(resolve(import.meta.dirname, '../package.json'), 'utf8'));

function environment(folder: string): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, NODE_DISABLE_COMPILE_CACHE: '1', ADREPORT_CONFIG_DIR: join(folder, '.config') };
}

function adreport(argv: readonly string[], cwd = temporaryFolder()) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...argv], {
    cwd,
    env: environment(cwd),
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

test('--version and --help', () => {
  expect(adreport(['--version'])).toEqual({ status: 0, stdout: `${manifest.version}\n`, stderr: '' });
  const help = adreport(['--help']);
  expect(help).toMatchObject({ status: 0, stderr: '' });
  expect(help.stdout).toContain('local-server');
  expect(adreport(['run', '--help']).stdout.match(/^ {2}adreport run /gm)?.length).toBeGreaterThanOrEqual(2);
});

test('a mistake is exit 2 and one clear line, never a stack trace', () => {
  const { status, stdout, stderr } = adreport(['run', '--local', '--period', 'yesterday', '--by', 'DAYLI']);
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toMatch(/DAYLI[^\n]*\n.*DAILY/);
  expect(stderr).not.toMatch(/\bat .*:\d+:\d+/);
});

test('nobody listening is exit 5', () => {
  const argv = ['status', 'x', '--base-url', 'http://127.0.0.1:1', '--retries', '0'];
  const result = spawnSync(process.execPath, [bin, ...argv], {
    env: { ...environment(temporaryFolder()), ADREPORT_TOKEN: 'f'.repeat(40) },
    encoding: 'utf8',
  });
  expect(result.status).toBe(5);
  expect(result.stderr).toContain('connection refused');
});

describe.skipIf(process.platform === 'win32')('in a shell', () => {
  /** Runs a script in which `adreport` is a command, against a local server of its own. */
  function shell(script: string) {
    const folder = temporaryFolder();
    const prelude = `adreport() { '${process.execPath}' '${bin}' "$@"; }\n`;
    const argv = [bin, 'local-server', '--delay', '0s', 'exec', '--', 'bash', '-c', prelude + script];
    const { status, stdout, stderr } = spawnSync(process.execPath, argv, {
      cwd: folder,
      env: environment(folder),
      encoding: 'utf8',
    });
    return { status, stdout, stderr, folder };
  }

  test('create, status, download by hand', () => {
    const { status, folder } = shell(
      'id=$(adreport report create --period yesterday --by COUNTRY) && ' +
        'adreport status $id --wait && adreport download $id -o r.json',
    );
    expect(status).toBe(0);
    expect(JSON.parse(readFileSync(join(folder, 'r.json'), 'utf8')).data[0]).toHaveProperty('country');
  });

  test('run | head ends quietly, with success, and without a trace', () => {
    const { stdout, stderr } = shell(
      'adreport run --period 2026 --by DAILY,CAMPAIGN,COUNTRY -q | head -1; echo "${PIPESTATUS[@]}"',
    );
    expect(stdout).toMatch(/^date,.*\r\n0 0\n$/);
    expect(stderr).not.toMatch(/EPIPE|error/i);
  });

  test('--help | head ends quietly too', () => {
    const { stdout, stderr } = shell('adreport run --help | head -1; echo "${PIPESTATUS[@]}"');
    expect(stdout).toMatch(/^Usage: .*\n0 0\n$/);
    expect(stderr).not.toMatch(/EPIPE|error/i);
  });

  test('run > file and run | a program', () => {
    const { stdout, folder } = shell(
      'adreport run --period yesterday --by OS > os.csv && adreport run --period yesterday --by OS --format json | ' +
        `'${process.execPath}' -e 'process.stdin.toArray().then((all) => console.log(JSON.parse(Buffer.concat(all)).data.length))'`,
    );
    const lines = readFileSync(join(folder, 'os.csv'), 'utf8').trimEnd().split('\r\n');
    expect(Number(stdout)).toBe(lines.length - 1);
  });

  test('exec hands the exit code of its command on', () => {
    expect(shell('exit 7').status).toBe(7);
    expect(shell('adreport status nothing').status).toBe(4);
  });

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s while waiting: exit %i, the id, the resume command, no file', async (signal, code) => {
    const folder = temporaryFolder();
    const server = await startLocalServer({ manual: true });
    onTestFinished(() => server.close());
    const env = { ...environment(folder), ADREPORT_BASE_URL: server.url, ADREPORT_TOKEN: server.accounts[0]?.token };
    const run = ['run', '--period', 'yesterday', '-o', 'r.csv', '--progress', 'json'];
    const child = spawn(process.execPath, [bin, ...run], { cwd: folder, env });
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      const wasWaiting = stderr.includes('"event":"status"');
      stderr += text;
      if (!wasWaiting && stderr.includes('"event":"status"')) child.kill(signal);
    });
    const exitCode = await new Promise((done) => child.on('exit', done));
    expect(exitCode).toBe(code);
    expect(stderr).toMatch(/adreport status (\w+) --wait && adreport download \1 -o r\.csv/);
    expect(readdirSync(folder)).toEqual(['.config']);
  });
});
