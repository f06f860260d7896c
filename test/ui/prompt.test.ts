import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Prompt, readSecret } from '../../src/ui/prompt.ts';
import { bundleScript, type Script } from '../support/bundle.ts';
import { openTerminal, type TerminalOptions } from '../support/pty.ts';
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
    const question = { what: 'base URL', flag: '--base-url URL' };

    await expect(prompt.ask(question)).rejects.toMatchObject(expected);
    await expect(prompt.askSecret(question)).rejects.toMatchObject(expected);
    await expect(prompt.choose(question, [])).rejects.toMatchObject(expected);
    expect(stderr.text()).toBe('');
  });
});

/**
 * Asks everything, and gives the answers as the result; the first argument is a file to write it
 * to.
 */
const source = `
  import { createWriteStream } from 'node:fs';
  import { UsageError } from './src/errors.ts';
  import { Console } from './src/ui/console.ts';
  import { Prompt } from './src/ui/prompt.ts';
  const { stdin, stderr, env } = process;
  const stdout = createWriteStream(process.argv[2]);
  const console = new Console({ stdin, stdout, stderr, env, platform: process.platform }, { color: true });
  const controller = new AbortController();
  process.on('SIGUSR1', () => controller.abort(new UsageError('The signal was used.')));
  const prompt = new Prompt(stdin, console, controller.signal);
  const check = (text) => {
    if (!text.startsWith('https://')) throw new UsageError('It must begin with https://.');
  };
  const choices = [{ value: 'password', name: 'E-mail and password' }, { value: 'token', name: 'A token' }];
  try {
    const url = await prompt.ask({ what: 'base URL', flag: '--base-url URL', check });
    const email = await prompt.ask({ what: 'e-mail', flag: '--email E', default: 'me@example.com' });
    const way = await prompt.choose({ what: 'way to sign in', title: 'Sign in with', flag: '--token-stdin' }, choices);
    const secret = await prompt.askSecret({ what: 'password', flag: '--password-stdin' });
    await console.result(JSON.stringify({ url, email, way, secret }));
    console.note('The password is ' + secret);
  } catch (error) {
    console.renderError(error);
    process.exitCode = error.exitCode;
  }
`;

let script: Script;
let folder: string;
beforeAll(() => {
  script = bundleScript(source);
  folder = mkdtempSync(join(tmpdir(), 'adreport-prompt-'));
});
afterAll(() => {
  script.remove();
  rmSync(folder, { recursive: true });
});

function open(options: TerminalOptions = {}) {
  const resultFile = join(folder, 'result');
  const terminal = openTerminal(process.execPath, [script.file, resultFile], options);
  return { terminal, result: () => readFileSync(resultFile, 'utf8') };
}

test('every kind of answer, after a wrong one; the secret appears only in the result', async () => {
  const { terminal, result } = open({ columns: 60 });
  await terminal.waitFor('Base URL:');
  terminal.type('http\r');
  await terminal.waitFor('It must begin with https://.');
  terminal.type('\u0015https://api.example.com \r');
  await terminal.waitFor('(me@example.com)');
  terminal.type('\r');
  await terminal.waitFor('A token');
  terminal.type('\u001b[B\r');
  await terminal.waitFor('Password:');
  terminal.type('\r');
  await terminal.waitFor('Enter the password.');
  terminal.type('hunter22');
  terminal.type('\r');

  await terminal.waitFor('The password is');

  expect(await terminal.exitCode).toBe(0);
  expect(JSON.parse(result())).toEqual({
    url: 'https://api.example.com',
    email: 'me@example.com',
    way: 'token',
    secret: 'hunter22',
  });
  expect(terminal.output).not.toContain('hunter');
  expect(terminal.screen.lines).toEqual([
    '✔ Base URL: https://api.example.com',
    '✔ E-mail: me@example.com',
    '✔ Sign in with: A token',
    '✔ Password:',
    'The password is [hidden]',
  ]);
  expect(terminal.screen.cursorVisible).toBe(true);
});

test('a signal ends a question with its own reason', async () => {
  const { terminal } = open();
  await terminal.waitFor('Base URL:');
  process.kill(terminal.pid, 'SIGUSR1');

  expect(await terminal.exitCode).toBe(2);
  expect(terminal.screen.lines.at(-1)).toBe('adreport: The signal was used.');
});

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
