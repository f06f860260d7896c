import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { findBrowser } from '../../src/present/pdf/installed-browser.ts';
import { printPage } from '../../src/present/pdf/print-page.ts';
import { expectRefusal, temporaryFolder } from '../support/run-cli.ts';
import { serveForTest } from '../support/service.ts';
import { isRunning, startCli } from '../support/spawn.ts';

/** `-o report.pdf`: the choice of browser, and browsers that fail. */

const day = 'run --period 2026-11-19 --metrics displays';

describe('the browser', () => {
  const search = (
    env: Record<string, string>,
    platform: NodeJS.Platform,
    ...installed: readonly string[]
  ) =>
    findBrowser({ env, cwd: '/home/me', platform, isProgram: (path) => installed.includes(path) });

  test.skipIf(process.platform === 'win32').each([
    { name: 'Chrome before Chromium', installed: ['/usr/bin/chromium', '/usr/bin/google-chrome'] },
    { name: 'Chrome outside the path of cron', installed: ['/opt/google/chrome/chrome'] },
    { name: 'Chromium from snap', installed: ['/snap/bin/chromium'] },
  ])('on Linux: $name', ({ installed }) => {
    expect(search({ PATH: '/bin:/usr/bin' }, 'linux', ...installed)).toBe(installed.at(-1));
  });

  test('on macOS: for all users, or for one', () => {
    const chrome = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome';
    expect(search({ HOME: '/Users/me' }, 'darwin', chrome)).toBe(chrome);
    expect(search({ HOME: '/Users/me' }, 'darwin', `/Users/me${chrome}`)).toBe(
      `/Users/me${chrome}`,
    );
  });

  test('on Windows: Edge, which is always installed', () => {
    const env = { 'PROGRAMFILES(X86)': 'C:\\Program Files (x86)' };
    const edge = 'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe';
    expect(search(env, 'win32', edge)).toBe(edge);
  });

  test.skipIf(process.platform === 'win32')('ADREPORT_BROWSER: a path, or a name on PATH', () => {
    const installed = ['/home/me/brave', '/usr/bin/vivaldi', '/usr/bin/chromium'];
    const named = (wanted: string) =>
      search({ ADREPORT_BROWSER: wanted, PATH: '/usr/bin' }, 'linux', ...installed);

    expect(named('./brave')).toBe('/home/me/brave');
    expect(named('vivaldi')).toBe('/usr/bin/vivaldi');
    expect(() => named('firefox')).toThrow(
      'ADREPORT_BROWSER is firefox, which is not a program on this machine',
    );
  });

  test('without a browser the error says what to install, and suggests a page', () => {
    expect(() => search({ PATH: '/usr/bin' }, 'linux')).toThrow(
      expect.objectContaining({
        message: expect.stringContaining('no browser was found'),
        hint: expect.stringMatching(/Install Chrome, Chromium or Edge.*-o report\.html/),
      }),
    );
  });

  test('a missing browser is exit 2, and nothing is sent', async () => {
    const { run, server } = await serveForTest();
    const env = { ADREPORT_BROWSER: '/nowhere/chrome' };

    for (const line of [
      `${day} -o r.pdf`,
      `${day} --campaign * --format pdf`,
      'campaigns -o c.pdf',
    ])
      expectRefusal(await run(line, { env }), 2, 'ADREPORT_BROWSER is /nowhere/chrome');
    expect(server.requests()).toEqual([]);
  });
});

describe.skipIf(process.platform === 'win32')('a browser (replaced by a shell script)', () => {
  /** A program with the path of the PDF in `$pdf` and that of the page in `$page`. */
  function browserThat(does: string): string {
    const path = join(temporaryFolder(), 'browser');
    const script = `#!/bin/sh
for word in "$@"; do
  case $word in
    --print-to-pdf=*) pdf=\${word#--print-to-pdf=} ;;
    file://*) page=\${word#file://} ;;
  esac
done
${does}
`;
    writeFileSync(path, script);
    chmodSync(path, 0o755);
    return path;
  }

  const whole = String.raw`printf '%%PDF-1.4\n' > "$pdf"; grep -c '</html>' "$page" >> "$pdf"; printf '%%%%EOF\n' >> "$pdf"`;

  /** Gives a test a folder for temporary files of its own, and lists what is left there. */
  function ownTemporaryFolder(): () => string[] {
    const folder = temporaryFolder();
    const before = process.env.TMPDIR;
    process.env.TMPDIR = folder;
    onTestFinished(() => {
      if (before === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = before;
    });
    return () => readdirSync(folder).filter((name) => name.startsWith('.print.adreport-'));
  }

  test('prints the whole page, gets no token, and leaves nothing behind', async () => {
    const { run } = await serveForTest({ delayMs: 0 });
    const leftovers = ownTemporaryFolder();
    const browser = browserThat(`[ -z "$ADREPORT_TOKEN" ] || exit 9\n${whole}`);

    const { exitCode, files, stderr } = await run(`${day} -o r.pdf`, {
      env: { ADREPORT_BROWSER: browser },
    });

    expect(exitCode, stderr).toBe(0);
    expect(files).toEqual({ 'r.pdf': '%PDF-1.4\n1\n%%EOF\n' });
    expect(leftovers()).toEqual([]);
  });

  test('removes the files of a killed run', async () => {
    const { run, env } = await serveForTest({ delayMs: 0 });
    const leftovers = ownTemporaryFolder();
    const kills = browserThat('kill -9 $PPID');
    const killed = await startCli(`${day} -o r.pdf`, {
      env: { ...env, ADREPORT_BROWSER: kills },
    }).ended;
    expect(killed.signal).toBe('SIGKILL');
    expect(leftovers()).toHaveLength(1);

    await run(`${day} -o r.pdf`, { env: { ADREPORT_BROWSER: browserThat(whole) } });

    expect(leftovers()).toEqual([]);
  });

  test('a list of campaigns and a report in a pipe are printed too', async () => {
    const { run } = await serveForTest({ delayMs: 0 });
    const env = { ADREPORT_BROWSER: browserThat(whole) };

    expect((await run(`${day} --format pdf`, { env })).stdout).toMatch(/^%PDF-1\.4\n1\n%%EOF\n$/);
    expect((await run('campaigns -o c.pdf', { env })).files).toHaveProperty(['c.pdf']);
  });

  test.each([
    {
      name: 'fails',
      does: 'echo "No usable sandbox!" >&2; exit 1',
      says: 'Its last message: No usable sandbox!',
    },
    { name: 'writes nothing', does: 'exit 0', says: 'wrote no file' },
    {
      name: 'is cut off',
      does: `printf '%%PDF-1.4 obj' > "$pdf"`,
      says: 'wrote an incomplete PDF',
    },
    { name: 'is killed', does: 'kill -9 $$', says: 'was ended by a signal' },
  ])('a browser that $name: exit 8, and the old file is kept', async ({ does, says }) => {
    const { run, cwd } = await serveForTest({ delayMs: 0 });
    writeFileSync(join(cwd, 'r.pdf'), 'the old one');

    const result = await run(`${day} -o r.pdf`, { env: { ADREPORT_BROWSER: browserThat(does) } });

    expectRefusal(result, 8, says);
    expect(result.stderr).toContain('-o report.html');
    expect(result.files).toEqual({ 'r.pdf': 'the old one' });
  });

  test('a browser that hangs is killed with its child processes after the time limit', async () => {
    const folder = temporaryFolder();
    const browser = browserThat(`sleep 60 & echo $! > ${folder}/child; wait`);
    const { signal } = new AbortController();

    const printing = printPage(Buffer.from('<p>'), {
      browser,
      env: {},
      signal,
      timeLimitMs: 300,
    });

    await expect(printing).rejects.toThrow('did not finish within');
    const child = Number(readFileSync(join(folder, 'child'), 'utf8'));
    await expect.poll(() => isRunning(child)).toBe(false);
  });

  test('Ctrl-C ends it with the exit code of the signal', async () => {
    const folder = temporaryFolder();
    const browser = browserThat(
      `echo $$ > ${folder}/part; mv ${folder}/part ${folder}/pid; sleep 60`,
    );
    const controller = new AbortController();

    const printing = printPage(Buffer.from('<p>'), {
      browser,
      env: {},
      signal: controller.signal,
    });
    const outcome = printing.catch((error) => error);
    await expect.poll(() => existsSync(join(folder, 'pid'))).toBe(true);
    controller.abort(new Error('Interrupted.'));

    expect(await outcome).toEqual(new Error('Interrupted.'));
    const pid = Number(readFileSync(join(folder, 'pid'), 'utf8'));
    await expect.poll(() => isRunning(pid)).toBe(false);
  });
});
