import { writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, test } from 'vitest';
import { formatNames } from '../../src/query/format-names.ts';
import { isInstalled, pathWithAdreport } from '../support/programs.ts';
import { openTerminal } from '../support/pty.ts';
import { runCli, temporaryFolder } from '../support/run-cli.ts';

/** The candidates for the last of these words. */
async function offered(...words: readonly string[]): Promise<string[]> {
  const result = await runCli(['complete', '--', ...words]);
  expect(result).toMatchObject({ exitCode: 0, stderr: '' });
  return result.stdout.split('\n').slice(0, -1);
}

test('commands and flags, including inherited ones but no hidden ones', async () => {
  const commands = await offered('');

  expect(commands).toEqual(
    expect.arrayContaining(['run', 'report', 'doctor', 'config', 'local-server']),
  );
  expect(commands).not.toContain('complete');
  expect(await offered('local-server', 'exec', '--')).toEqual(
    expect.arrayContaining(['--delay', '--json']),
  );
  expect(await offered('local-server', 'export', '--')).not.toContain('--delay');
});

test.each([
  { words: ['run', '--format', ''], values: formatNames },
  { words: ['run', '--b'], values: ['--by', '--base-url'] },
  { words: ['report', ''], values: ['create', 'status', 'download', 'list'] },
  { words: ['help', 'conf'], values: ['config'] },
  // The shell offers files.
  { words: ['run', '-o', ''], values: [] },
  { words: ['view', ''], values: [] },
  { words: ['run', '--format', 'nonsense'], values: [] },
])('$words → $values', async ({ words, values }) => {
  expect(await offered(...words)).toEqual(values);
});

/** Unfinished command lines, and the line that the shell should make of them. */
const lines = [
  { typed: 'run --per', completed: 'run --period' },
  { typed: 'run -o outc', completed: 'run -o outcome.csv' },
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
    ...lines.map(({ typed }) => ['complete', '--', ...typed.split(' ')]),
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
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'outcome.csv'), '');
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

test('PowerShell, which is not run here: the script registers itself', async () => {
  const { stdout } = await runCli('completion powershell');

  expect(stdout).toMatch(/^Register-ArgumentCompleter -Native -CommandName adreport /);
  expect(stdout).toContain('adreport complete -- @words $current');
});
