import { expect, test } from 'vitest';
import { createProgress, type ProgressMode } from '../../src/ui/progress.ts';
import { openConsole } from '../support/streams.ts';

interface Setup {
  readonly mode: ProgressMode;
  readonly isTTY?: boolean;
  readonly quiet?: boolean;
  readonly env?: Readonly<Record<string, string>>;
}

async function setUp({ mode, isTTY = false, quiet = false, env = {} }: Setup) {
  const tty = { stdout: isTTY, stderr: isTTY };
  const { console, stdout, stderr } = await openConsole({ tty, env, flags: { quiet } });
  const time = { nowMs: 1_000 };
  const startMs = new Date(2026, 10, 20, 9).getTime();
  const progress = await createProgress(mode, console, {
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
  { name: 'plain', setup: { mode: 'plain' }, expected: plainLines },
  { name: 'auto in a pipe', setup: { mode: 'auto' }, expected: plainLines },
  { name: 'a bar in a pipe', setup: { mode: 'bar' }, expected: plainLines },
  {
    name: 'auto on a dumb terminal',
    setup: { mode: 'auto', isTTY: true, env: { TERM: 'dumb' } },
    expected: plainLines,
  },
  { name: 'none', setup: { mode: 'none' }, expected: [] },
  { name: '-q', setup: { mode: 'auto', quiet: true }, expected: [] },
])('$name', async ({ setup, expected }) => {
  expect(await runThrough(setup)).toEqual(expected);
});

test('json: every status call, and a download at most once a second and at its end', async () => {
  const events = (await runThrough({ mode: 'json', isTTY: true })).map((line) => JSON.parse(line));

  expect(events.slice(0, 2)).toEqual([
    {
      event: 'status',
      label: 'Report 7f3a',
      status: 'progress',
      waitedMs: 0,
      polls: 0,
      nextPollMs: 3_000,
    },
    {
      event: 'status',
      label: 'Report 7f3a',
      status: 'progress',
      waitedMs: 3_000,
      polls: 1,
      nextPollMs: 3_000,
    },
  ]);
  expect(events.filter(({ event }) => event === 'status')).toHaveLength(11);

  const downloads = events.filter(({ event }) => event === 'download');

  expect(downloads).toHaveLength(21);
  expect(downloads.at(-1)).toEqual({
    event: 'download',
    label: 'Download of 7f3a',
    bytes: 40_000_000,
    totalBytes: 40_000_000,
    rows: 80_000,
  });
});

test('plain: only changes are printed', async () => {
  const { progress, time, stderr } = await setUp({ mode: 'plain' });
  const wait = progress.wait('Report 7f3a');
  for (let i = 0; i < 5; i += 1) {
    wait.update({ status: 'progress', waitedMs: 0, polls: 1, nextPollMs: 0 });
    time.nowMs += 60_000;
  }

  expect(stderr.text()).toBe('09:00:01 Report 7f3a requested, waiting\n');
});

test('parts share one line, at most one every ten seconds', async () => {
  const { progress, time, stderr } = await setUp({ mode: 'plain' });
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

test('as JSON every change is an event, and events of a part have its name', async () => {
  const { progress, stderr } = await setUp({ mode: 'json' });
  const part = progress.parts(1).begin('2026-11-01');
  part.progress
    .wait('Report 5f0c')
    .update({ status: 'ready', waitedMs: 1, polls: 1, nextPollMs: 0 });
  part.end(true);

  const events = stderr.text().trimEnd().split('\n');

  expect(events.map((line) => JSON.parse(line))).toMatchObject([
    { event: 'parts', total: 1, done: 0, running: 1 },
    { event: 'status', label: '2026-11-01', status: 'ready' },
    { event: 'parts', total: 1, done: 1, failed: 0, running: 0 },
  ]);
});
