import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Client } from '../../src/api/client.ts';
import type { StatusResponse } from '../../src/api/read-responses.ts';
import { type Poll, type PollInterval, pauseAfter, waitUntilReady } from '../../src/client/wait.ts';
import { InterruptedError, StillInProgressError } from '../../src/errors.ts';

const minuteMs = 60_000;

interface Scene {
  /** Time from the start of the wait until the report is done; never by default. */
  readonly endsAfterMs?: number;
  readonly endsAs?: { readonly status: string; readonly message?: string };
  readonly word?: string;
  readonly retryAfterMs?: number;
  readonly interval?: PollInterval;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  readonly onPoll?: (poll: Poll) => void;
}

/** Waits for a report in simulated time, and returns the calls with their times. */
async function play(scene: Scene): Promise<{ pollsMs: number[]; result: unknown }> {
  const { endsAfterMs = Infinity, endsAs = { status: 'ready' }, word = 'progress' } = scene;
  const { interval, timeoutMs = 30 * minuteMs, retryAfterMs, signal, onPoll } = scene;
  let nowMs = 5_000;
  const pollsMs: number[] = [];
  const client = {
    host: {
      wallClock: () => nowMs,
      stopwatch: () => nowMs,
      sleep: async (durationMs: number, own?: AbortSignal) => {
        own?.throwIfAborted();
        nowMs += durationMs;
      },
      signal: new AbortController().signal,
    },
    async status(id: string): Promise<StatusResponse> {
      pollsMs.push(nowMs - 5_000);
      const isOver = nowMs - 5_000 >= endsAfterMs;
      const { status, message = status } = isOver ? endsAs : { status: word };
      return { status, message, report_id: id, retryAfterMs };
    },
  };
  const report = { id: 'r1', status: 'progress', createdMs: 0 };
  const limits = { endMs: nowMs + timeoutMs, pollInterval: interval, signal, onPoll };
  const result = await waitUntilReady(client as unknown as Client, report, limits).catch(
    (error: unknown) => error,
  );
  return { pollsMs, result };
}

test.each([
  { waitedMs: 0, interval: 'auto', expected: 500 },
  { waitedMs: 5_000, interval: 'auto', expected: 500 },
  { waitedMs: 60_000, interval: 'auto', expected: 6_000 },
  { waitedMs: 3_600_000, interval: 'auto', expected: 30_000 },
  { waitedMs: 3_600_000, interval: 100, expected: 100 },
] as const)('after $waitedMs ms at $interval: $expected ms', ({ waitedMs, interval, expected }) => {
  expect(pauseAfter(waitedMs, interval)).toBe(expected);
});

describe('waiting for a report', () => {
  test('notices it at most a tenth too late, half a second at least, and never over 30 s', async () => {
    const anyDuration = fc.integer({ min: 1, max: 4 * 60 * minuteMs });
    await fc.assert(
      fc.asyncProperty(anyDuration, async (endsAfterMs) => {
        const { pollsMs, result } = await play({ endsAfterMs, timeoutMs: 24 * 60 * minuteMs });
        const lagMs = (pollsMs.at(-1) ?? 0) - endsAfterMs;
        expect(result).toMatchObject({ status: 'ready' });
        expect(lagMs).toBeGreaterThanOrEqual(0);
        expect(lagMs).toBeLessThanOrEqual(Math.min(Math.max(endsAfterMs / 10, 500), 30_000));
      }),
    );
  });

  test('ends at the deadline with a last call, for any interval and Retry-After', async () => {
    const anyInterval = fc.oneof(
      fc.constant('auto' as const),
      fc.integer({ min: 100, max: 100_000 }),
    );
    await fc.assert(
      fc.asyncProperty(
        ...([anyInterval, fc.nat(10 * minuteMs), fc.nat(100_000)] as const),
        async (interval, timeoutMs, retryAfterMs) => {
          const { pollsMs, result } = await play({ interval, timeoutMs, retryAfterMs });
          expect(pollsMs.at(-1)).toBeCloseTo(timeoutMs, 6);
          const gaps = pollsMs.slice(1).map((pollMs, index) => pollMs - (pollsMs[index] ?? 0));
          const shortest = Math.max(interval === 'auto' ? 500 : interval, retryAfterMs);
          for (const gap of gaps.slice(0, -1)) expect(gap).toBeGreaterThanOrEqual(shortest - 1e-6);
          expect(result).toBeInstanceOf(StillInProgressError);
        },
      ),
    );
  });

  test.each([
    { timeoutMs: 90_000, message: 'The report r1 is still in progress (queued) after 1 min 30 s.' },
    { timeoutMs: 0, message: 'The report r1 is still in progress (queued).' },
  ])('still in progress after $timeoutMs ms: exit 7', async ({ timeoutMs, message }) => {
    const { result } = await play({ timeoutMs, word: 'Queued' });
    expect(result).toMatchObject({ message, exitCode: 7, retryable: true, reportId: 'r1' });
  });

  test.each([
    ['failed', 'failed', 'The report r1 failed.'],
    ['FAILED', 'out of memory', 'The report r1 failed: out of memory.'],
    ['expired', '', 'The report r1 expired.'],
    [
      'canceled',
      'by\u001b[31m an admin',
      'The report r1 has the status “canceled”: by␛[31m an admin.',
    ],
  ])('%s (%s) is exit 6, with the service’s message', async (status, reason, message) => {
    const endsAs = { status, message: reason };
    const { result, pollsMs } = await play({ endsAfterMs: 600, endsAs });
    expect(result).toMatchObject({ message, exitCode: 6, reportId: 'r1', retryable: false });
    expect(pollsMs).toEqual([0, 500, 1_000]);
  });

  test('each call is reported, and the last one has no next', async () => {
    const polls: Poll[] = [];
    await play({ endsAfterMs: 800, onPoll: (poll) => polls.push(poll) });
    expect(polls).toEqual([
      { status: 'progress', polls: 1, waitedMs: 0, nextPauseMs: 500 },
      { status: 'progress', polls: 2, waitedMs: 500, nextPauseMs: 500 },
      { status: 'ready', polls: 3, waitedMs: 1_000, nextPauseMs: undefined },
    ]);
  });

  test('an abort ends the wait with its reason, during a pause and before a call', async () => {
    const controller = new AbortController();
    const reason = new InterruptedError(130);
    const onPoll = ({ polls }: Poll): void => {
      if (polls === 3) controller.abort(reason);
    };

    const during = await play({ signal: controller.signal, onPoll });
    expect(during).toMatchObject({ result: reason, pollsMs: [0, 500, 1_000] });

    const before = await play({ signal: controller.signal, onPoll });
    expect(before).toEqual({ result: reason, pollsMs: [] });
  });
});
