import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hiddenCharacters } from '../../src/text/printable.ts';
import { quoteForShell, shellWord } from '../../src/text/quote-for-shell.ts';

const hidden = ['\n', '\t', '\u001b', '\u007f', '\u009b', '\u200b', '\u202e', '\u2028', '\ufeff'];
const unit = fc.constantFrom(...hidden, ...'aZ0 \'"\\$`!*?~#;&|<>(){}=,-é名');
// Shells do not support NUL, and xargs ignores empty lines.
const text = fc.string({ unit, maxLength: 30 });

describe.skipIf(process.platform === 'win32')('a word of a shell', () => {
  test('shows invisible characters, and bash reads it as the original', () => {
    const texts = fc.sample(text, 400);
    const words = texts.flatMap((one) => [quoteForShell(one, 'linux'), shellWord(one, 'linux')]);
    for (const word of words) expect(word.search(hiddenCharacters)).toBe(-1);
    const script = `printf '%s\\0' ${words.join(' ')}`;
    const env = { ...process.env, LC_ALL: 'C.UTF-8' };
    const read = execFileSync('bash', ['-c', script], { encoding: 'utf8', env }).split('\0');
    expect(read.slice(0, -1)).toEqual(texts.flatMap((one) => [one, one]));
  });
});

test.each([
  { text: 'data\\date={date}', word: '"data\\date={date}"' },
  { text: 'C:\\data\\week.csv', word: 'C:\\data\\week.csv' },
  { text: 'C:\\my data\\', word: '"C:\\my data\\\\"' },
  { text: 'DAILY,CAMPAIGN', word: '"DAILY,CAMPAIGN"' },
  { text: '"A, B"', word: '"""A, B"""' },
  { text: 'a\\"b', word: '"a\\\\""b"' },
  { text: "it's", word: '"it\'s"' },
  { text: 'a\nb', word: '"a␊b"' },
  { text: '', word: '""' },
])('$text is $word on Windows', ({ text, word }) => {
  expect(shellWord(text, 'win32')).toBe(word);
});
