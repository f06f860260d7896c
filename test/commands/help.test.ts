import { describe, expect, test } from 'vitest';
import { exitCodes } from '../../src/errors.ts';
import { summaryOf, topics } from '../../src/help/index.ts';
import { dayNames } from '../../src/report/window-flags.ts';
import { allCommands, pathOf, program, readExamples } from '../support/program.ts';
import { expectRefusal, runCli } from '../support/run-cli.ts';

/** The page as one text, its lines joined, so that a test need not know where they break. */
async function page(...argv: string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await runCli(argv, { env: { COLUMNS: '200' } });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return stdout.replaceAll(/\s+/g, ' ');
}

describe('the root', () => {
  test('lists every command and topic under a heading, and the exit codes; --help and help are one', async () => {
    const { stdout } = await runCli(['help']);

    expect((await runCli(['--help'])).stdout).toBe(stdout);
    expect((await runCli([])).stdout).toBe(stdout);
    for (const command of program.createHelp().visibleCommands(program)) {
      expect(stdout).toMatch(new RegExp(`^${command.helpGroup()}$`, 'm'));
      expect(stdout.replaceAll(/\s+/g, ' ')).toContain(` ${command.name()} ${command.summary()}`);
    }
    for (const [name, text] of Object.entries(topics))
      expect(stdout).toMatch(
        new RegExp(`^ {2}${name} +${summaryOf(text).replace('?', '\\?')}$`, 'm'),
      );
    for (const [code, meaning] of exitCodes)
      expect(stdout).toMatch(new RegExp(`^ +${code} {2}${meaning.replace(/[()]/g, '\\$&')}$`, 'm'));
  });

  test('has its commands last, on one screen of 80 × 24, and breaks no word', async () => {
    const { stdout } = await runCli(['--help'], { tty: true, columns: 80 });
    const lines = stdout.trimEnd().split('\n');

    expect(lines.filter((line) => line.length > 80)).toEqual([]);

    const last = lines.slice(-22).join('\n');

    for (const command of program.createHelp().visibleCommands(program))
      expect(last).toContain(`  ${command.name()} `);
  });
});

describe('every command', () => {
  const named = allCommands().filter((command) => command !== program);

  test.each(named.map((command) => [pathOf(command), command] as const))(
    '%s',
    async (path, command) => {
      const { stdout } = await runCli(`${path} --help`);

      if (path !== 'complete') expect(command.summary()).toMatch(/^\S.{10,90}[^.]$/);
      expect(stdout).toContain('Usage: adreport');
      expect(stdout).toContain('print this help');
      // No flag stands in a group by accident, and no default is a raw number of milliseconds.
      expect(stdout).not.toMatch(/default: \d{5,}/);
      expect(stdout).not.toMatch(/display help/);
      expect(readExamples(stdout).length).toBeGreaterThanOrEqual(2);
      if (path !== 'local-server') expect((await runCli(`help ${path}`)).stdout).toBe(stdout);
    },
  );

  test('run shows some twenty flags, and with --help-all every one; those of every command stand in the root’s', async () => {
    const flagsOf = (stdout: string) =>
      [...stdout.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map(([, flag]) => flag);
    const few = flagsOf((await runCli(['run', '--help'])).stdout);

    const all = await runCli(['run', '--help-all']);

    expect(all.exitCode).toBe(0);
    expect(few.length).toBeLessThanOrEqual(27);

    const run = program.commands.find((command) => command.name() === 'run');
    const declared = (run?.options ?? []).filter(({ hidden }) => !hidden).map(({ long }) => long);

    expect(flagsOf(all.stdout).sort()).toEqual([...declared, '--help'].sort());
    expect(few).not.toContain('--json');
    expect(flagsOf((await runCli(['--help'])).stdout)).toContain('--json');
  });

  test('flags that belong together stand together', async () => {
    const { stdout } = await runCli(['run', '--help']);
    const headings = [...stdout.matchAll(/^([A-Z][a-z ]+):$/gm)].map(([, heading]) => heading);

    const ofReports = [
      'Arguments',
      'Report',
      'Window',
      'Request',
      'Output',
      'Many reports',
      'Waiting',
    ];
    const ofAll = ['Service', 'Saved reports', 'Help', 'Examples'];
    expect(headings).toEqual([...ofReports, ...ofAll]);
  });
});

describe('topics', () => {
  test.each(Object.keys(topics))('%s fits the terminal, at any width', async (topic) => {
    for (const columns of [60, 80, 120]) {
      const { exitCode, stdout } = await runCli(['help', topic], {
        env: { COLUMNS: String(columns) },
      });
      expect(exitCode).toBe(0);
      const code = (topics[topic] ?? '').match(/```[\s\S]*?```/g)?.join('\n') ?? '';
      const long = stdout
        .split('\n')
        .filter(
          (line) => line.length > columns && !code.includes(line.trim()) && !/^ *\S+$/.test(line),
        );
      expect(long).toEqual([]);
    }
  });

  test('periods: with what each of them means today', async () => {
    const periods = await page('help', 'periods');

    for (const name of dayNames) expect(periods).toContain(` ${name} 20`);
    expect(periods).toContain('yesterday 2026-11-19 ');
    expect(periods).toContain('last-7d 2026-11-13 to 2026-11-19 ');
    expect(periods).toContain('last-24h up to now ');
  });

  test('no colour in a pipe; headings bold on a terminal', async () => {
    expect((await runCli(['help', 'cron'])).stdout).not.toContain('\u001b');
    expect((await runCli(['help', 'cron'], { tty: true })).stdout).toContain(
      '\u001b[1mSaved reports\u001b[22m',
    );
  });
});

describe('did you mean', () => {
  test.each([
    { line: 'help perods', meant: 'adreport help periods' },
    { line: 'help exitcodes', meant: 'adreport help exit-codes' },
    { line: 'help statsu', meant: 'adreport help status' },
    { line: 'help report crate', meant: 'adreport help report create' },
    { line: 'rnu', meant: 'run' },
    { line: 'docter', meant: 'doctor' },
    { line: 'config lst', meant: 'list' },
    { line: 'run --perid today', meant: '--period' },
    { line: 'run --jsn', meant: '--json' },
    { line: 'doctor --acount x', meant: '--account' },
  ])('$line', async ({ line, meant }) => {
    expectRefusal(await runCli(line), 2, `Did you mean ${meant}?`);
  });
});
