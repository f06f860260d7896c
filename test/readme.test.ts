import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { environmentVariables } from '../src/config/settings.ts';
import { exitCodes } from '../src/errors.ts';
import { topics } from '../src/help/index.ts';
import { delayKind, faultKinds, steps } from './support/fault-matrix.ts';
import { allCommands, pathOf, program } from './support/program.ts';

/** The README says what is so: its commands and flags exist, and none is missing. */

const readme = readFileSync(resolve(import.meta.dirname, '../README.md'), 'utf8');
/** The command lines of the code blocks, continued lines joined. */
const lines = [...readme.matchAll(/```(?:sh|console|crontab)\n([\s\S]*?)```/g)]
  .flatMap(([, block = '']) => block.replaceAll(/\\\n\s*/g, '').split(/\n|&&|\|\||\||\$\(|\)(?= &&)/))
  .map((line) => /(?:^|\s|node bin\/)adreport(?:\.js)? (?<rest>[^#]*)/.exec(line)?.groups?.rest?.trim())
  .filter((line) => line !== undefined && line !== '');

describe('command lines', () => {
  test('there are many', () => expect(lines.length).toBeGreaterThan(10));

  test.each(lines)('adreport %s', (line = '') => {
    const words = line.split(' -- ')[0]?.split(/\s+/) ?? [];
    let command: Command = program;
    for (const word of words) {
      const child = command.commands.find((candidate) => candidate.name() === word);
      if (!child) break;
      command = child as Command;
    }
    expect(command).not.toBe(program);
    const known = [command, command.parent, program].flatMap((each) => each?.options ?? []);
    const flags = words.filter((word) => /^--?[a-z]/i.test(word) && !/^-\d/.test(word));
    for (const flag of flags) {
      expect(
        known.some((option) => option.long === flag || option.short === flag),
        `${flag} exists`,
      ).toBe(true);
    }
  });
});

test('every command is named', () => {
  const missing = allCommands()
    .map(pathOf)
    .filter((path) => !['', 'report', 'config', 'complete'].includes(path))
    .filter((path) => !new RegExp(`adreport[^|\\n]*\\b${path}\\b|· \`${path.replace(/^config /, '')}\``).test(readme));
  expect(missing).toEqual([]);
});

test('every flag is named, and every flag that is named exists', () => {
  const flags = allCommands().flatMap(({ options }) => options.map(({ long }) => long ?? ''));
  expect([...new Set(flags)].filter((flag) => !readme.includes(flag))).toEqual([]);
  const others = ['--help', '--version', '--no-color'];
  const named = [...readme.matchAll(/`[^`\n]*?(--[a-z][a-z-]+)/g)].map(([, flag = '']) => flag);
  expect(named.filter((flag) => ![...flags, ...others].includes(flag))).toEqual([]);
});

test('the exit codes are those of the program', () => {
  const rows = [...readme.matchAll(/^\| (\d+) +\| (.*?) +\|$/gm)].map(([, code, meaning]) => [Number(code), meaning]);
  expect(rows).toEqual(exitCodes);
});

test('the table of faults is the one that is tested', () => {
  const [, table = ''] = /^\| fault \|.*\n\|[-|]+\n((?:\|.*\n)+)/m.exec(readme) ?? [];
  const told = table.split('\n').flatMap((row) => {
    const [, names = '', ...cells] = row.split('|').map((cell) => cell.trim());
    return [...names.matchAll(/`([\w-]+)`/g)].map(([, name]) => [name, cells.slice(0, steps.length)] as const);
  });
  const tested = [...faultKinds, delayKind].map(
    ({ kind, at }) => [kind.split(':')[0], steps.map((step) => at[step]?.join(' · ') ?? '—')] as const,
  );
  expect(Object.fromEntries(told)).toEqual(Object.fromEntries(tested));
});

test('every environment variable that the program reads is named, here and in its help', () => {
  const folder = resolve(import.meta.dirname, '../src');
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.includes('topics'))
    .map((file) => readFileSync(resolve(folder, file), 'utf8'))
    .join('\n');
  const read = [
    ...sources.matchAll(/\benv\.([A-Z][A-Z_]{3,})\b/g),
    ...sources.matchAll(/fromEnv\(env, '([A-Z_]+)'\)/g),
  ].map(([, name]) => name);
  // The platform's own, which say where things are and what the terminal is; and one that takes protection away.
  const others = [
    'APPDATA',
    'HOME',
    'XDG_CONFIG_HOME',
    'TERM',
    'LANG',
    'WT_SESSION',
    'TERM_PROGRAM',
    'LC_ALL',
    'LC_CTYPE',
  ];
  const internal = ['ADREPORT_WORDBREAKS', 'NODE_TLS_REJECT_UNAUTHORIZED'];
  const known = environmentVariables.map(([name]) => name);
  expect([...new Set(read)].filter((name) => ![...others, ...internal].includes(name ?? '')).sort()).toEqual(
    known.sort(),
  );
  expect(known.filter((name) => !readme.includes(`\`${name}\``))).toEqual([]);
});

test('the topics of help are those of the program', () => {
  const [, row = ''] = /^\| `adreport help \[TOPIC\]` \|([^|]*)\|$/m.exec(readme) ?? [];
  expect([...row.matchAll(/`([\w-]+)`/g)].map(([, name]) => name)).toEqual(Object.keys(topics));
});
