import { Writable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { OutputError, StillInProgressError, UsageError } from '../../src/errors.ts';
import { ClosedPipeError } from '../../src/ui/console.ts';
import { type ConsoleSetup, openConsole } from '../support/console.ts';

const terminal = { stdin: true, stdout: true, stderr: true };

describe('what is said where', () => {
  const speak = async (setup: ConsoleSetup): Promise<string> => {
    const { console, stdout, stderr } = await openConsole(setup);
    await console.result('a result');
    console.note('a note');
    console.warn('a warning');
    console.trace(1, 'a trace');
    console.trace(2, 'a longer trace');
    console.error('an error');
    return `stdout: ${JSON.stringify(stdout.text())}\nstderr: ${JSON.stringify(stderr.text())}`;
  };

  test('in a pipe', async () => {
    expect(await speak({})).toMatchInlineSnapshot(`
      "stdout: "a result\\n"
      stderr: "a note\\nWarning: a warning\\nan error\\n""
    `);
  });
  test('on a terminal', async () => {
    expect(await speak({ tty: terminal, flags: { verbose: 2 } })).toMatchInlineSnapshot(`
      "stdout: "a result\\n"
      stderr: "a note\\n\\u001b[33mWarning:\\u001b[39m a warning\\n\\u001b[2ma trace\\u001b[22m\\n\\u001b[2ma longer trace\\u001b[22m\\nan error\\n""
    `);
  });
  test('on a terminal, --no-color -v', async () => {
    expect(await speak({ tty: terminal, flags: { verbose: 1, color: false } })).toMatchInlineSnapshot(`
      "stdout: "a result\\n"
      stderr: "a note\\nWarning: a warning\\na trace\\nan error\\n""
    `);
  });
  test('-q silences all but errors, -vv included', async () => {
    expect(await speak({ flags: { verbose: 2, quiet: true } })).toMatchInlineSnapshot(`
      "stdout: "a result\\n"
      stderr: "an error\\n""
    `);
  });
});

describe('each stream by its own rules', () => {
  test('stdout in a pipe and stderr on a terminal', async () => {
    const { console } = await openConsole({ tty: { stdin: true, stderr: true } });
    expect(console.out.style.red('x')).toBe('x');
    expect(console.err.style.red('x')).toBe('\u001b[31mx\u001b[39m');
    expect([console.out.isTerminal, console.err.isTerminal, console.err.canDraw]).toEqual([false, true, true]);
  });

  test.each([
    [{ stdin: true, stderr: true }, true],
    [{ stdin: true, stdout: true }, false],
    [{ stderr: true, stdout: true }, false],
  ])('terminals at %j: questions can be asked: %s', async (tty, expected) => {
    expect((await openConsole({ tty })).console.isInteractive).toBe(expected);
  });

  test.each([
    [terminal, {}, [100, 90]],
    [terminal, { COLUMNS: '40' }, [40, 40]],
    [terminal, { COLUMNS: 'wide' }, [100, 90]],
    [terminal, { COLUMNS: '0' }, [100, 90]],
    [{}, {}, [80, 80]],
  ])('columns of %j with %j: %j', async (tty, env, expected) => {
    const { console } = await openConsole({ tty, env });
    expect([console.out.columns, console.err.columns]).toEqual(expected);
  });
});

describe('errors', () => {
  const error = new UsageError('No metric "clics".', { hint: 'Did you mean clicks?' });

  test('for people, in colour on a terminal', async () => {
    const { console, stderr } = await openConsole({ tty: terminal });
    console.renderError(error);
    expect(stderr.text()).toBe(
      '\u001b[31m\u001b[1madreport:\u001b[22m\u001b[39m No metric "clics".\n  Did you mean clicks?\n',
    );
  });

  test.each([
    [new UsageError('No window was given.'), 'adreport: No window was given.\n'],
    [new UsageError('The service: \u001b[2Jno\nadreport: ok'), 'adreport: The service: ␛[2Jno\n  adreport: ok\n'],
    [new TypeError('oops'), /^adreport: TypeError: oops\n {2}This is a bug in adreport[^\n]*\n$/],
    ['thrown text', /^adreport: thrown text\n/],
  ])('for people: %s', async (thrown, expected) => {
    const { console, stderr } = await openConsole();
    console.renderError(thrown);
    expect(stderr.text()).toMatch(expected);
  });

  test('with --json one line with every member, with -q too', async () => {
    const { console, stderr } = await openConsole({ tty: terminal, flags: { json: true, quiet: true, verbose: 2 } });
    console.renderError(new StillInProgressError('Not yet.', { hint: 'Wait.', reportId: '7' }));
    console.renderError(new TypeError('oops'));
    const lines = stderr.text().trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).error)).toEqual([
      { code: 'STILL_IN_PROGRESS', message: 'Not yet.', hint: 'Wait.', retryable: true, exitCode: 7, reportId: '7' },
      expect.objectContaining({ code: 'BUG', exitCode: 1, retryable: false, reportId: null }),
    ]);
  });

  test('as JSON it steers no terminal, and says what the message said', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), async (message) => {
        const { console, stderr } = await openConsole({ flags: { json: true } });
        console.renderError(new UsageError(message));
        const line = stderr.text().slice(0, -1);
        expect(line).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u);
        expect(JSON.parse(line).error.message).toBe(message);
      }),
    );
  });

  test('a stack trace only for a bug, and only with -vv', async () => {
    for (const [verbose, bug, expected] of [
      [2, true, true],
      [1, true, false],
      [2, false, false],
    ] as const) {
      const { console, stderr } = await openConsole({ flags: { verbose } });
      console.renderError(bug ? new TypeError('oops') : error);
      expect(/\n\s+at /.test(stderr.text())).toBe(expected);
    }
  });
});

describe('secrets', () => {
  test('appear in nothing that goes to stderr', async () => {
    const { console, stderr } = await openConsole({ flags: { verbose: 2 } });
    const secret = 'p"ss wörd\u0007&';
    console.hide(secret);
    console.note(`note ${secret}`);
    console.warn(`warning ${JSON.stringify({ secret })}`);
    console.trace(2, `trace ${encodeURIComponent(secret)}`);
    console.error(`error ${secret}`);
    console.event({ secret });
    console.renderError(new UsageError(`No ${secret}.`, { hint: secret }));
    expect(stderr.text()).not.toMatch(/ss|w.*rd&/);
    expect(stderr.text().match(/\[hidden\]/g)).toHaveLength(7);
  });

  test('a result is given as it is', async () => {
    const { console, stdout } = await openConsole();
    console.hide('demo');
    await console.result('demo campaign');
    expect(stdout.text()).toBe('demo campaign\n');
  });
});

describe('what could steer a terminal', () => {
  const nasty = fc
    .array(
      fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.constantFrom('\u001b[2J', '\u001b[31m', '\u001b]0;title\u0007', '\u009b31m', '\u202e', '\r', '\n'),
      ),
    )
    .map((parts) => parts.join(''));

  test.each([true, false])(
    'is made visible but for line breaks and our own colours (terminal: %s)',
    async (isTerminal) => {
      const ours = new RegExp(`${'\u001b'}\\[(0|1|2|22|3[1236]|39)m`, 'g');
      await fc.assert(
        fc.asyncProperty(nasty, async (text) => {
          const { console, stderr } = await openConsole({ tty: { stderr: isTerminal } });
          console.note(text);
          const said = isTerminal ? stderr.text().replace(ours, '') : stderr.text();
          expect(said).not.toMatch(/[\p{Bidi_Control}\p{Zl}\p{Zp}]|[^\P{Cc}\n]/u);
        }),
      );
    },
  );

  test('is shown, and safe text stays as it is', async () => {
    const { console, stderr } = await openConsole({ tty: terminal });
    console.note('one\u001b[2J\ntwo\u009b\u001b[8mgone\r');
    console.note('Été “Noël” 雪 🎄');
    expect(stderr.text()).toBe('one␛[2J\ntwo\\u009b␛[8mgone␍\nÉté “Noël” 雪 🎄\n');
  });
});

describe('results', () => {
  test.each([
    ['EPIPE', ClosedPipeError],
    ['ERR_STREAM_DESTROYED', ClosedPipeError],
    ['ENOSPC', OutputError],
    ['EIO', OutputError],
  ])('%s', async (code, expected) => {
    const failing = new Writable({
      write: (_chunk, _encoding, done) => done(Object.assign(new Error(`${code}: it failed, write`), { code })),
    });
    const { console } = await openConsole({ out: failing });
    await expect(console.result('x')).rejects.toThrow(expected);
    // The stream says something else the second time.
    await expect(console.result('y')).rejects.toThrow(expected);
    expect(console.isClosed).toBe(expected === ClosedPipeError);
  });
});
