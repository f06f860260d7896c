import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { exitCodes } from '../../src/errors.ts';
import { topics } from '../../src/help/index.ts';
import { kindLabels } from '../../src/server/faults/kinds.ts';
import { allCommands, pathOf } from '../support/program.ts';

/**
 * The program has everything that `cli.md` names. The tests in `test/commands` show what each does.
 */

const text = readFileSync(resolve(import.meta.dirname, 'spec/cli.md'), 'utf8');

/** The distinct names in the first group of a pattern. */
function namesIn(source: string, pattern: RegExp): string[] {
  const matches = [...source.matchAll(pattern)];
  return [...new Set(matches.map(([, name = '']) => name))];
}

test('every flag', () => {
  const options = allCommands().flatMap((command) => command.options);
  const declared = options.flatMap(({ long, short }) => [long, short, '--help']);

  const flags = namesIn(text.replaceAll(/`--[a-z-]+` is gone/g, ''), /(--[a-z][a-z-]+)/g);

  expect(flags.length).toBeGreaterThan(60);
  expect(flags.filter((flag) => !declared.includes(flag))).toEqual([]);
});

test('every command', () => {
  const declared = allCommands().map(pathOf);

  const [, table = ''] = /## Commands\n([\s\S]*?)\n## /.exec(text) ?? [];
  const cells = namesIn(table, /^\| ([^|]*)/gm).join(' ');
  const paths = namesIn(cells, /`([a-z]+(?:-[a-z]+)?(?: (?:create|list|exec|export))?)/g);

  expect(paths.length).toBeGreaterThan(14);
  expect(paths.filter((path) => !declared.includes(path))).toEqual([]);
});

test('every environment variable', () => {
  const pattern = /\b(ADREPORT_[A-Z_]+|NO_COLOR|FORCE_COLOR|HTTPS_PROXY|NO_PROXY)\b/g;

  const variables = namesIn(text, pattern);

  expect(variables.length).toBeGreaterThan(8);
  expect(variables.filter((name) => !topics.settings?.includes(`\`${name}\``))).toEqual([]);
});

test('every exit code', () => {
  const declared = exitCodes.map(([code]) => String(code));

  const [, section = ''] = /## Exit codes\n\n([\s\S]*?\.) The/.exec(text) ?? [];
  const codes = namesIn(section, /(?:^|· )(\d+) /g);

  expect(codes.length).toBeGreaterThan(8);
  expect(codes.filter((code) => !declared.includes(code))).toEqual([]);
});

test('every kind of fault', () => {
  const [, section = ''] = /KIND: an HTTP status([\s\S]*?:file=FILE)/.exec(text) ?? [];
  const kinds = namesIn(section, /`([a-z-]+)/g);

  expect(kinds.length).toBeGreaterThan(10);
  expect(kinds.filter((kind) => !kindLabels.includes(kind))).toEqual([]);
});
