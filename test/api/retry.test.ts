import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseRetryAfter, retryPauseMs, Throttle } from '../../src/api/retry.ts';

test('pauses grow from half a second to 30 s with jitter; Retry-After extends them', () => {
  const random = fc.double({ min: 0, max: 0.999, noNaN: true });
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 60 }),
      random,
      fc.nat(95_000),
      (tries, share, retryAfterMs) => {
        const pause = retryPauseMs(tries, retryAfterMs, () => share);
        const full = Math.min(30_000, 500 * 2 ** (tries - 1));
        expect(pause).toBeGreaterThanOrEqual(Math.max(full / 2, retryAfterMs));
        expect(pause).toBeLessThanOrEqual(Math.max(full, retryAfterMs));
      },
    ),
  );
});

test.each([
  { value: '2', expected: 2_000 },
  { value: '120', expected: 120_000 },
  { value: '0.5', expected: 500 },
  { value: 'Fri, 20 Nov 2026 12:00:45 GMT', expected: 45_000 },
  { value: 'Fri, 20 Nov 2026 11:00:00 GMT', expected: 0 },
  { value: '9'.repeat(400), expected: 365 * 86_400_000 },
  { value: 'Fri, 20 Nov 9999 12:00:45 GMT', expected: 365 * 86_400_000 },
  { value: 'soon' },
  {},
])('parseRetryAfter($value) is $expected', ({ value, expected }) => {
  expect(parseRetryAfter(value, Date.UTC(2026, 10, 20, 12))).toBe(expected);
});

test('with any rate limit all callers succeed, and no call is refused more than six times', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 40 }),
      fc.integer({ min: 1, max: 20 }),
      async (callers, perSecond) => {
        // A clock that jumps to the next sleeper when nothing else is pending.
        let nowMs = 0;
        const sleepers: { readonly atMs: number; wake(): void }[] = [];
        const sleep = (durationMs: number) =>
          new Promise<void>((wake) => void sleepers.push({ atMs: nowMs + durationMs, wake }));
        const { signal } = new AbortController();
        const throttle = new Throttle({ stopwatch: () => nowMs, sleep, signal });
        let admitted: number[] = [];
        const refusals: number[] = [];
        const call = async (): Promise<void> => {
          for (let refused = 0; ; refused += 1) {
            await throttle.acquire();
            // In transit, while others are sent.
            await sleep(20);
            admitted = admitted.filter((ms) => nowMs - ms < 1_000);
            if (admitted.length < perSecond) {
              admitted.push(nowMs);
              refusals.push(refused);
              return throttle.recover();
            }
            throttle.backOff(1_000);
          }
        };
        const calls = Array.from({ length: 2 * callers }, call);
        while (refusals.length < calls.length) {
          await new Promise((resolve) => setImmediate(resolve));
          const next = sleepers.sort((a, b) => a.atMs - b.atMs).shift();
          nowMs = Math.max(nowMs, next?.atMs ?? nowMs);
          next?.wake();
        }
        expect(Math.max(...refusals)).toBeLessThanOrEqual(6);
      },
    ),
    { numRuns: 40 },
  );
});
