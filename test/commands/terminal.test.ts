import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { setStatus, tokens } from '../server/local.ts';
import { openTerminal } from '../support/pty.ts';
import { runCli, wordsOf } from '../support/run-cli.ts';
import { serveForTest } from '../support/service.ts';
import { launcher } from '../support/spawn.ts';

/** The program in a pseudo-terminal, as used by a person. */
async function sitDown(options: Parameters<typeof serveForTest>[0] = {}) {
  const { server, cwd, env: signedIn } = await serveForTest({ clock: Date.now, ...options });
  const open = (line: string, more: Readonly<Record<string, string>> = {}) => {
    const env = { ADREPORT_CONFIG_DIR: join(cwd, '.config'), ...more };
    return openTerminal(process.execPath, [launcher, ...wordsOf(line)], {
      cwd,
      columns: 100,
      env,
    });
  };

  /** Types an answer to each question. */
  const answer = async (
    terminal: ReturnType<typeof open>,
    answers: Readonly<Record<string, string>>,
  ) => {
    for (const [question, typed] of Object.entries(answers)) {
      await terminal.waitFor(question);
      terminal.type(typed);
    }
  };
  return { server, cwd, open, answer, signedIn, settings: join(cwd, '.config', 'settings.json') };
}

test('doctor --service lists its reports, and requests none without permission', async () => {
  const { server, open, answer, signedIn } = await sitDown();
  const terminal = open('doctor --service', signedIn);
  await answer(terminal, { 'Request nothing': '\r' });

  await terminal.waitFor('Nothing was requested.');

  expect(await terminal.exitCode).toBe(0);
  expect(terminal.output).toContain('one campaign from the previous report');
  expect(server.requests()).toEqual([]);
});

describe('login', () => {
  test('asks for everything, adds the missing scheme, hides the password, and asks again after a wrong one', async () => {
    const { server, cwd, open, answer, settings } = await sitDown();
    const terminal = open('login --account agency');
    await answer(terminal, {
      '(e.g. https://reports.example.com)': `${server.url.replace('http://', '')}\r`,
      DSP: '\r',
      'Token from the': '\r',
      'E-mail address': 'buyer@example.com\r',
      'Password:': 'mistyped\r',
      'Try again.': '',
      '(buyer@example.com)': '\r',
    });
    await answer(terminal, { 'Password:': 'demo\r' });

    await terminal.waitFor('as account “agency”: buyer profile');
    await terminal.waitFor('Next: adreport run --period last-week --by CAMPAIGN');

    expect(await terminal.exitCode).toBe(0);
    expect(terminal.output).not.toMatch(/demo|mistyped/);
    expect(terminal.screen.cursorVisible).toBe(true);
    expect(readFileSync(settings, 'utf8')).not.toContain('demo');

    expect(await runCli('whoami', { cwd })).toMatchObject({ exitCode: 0 });
  });

  test('accepts a token instead, and suggests known values the next time, when Ctrl-C at the password is exit 130', async () => {
    const { server, open, answer, settings } = await sitDown();
    const terminal = open(`login --base-url ${server.url}`);
    await answer(terminal, {
      DSP: '\r',
      'Token from the': '\u001b[B\r',
      'Token:': `${tokens.buyer}\r`,
    });

    await terminal.waitFor('Signed in to');

    expect(await terminal.exitCode).toBe(0);
    expect(terminal.output).not.toContain(tokens.buyer);
    const stored = readFileSync(settings, 'utf8');
    expect(stored).toContain(tokens.buyer);

    const again = open('login --email buyer@example.com');

    await answer(again, { [`(${server.url}/)`]: '\r', 'Password:': 'de\u0003' });

    expect(await again.exitCode).toBe(130);
    expect(again.screen.cursorVisible).toBe(true);
    expect(readFileSync(settings, 'utf8')).toBe(stored);
  });

  test('a terminal that closes ends it, and nothing is stored', async () => {
    const { server, open, settings } = await sitDown();
    const closed = open(`login --base-url ${server.url} --profile buyer --email buyer@example.com`);
    await closed.waitFor('Password:');
    process.kill(closed.pid, 'SIGHUP');

    expect(await closed.exitCode).toBe(143);
    expect(existsSync(settings)).toBe(false);
  });
});

describe('run', () => {
  test('shows a bar while it waits; in the end there are only the result line and its card', async () => {
    const { server, cwd, open, signedIn } = await sitDown({ manual: true });
    const report = '--period 2026-11-09..2026-11-15 --by DAILY --metrics requests,displays';
    const terminal = open(`run ${report} -o week.csv`, signedIn);

    await terminal.waitFor(/Report \w+.*waiting/s);

    await setStatus(server, server.reports()[0]?.report_id ?? '', 'ready');
    await terminal.waitFor('Wrote week.csv');

    expect(await terminal.exitCode).toBe(0);
    expect(terminal.screen).toMatchObject({ cursorVisible: true, wraps: true });
    expect(terminal.screen.lines[0]).toMatch(/^Wrote week\.csv: 7 rows, .*, in .*\.$/);
    expect(terminal.screen.lines.at(-1)).toMatch(/^ {2}Displays +[\d,]+ {2}Requests +[\d,]+$/);
    expect(terminal.screen.lines).toHaveLength(2);
    expect(readFileSync(join(cwd, 'week.csv'), 'utf8')).toContain('2026-11-15');
  });

  test('Ctrl-C while the bar is shown: exit 130, the resume command, a restored terminal', async () => {
    const { cwd, open, signedIn } = await sitDown({ manual: true });
    const terminal = open('run --period yesterday -o day.csv', signedIn);
    await terminal.waitFor(/Report \w+.*waiting/s);
    terminal.type('\u0003');

    expect(await terminal.exitCode).toBe(130);
    expect(terminal.screen).toMatchObject({ cursorVisible: true, wraps: true });
    // The terminal breaks long lines anywhere.
    expect(terminal.screen.lines.join('').replaceAll(' ', '')).toMatch(
      /^(\^C)?adreport:Interrupted\.Thereport\w+isstillavailable\.Toresume:adreportrun--period[\d-]+-oday\.csv$/,
    );
    expect(existsSync(join(cwd, 'day.csv'))).toBe(false);
  });
});

test('run without a window asks, and prints the equivalent command', async () => {
  const { cwd, open, answer, signedIn } = await sitDown({ delayMs: 0 });
  const terminal = open('run --metrics displays,clicks', signedIn);
  await answer(terminal, {
    'e.g. last-month': '2025-13\r',
    'Invalid date': `${'\u007f'.repeat(7)}2025-10\r`,
    'e.g. COUNTRY': 'country\r',
    'e.g. report.xlsx': '\r',
  });
  await terminal.waitFor('Wrote report.csv');

  expect(await terminal.exitCode).toBe(0);
  const line = 'adreport run --metrics displays,clicks --period 2025-10 --by country -o report.csv';
  expect(terminal.screen.lines).toContain(`  ${line}`);
  expect(readFileSync(join(cwd, 'report.csv'), 'utf8')).toMatch(/^country,displays,clicks/);
});
