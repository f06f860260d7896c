import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, describe, expect, test } from 'vitest';
import { topics } from '../../src/help/index.ts';
import { startLocalServer } from '../../src/server/start.ts';
import { serveTls } from '../support/certificates.ts';
import { startConnectProxy } from '../support/connect-proxy.ts';
import { allCommands, pathOf, readExamples } from '../support/program.ts';
import { installInto, isInstalled } from '../support/programs.ts';
import { runCli } from '../support/run-cli.ts';
import { type Place, start, startCli } from '../support/spawn.ts';

/**
 * Runs every printed command line as it is, in its shell: the examples of every command's help, and
 * the lines in the README, CONTRIBUTING.md and the topics.
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
// `npm` is replaced: other tests cover installs and whole test runs.
writeFileSync(join(bin, 'npm'), '#!/bin/sh\necho "npm $*"\n', { mode: 0o755 });

// The browser for PDFs is replaced too.
const browser = join(bin, 'browser');
const printing = [
  '#!/bin/sh',
  'for word in "$@"; do',
  '  case $word in --print-to-pdf=*) pdf=${word#*=} ;; esac',
  'done',
  `printf '%%PDF-1.4\\n%%%%EOF\\n' > "$pdf"`,
];
writeFileSync(browser, `${printing.join('\n')}\n`, { mode: 0o755 });

/** A new home for the lines of a page, signed in by the environment. */
function placeFor(name: string) {
  const cwd = join(base, name.replaceAll(' ', '-'));
  mkdirSync(join(cwd, '.config'), { recursive: true, mode: 0o700 });
  const env = {
    PATH: [bin, process.env.PATH].join(delimiter),
    HOME: cwd,
    ADREPORT_CONFIG_DIR: join(cwd, '.config'),
    ADREPORT_BASE_URL: server.url,
    ADREPORT_TOKEN: token,
    ADREPORT_BROWSER: browser,
    LANG: 'C.UTF-8',
  };
  return { cwd, env };
}

async function expectDone(shell: string, script: string, place: Place): Promise<void> {
  const { exitCode, stderr } = await start(shell, ['-c', script], place).ended;
  expect({ script, exitCode, stderr: exitCode === 0 ? '' : stderr }).toEqual({
    script,
    exitCode: 0,
    stderr: '',
  });
}

/** True if a command line starts a server. */
const isServerLine = (line: string): boolean =>
  /^adreport local-server(?! (exec|export|openapi)\b)(?!.*( exec -- | --help))/.test(line);

/** Starts a server, and ends it once it is ready. */
async function expectServes(line: string, place: Place): Promise<void> {
  const { child, printed, ended } = start('bash', ['-c', `exec ${line}`], place);
  await printed(/listening/);
  child.kill('SIGTERM');
  expect({ line, exitCode: (await ended).exitCode }).toEqual({ line, exitCode: 0 });
}

describe.skipIf(process.platform === 'win32')('examples of help', () => {
  const pages = allCommands().map((command) => [
    ...pathOf(command).split(' ').filter(Boolean),
    '--help',
  ]);

  /** The command lines of a page, without their meanings. */
  async function examplesOf(page: readonly string[]): Promise<string[]> {
    const { exitCode, stdout } = await runCli(page, { env: { COLUMNS: '300' } });
    expect(exitCode).toBe(0);
    return readExamples(stdout);
  }

  /** A folder with the files that the examples of a page need. */
  async function furnish(name: string, lines: readonly string[]): Promise<Place> {
    const place = placeFor(name);
    writeFileSync(join(place.cwd, 'token.txt'), `${token}\n`);
    const has = (text: string): boolean => lines.some((line) => line.includes(text));
    const needed = [
      ...(lines.includes('adreport init') ? [] : ['init']),
      ...(has('account agency') ? ['login --account agency --token-stdin'] : []),
      ...(has('./fixtures') && !has('export ./fixtures')
        ? ['local-server export ./fixtures --period yesterday']
        : []),
      ...(has('view week.csv')
        ? ['run --period last-week --by DAILY,CAMPAIGN,COUNTRY -o week.csv']
        : []),
      ...(has('view data')
        ? ['run --period last-month --by CAMPAIGN --split day -o data/{date}.csv']
        : []),
      ...(has('check data') || has('update data')
        ? ['run --period 2026-10-31..2026-11-02 --by CAMPAIGN --split day -o data/{date}.csv']
        : []),
    ];
    for (const line of needed) {
      expect(await startCli(line, { ...place, stdin: Readable.from([token]) }).ended).toMatchObject(
        {
          exitCode: 0,
        },
      );
    }
    return place;
  }

  const isFar = (line: string): boolean => line.startsWith('adreport login --base-url https://');
  const isPrompt = (line: string): boolean => /^adreport login(?!.*-stdin)/.test(line);
  const preludes: Readonly<Record<string, string>> = {
    zsh: 'autoload -U compinit; compinit -u -d zcompdump; ',
  };

  test.each(pages.map((page) => [page.join(' '), page] as const))(
    'adreport %s',
    async (name, page) => {
      const lines = await examplesOf(page);

      expect(lines).toHaveLength(name === 'completion --help' ? 4 : 2);

      const place = await furnish(name, lines);
      // Lines with a remote host have a separate test, and prompts those of `login`.
      const near = lines.filter((line) => !isFar(line) && !isServerLine(line) && !isPrompt(line));
      const shellOf = (line: string) =>
        ['zsh', 'fish', 'powershell'].find((shell) => line.includes(`completion ${shell}`)) ??
        'bash';

      await expectDone(
        'bash',
        ['set -e', ...near.filter((line) => shellOf(line) === 'bash')].join('\n'),
        place,
      );
      for (const line of near) {
        const shell = shellOf(line);
        if (shell !== 'bash' && isInstalled(shell))
          await expectDone(shell, (preludes[shell] ?? '') + line, place);
      }
    },
  );

  test('a sign-in at a remote host, through a proxy', async () => {
    const far = (await examplesOf(['login', '--help'])).filter(isFar);

    expect(far).toHaveLength(1);

    const service = await serveTls();
    const proxy = await startConnectProxy(service.port);
    const { cwd, env } = await furnish('far', far);
    const { NODE_EXTRA_CA_CERTS } = service.env;

    await expectDone('bash', far.join('\n'), {
      cwd,
      env: { ...env, HTTPS_PROXY: proxy.url, NODE_EXTRA_CA_CERTS },
    });
    expect(proxy.asked).toContain('reports.example.com:443');
  });

  test('the servers start, and end cleanly', async ({ skip }) => {
    const all = (await Promise.all(pages.map(examplesOf))).flat().filter(isServerLine);

    expect(all).toHaveLength(3);

    const place = await furnish('servers', ['./fixtures']);
    const isTaken = await new Promise((resolve) => {
      const socket = connect(8787, '127.0.0.1', () => resolve(true)).on('error', () =>
        resolve(false),
      );
      socket.on('connect', () => socket.destroy());
    });
    if (isTaken) skip('port 8787 is taken');
    for (const line of new Set(all)) await expectServes(line, place);
  });
});

const documents = {
  README: readFileSync(resolve(import.meta.dirname, '../../README.md'), 'utf8'),
  CONTRIBUTING: readFileSync(resolve(import.meta.dirname, '../../CONTRIBUTING.md'), 'utf8'),
  ...topics,
};
const withLines = Object.entries(documents).filter(([, text]) => /^```(sh|crontab)/m.test(text));

/** Other programs in the lines that this machine does not have. */
const missing = ['jq', 'parallel'].filter((tool) => !isInstalled(tool));

describe.skipIf(process.platform === 'win32').each(withLines)('%s', (name, document) => {
  // The lines of a document share one home, like those of one reader.
  const place = placeFor(`reader of ${name}`);
  const run = (line: string) => expectDone('bash', `set -o pipefail\n${here(line)}`, place);

  /** Replaces invented places of the documents by those of this machine. */
  const here = (text: string): string =>
    text
      .replaceAll(/https:\/\/reports\.example\.com|http:\/\/127\.0\.0\.1:8787/g, server.url)
      .replaceAll('node bin/adreport.js', 'adreport')
      .replaceAll('/srv/reports', place.cwd);

  /** Complete lines, joined at `\`, `&&` and `|`, without comments and blank lines. */
  const commandLines = (text: string): string[] => {
    const joined = text.replaceAll(/(\\|&&|\|)\n\s*/g, (_, end: string) =>
      end === '\\' ? ' ' : `${end} `,
    );
    return joined.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'));
  };
  const testLine = (line: string, work: () => Promise<void>) =>
    test.skipIf(missing.some((tool) => new RegExp(`\\b${tool} `).test(line)))(line, work);

  for (const [, kind, text = ''] of document.matchAll(/^```(sh|crontab)\n([\s\S]*?)^```/gm)) {
    const lines = commandLines(text);
    if (kind === 'sh') {
      for (const line of lines) {
        const bare = line.replace(/\s+#.*/, '');
        const served = bare.includes('--port') ? bare : `${bare} --port 0`;
        testLine(line, () => (isServerLine(line) ? expectServes(served, place) : run(line)));
      }
    }
    if (kind === 'crontab') {
      for (const line of lines) {
        // A cron line has five fields and a command.
        const [, command = 'false'] = /^(?:\S+\s+){5}(.*)$/.exec(line) ?? [];
        testLine(line, () => run(command));
      }
    }
  }
});
