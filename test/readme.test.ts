import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { exitCodes } from '../src/errors.ts';
import { createProgram } from '../src/program.ts';

/** The README says what is so: its commands and flags exist, and none is missing. */

const readme = readFileSync(resolve(import.meta.dirname, '../README.md'), 'utf8');
const program = await createProgram(() => async () => {}, { write: () => {}, columns: 100 });

function paths(command: Command, prefix = ''): string[] {
  return command.commands.flatMap((child) => {
    const path = `${prefix}${child.name()}`;
    return child.commands.length > 0 ? [path, ...paths(child as Command, `${path} `)] : [path];
  });
}

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
  const missing = paths(program)
    .filter((path) => path !== 'report' && path !== 'help')
    .filter((path) => !new RegExp(`adreport[^|\\n]*\\b${path}\\b|· \`${path}\``).test(readme));
  expect(missing).toEqual([]);
});

test('the exit codes are those of the program', () => {
  const rows = [...readme.matchAll(/^\| (\d+) +\| (.*?) +\|$/gm)].map(([, code, meaning]) => [Number(code), meaning]);
  expect(rows).toEqual(exitCodes);
});

test('every environment variable that the settings read is named', () => {
  const sources = ['config/settings.ts', 'config/folder.ts', 'context.ts'].map((file) =>
    readFileSync(resolve(import.meta.dirname, '../src', file), 'utf8'),
  );
  const names = new Set(sources.join('\n').match(/\b(ADREPORT_[A-Z_]+|HTTPS_PROXY|NO_PROXY)\b/g));
  expect(names.size).toBeGreaterThan(6);
  expect([...names].filter((name) => !readme.includes(`\`${name}\``))).toEqual([]);
});
