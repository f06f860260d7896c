import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { topics } from '../../src/help/index.ts';
import { kindLabels } from '../../src/server/faults/kinds.ts';
import { allCommands, pathOf } from '../support/program.ts';

/**
 * The program has everything that `cli.md` names. The tests in `test/commands` show what each does.
 */

const text = readFileSync(resolve(import.meta.dirname, 'spec/cli.md'), 'utf8');

const isMissing = (declared: readonly (string | undefined)[]) => (name: string) =>
  !declared.includes(name);

/** The distinct names in the first group of a pattern. */
function namesIn(source: string, pattern: RegExp): string[] {
  const matches = [...source.matchAll(pattern)];
  return [...new Set(matches.map(([, name = '']) => name))];
}

test('every flag', () => {
  const options = allCommands().flatMap((command) => command.options);
  const declared = options.flatMap(({ long, short }) => [long, short, '--help']);

  const flags = namesIn(text, /(--[a-z][a-z-]+)/g);

  expect(flags.length).toBeGreaterThan(60);
  expect(flags.filter(isMissing(declared))).toEqual([]);
});

test('every command', () => {
  const declared = allCommands().map(pathOf);

  const [, table = ''] = /## Commands\n([\s\S]*?)\n## /.exec(text) ?? [];
  const cells = namesIn(table, /^\| ([^|]*)/gm).join(' ');
  const paths = namesIn(
    cells,
    /`([a-z]+(?:-[a-z]+)?(?: (?:create|status|download|list|exec|export))?)/g,
  );

  expect(paths.length).toBeGreaterThan(14);
  expect(paths.filter(isMissing(declared))).toEqual([]);
});

test('every environment variable', () => {
  const pattern = /\b(ADREPORT_[A-Z_]+|NO_COLOR|FORCE_COLOR|HTTPS_PROXY|NO_PROXY)\b/g;

  const variables = namesIn(text, pattern);

  expect(variables.length).toBeGreaterThan(8);
  const documented = variables.filter((name) => topics.settings?.includes(`\`${name}\``));
  expect(variables.filter(isMissing(documented))).toEqual([]);
});

test('every exit code', () => {
  const documented = namesIn(topics.settings ?? '', /^\| (\d+) \|/gm);

  const [section = ''] = /^0 done · [\s\S]*? 143 SIGTERM/m.exec(text) ?? [];
  const codes = namesIn(section, /(?:^|· )(\d+) /gm);

  expect(codes.length).toBeGreaterThan(8);
  expect(documented).toEqual(codes);
});

test('every kind of fault', () => {
  const [, section = ''] = /KIND an HTTP status([\s\S]*?`not-downloadable`)/.exec(text) ?? [];
  const kinds = namesIn(section, /`([a-z-]+)/g);

  expect(kinds.length).toBeGreaterThan(10);
  expect(kinds.filter((kind) => !kindLabels.includes(kind))).toEqual([]);
});
