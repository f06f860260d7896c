import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OutputError, UsageError } from '../../src/errors.ts';
import { ClosedPipeError } from '../../src/ui/console.ts';
import { bundleScript, type Script } from '../support/bundle.ts';
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

  test('with --json one line, with -q too', async () => {
    const { console, stderr } = await openConsole({ tty: terminal, flags: { json: true, quiet: true, verbose: 2 } });
    console.renderError(error);
    console.renderError(new TypeError('oops'));
    const lines = stderr.text().trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).error.exitCode)).toEqual([2, 1]);
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

  test('a closed pipe is none', async () => {
    const { console, stderr } = await openConsole();
    console.renderError(new ClosedPipeError());
    expect(stderr.text()).toBe('');
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

test('control characters are made visible on stderr, line breaks are kept', async () => {
  const { console, stderr } = await openConsole({ tty: terminal });
  console.note('one\u001b[2J\ntwo\u009b');
  expect(stderr.text()).toBe('one␛[2J\ntwo\\u009b\n');
});

test('an overlay makes room for lines, and for results on the same terminal', async () => {
  for (const [stdoutIsTerminal, expected] of [
    [true, ['hide', 'show', 'hide', 'show']],
    [false, ['hide', 'show']],
  ] as const) {
    const { console } = await openConsole({ tty: { ...terminal, stdout: stdoutIsTerminal } });
    const calls: string[] = [];
    const detach = console.attach({ hide: () => calls.push('hide'), show: () => calls.push('show') });
    console.note('a line');
    await console.result('a result');
    detach();
    console.note('another line');
    expect(calls).toEqual(expected);
  }
});

describe('results', () => {
  test('wait for a slow reader', async () => {
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
    expect(isDone).toBe(true);
  });

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

describe('in a process of its own', () => {
  let script: Script;
  beforeAll(() => {
    script = bundleScript(`
      import { createConsole, ClosedPipeError } from './src/ui/console.ts';
      const { stdin, stdout, stderr, env } = process;
      const console = await createConsole({ stdin, stdout, stderr, env, flags: { verbose: 0, color: true } });
      try {
        for (let i = 0; i < 100_000; i += 1) await console.result('line ' + i + ' '.repeat(100));
      } catch (error) {
        console.note('note after the end');
        console.renderError(error);
        process.exitCode = error.exitCode;
      }
    `);
  });
  afterAll(() => script.remove());

  test('a closed pipe ends quietly', async () => {
    const child = spawn(process.execPath, [script.file], { stdio: ['ignore', 'pipe', 'pipe'] });
    let stderr = '';
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
    });
    child.stdout.once('data', () => child.stdout.destroy());
    const [exitCode] = await once(child, 'close');
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: 'note after the end\n' });
  });

  test('both streams closed end quietly too', async () => {
    const child = spawn(process.execPath, [script.file], { stdio: ['ignore', 'pipe', 'pipe'] });
    child.stderr.destroy();
    child.stdout.once('data', () => child.stdout.destroy());
    const [exitCode] = await once(child, 'close');
    expect(exitCode).toBe(0);
  });

  test.skipIf(!existsSync('/dev/full'))('a full disk is exit 8', () => {
    const command = `"${process.execPath}" "${script.file}" 2>&1 >/dev/full; echo "exit $?"`;
    expect(execFileSync('sh', ['-c', command], { encoding: 'utf8' })).toBe(
      'note after the end\nadreport: stdout could not be written: no space left on device.\nexit 8\n',
    );
  });
});
