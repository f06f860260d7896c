import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type LocalServer, startLocalServer } from '../../src/server/start.ts';
import { makeCertificates } from '../support/certificates.ts';
import { startConnectProxy } from '../support/connect-proxy.ts';
import { readExamples } from '../support/examples.ts';
import { isInstalled } from '../support/path.ts';
import { allCommands, pathOf } from '../support/program.ts';
import { runCli } from '../support/run-cli.ts';
import { isServerLine, runShell, type ShellPlace, serveUntilReady } from '../support/shell-lines.ts';
import { launcher } from '../support/spawn-cli.ts';

/** Every example of every command's help, run as it is printed there, one after the other, in the shell it is for. */

const pages = allCommands().map((command) => [...pathOf(command).split(' ').filter(Boolean), '--help']);

let base = '';
let server: LocalServer;

beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), 'adreport-examples-'));
  for (const name of ['bin', 'empty']) mkdirSync(join(base, name));
  symlinkSync(launcher, join(base, 'bin', 'adreport'));
  server = await startLocalServer({ delayMs: 0 });
});

afterAll(async () => {
  await server.close();
  rmSync(base, { recursive: true, force: true });
});

/** The command lines of a page, without their meanings. */
async function examplesOf(page: readonly string[]): Promise<string[]> {
  const { exitCode, stdout } = await runCli(page, { cwd: join(base, 'empty'), env: { COLUMNS: '300' } });
  expect(exitCode).toBe(0);
  return readExamples(stdout);
}

/** A folder in which the examples of a page find what they speak of. */
async function furnish(name: string, lines: readonly string[]): Promise<ShellPlace> {
  const cwd = join(base, name.replaceAll(' ', '-'));
  mkdirSync(join(cwd, '.config'), { recursive: true, mode: 0o700 });
  const env = {
    PATH: [join(base, 'bin'), process.env.PATH].join(delimiter),
    HOME: cwd,
    ADREPORT_CONFIG_DIR: join(cwd, '.config'),
    ADREPORT_BASE_URL: server.url,
    ADREPORT_TOKEN: server.accounts[0]?.token,
    ADREPORT_PASSWORD: 'demo',
  };
  writeFileSync(join(cwd, 'token.txt'), `${env.ADREPORT_TOKEN}\n`);
  // Never in this process's stead: it is the server of all the others.
  const prepare = (...argv: string[]) => promisify(execFile)(process.execPath, [launcher, ...argv], { cwd, env });
  if (!lines.includes('adreport init')) await prepare('init');
  if (lines.some((line) => line.includes('./fixtures')) && !lines.some((line) => line.includes('export ./fixtures'))) {
    await prepare('local-server', 'export', './fixtures', '--period', 'yesterday');
  }
  if (lines.some((line) => line.startsWith('adreport view week.csv'))) {
    await prepare('run', '--period', 'last-week', '--by', 'DAILY,CAMPAIGN,COUNTRY', '-o', 'week.csv');
  }
  return { cwd, env };
}

const isFar = (line: string): boolean => line.startsWith('adreport login --base-url https://');
const shellOf = (line: string): string =>
  ['zsh', 'fish'].find((shell) => line.includes(`completion ${shell}`)) ?? 'bash';
const preludes: Readonly<Record<string, string>> = { zsh: 'autoload -U compinit; compinit -u -d zcompdump; ' };

/** Runs lines that go on, in one shell: what each ended with, and what it said. */
async function play(lines: readonly string[], place: ShellPlace) {
  const results: { line: string; exit: string; said: string }[] = [];
  const shells = new Map<string, string[]>();
  for (const line of lines.filter((each) => !isServerLine(each)))
    shells.set(shellOf(line), [...(shells.get(shellOf(line)) ?? []), line]);
  for (const [shell, own] of shells) {
    if (!isInstalled(shell)) continue;
    const script = own
      .map((line, index) => `${line}\necho "<${index}:$${shell === 'fish' ? 'status' : '?'}>" >&2`)
      .join('\n');
    const { stderr: said } = await runShell(shell, ['-c', (preludes[shell] ?? '') + script], place);
    for (const [index, line] of own.entries()) {
      const exit = new RegExp(`<${index}:(\\d+)>`).exec(said)?.[1] ?? 'nothing';
      results.push({ line, exit, said: exit === '0' ? '' : said });
    }
  }
  return results;
}

function isTaken(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });
}

describe.skipIf(process.platform === 'win32')('as printed', () => {
  test.concurrent.each(pages.map((page) => [page.join(' '), page] as const))('adreport %s', async (name, page) => {
    const lines = await examplesOf(page);
    expect(lines.length).toBeGreaterThanOrEqual(2);
    // Beyond this machine: a test of its own has a service of that name.
    const near = lines.filter((line) => !isFar(line));
    const place = await furnish(name, lines);
    const results = await play(near, place);
    expect(results.filter(({ exit }) => exit !== '0')).toEqual([]);
    expect(results.length + near.filter(isServerLine).length).toBeGreaterThan(0);
  });

  test('a sign-in far away, by a proxy that leads to a service of that name', async ({ skip }) => {
    const far = (await examplesOf(['login', '--help'])).filter(isFar);
    expect(far).toHaveLength(1);
    const certificates = makeCertificates() ?? skip('there is no openssl here');
    const tls = await startLocalServer({ delayMs: 0, tls: certificates });
    onTestFinished(() => tls.close());
    const proxy = await startConnectProxy(tls.port);
    const { cwd, env } = await furnish('far', far);
    const through = { ...env, HTTPS_PROXY: proxy.url, NODE_EXTRA_CA_CERTS: certificates.caFile };
    expect(await play(far, { cwd, env: through })).toEqual([{ line: far[0], exit: '0', said: '' }]);
    expect(proxy.asked).toContain('reports.example.com:443');
  });

  test('the servers start, and end cleanly', async ({ skip }) => {
    const all = (await Promise.all(pages.map(examplesOf))).flat().filter(isServerLine);
    expect(all.length).toBeGreaterThan(3);
    const place = await furnish('servers', ['./fixtures']);
    for (const line of new Set(all)) {
      if (!line.includes('--port') && (await isTaken(8787))) skip('port 8787 is taken');
      expect({ line, exit: await serveUntilReady(line, place) }).toEqual({ line, exit: 0 });
    }
  });
});
