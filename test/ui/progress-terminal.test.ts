import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundleScript, type Script } from '../support/bundle.ts';
import { openTerminal, type TerminalOptions } from '../support/pty.ts';

/** A program that shows bars, and does the next thing at each key that is pressed. */
const source = `
  import { createConsole } from './src/ui/console.ts';
  import { createProgress } from './src/ui/progress.ts';
  const { stdin, stdout, stderr, env } = process;
  const console = createConsole({ stdin, stdout, stderr, env }, { verbose: 0, color: true });
  const progress = await createProgress('auto', console, () => performance.now());
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
    if (key === 'R') {
      many = progress.parts(5, new Map([['nightly', 3], ['weekly', 1], ['été', 1]]));
      const [first, second] = [many.begin('nightly 2026-11-01', 'nightly'), many.begin('weekly', 'weekly')];
      first.progress.wait('Report 5f0c').update({ status: 'progress', waitedMs: 1_000, polls: 2, nextPollMs: 60_000 });
      first.end(true);
      many.begin('nightly 2026-11-02', 'nightly').progress.transfer('Downloading').update({ bytes: 1_234_000, rows: 5 });
      second.end(false);
    }
    if (key === 'E') many.stop();
    if (key === 'x') process.exit(5);
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

/** Opens the program; typed keys are not echoed, so that the screen holds only what the program draws. */
async function open(options: TerminalOptions = {}) {
  const terminal = openTerminal('sh', ['-c', `stty -echo; exec "${process.execPath}" "${script.file}"`], options);
  await terminal.waitFor('the first line');
  const press = (key: string): void => terminal.type(`${key}\n`);
  return { terminal, press };
}

describe.each([40, 80, 120])('at %d columns', (columns) => {
  test('a bar is drawn, makes room, and leaves nothing', async () => {
    const { terminal, press } = await open({ columns });
    press('w');
    await terminal.waitFor(/Report 7f3a9c21.*progress/);
    expect(terminal.output).toContain('\u001b[?25l');
    expect(terminal.screen.cursorVisible).toBe(false);
    press('n');
    await terminal.waitFor(/something happened.*Report 7f3a9c21/s);
    press('s');
    press('t');
    await terminal.waitFor('31 %');
    press('S');
    press('q');
    expect(await terminal.exitCode).toBe(0);
    const { lines, cursorVisible, wraps, column } = terminal.screen;
    expect(lines).toEqual(['the first line', 'Warning: something happened', 'the last line']);
    expect({ cursorVisible, wraps, column }).toEqual({ cursorVisible: true, wraps: true, column: 0 });
  });
});

test('a result on the same terminal takes the bars away for good', async () => {
  const { terminal, press } = await open();
  press('w');
  press('t');
  await terminal.waitFor(/Report.*\n.*31 %/s);
  press('r');
  await terminal.waitFor('a result');
  press('s');
  press('s');
  press('q');
  expect(await terminal.exitCode).toBe(0);
  expect(terminal.screen.lines).toEqual(['the first line', 'a result', 'the last line']);
});

test('parts have one bar together', async () => {
  const { terminal, press } = await open();
  press('P');
  await terminal.waitFor(/Parts .*2 of 30 · b failed/);
  press('E');
  press('q');
  expect(await terminal.exitCode).toBe(0);
  expect(terminal.screen.lines).toEqual(['the first line', 'the last line']);
});

test('each of up to ten saved reports has a bar, from the beginning to the end', async () => {
  const { terminal, press } = await open();
  press('R');
  await terminal.waitFor(/nightly .*1 of 3 · 1.2 MB · 5 rows.*été .*waiting/s);
  expect(terminal.screen.lines.slice(1).map((line) => line.replace(/ +[━─]+ +/, ' '))).toEqual([
    'nightly 1 of 3 · 1.2 MB · 5 rows',
    'weekly 1 of 1 · weekly failed',
    'été 0 of 1 · waiting',
  ]);
  press('E');
  press('q');
  expect(await terminal.exitCode).toBe(0);
  expect(terminal.screen.lines).toEqual(['the first line', 'the last line']);
});

describe('the terminal is itself again', () => {
  const end = async (how: (press: (key: string) => void, type: (keys: string) => void) => void) => {
    const { terminal, press } = await open();
    press('w');
    press('t');
    await terminal.waitFor(/Report.*\n.*31 %/s);
    how(press, terminal.type);
    const exitCode = await terminal.exitCode;
    const { lines, cursorVisible, wraps } = terminal.screen;
    return { exitCode, lines, cursorVisible, wraps };
  };

  test('after Ctrl-C', async () => {
    expect(await end((_press, type) => type('\u0003'))).toEqual({
      exitCode: 130,
      lines: ['the first line'],
      cursorVisible: true,
      wraps: true,
    });
  });

  test('after a crash', async () => {
    expect(await end((press) => press('e'))).toMatchObject({ exitCode: 1, cursorVisible: true, wraps: true });
  });
});

test('a line longer than the terminal is shown whole above a bar', async () => {
  const { terminal, press } = await open({ columns: 40 });
  press('w');
  await terminal.waitFor('progress');
  press('l');
  await terminal.waitFor(/the end.*progress/s);
  const { lines } = terminal.screen;
  expect(lines.slice(0, -1).join('')).toBe(`the first line${'along-line,'.repeat(10)}the end`);
  // So that the lines of another program on the same terminal are not cut either.
  await expect.poll(() => terminal.screen.wraps).toBe(true);
  press('s');
  press('q');
  expect(await terminal.exitCode).toBe(0);
  expect(terminal.screen.wraps).toBe(true);
});

test('no colour, no line drawing where they are not wanted', async () => {
  const { terminal, press } = await open({ env: { NO_COLOR: '1', LC_ALL: 'C' } });
  press('t');
  await terminal.waitFor('31 %');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what is looked for
  expect(terminal.output).not.toMatch(/\u001b\[\d*m|[━─]/);
  expect(terminal.screen.lines.at(-1)).toMatch(/^Downloading {2}=+-+ {2}31 % - 310 kB of 1.0 MB/);
  press('s');
  press('q');
  expect(await terminal.exitCode).toBe(0);
});
