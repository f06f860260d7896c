import { expect, test } from 'vitest';
import { pauseAfter } from '../../src/report/poll-interval.ts';

test.each([
  { waitedMs: 0, interval: 'auto', expected: 500 },
  { waitedMs: 5_000, interval: 'auto', expected: 500 },
  { waitedMs: 60_000, interval: 'auto', expected: 6_000 },
  { waitedMs: 3_600_000, interval: 'auto', expected: 30_000 },
  { waitedMs: 3_600_000, interval: 100, expected: 100 },
] as const)('after $waitedMs ms at $interval: $expected ms', ({ waitedMs, interval, expected }) => {
  expect(pauseAfter(waitedMs, interval)).toBe(expected);
});
