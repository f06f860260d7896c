import { describe, expect, test } from 'vitest';
import { listVisibleOptions } from '../../src/commands/command.ts';
import { topics } from '../../src/help/index.ts';
import { FlagOption } from '../../src/query/flags/flag.ts';
import { allCommands, pathOf, program, readExamples } from '../support/program.ts';
import { expectRefusal, runCli } from '../support/run-cli.ts';

/** The page as one line, so that tests do not depend on line breaks. */
async function page(...argv: string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await runCli(argv, { env: { COLUMNS: '200' } });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return stdout.replaceAll(/\s+/g, ' ');
}

/** True for a command whose name is a topic too, which `help` shows instead. */
function isTopic(path: string): boolean {
  return Object.hasOwn(topics, path);
}

describe('the program', () => {
  test('its help fits a screen of 24 lines; --help and help are the same', async () => {
    const { stdout } = await runCli(['help'], { tty: true, columns: 80 });
    const lines = stdout.trimEnd().split('\n');

    expect(lines.length).toBeLessThan(24);
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    expect((await runCli(['--help'], { tty: true, columns: 80 })).stdout).toBe(stdout);
    expect((await runCli([], { tty: true, columns: 80 })).stdout).toBe(stdout);
  });

  test('--help-all lists every command under its heading, and the flags of all', async () => {
    const text = (await runCli(['--help-all'])).stdout;

    for (const command of program.createHelp().visibleCommands(program)) {
      expect(text).toMatch(new RegExp(`^${command.helpGroup()}$`, 'm'));
      expect(text.replaceAll(/\s+/g, ' ')).toContain(` ${command.name()} ${command.summary()}`);
    }
    expect(text).toMatch(/^ {2}--json /m);
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
      // No flag is in the wrong group, and no default is in milliseconds.
      expect(stdout).not.toMatch(/default: \d{5,}/);
      expect(stdout).not.toMatch(/display help/);
      expect(readExamples(stdout).length).toBeGreaterThanOrEqual(2);
      if (!isTopic(path)) expect((await runCli(`help ${path}`)).stdout).toBe(stdout);
    },
  );

  /** The flags on a help page, in order. */
  const flagsOn = (page: string) =>
    [...page.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map(([, flag]) => flag);

  test('run shows at most 20 flags besides help; those of every command are elsewhere', async () => {
    const few = flagsOn((await runCli(['run', '--help'])).stdout);

    expect(few.filter((flag) => !flag?.startsWith('--help')).length).toBeLessThanOrEqual(20);
    expect(few).not.toContain('--json');
  });

  test.each(named.map((command) => [pathOf(command), command] as const))(
    '%s: --help-all has every other flag, --help all but rare ones, with -h last',
    async (path, command) => {
      const taken = listVisibleOptions(command).filter(
        (option) => !program.options.includes(option),
      );
      const usual = taken
        .filter((option) => !(option instanceof FlagOption && option.flag.isRare))
        .map(({ long }) => long);
      const all = taken.map(({ long }) => long);

      const short = await runCli(`${path} --help`);
      const long = await runCli(`${path} --help-all`);

      expect(flagsOn(short.stdout).sort()).toEqual([...usual, '--help'].sort());
      const others = all.filter((flag) => flag !== '--help-all');
      expect(flagsOn(long.stdout).sort()).toEqual([...others, '--help'].sort());
      expect(flagsOn(short.stdout).at(-1)).toBe('--help');
      expect(flagsOn(long.stdout).at(-1)).toBe('--help');
      if (!isTopic(path)) {
        expect((await runCli(`help ${path} --help-all`)).stdout).toBe(long.stdout);
      }
    },
  );

  test.each([
    { line: 'local-server export --help-all', without: ['--port', '--delay'], has: ['--seed'] },
    { line: 'local-server exec --help-all', without: ['--port'], has: ['--delay', '--host'] },
    { line: 'campaigns --help', without: ['--note', '--excel', '--columns'], has: ['--format'] },
    { line: 'report create --help', without: ['--title', '--output'], has: ['--period'] },
  ])('$line shows only flags that work with it', async ({ line, without, has }) => {
    const shown = flagsOn((await runCli(line)).stdout);

    expect(shown).toEqual(expect.arrayContaining(has));
    for (const flag of without) expect(shown).not.toContain(flag);
  });

  test('a flag of local-server that does nothing for a subcommand is refused', async () => {
    const result = await runCli('local-server --port 0 export fixtures --period 2026-10');

    expectRefusal(result, 2, '--port cannot be used with adreport local-server export.');
    expectRefusal(await runCli('local-server exec --port 0 -- true'), 2, '--port cannot be used');
    expectRefusal(await runCli('campaigns --local --title x'), 2, '--title');
  });
});

describe('topics', () => {
  test('no color in a pipe; on a terminal bold headings, and code in color', async () => {
    expect((await runCli(['help', 'folders'])).stdout).not.toContain('\u001b');

    const { stdout } = await runCli(['help', 'folders'], { tty: true });
    expect(stdout).toContain('\u001b[1mWhat a folder holds\u001b[22m');
    expect(stdout).toContain('- \u001b[36mcheck\u001b[39m changes nothing');
  });
});

describe('any other word', () => {
  const jobs = [
    'cron',
    'launchd',
    'powershell',
    'Slurm',
    'weekly',
    'monitoring',
    'alert',
    'retention',
  ];

  test.each([...jobs, 'duckdb', 'jest', 'excel', 'library'])(
    '%s: the headings and flags that have it',
    async (word) => {
      const text = await page('help', word);

      expect(text).toMatch(new RegExp(`(Topics|Flags) with “${word}”: adreport`));
      const [, line = ''] = /adreport (help [a-z-]+|run --\S+) /.exec(text) ?? [];
      const named = line.startsWith('help') ? line : line.replace(/ .*/, ' --help-all');
      const { exitCode, stdout } = await runCli(named);
      expect(exitCode).toBe(0);
      expect(stdout.toLowerCase()).toContain(word.toLowerCase());
    },
  );
});

describe('did you mean', () => {
  test.each([
    { line: 'help setings', meant: 'adreport help settings' },
    { line: 'help statsu', meant: 'adreport help status' },
  ])('$line', async ({ line, meant }) => {
    expectRefusal(await runCli(line), 2, `Did you mean ${meant}?`);
  });
});
