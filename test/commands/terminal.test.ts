import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type LocalServerOptions, startLocalServer } from '../../src/server/start.ts';
import { openTerminal } from '../support/pty.ts';
import { temporaryFolder } from '../support/run-cli.ts';
import { launcher } from '../support/spawn-cli.ts';

/** The program in a pseudo-terminal, as a person sits before it. */
async function sitDown(options: LocalServerOptions = {}) {
  const server = await startLocalServer(options);
  onTestFinished(() => server.close());
  const cwd = temporaryFolder();
  const signedIn = { ADREPORT_BASE_URL: server.url, ADREPORT_TOKEN: server.accounts[0]?.token ?? '' };
  const open = (argv: readonly string[], env: Readonly<Record<string, string>> = signedIn) => {
    const terminal = openTerminal(process.execPath, [launcher, ...argv], {
      cwd,
      columns: 100,
      env: { ADREPORT_CONFIG_DIR: join(cwd, '.config'), ...env },
    });
    onTestFinished(() => terminal.close());
    return terminal;
  };
  return { server, cwd, open };
}

describe('login', () => {
  test('asks for everything, shows no password, and the next command is signed in', async () => {
    const { server, cwd, open } = await sitDown();
    const terminal = open(['login'], {});
    await terminal.waitFor('Base URL of the service:');
    terminal.type(`${server.url}\r`);
    await terminal.waitFor('A token made');
    terminal.type('\r');
    await terminal.waitFor('E-mail address:');
    terminal.type('buyer@example.com\r');
    await terminal.waitFor('Password:');
    terminal.type('demo\r');
    await terminal.waitFor('Signed in to');
    expect(await terminal.exitCode).toBe(0);
    expect(terminal.output).not.toContain('demo');
    expect(terminal.screen.cursorVisible).toBe(true);
    expect(readFileSync(join(cwd, '.config', 'settings.json'), 'utf8')).not.toContain('demo');

    const next = open(['whoami'], {});
    await next.waitFor('works: ');
    expect(await next.exitCode).toBe(0);
  });

  test('takes a token instead, and offers next time what it knows', async () => {
    const { server, cwd, open } = await sitDown();
    const token = server.accounts[0]?.token ?? '';
    const terminal = open(['login', '--base-url', server.url], {});
    await terminal.waitFor('A token made');
    terminal.type('\u001b[B\r');
    await terminal.waitFor('Token:');
    terminal.type(`${token}\r`);
    await terminal.waitFor('Signed in to');
    expect(await terminal.exitCode).toBe(0);
    expect(terminal.output).not.toContain(token);
    expect(readFileSync(join(cwd, '.config', 'settings.json'), 'utf8')).toContain(token);

    const again = open(['login'], {});
    await again.waitFor(`(${server.url}/)`);
    again.type('\u0003');
    expect(await again.exitCode).toBe(130);
  });

  test('a wrong password is asked for again', async () => {
    const { server, open } = await sitDown();
    const terminal = open(['login', '--base-url', server.url, '--email', 'buyer@example.com'], {});
    await terminal.waitFor('Password:');
    terminal.type('wrong\r');
    await terminal.waitFor('Try again.');
    await terminal.waitFor('Password:');
    terminal.type('demo\r');
    await terminal.waitFor('Signed in to');
    expect(await terminal.exitCode).toBe(0);
  });

  test('a terminal that closes at the prompt ends the program, without an abort', async () => {
    const { server, open } = await sitDown();
    const terminal = open(['login', '--base-url', server.url, '--email', 'buyer@example.com'], {});
    await terminal.waitFor('Password:');
    process.kill(terminal.pid, 'SIGHUP');
    expect(await terminal.exitCode).toBe(143);
  });

  test('Ctrl-C at the password is exit 130, and nothing is stored', async () => {
    const { server, cwd, open } = await sitDown();
    const terminal = open(['login', '--base-url', server.url, '--email', 'buyer@example.com'], {});
    await terminal.waitFor('Password:');
    terminal.type('de\u0003');
    expect(await terminal.exitCode).toBe(130);
    expect(terminal.screen.cursorVisible).toBe(true);
    expect(existsSync(join(cwd, '.config', 'settings.json'))).toBe(false);
  });
});

describe('run', () => {
  test('shows a bar while it waits; in the end the terminal holds the result line and its card alone', async () => {
    const { server, cwd, open } = await sitDown({ manual: true });
    const terminal = open(['run', '--period', '2026-11-09..2026-11-15', '--by', 'DAILY', '-o', 'week.csv']);
    await terminal.waitFor(/Report \w+.*progress/s);
    const asked = server.requests().find(({ endpoint }) => endpoint === 'status');
    const { id } = JSON.parse(asked?.body ?? '');
    expect(terminal.screen.cursorVisible).toBe(false);
    server.setReport(id, { status: 'ready' });
    await terminal.waitFor('Wrote week.csv');
    expect(await terminal.exitCode).toBe(0);
    expect(terminal.screen).toMatchObject({ cursorVisible: true, wraps: true });
    expect(terminal.screen.lines[0]).toMatch(/^Wrote week\.csv: 7 rows, .*, in .*\.$/);
    expect(terminal.screen.lines.at(-1)).toMatch(
      /^ {2}requests by day {2}2026-11-09 [▁-█]{7} 2026-11-15 {2}[\d,]+ to [\d,]+$/,
    );
    expect(terminal.screen.lines).toHaveLength(5);
    expect(readFileSync(join(cwd, 'week.csv'), 'utf8')).toContain('2026-11-15');
  });

  test('Ctrl-C while the bar stands: exit 130, the resume command, the terminal as it was', async () => {
    const { cwd, open } = await sitDown({ manual: true });
    const terminal = open(['run', '--period', 'yesterday', '-o', 'day.csv']);
    await terminal.waitFor(/Report \w+.*progress/s);
    terminal.type('\u0003');
    expect(await terminal.exitCode).toBe(130);
    expect(terminal.screen).toMatchObject({ cursorVisible: true, wraps: true });
    // The last line is longer than the terminal is wide.
    expect(terminal.screen.lines.join('')).toMatch(
      /^(\^C)?adreport: Interrupted\. The report (\w+) goes on being made\. +Go on with: adreport status \2 --wait && adreport download \2 -o day\.csv$/,
    );
    expect(existsSync(join(cwd, 'day.csv'))).toBe(false);
  });
});
