import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { Prompt, readSecret } from '../../src/ui/prompt.ts';
import { input, openConsole } from '../support/streams.ts';

describe('without a terminal', () => {
  test.each([
    { name: 'stdin', tty: { stdin: false, stderr: true } },
    { name: 'stderr', tty: { stdin: true, stderr: false } },
  ])('at $name, a missing value is an error that names the flag', async ({ tty }) => {
    const stdin = input('', { isTTY: tty.stdin });
    const { console, stderr } = await openConsole({ stdin, tty });
    const prompt = new Prompt(stdin, console, new AbortController().signal);
    const expected = { name: 'UsageError', exitCode: 2, hint: 'Add --base-url URL.' };
    const question = { noun: 'base URL', flag: '--base-url URL' };

    await expect(prompt.ask(question)).rejects.toMatchObject(expected);
    await expect(prompt.askSecret(question)).rejects.toMatchObject(expected);
    await expect(prompt.choose(question, [])).rejects.toMatchObject(expected);
    expect(stderr.text()).toBe('');
  });
});

// Questions at a terminal are in commands/terminal.test.ts.

describe('a secret from a pipe or a file', () => {
  async function read(stdin: NodeJS.ReadStream) {
    const { console, stderr } = await openConsole({ stdin });
    const { signal } = new AbortController();
    const secret = await readSecret({ stdin, console, flag: '--password-stdin', signal });
    console.error(`It was ${secret}.`);
    return { secret, said: stderr.text() };
  }

  test.each([
    { text: 's3cret', secret: 's3cret' },
    { text: 's3cret\r\nsecond line\n', secret: 's3cret' },
    { text: ' blanks belong to it \n', secret: ' blanks belong to it ' },
    { text: '\ufeffs3cret\r\n', secret: 's3cret' },
    { text: 'pässwörd 雪', secret: 'pässwörd 雪' },
  ])('$text: the first line, hidden from then on', async ({ text, secret }) => {
    expect(await read(input(text))).toEqual({ secret, said: 'It was [hidden].\n' });
  });

  test('arrives in any pieces, and only its first line is awaited', async () => {
    const stdin = new PassThrough();
    for (const byte of Buffer.from('pässwörd\nmore')) stdin.write(Buffer.from([byte]));

    expect((await read(stdin as unknown as NodeJS.ReadStream)).secret).toBe('pässwörd');
  });

  test.each([
    { name: 'nothing', stdin: input('') },
    { name: 'blanks', stdin: input('  \nsecond line\n') },
    { name: 'a terminal', stdin: input('s3cret\n', { isTTY: true }) },
    { name: 'Latin-1', stdin: input(Buffer.from('pässwort', 'latin1')), says: 'not UTF-8' },
    { name: 'a line of 5 kB', stdin: input('x'.repeat(5_000)), says: 'longer than 4 kB' },
    { name: 'UTF-16', stdin: input(Buffer.from('\ufeffs3cret\r\n', 'utf16le')), says: 'UTF-16' },
    {
      name: 'UTF-16 without a mark',
      stdin: input(Buffer.from('s3cret', 'utf16le')),
      says: 'UTF-16',
    },
    { name: 'a NUL', stdin: input('s3c\0ret'), says: 'a NUL character' },
  ])('$name is refused', async ({ stdin, says = '' }) => {
    const message = expect.stringMatching(new RegExp(`--password-stdin.*${says}`));
    await expect(read(stdin)).rejects.toMatchObject({ name: 'UsageError', message });
  });
});
