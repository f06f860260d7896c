import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRate } from '../../src/ui/rate.ts';

test('a steady stream has its own rate, however its pieces fall', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 1_000_000 }),
      fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 200 }),
      (bytesPerMs, pausesMs) => {
        const rate = createRate(5_000);
        let nowMs = 5_000;
        for (const pauseMs of pausesMs) {
          nowMs += pauseMs;
          rate.add(nowMs, (nowMs - 5_000) * bytesPerMs);
        }
        const perSecond = rate.perSecond(nowMs);
        if (nowMs < 5_500) expect(perSecond).toBeUndefined();
        else expect((perSecond ?? 0) / (bytesPerMs * 1_000)).toBeCloseTo(1, 6);
      },
    ),
  );
});

test('a stall shows within the window, a burst is forgotten after it', () => {
  const rate = createRate(0);
  for (let nowMs = 0; nowMs <= 10_000; nowMs += 50) rate.add(nowMs, nowMs * 100);
  expect(rate.perSecond(10_000)).toBeCloseTo(100_000, 0);
  expect(rate.perSecond(11_500)).toBeLessThan(80_000);
  expect(rate.perSecond(20_000)).toBe(0);
});
