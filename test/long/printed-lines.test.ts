import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { topics } from '../../src/help/index.ts';
import { startLocalServer } from '../../src/server/start.ts';
import { makeCertificates } from '../support/certificates.ts';
import { startConnectProxy } from '../support/connect-proxy.ts';
import { readExamples } from '../support/examples.ts';
import { allCommands, pathOf } from '../support/program.ts';
import { installInto, isInstalled } from '../support/programs.ts';
import { openTerminal } from '../support/pty.ts';
import { runCli } from '../support/run-cli.ts';
import { isServerLine, runShell, type ShellPlace, serveUntilReady } from '../support/shell-lines.ts';
import { launcher } from '../support/spawn-cli.ts';

/**
 * Every command line that is printed anywhere, run as it stands there, in the shell that it is for: the examples of every
 * command's help, and the lines of the README and of the topics. Of a session that is shown, what it shows is compared too.
 */

const server = await startLocalServer({ delayMs: 0 });
const token = server.accounts[0]?.token ?? '';
const base = mkdtempSync(join(tmpdir(), 'adreport-lines-'));
afterAll(async () => {
  await server.close();
  rmSync(base, { recursive: true, force: true });
});
const bin = join(base, 'bin');
mkdirSync(bin);
installInto(bin);
// `npm` stands in: an install, a whole test run and a package from the registry are tested where they belong.
writeFileSync(join(bin, 'npm'), '#!/bin/sh\necho "npm $*"\n', { mode: 0o755 });

/** A home of its own for the lines of a page, signed in by the environment. */
function placeFor(name: string) {
  const cwd = join(base, name.replaceAll(' ', '-'));
  mkdirSync(join(cwd, '.config'), { recursive: true, mode: 0o700 });
  const env = {
    PATH: [bin, process.env.PATH].join(delimiter),
    HOME: cwd,
    ADREPORT_CONFIG_DIR: join(cwd, '.config'),
    ADREPORT_BASE_URL: server.url,
    ADREPORT_TOKEN: token,
    LANG: 'C.UTF-8',
  };
  return { cwd, env };
}

async function expectDone(shell: string, script: string, place: ShellPlace): Promise<void> {
  const { exitCode, stderr } = await runShell(shell, ['-c', script], place);
  expect({ script, exitCode, stderr: exitCode === 0 ? '' : stderr }).toEqual({ script, exitCode: 0, stderr: '' });
}

describe.skipIf(process.platform === 'win32')('examples of help', () => {
  const pages = allCommands().map((command) => [...pathOf(command).split(' ').filter(Boolean), '--help']);

  /** The command lines of a page, without their meanings. */
  async function examplesOf(page: readonly string[]): Promise<string[]> {
    const { exitCode, stdout } = await runCli(page, { env: { COLUMNS: '300' } });
    expect(exitCode).toBe(0);
    return readExamples(stdout);
  }

  /** A folder in which the examples of a page find what they speak of. */
  async function furnish(name: string, lines: readonly string[]): Promise<ShellPlace> {
    const { cwd, env } = placeFor(name);
    writeFileSync(join(cwd, 'token.txt'), `${token}\n`);
    const withPassword = { ...env, ADREPORT_PASSWORD: 'demo' };
    // Never in this process's stead: it is the server of all the others.
    const prepare = (line: string) =>
      promisify(execFile)(process.execPath, [launcher, ...line.split(' ')], { cwd, env: withPassword });
    const has = (text: string): boolean => lines.some((line) => line.includes(text));
    if (!lines.includes('adreport init')) await prepare('init');
    if (has('./fixtures') && !has('export ./fixtures'))
      await prepare('local-server export ./fixtures --period yesterday');
    if (has('view week.csv')) await prepare('run --period last-week --by DAILY,CAMPAIGN,COUNTRY -o week.csv');
    return { cwd, env: withPassword };
  }

  const isFar = (line: string): boolean => line.startsWith('adreport login --base-url https://');
  const preludes: Readonly<Record<string, string>> = { zsh: 'autoload -U compinit; compinit -u -d zcompdump; ' };

  test.concurrent.each(pages.map((page) => [page.join(' '), page] as const))('adreport %s', async (name, page) => {
    const lines = await examplesOf(page);
    expect(lines.length).toBeGreaterThanOrEqual(2);
    const place = await furnish(name, lines);
    // Beyond this machine: a test of its own has a service of that name.
    const near = lines.filter((line) => !isFar(line) && !isServerLine(line));
    const shellOf = (line: string) => ['zsh', 'fish'].find((shell) => line.includes(`completion ${shell}`)) ?? 'bash';
    await expectDone('bash', ['set -e', ...near.filter((line) => shellOf(line) === 'bash')].join('\n'), place);
    for (const line of near) {
      const shell = shellOf(line);
      if (shell !== 'bash' && isInstalled(shell)) await expectDone(shell, (preludes[shell] ?? '') + line, place);
    }
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
    await expectDone('bash', far.join('\n'), { cwd, env: through });
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

  function isTaken(port: number): Promise<boolean> {
    return new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
      socket.on('connect', () => socket.destroy());
    });
  }
});

const documents = { README: readFileSync(resolve(import.meta.dirname, '../../README.md'), 'utf8'), ...topics };
const withLines = Object.entries(documents).filter(([, text]) => /^```(sh|console|crontab)/m.test(text));

/** What lines may call besides adreport, and which of it this machine lacks. */
const missing = ['curl', 'jq', 'flock'].filter((tool) => !isInstalled(tool));

describe.skipIf(process.platform === 'win32').each(withLines)('%s', (_name, document) => {
  // All of them have one home, as they have one reader.
  const place = placeFor('reader');
  const run = (line: string, extra = {}) =>
    expectDone('bash', `set -o pipefail\n${here(line)}`, { cwd: place.cwd, env: { ...place.env, ...extra } });

  /** The places that the documents invent, as they are on this machine. */
  const here = (text: string): string =>
    text
      .replaceAll(/https:\/\/reports\.example\.com|http:\/\/127\.0\.0\.1:8787/g, server.url)
      .replaceAll('node bin/adreport.js', 'adreport')
      .replaceAll('/srv/reports', join(place.cwd, 'reports'))
      .replaceAll('/tmp/adreport.lock', join(place.cwd, 'lock'));

  /** Lines without their ends of `\`, `&&` and `|`, and without comments and blank ones. */
  const commandLines = (text: string): string[] => {
    const joined = text.replaceAll(/(\\|&&|\|)\n\s*/g, (_, end: string) => (end === '\\' ? ' ' : `${end} `));
    return joined.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'));
  };
  const testLine = (line: string, work: () => Promise<void>) =>
    test.skipIf(missing.some((tool) => new RegExp(`\\b${tool} `).test(line)))(line, work);

  for (const [, kind, text = ''] of document.matchAll(/^```(sh|console|crontab)\n([\s\S]*?)^```/gm)) {
    const lines = commandLines(text);
    if (kind === 'sh') {
      for (const line of lines) {
        testLine(line, async () => {
          if (!isServerLine(line)) return run(line);
          const bare = line.replace(/\s+#.*/, '');
          expect(await serveUntilReady(bare.includes('--port') ? bare : `${bare} --port 0`, place)).toBe(0);
        });
      }
    }
    if (kind === 'crontab') {
      const settings = lines.flatMap((line) => {
        const [, name, value] = /^(ADREPORT_[A-Z_]+)=(.*)$/.exec(here(line)) ?? [];
        return name === undefined ? [] : [[name, value]];
      });
      for (const line of lines.filter((each) => !/^[A-Z_]+=/.test(each))) {
        // A cron line has five fields and a command.
        const [, command = 'false'] = /^(?:\S+\s+){5}(.*)$/.exec(line) ?? [];
        testLine(line, () => run(command, Object.fromEntries(settings)));
      }
    }
    if (kind === 'console') {
      test.each(text.split(/^\$ /m).filter((part) => part !== ''))('$ %s', async (session) => {
        const shown = session.trimEnd().split('\n');
        const isCommand = (_line: string, index: number) => index === 0 || /\\$/.test(shown[index - 1] ?? '');
        const terminal = openTerminal('bash', ['-c', here(shown.filter(isCommand).join('\n'))], {
          columns: 100,
          cwd: place.cwd,
          env: { ...place.env, TERM: 'xterm', NO_COLOR: '1' },
        });
        expect(await terminal.exitCode, terminal.output).toBe(0);
        const seen = terminal.screen.lines;
        for (const line of shown.filter((each, index) => !isCommand(each, index))) {
          expect(seen).toContainEqual(expect.stringMatching(pattern(line)));
        }
      });
    }
  }
});

/** A line of a session, in which times and ids may differ. */
function pattern(line: string): RegExp {
  const escaped = line.trimEnd().replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  return new RegExp(
    `^${escaped.replaceAll(/\d+(\\\.\d+)? (ms|s)\b/g, String.raw`[\d.]+ m?s`).replaceAll(/[0-9a-f]{20,}/g, '[0-9a-f]+')}$`,
  );
}
