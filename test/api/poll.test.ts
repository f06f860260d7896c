import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Poll,
  type PollInterval,
  pauseAfter,
  type WaitOptions,
  waitForReport,
} from '../../src/api/poll.ts';
import { InterruptedError, StillInProgressError } from '../../src/errors.ts';

const minuteMs = 60_000;

interface Scene {
  /** Time from the start of the wait until the report is done; never by default. */
  readonly endsAfterMs?: number;
  readonly endsAs?: { readonly status: string; readonly message?: string };
  readonly word?: string;
  readonly retryAfterMs?: number;

  /** The duration of a status call. */
  readonly callMs?: number;
  readonly interval?: PollInterval;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  readonly onPoll?: WaitOptions['onPoll'];
}

/** Waits for a report in simulated time, and returns the events with their times. */
async function play(scene: Scene): Promise<{ pollsMs: number[]; result: unknown }> {
  const {
    endsAfterMs = Infinity,
    endsAs = { status: 'ready' },
    word = 'progress',
    callMs = 0,
  } = scene;
  let nowMs = 5_000;
  const pollsMs: number[] = [];
  const result = await waitForReport({
    reportId: 'r1',
    pollInterval: scene.interval,
    timeoutMs: scene.timeoutMs ?? 30 * minuteMs,
    host: {
      stopwatch: () => nowMs,
      sleep: async (durationMs, signal) => {
        signal?.throwIfAborted();
        nowMs += durationMs;
      },
    },
    signal: scene.signal,
    onPoll: scene.onPoll,
    async status(id) {
      pollsMs.push(nowMs - 5_000);
      const { status, message = status } = nowMs - 5_000 >= endsAfterMs ? endsAs : { status: word };
      nowMs += callMs;
      return {
        status,
        message,
        report_id: id,
        ...(scene.retryAfterMs ? { retryAfterMs: scene.retryAfterMs } : {}),
      };
    },
  }).catch((error: unknown) => error);
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

describe('waitForReport', () => {
  test('the delay is at most a tenth of the time waited, at least half a second, and never over 30 s', async () => {
    const anyDuration = fc.oneof(
      fc.integer({ min: 1, max: 20_000 }),
      fc.integer({ min: 1, max: 4 * 60 * minuteMs }),
    );
    await fc.assert(
      fc.asyncProperty(anyDuration, async (endsAfterMs) => {
        const { pollsMs, result } = await play({ endsAfterMs, timeoutMs: Infinity });
        const lagMs = (pollsMs.at(-1) ?? 0) - endsAfterMs;
        expect(result).toMatchObject({ status: 'ready' });
        expect(lagMs).toBeGreaterThanOrEqual(0);
        expect(lagMs).toBeLessThanOrEqual(Math.min(Math.max(endsAfterMs / 10, 500), 30_000));
        // Half seconds to 5 s, a tenth more each time to 5 min, then every 30 s.
        expect(pollsMs.length).toBeLessThanOrEqual(
          2 + 10 + 43 + Math.max(0, endsAfterMs - 300_000) / 30_000,
        );
      }),
    );
  });

  test('the wait ends at the deadline with a last call, for any interval and Retry-After', async () => {
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

  test('still in progress at the deadline: exit 7, retryable, with the id', async () => {
    const { result } = await play({ timeoutMs: 90_000, word: 'Queued' });
    const message = 'The report r1 is still in progress (queued) after 1 min 30 s.';

    expect(result).toMatchObject({ message, exitCode: 7, retryable: true, reportId: 'r1' });

    const { result: atOnce } = await play({ timeoutMs: 0 });

    expect(atOnce).toMatchObject({
      message: 'The report r1 is still in progress after 0 ms.',
      exitCode: 7,
    });
  });

  test.each([
    {
      status: 'failed',
      message: 'failed',
      sentence: 'The report r1 failed.',
      code: 'REPORT_FAILED',
    },
    {
      status: 'FAILED',
      message: 'out of memory',
      sentence: 'The report r1 failed: out of memory',
      code: 'REPORT_FAILED',
    },
    {
      status: 'expired',
      message: '',
      sentence: 'The report r1 expired.',
      code: 'REPORT_EXPIRED',
    },
    {
      status: 'canceled',
      message: 'by\u001b[31m an admin',
      sentence: 'The report r1 ended as canceled: by␛[31m an admin',
      code: 'REPORT_FAILED',
    },
  ])(
    '$status ($message) is exit 6, with the service’s message',
    async ({ status, message, sentence, code }) => {
      const { result, pollsMs } = await play({ endsAfterMs: 600, endsAs: { status, message } });

      expect(result).toMatchObject({
        message: sentence,
        exitCode: 6,
        code,
        reportId: 'r1',
        retryable: false,
      });
      expect(pollsMs).toEqual([0, 500, 1_000]);
    },
  );

  test('every poll is reported, and the last one has no next', async () => {
    const polls: Poll[] = [];

    await play({ endsAfterMs: 800, onPoll: (poll) => polls.push(poll) });

    expect(polls.map(({ seen, ...poll }) => ({ ...poll, status: seen.status }))).toEqual([
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

    expect(during.result).toBe(reason);
    expect(during.pollsMs).toHaveLength(3);

    const before = await play({ signal: controller.signal });

    expect(before.result).toBe(reason);
    expect(before.pollsMs).toEqual([]);
  });
});
