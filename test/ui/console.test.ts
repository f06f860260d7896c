import { Writable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ClosedPipeError, OutputError, UsageError } from '../../src/errors.ts';
import { anyCharacter } from '../support/any-character.ts';
import { type ConsoleSetup, openConsole } from '../support/streams.ts';

const terminal = { stdin: true, stdout: true, stderr: true };

test.each<{ name: string; setup: ConsoleSetup; expected: string }>([
  { name: 'in a pipe', setup: {}, expected: 'a note\nWarning: a warning\nan error\n' },
  {
    name: '--no-color -v',
    setup: { tty: terminal, flags: { verbose: true, color: false } },
    expected: 'a note\nWarning: a warning\na trace\nan error\n',
  },
  {
    name: '-q with -v',
    setup: { flags: { verbose: true, quiet: true } },
    expected: 'Warning: a warning\nan error\n',
  },
  {
    name: 'on a terminal, -v',
    setup: { tty: terminal, flags: { verbose: true } },
    expected:
      'a note\n\u001b[33mWarning:\u001b[39m a warning\n\u001b[2ma trace\u001b[22m\nan error\n',
  },
])('results on stdout, everything else on stderr: $name', async ({ setup, expected }) => {
  const { console, stdout, stderr } = await openConsole(setup);

  await console.result('a result');
  console.note('a note');
  console.warn('a warning');
  console.trace('a trace');
  console.error('an error');

  expect(stdout.text()).toBe('a result\n');
  expect(stderr.text()).toBe(expected);
});

describe('the width of each stream', () => {
  test.each([
    { COLUMNS: '', out: 100, err: 90 },
    { COLUMNS: '40', out: 40, err: 40 },
    { COLUMNS: 'wide', out: 100, err: 90 },
    { COLUMNS: '0', out: 100, err: 90 },
  ])('on a terminal, with COLUMNS=$COLUMNS', async ({ COLUMNS, out, err }) => {
    const { console } = await openConsole({ tty: terminal, env: { COLUMNS } });

    expect(console.out.width).toBe(out);
    expect(console.err.width).toBe(err);
  });

  test('in a pipe', async () => {
    const { console } = await openConsole();

    expect(console.out.width).toBe(80);
    expect(console.err.width).toBe(80);
  });
});

describe('errors', () => {
  test.each([
    {
      thrown: new UsageError('No window was given.'),
      expected: 'adreport: No window was given.\n',
    },
    {
      thrown: new UsageError('The service: \u001b[2Jno\nadreport: ok'),
      expected: 'adreport: The service: ␛[2Jno\n  adreport: ok\n',
    },
    {
      thrown: new TypeError('oops'),
      expected: /^adreport: TypeError: oops\n {2}This is a bug in adreport[^\n]*\n$/,
    },
    { thrown: 'thrown text', expected: /^adreport: thrown text\n/ },
  ])('for people: $thrown', async ({ thrown, expected }) => {
    const { console, stderr } = await openConsole();
    console.renderError(thrown);

    expect(stderr.text()).toMatch(expected);
  });

  test('in color on a terminal; a stack trace only for a bug, and only with -v', async () => {
    const { console, stderr } = await openConsole({ tty: terminal, flags: { verbose: true } });
    console.renderError(new UsageError('No metric "clics".', { hint: 'Did you mean clicks?' }));
    const head = '\u001b[31m\u001b[1madreport:\u001b[22m\u001b[39m';

    expect(stderr.text()).toBe(`${head} No metric "clics".\n  Did you mean clicks?\n`);

    console.renderError(new TypeError('oops'));

    expect(stderr.text()).toMatch(/\n\S*\s+at /);
  });

  test('as JSON they contain no control characters, and the whole message', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: anyCharacter }), async (message) => {
        const { console, stderr } = await openConsole({ flags: { json: true } });
        console.renderError(new UsageError(message));
        const line = stderr.text().slice(0, -1);
        expect(line).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u);
        expect(JSON.parse(line).error.message).toBe(message);
      }),
    );
  });
});

test('secrets never appear on stderr; results are printed unchanged', async () => {
  const { console, stdout, stderr } = await openConsole({ flags: { verbose: true } });
  const secret = 'p"ss wörd\u0007&';
  console.hide(secret);
  console.note(`note ${secret}`);
  console.warn(`warning ${JSON.stringify({ secret })}`);
  console.trace(`trace ${encodeURIComponent(secret)}`);
  console.event({ secret });
  console.renderError(new UsageError(`No ${secret}.`, { hint: secret }));

  expect(stderr.text()).not.toMatch(/ss|w.*rd&/);
  expect(stderr.text().match(/\[hidden\]/g)).toHaveLength(6);

  await console.result(secret);

  expect(stdout.text()).toBe(`${secret}\n`);
});

describe('control characters', () => {
  const hostile = fc.constantFrom(
    '\u001b[2J',
    '\u001b[31m',
    '\u001b]0;title\u0007',
    '\u009b31m',
    '\u202e',
    '\r',
    '\n',
  );
  const nasty = fc
    .array(fc.oneof(fc.string({ unit: anyCharacter }), hostile))
    .map((parts) => parts.join(''));

  test.each([true, false])(
    'are made visible, except line breaks and our own colors (%s)',
    async (isTerminal) => {
      const ours = new RegExp(`${'\u001b'}\\[(0|1|2|22|3[1236]|39)m`, 'g');
      await fc.assert(
        fc.asyncProperty(nasty, async (text) => {
          const { console, stderr } = await openConsole({ tty: { stderr: isTerminal } });
          console.note(text);
          const shown = isTerminal ? stderr.text().replace(ours, '') : stderr.text();
          expect(shown).not.toMatch(/[\p{Bidi_Control}\p{Zl}\p{Zp}]|[^\P{Cc}\n]/u);
        }),
      );
    },
  );
});

test.each([
  { isTerminal: true, expected: ['a line', 'cleared'] },
  { isTerminal: false, expected: ['a line', 'another line'] },
])(
  'lines are written above a bar, and a result on a terminal removes it: $isTerminal',
  async ({ isTerminal, expected }) => {
    const { console, stderr } = await openConsole({ tty: { ...terminal, stdout: isTerminal } });
    const calls: string[] = [];
    const clear = (): void => {
      calls.push('cleared');
      console.showBar(undefined);
    };
    console.showBar({ log: (line) => calls.push(line), clear });
    console.note('a line');
    await console.result('a result');
    console.note('another line');

    expect(calls).toEqual(expected);
    expect(stderr.text()).toBe(isTerminal ? 'another line\n' : '');
  },
);

test('results wait for a slow reader', async () => {
  const taken: (() => void)[] = [];
  const slow = new Writable({ write: (_chunk, _encoding, done) => void taken.push(done) });
  const { console } = await openConsole({ out: slow });
  let isDone = false;
  const writing = console.write('x').then(() => {
    isDone = true;
  });

  await new Promise(setImmediate);

  expect(isDone).toBe(false);

  taken[0]?.();
  await writing;
});

test.each([
  { code: 'EPIPE', expected: ClosedPipeError },
  { code: 'ERR_STREAM_DESTROYED', expected: ClosedPipeError },
  { code: 'ENOSPC', expected: OutputError },
  { code: 'EIO', expected: OutputError },
])('results that fail with $code', async ({ code, expected }) => {
  const failing = new Writable({
    write: (_chunk, _encoding, done) =>
      done(Object.assign(new Error(`${code}: it failed, write`), { code })),
  });
  const { console } = await openConsole({ out: failing });
  // The stream says something else the second time.
  for (const text of ['x', 'y']) await expect(console.result(text)).rejects.toThrow(expected);
});
