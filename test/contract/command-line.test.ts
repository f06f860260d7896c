import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { exitCodes } from '../../src/errors.ts';
import { topics } from '../../src/help/index.ts';
import { kindLabels } from '../../src/server/faults/kinds.ts';
import { allCommands, pathOf } from '../support/program.ts';

/** The program has what `cli.md` names. What each does, the tests of `test/commands` show. */

const text = readFileSync(resolve(import.meta.dirname, 'spec/cli.md'), 'utf8');

function named(pattern: RegExp): string[] {
  return [...new Set([...text.matchAll(pattern)].map(([, name = '']) => name))];
}

test('every flag', () => {
  const known = allCommands().flatMap(({ options }) =>
    options.flatMap(({ long, short }) => [long, short]),
  );
  const flags = named(/(--[a-z][a-z-]+)/g);
  expect(flags.length).toBeGreaterThan(60);
  expect(flags.filter((flag) => flag !== '--help' && !known.includes(flag))).toEqual([]);
});

test('every command', () => {
  const paths = named(/`adreport ([a-z]+(?:-[a-z]+)?(?: (?:create|list|exec))?)/g);
  expect(paths.length).toBeGreaterThan(14);
  expect(paths.filter((path) => !allCommands().map(pathOf).includes(path))).toEqual([]);
});

test('every environment variable', () => {
  const variables = named(/\b(ADREPORT_[A-Z_]+|NO_COLOR|FORCE_COLOR|HTTPS_PROXY|NO_PROXY)\b/g);
  expect(variables.length).toBeGreaterThan(8);
  expect(variables.filter((name) => !topics.environment?.includes(`\`${name}\``))).toEqual([]);
});

test('every exit code', () => {
  const [, codesOf = ''] = /## Exit codes\n\n([\s\S]*?\.) The/.exec(text) ?? [];
  const codes = [...codesOf.matchAll(/(?:^|· )(\d+) /g)].map(([, code = '']) => code);
  expect(codes.length).toBeGreaterThan(8);
  const known = exitCodes.map(([code]) => String(code));
  expect(codes.filter((code) => !known.includes(code))).toEqual([]);
});

test('every kind of fault', () => {
  const [, list = ''] = /KIND: an HTTP status([\s\S]*?)\nFor/.exec(text) ?? [];
  const kinds = [...list.matchAll(/`([a-z-]+)/g)].map(([, kind = '']) => kind);
  expect(kinds.length).toBeGreaterThan(10);
  expect(kinds.filter((kind) => !kindLabels.includes(kind))).toEqual([]);
});
