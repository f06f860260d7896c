import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { topics } from '../../src/help/index.ts';
import { startLocalServer } from '../../src/server/start.ts';
import { isInstalled } from '../support/path.ts';
import { openTerminal } from '../support/pty.ts';
import { isServerLine, runShell, serveUntilReady } from '../support/shell-lines.ts';
import { launcher } from '../support/spawn-cli.ts';

/**
 * Every command line of the README and of the topics of help, run as it is printed: one after the other, by one reader, on
 * one machine, against a service of their own. Of a session that is shown, what it shows is compared too.
 */

const readme = readFileSync(resolve(import.meta.dirname, '../../README.md'), 'utf8');
const documents = {
  README: readme,
  ...topics,
};

const server = await startLocalServer({ delayMs: 0 });
const buyer = server.accounts[0];
const home = mkdtempSync(join(tmpdir(), 'adreport-readme-'));
afterAll(async () => {
  await server.close();
  rmSync(home, { recursive: true, force: true });
});
const bin = join(home, 'bin');
mkdirSync(bin);
// `npm` stands in: an install, a whole test run and a package from the registry are tested where they belong.
for (const [name, script] of [
  ['adreport', `exec '${process.execPath}' '${launcher}' "$@"`],
  ['npm', 'echo "npm $*"'],
]) {
  writeFileSync(join(bin, name ?? ''), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}
const env = {
  PATH: `${bin}:${process.env.PATH}`,
  HOME: home,
  ADREPORT_CONFIG_DIR: join(home, '.config'),
  ADREPORT_BASE_URL: server.url,
  ADREPORT_TOKEN: buyer?.token,
  LANG: 'C.UTF-8',
};

/** The places that the README invents, as they are on this machine. */
function here(text: string): string {
  return text
    .replaceAll('https://reports.example.com', server.url)
    .replaceAll('http://127.0.0.1:8787', server.url)
    .replaceAll('node bin/adreport.js', 'adreport')
    .replaceAll('/srv/reports', join(home, 'reports'))
    .replaceAll('/tmp/adreport.lock', join(home, 'lock'));
}

/** Lines without their ends of `\`, `&&` and `|`, and without comments and blank ones. */
function commandLines(text: string): string[] {
  const joined = text.replaceAll(/(\\|&&|\|)\n\s*/g, (_, end: string) => (end === '\\' ? ' ' : `${end} `));
  return joined.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'));
}

async function run(line: string, extra: Readonly<Record<string, string>> = {}): Promise<void> {
  const place = { cwd: home, env: { ...env, ...extra } };
  const { exitCode, stderr } = await runShell('bash', ['-o', 'pipefail', '-c', here(line)], place);
  expect({ line, exitCode, stderr: exitCode === 0 ? '' : stderr }).toEqual({ line, exitCode: 0, stderr: '' });
}

/** A server says that it is ready, and ends with 0 when it is asked to. */
async function serve(line: string): Promise<void> {
  const bare = line.replace(/\s+#.*/, '');
  expect(await serveUntilReady(bare.includes('--port') ? bare : `${bare} --port 0`, { cwd: home, env })).toBe(0);
}

/** What lines may call besides adreport, and which of it this machine lacks. */
const missing = ['curl', 'jq', 'flock'].filter((tool) => !isInstalled(tool));
const lacks = (line: string): boolean => missing.some((tool) => new RegExp(`\\b${tool} `).test(line));

const withLines = Object.entries(documents).filter(([, text]) => /^```(sh|console|crontab)/m.test(text));

describe.skipIf(process.platform === 'win32').each(withLines)('%s', (_name, document) => {
  const blocks = [...document.matchAll(/^```(sh|console|crontab)\n([\s\S]*?)^```/gm)];
  for (const [, kind, text = ''] of blocks) {
    if (kind === 'sh') {
      for (const line of commandLines(text)) {
        test.skipIf(lacks(line))(line, () => (isServerLine(line) ? serve(line) : run(line)));
      }
    }
    if (kind === 'crontab') {
      const lines = commandLines(text);
      const settings = lines.flatMap((line) => /^(ADREPORT_[A-Z_]+)=(.*)$/.exec(here(line))?.slice(1) ?? []);
      const extra = Object.fromEntries(
        Array.from({ length: settings.length / 2 }, (_, i) => [settings[2 * i], settings[2 * i + 1]]),
      );
      const jobs = lines.filter((line) => !/^[A-Z_]+=/.test(line));
      for (const line of jobs) {
        test.skipIf(lacks(line))(line, async () => {
          const [, command] = /^(?:\S+\s+){5}(.*)$/.exec(line) ?? [];
          if (command === undefined) throw new Error('A cron line has five fields and a command.');
          await run(command, extra);
        });
      }
    }
    if (kind === 'console') {
      const [command = '', ...shown] = text.split(/^\$ /m).filter((part) => part !== '');
      test.each([command, ...shown])('$ %s', async (session) => {
        const lines = session.trimEnd().split('\n');
        const isCommand = (_line: string, index: number) => index === 0 || /\\$/.test(lines[index - 1] ?? '');
        const typed = lines.filter(isCommand).join('\n');
        const expected = lines.filter((line, index) => !isCommand(line, index)).map(pattern);
        const terminal = openTerminal('bash', ['-c', here(typed)], {
          columns: 100,
          cwd: home,
          env: { ...env, ADREPORT_TOKEN: buyer?.token ?? '', TERM: 'xterm', NO_COLOR: '1' },
        });
        expect(await terminal.exitCode, terminal.output).toBe(0);
        const seen = terminal.screen.lines;
        for (const line of expected) expect(seen).toContainEqual(expect.stringMatching(line));
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
