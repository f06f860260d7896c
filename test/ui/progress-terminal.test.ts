import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundleScript, type Script } from '../support/bundle.ts';
import { openTerminal, type TerminalOptions } from '../support/pty.ts';

/** A program that shows bars, and does the next thing at each key that is pressed. */
const source = `
  import { Console } from './src/ui/console.ts';
  import { createProgress } from './src/ui/progress.ts';
  const { stdin, stdout, stderr, env } = process;
  const console = new Console({ stdin, stdout, stderr, env, platform: process.platform }, { verbose: 0, color: true });
  const progress = await createProgress(console, () => performance.now());
  process.on('SIGINT', () => process.exit(130));
  stdin.setEncoding('utf8').on('data', (keys) => { for (const key of keys.trim()) act(key); });
  const meters = [];
  let many;
  const act = (key) => {
    if (key === 'w') {
      meters.push(progress.wait('Report 7f3a9c21'));
      meters.at(-1).update({ status: 'progress', waitedMs: 1_000, polls: 2, nextPollMs: 60_000 });
    }
    if (key === 't') {
      meters.push(progress.transfer('Downloading', 1_000_000));
      meters.at(-1).update({ bytes: 310_000, rows: 1_200 });
    }
    if (key === 'l') console.note('along-line,'.repeat(10) + 'the end');
    if (key === 'n') console.warn('something happened');
    if (key === 'r') void console.result('a result');
    if (key === 's') meters.shift().stop();
    if (key === 'S') meters.pop().stop();
    if (key === 'P') {
      many = progress.parts(30);
      many.begin('a').end(true);
      many.begin('b').end(false);
      many.begin('c');
    }
    if (key === 'E') many.stop();
    if (key === 'q') { stdin.pause(); console.note('the last line'); }
    if (key === 'e') throw new Error('an unexpected end');
  };
  console.note('the first line');
`;

let script: Script;
beforeAll(() => {
  script = bundleScript(source);
});
afterAll(() => script.remove());

/**
 * Opens the program; typed keys are not echoed, so that the screen holds only what the program
 * draws.
 */
async function open(options: TerminalOptions = {}) {
  const terminal = openTerminal(
    'sh',
    ['-c', `stty -echo; exec "${process.execPath}" "${script.file}"`],
    options,
  );
  await terminal.waitFor('the first line');

  /** Presses keys one after the other, and waits for what they draw. */
  const press = async (keys: string, pattern?: string | RegExp): Promise<void> => {
    for (const key of keys) terminal.type(`${key}\n`);
    if (pattern) await terminal.waitFor(pattern);
  };

  /**
   * The end of the program: nothing is left but the lines that it wrote, and the terminal is itself
   * again.
   */
  const expectEnd = async (lines: readonly string[], exitCode = 0): Promise<void> => {
    expect(await terminal.exitCode).toBe(exitCode);
    const { screen } = terminal;
    expect({ ...screen, row: 0 }).toEqual({
      lines,
      cursorVisible: true,
      wraps: true,
      row: 0,
      column: 0,
    });
  };
  return { terminal, press, expectEnd };
}

test.each([40, 120])(
  'at %d columns a bar is drawn, moves for lines, and is removed at the end',
  async (columns) => {
    const { terminal, press, expectEnd } = await open({ columns });

    await press('w', /Report 7f3a9c21.*waiting/);

    expect(terminal.output).toContain('\u001b[?25l');
    expect(terminal.screen.cursorVisible).toBe(false);

    await press('n', /something happened.*Report 7f3a9c21/s);
    await press('st', '31%');

    await press('Sq');

    await expectEnd(['the first line', 'Warning: something happened', 'the last line']);
  },
);

test('a result on the same terminal removes the bars for good', async () => {
  const { press, expectEnd } = await open();
  await press('wt', /Report.*\n.*31%/s);
  await press('r', 'a result');

  await press('ssq');

  await expectEnd(['the first line', 'a result', 'the last line']);
});

test('parts share one bar', async () => {
  const { press, expectEnd } = await open();
  await press('P', /Parts .*2 of 30 · 1 running, 1 failed · \d/);

  await press('Eq');

  await expectEnd(['the first line', 'the last line']);
});

test('after Ctrl-C and after a crash the terminal is restored', async () => {
  const interrupted = await open();
  await interrupted.press('wt', /Report.*\n.*31%/s);
  interrupted.terminal.type('\u0003');
  await interrupted.expectEnd(['the first line'], 130);
  const { terminal, press } = await open();
  await press('wt', /Report.*\n.*31%/s);

  await press('e');

  expect(await terminal.exitCode).toBe(1);
  expect(terminal.screen).toMatchObject({ cursorVisible: true, wraps: true });
});

test('a line longer than the terminal is shown completely above a bar', async () => {
  const { terminal, press } = await open({ columns: 40 });
  await press('w', 'waiting');
  await press('l', /end.*waiting/s);
  const { lines } = terminal.screen;

  // The last word is on a separate line.
  expect(lines.at(-2)).toBe('end');
  expect(lines.slice(0, -1).join('')).toBe(`the first line${'along-line,'.repeat(10)}theend`);

  // So that the lines of another program on the same terminal are not cut either.
  await expect.poll(() => terminal.screen.wraps).toBe(true);

  await press('sq');

  expect(await terminal.exitCode).toBe(0);
  expect(terminal.screen.wraps).toBe(true);
});

test('no colour and no line drawing if they are turned off', async () => {
  const { terminal, press } = await open({ env: { NO_COLOR: '1', LC_ALL: 'C' } });

  await press('t', '31%');

  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what is looked for
  expect(terminal.output).not.toMatch(/\u001b\[\d*m|[━─]/);
  expect(terminal.screen.lines.at(-1)).toMatch(/^Downloading {2}=+-+ {2}31% - 310 kB of 1.0 MB/);

  await press('sq');

  expect(await terminal.exitCode).toBe(0);
});
