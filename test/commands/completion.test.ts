import { writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  breakdowns,
  derivedBreakdowns,
  derivedMetrics,
  filters,
  metrics,
  type VocabularyEntry,
} from '../../src/contract/vocabulary.ts';
import { formatNames } from '../../src/formats/index.ts';
import { isInstalled, pathWithAdreport } from '../support/programs.ts';
import { openTerminal } from '../support/pty.ts';
import { runCli, temporaryFolder } from '../support/run-cli.ts';
import { serveForTest } from '../support/service.ts';

/** A folder with saved reports, and a file for command lines. */
function furnish(): string {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'outcome.csv'), '');
  writeFileSync(
    join(cwd, 'adreport.yaml'),
    'reports:\n  weekly: { period: last-week, by: DAILY }\n  nightly: { period: yesterday }\n',
  );
  return cwd;
}

/** The output without candidates if files make no sense. */
const nothing = [' '];

/** The candidates for the last word of a line: complete ones end with a blank, none mean files. */
async function offered(line: string, cwd = furnish()): Promise<string[]> {
  const result = await runCli(['complete', `adreport ${line}`], { cwd });
  expect(result).toMatchObject({ exitCode: 0, stderr: '' });
  return result.stdout.split('\n').slice(0, -1);
}

function namesOf(entries: readonly VocabularyEntry[]): string[] {
  return entries.map(({ name }) => name);
}

const computedNames = derivedMetrics.map(({ field }) => field);

describe('candidates', () => {
  test('commands and flags, including inherited ones but no hidden ones', async () => {
    const commands = await offered('');

    expect(commands).toEqual(
      expect.arrayContaining(['run ', 'report ', 'doctor ', 'config ', 'local-server ']),
    );
    expect(commands).not.toContain('complete ');
    expect(await offered('local-server exec --')).toEqual(
      expect.arrayContaining(['--delay ', '--json ']),
    );
    expect(await offered('local-server export --')).not.toContain('--delay ');
  });

  test('after a comma, the names that the list does not have yet', async () => {
    const values = await offered('run --by daily,campaign,');

    expect(values).not.toContain('daily,campaign,CAMPAIGN');
    expect(values).toContain('daily,campaign,OS');
  });

  /** Complete words end with a blank. */
  const whole = (...words: readonly string[]): string[] => words.map((word) => `${word} `);

  test.each([
    { line: 'run --metrics ', values: [...namesOf(metrics), ...computedNames] },
    { line: 'run --by ', values: namesOf([...breakdowns, ...derivedBreakdowns]) },
    { line: 'run --by=OS,camp', values: ['OS,CAMPAIGN'] },
    { line: 'run --filter ', values: namesOf(filters).map((name) => `${name}=`) },
    { line: 'report ', values: whole('create', 'status', 'download', 'list') },
    { line: 'help au', values: whole('automation') },
    { line: 'help conf', values: whole('config') },
    { line: 'run --b', values: whole('--by', '--base-url') },
    { line: 'run --format ', values: whole(...formatNames) },
    { line: 'run ', values: whole('weekly', 'nightly') },
    { line: 'run weekly n', values: whole('nightly') },
    { line: 'completion ', values: whole('bash', 'zsh', 'fish', 'powershell') },
    { line: 'local-server export x --period last-w', values: whole('last-week') },
    { line: 'run --since t', values: whole('today') },
    // No candidates, and no files.
    { line: 'run --account ', values: nothing },
    { line: 'run --format nonsense', values: nothing },
    { line: 'completion zsh b', values: nothing },
    // The shell offers files itself.
    { line: 'run -o ', values: [] },
    { line: 'local-server export ', values: [] },
    { line: 'local-server exec -- ', values: [] },
    { line: 'view ', values: [] },
  ])('$line → $values', async ({ line, values }) => {
    expect(await offered(line)).toEqual(values);
  });
});

describe('in the middle of a line', () => {
  test('mistakes are neither reported nor corrected', async () => {
    const cwd = furnish();
    writeFileSync(join(cwd, 'adreport.yaml'), 'reports: [');

    for (const line of ['run ', 'nonsense --nothing --by']) {
      expect(await offered(line, cwd)).not.toEqual([expect.stringMatching(/\S/)]);
    }
  });

  test('no calls are made', async () => {
    const { server, run } = await serveForTest();

    for (const words of ['run ', 'run --campaign ']) {
      expect(await run(['complete', `adreport ${words}`])).toMatchObject({ exitCode: 0 });
    }
    expect(server.requests()).toEqual([]);
  });

  test('names with shell characters are not offered', async () => {
    const cwd = furnish();
    const names = ['x$(touch gone)', 'x`y`', 'a b', 'a;b', 'a"y', 'fine-name', 'été'];
    const reports = names.map((name) => `  ${JSON.stringify(name)}: { period: today }\n`);
    writeFileSync(join(cwd, 'adreport.yaml'), `reports:\n${reports.join('')}`);

    expect(await offered('run ', cwd)).toEqual(['fine-name ', 'été ']);
    // Inside quotes a blank would be part of the name.
    expect(await offered('run "fi', cwd)).toEqual(['fine-name']);
  });
});

/** Unfinished command lines, and the line that the shell should make of them. */
const lines = [
  { typed: 'run --per', completed: 'run --period' },
  { typed: 'run --by=DAILY,CAMP', completed: 'run --by=DAILY,CAMPAIGN' },
  { typed: 'run --filter=cou', completed: 'run --filter=countryId=' },
  { typed: 'run -o outc', completed: 'run -o outcome.csv' },
  // No files.
  { typed: 'run --campaign outc', completed: 'run --campaign outc' },
];

/** Shells with completion, without settings of the machine. */
const shells = [
  {
    shell: 'bash',
    args: ['--norc', '--noprofile', '-i'],
    setUp: 'source <(adreport completion bash)',
  },
  {
    shell: 'zsh',
    args: ['-f', '-i'],
    setUp:
      'bindkey -e; autoload -U compinit; compinit -u -d zcompdump; source <(adreport completion zsh)',
  },
  {
    shell: 'fish',
    args: ['--no-config', '-i'],
    setUp: 'adreport completion fish | source',
  },
];

/**
 * Returns a PATH with an `adreport` that knows the answers for the lines, because each start of the
 * program takes 0.3 s. It starts the program for any other line and, in Bash, for the script and
 * the first line.
 */
async function pathWithAnswers(cwd: string, shell: string): Promise<string> {
  const path = pathWithAdreport();
  const folder = temporaryFolder();
  const asked = [
    ['completion', shell],
    ...lines.map(({ typed }) => ['complete', `adreport ${typed}`]),
  ];
  if (shell === 'bash') asked.splice(0, 2);
  for (const words of asked) {
    const { stdout } = await runCli(words, { cwd });
    writeFileSync(join(folder, words.join(' ')), stdout);
  }
  const script = `#!/bin/sh
if [ -f '${folder}'/"$*" ]; then cat '${folder}'/"$*"; else PATH='${path}' adreport "$@"; fi
`;
  writeFileSync(join(folder, 'adreport'), script, { mode: 0o755 });
  return [folder, process.env.PATH].join(delimiter);
}

test.for(shells)('in a real $shell', async ({ shell, args, setUp }, { skip }) => {
  if (!isInstalled(shell)) skip(`there is no ${shell} here`);
  const cwd = furnish();
  const terminal = openTerminal(shell, args, {
    cwd,
    columns: 200,
    env: {
      PATH: await pathWithAnswers(cwd, shell),
      HOME: cwd,
      TMPDIR: cwd,
      INPUTRC: '/dev/null',
      PS1: 'ready> ',
    },
  });
  terminal.type(`${setUp}; echo set-up''-done\r`);

  await terminal.waitFor('set-up-done');

  // Types each line and a tab, and makes the shell print the words of the resulting line.
  for (const { typed, completed } of lines) {
    terminal.type(`adreport ${typed}\t\u0001printf '<%s>' \u0005 end-of-line\r`);
    await terminal.waitFor(/<end-of-line>/);

    const printed = terminal.output.slice(terminal.output.lastIndexOf('<adreport>'));
    const words = [...printed.matchAll(/<([^>]*)>/g)].map(([, word]) => word);
    expect(words.join(' ')).toBe(`adreport ${completed} end-of-line`);
  }
});

test('PowerShell, which is not run here: the script registers itself and has balanced brackets', async () => {
  const { exitCode, stdout } = await runCli('completion powershell');

  expect(exitCode).toBe(0);
  expect(stdout).toMatch(
    /^Register-ArgumentCompleter -Native -CommandName adreport -ScriptBlock \{$/m,
  );
  expect(stdout).toContain('param($wordToComplete, $commandAst, $cursorPosition)');
  expect(stdout).toContain('adreport complete $line');

  const open: string[] = [];
  const closing: Readonly<Record<string, string>> = { '{': '}', '(': ')', '[': ']' };
  const code = stdout.replaceAll(/'[^']*'|"[^"]*"/g, '');
  for (const [bracket = ''] of code.matchAll(/[{}()[\]]/g)) {
    const end = closing[bracket];
    if (end) open.push(end);
    else expect(bracket).toBe(open.pop());
  }
  expect(open).toEqual([]);
});
