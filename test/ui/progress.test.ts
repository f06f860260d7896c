import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createProgress } from '../../src/ui/progress.ts';
import { drawScreen } from '../support/screen.ts';
import { openConsole } from '../support/streams.ts';

interface Setup {
  readonly isTTY?: boolean;
  readonly quiet?: boolean;
  readonly env?: Readonly<Record<string, string>>;
}

// cli-progress draws by a timer.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] }));
afterEach(() => void vi.useRealTimers());

async function setUp({ isTTY = false, quiet = false, env = {} }: Setup = {}) {
  const tty = { stdout: isTTY, stderr: isTTY };
  const { console, stderr } = await openConsole({ tty, env, flags: { quiet } });
  const progress = await createProgress(console, { stopwatch: () => Date.now() });
  const pass = (durationMs: number): void => void vi.advanceTimersByTime(durationMs);
  const screen = (): readonly string[] => drawScreen(stderr.text(), 90).lines;
  return { console, progress, stderr, pass, screen };
}

/** A report that is ready after 30 s, asked for every 3 s, and a download of 20 s. */
async function runThrough(setup: Setup): Promise<readonly string[]> {
  const { progress, pass, stderr } = await setUp(setup);
  const wait = progress.wait('Report 7f3a');
  for (let polls = 1; polls <= 10; polls += 1) {
    pass(3_000);
    wait.update(polls < 7 ? 'progress' : 'queued');
  }
  wait.stop();
  const show = progress.download();
  for (let part = 0; part <= 40; part += 1) {
    show({ bytes: part * 1_000_000, sizeBytes: 40_000_000, isOver: part === 40 });
    pass(500);
  }
  return stderr.text().split('\n').slice(0, -1);
}

const lines = [
  'Report 7f3a: waiting, 3 s',
  'Report 7f3a: waiting, 15 s',
  'Report 7f3a: queued, 27 s',
  'Downloading: 20.0 MB of 40.0 MB',
  'Downloading: 40.0 MB of 40.0 MB',
];

test.each<{ name: string; setup: Setup; expected: readonly string[] }>([
  { name: 'in a pipe', setup: {}, expected: lines },
  { name: 'on a dumb terminal', setup: { isTTY: true, env: { TERM: 'dumb' } }, expected: lines },
  { name: 'with -q', setup: { quiet: true }, expected: [] },
])('$name: a line when something changes, at most one in 10 s', async ({ setup, expected }) => {
  expect(await runThrough(setup)).toEqual(expected);
});

test('on a terminal a bar shows the time waited against the usual time, at most 95 %', async () => {
  const { progress, pass, stderr, screen } = await setUp({ isTTY: true });
  const wait = progress.wait('Report 7f3a', 10_000);
  expect(screen()).toEqual([`Report 7f3a  ${'─'.repeat(20)}  0%  waiting, 0 s`]);

  pass(5_000);
  expect(screen()).toEqual([`Report 7f3a  ${'━'.repeat(10)}${'─'.repeat(10)}  50%  waiting, 5 s`]);
  pass(30_000);
  wait.update('queued');
  pass(100);
  expect(screen()[0]).toMatch(/ 95% {2}queued, 35 s$/);

  const drawn = stderr.text().split('Report 7f3a').slice(1);
  expect(drawn.filter((line, index) => line === drawn[index - 1])).toEqual([]);

  wait.stop();
  expect(screen()).toEqual([]);
});

test('without a report of the account the usual time is a minute', async () => {
  const { progress, pass, screen } = await setUp({ isTTY: true });
  progress.wait('Report 7f3a');
  pass(30_000);
  expect(screen()[0]).toContain(' 50% ');
});

test('a bar shows the bytes of a download, and the parts of a run', async () => {
  const { progress, pass, screen } = await setUp({ isTTY: true });
  const bytes = 310_000;
  const show = progress.download();
  show({ bytes, sizeBytes: 1_000_000, isOver: false });
  pass(100);
  expect(screen()).toEqual(['Downloading  ━━━━━━──────────────  31%  310 kB of 1.0 MB']);
  show({ bytes, sizeBytes: 1_000_000, isOver: true });

  const showUnknown = progress.download();
  showUnknown({ bytes, sizeBytes: undefined, isOver: false });
  pass(100);
  expect(screen()).toEqual(['Downloading  310 kB']);
  showUnknown({ bytes, sizeBytes: undefined, isOver: true });

  const parts = progress.parts(4);
  parts.begin().end(true);
  parts.begin().end(false);
  parts.begin();
  pass(100);
  expect(screen()).toEqual([
    'Reports  ━━━━━━━━━━──────────  50%  1 of 4 done, 1 running, 1 failed',
  ]);
  parts.stop();
});

test('lines stand above the bar; a result on the same terminal removes it for good', async () => {
  const { console, progress, pass, screen } = await setUp({ isTTY: true });
  const wait = progress.wait('Report 7f3a');

  console.warn(`${'a long line, '.repeat(10)}the end`);

  const above = screen();
  expect(above.slice(0, -1).join(' ')).toMatch(/^Warning: a long line,.* the end$/);
  expect(above.at(-1)).toMatch(/^Report 7f3a/);

  await console.result('a result');
  pass(1_000);
  expect(screen()).toEqual(above.slice(0, -1));
  wait.stop();
});
