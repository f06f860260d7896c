import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { pathKey, requireValidOnWindows } from '../../src/output/file/file-name.ts';
import {
  cutBeforeDate,
  escapeBraces,
  expandExceptDates,
  expandName,
  safeName,
} from '../../src/query/file-name.ts';
import { anyCharacter } from '../support/any-character.ts';

describe('expandName', () => {
  it('replaces placeholders', () => {
    const values = { profile: 'buyer', since: '2026-11-01', until: '2026-11-07', id: 'a/b' };

    expect(expandName('out/{profile}/{since}..{until}_{id}.csv', values)).toBe(
      'out/buyer/2026-11-01..2026-11-07_a_b.csv',
    );
    expect(expandName('plain.csv', {})).toBe('plain.csv');
  });

  it('reads a doubled brace as one, so that every path has a template', () => {
    expect(expandName('a{{b}}/{{date}}/{date}.csv', { date: 'x' })).toBe('a{b}/{date}/x.csv');
    expect(expandExceptDates('{{id}}/{id}/{date}.csv', { id: '1' })).toBe('{{id}}/1/{date}.csv');
    expect(cutBeforeDate('{{date}}/x{since}.csv')).toBe('{{date}}/x');
    fc.assert(
      fc.property(fc.string(), (path) => {
        expect(expandName(escapeBraces(path), {})).toBe(path);
      }),
    );
  });

  it('refuses unknown placeholders and missing values', () => {
    expect(() => expandName('{dat}.csv', { date: 'x' })).toThrow(
      expect.objectContaining({ exitCode: 2, hint: 'Did you mean {date}?' }),
    );
    expect(() => expandName('{}.csv', {})).toThrow('Unknown placeholder {} in -o.');
    expect(() => expandName('{date}.csv', { id: 'x' })).toThrow(
      expect.objectContaining({
        message: '-o contains {date}, which has no value here.',
        hint: 'Choose from {id}.',
      }),
    );
    expect(() => expandName('{toString}.csv', {})).toThrow('Unknown placeholder');
  });
});

describe('safeName', () => {
  it.each([
    { text: '../../etc/passwd', name: '_.._etc_passwd' },
    { text: '..', name: '_' },
    { text: '.hidden', name: 'hidden' },
    { text: 'a\u001b[1mb\nc', name: 'a_[1mb_c' },
    { text: 'CON.csv', name: '_CON.csv' },
    { text: 'Été 日本', name: 'Été 日本' },
    { text: `${'é'.repeat(59)}日本`, name: 'é'.repeat(59) },
  ])('$text', ({ text, name }) => {
    expect(safeName(text)).toBe(name);
  });

  it('is a valid name on any system', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 200, size: 'max' }), (text) => {
        const name = safeName(text);
        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(121);
        expect(Buffer.from(name).toString()).toBe(name);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: none may be left
        expect(name).toMatch(/^[^./\\\s\u0000-\u001f:*?"<>|][^/\\\u0000-\u001f:*?"<>|]*$/);
        expect(name).not.toMatch(/[.\s]$/);
      }),
    );
  });
});

test.each([
  { platform: 'linux', one: 'data/./a.csv', other: 'data/a.csv', isSame: true },
  { platform: 'linux', one: 'A.csv', other: 'a.csv', isSame: false },
  { platform: 'darwin', one: 'A.csv', other: 'a.csv', isSame: true },
  { platform: 'darwin', one: 'e\u0301.csv', other: '\u00e9.csv', isSame: true },
  { platform: 'win32', one: 'Data\\a.csv', other: 'data/A.csv', isSame: true },
  { platform: 'win32', one: 'a.csv', other: 'b.csv', isSame: false },
] as const)(
  'on $platform, $one and $other are the same file: $isSame',
  ({ platform, one, other, isSame }) => {
    expect(pathKey(one, platform) === pathKey(other, platform)).toBe(isSame);
  },
);

test.each([
  'report.csv',
  'C:\\Users\\Ana Maria\\report.csv',
  'd:/data/date={date}/part.parquet',
  '\\\\server\\share\\data\\report.csv',
  '\\\\?\\C:\\data\\report.csv',
  '..\\..\\data\\.\\report.csv',
  'console.csv',
  'com10.csv',
  'nulls/com.csv',
  '.hidden',
  "it's 50% & {more}.csv",
])('%s is valid on Windows', (path) => {
  expect(() => requireValidOnWindows(path, 'win32')).not.toThrow();
});
