import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createThrottle } from '../../src/api/retry.ts';

/** A clock that jumps to the next sleeper whenever nothing else is left to do. */
function virtualTime() {
  let nowMs = 0;
  const sleepers: { readonly atMs: number; wake(): void }[] = [];
  const sleep = (durationMs: number): Promise<void> =>
    new Promise((wake) => {
      sleepers.push({ atMs: nowMs + durationMs, wake });
    });
  /** Runs until nobody sleeps any more. */
  const run = async (): Promise<void> => {
    for (let turns = 0; turns < 100_000; turns++) {
      await new Promise((resolve) => setImmediate(resolve));
      sleepers.sort((a, b) => a.atMs - b.atMs);
      const next = sleepers.shift();
      if (!next) return;
      nowMs = Math.max(nowMs, next.atMs);
      next.wake();
    }
    throw new Error('It never ends.');
  };
  const throttle = createThrottle({ clock: () => nowMs, sleep, signal: new AbortController().signal });
  return { throttle, run, clock: () => nowMs };
}

describe('the pace of calls', () => {
  test('is free as long as nothing is refused', async () => {
    const { throttle, clock } = virtualTime();
    for (let call = 0; call < 100; call++) await throttle.pass();
    expect(clock()).toBe(0);
  });

  test('a refusal stops all calls for its pause; then they leave one after the other', async () => {
    const { throttle, run, clock } = virtualTime();
    throttle.hold(1_000);
    const leftMs: number[] = [];
    for (let call = 0; call < 5; call++) void throttle.pass().then(() => leftMs.push(clock()));
    await run();
    expect(leftMs).toEqual([1_000, 1_050, 1_100, 1_150, 1_200]);
  });

  test('a refusal while others wait holds them too', async () => {
    const { throttle, run, clock } = virtualTime();
    throttle.hold(1_000);
    const leftMs: number[] = [];
    for (let call = 0; call < 3; call++) {
      void throttle.pass().then(() => {
        leftMs.push(clock());
        if (leftMs.length === 1) throttle.hold(2_000);
      });
    }
    await run();
    expect(leftMs[0]).toBe(1_000);
    expect(leftMs.slice(1).every((ms) => ms >= 3_000)).toBe(true);
  });

  test('it rises again with every call that gets through', async () => {
    const { throttle, run, clock } = virtualTime();
    throttle.hold(0);
    for (let call = 0; call < 40; call++) throttle.ease();
    const beforeMs = clock();
    void throttle.pass();
    void throttle.pass();
    await run();
    expect(clock() - beforeMs).toBe(0);
  });

  test('any number of callers under any limit get through, and no call is refused more than six times', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 20 }), async (callers, perSecond) => {
        const { throttle, run, clock } = virtualTime();
        let admitted: number[] = [];
        let refusedAtMost = 0;
        const work = async (): Promise<void> => {
          for (let refused = 0; ; refused++) {
            await throttle.pass();
            admitted = admitted.filter((ms) => clock() - ms < 1_000);
            if (admitted.length < perSecond) {
              admitted.push(clock());
              return throttle.ease();
            }
            refusedAtMost = Math.max(refusedAtMost, refused + 1);
            throttle.hold(1_000);
          }
        };
        const all = Array.from({ length: callers }, () => Promise.all([work(), work()]));
        await run();
        await Promise.all(all);
        expect(refusedAtMost).toBeLessThanOrEqual(6);
      }),
      { numRuns: 60 },
    );
  });
});
