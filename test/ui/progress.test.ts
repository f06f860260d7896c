import { expect, test } from 'vitest';
import { createProgress } from '../../src/ui/progress.ts';
import { openConsole } from '../support/streams.ts';

interface Setup {
  readonly isTTY?: boolean;
  readonly quiet?: boolean;
  readonly env?: Readonly<Record<string, string>>;
}

async function setUp({ isTTY = false, quiet = false, env = {} }: Setup = {}) {
  const tty = { stdout: isTTY, stderr: isTTY };
  const { console, stdout, stderr } = await openConsole({ tty, env, flags: { quiet } });
  const time = { nowMs: 1_000 };
  const startMs = new Date(2026, 10, 20, 9).getTime();
  const progress = await createProgress(console, {
    stopwatch: () => time.nowMs,
    wallClock: () => startMs + time.nowMs,
  });
  return { progress, time, stderr, stdout };
}

/** A report that is ready after 30 s, asked for every 3 s, and a download of 20 s. */
async function runThrough(setup: Setup): Promise<string[]> {
  const { progress, time, stderr, stdout } = await setUp(setup);
  const wait = progress.wait('Report 7f3a');
  for (let polls = 0; polls <= 10; polls += 1) {
    const waitedMs = polls * 3_000;
    time.nowMs = 1_000 + waitedMs;
    wait.update({
      status: polls === 10 ? 'ready' : 'progress',
      waitedMs,
      polls,
      nextPollMs: 3_000,
    });
  }
  wait.stop();
  const transfer = progress.transfer('Download of 7f3a', 40_000_000);
  for (let part = 1; part <= 40; part += 1) {
    time.nowMs += 500;
    transfer.update({ bytes: part * 1_000_000, rows: part * 2_000 });
  }
  transfer.stop();
  expect(stdout.text()).toBe('');
  return stderr.text().split('\n').slice(0, -1);
}

const plainLines = [
  '09:00:04 Report 7f3a requested, waiting',
  '09:00:16 Report 7f3a: waiting for the service, 15 s',
  '09:00:28 Report 7f3a: waiting for the service, 27 s',
  '09:00:41 Download of 7f3a: 20.0 MB of 40.0 MB, 40,000 rows',
  '09:00:51 Download of 7f3a: 40.0 MB of 40.0 MB, 80,000 rows',
];

test.each<{ name: string; setup: Setup; expected: readonly string[] }>([
  { name: 'in a pipe', setup: {}, expected: plainLines },
  {
    name: 'on a dumb terminal',
    setup: { isTTY: true, env: { TERM: 'dumb' } },
    expected: plainLines,
  },
  { name: '-q', setup: { quiet: true }, expected: [] },
])('$name', async ({ setup, expected }) => {
  expect(await runThrough(setup)).toEqual(expected);
});

test('only changes are printed', async () => {
  const { progress, time, stderr } = await setUp();
  const wait = progress.wait('Report 7f3a');
  for (let i = 0; i < 5; i += 1) {
    wait.update({ status: 'progress', waitedMs: 0, polls: 1, nextPollMs: 0 });
    time.nowMs += 60_000;
  }

  expect(stderr.text()).toBe('09:00:01 Report 7f3a requested, waiting\n');
});

test('parts share one line, at most one every ten seconds', async () => {
  const { progress, time, stderr } = await setUp();
  const parts = progress.parts(3);
  for (const label of ['a', 'b', 'c']) {
    const part = parts.begin(label);
    part.progress
      .wait('Report 5f0c')
      .update({ status: 'progress', waitedMs: 1, polls: 1, nextPollMs: 1 });
    part.end(label !== 'b');
    time.nowMs += 6_000;
  }

  expect(stderr.text()).toBe(
    '09:00:01 Reports: 0 of 3 done, 1 running\n09:00:13 Reports: 1 of 3 done, 1 running, 1 failed\n',
  );
});
