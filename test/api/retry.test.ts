import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mayRetry, parseRetryAfter, retryPauseMs } from '../../src/api/retry.ts';

describe('mayRetry', () => {
  const later = { sent: true, passing: false };
  const table: [string, Parameters<typeof mayRetry>[0], { repeatable: boolean; tries: number }, boolean][] = [
    ['503 on a status call', { ...later, status: 503 }, { repeatable: true, tries: 1 }, true],
    ['429', { ...later, status: 429 }, { repeatable: true, tries: 1 }, true],
    ['408', { ...later, status: 408 }, { repeatable: true, tries: 1 }, true],
    ['500 will be 500 again', { ...later, status: 500 }, { repeatable: true, tries: 1 }, false],
    ['404', { ...later, status: 404 }, { repeatable: true, tries: 1 }, false],
    ['a create that was answered 503', { ...later, status: 503 }, { repeatable: false, tries: 1 }, false],
    ['a create that may have arrived', { sent: true, passing: true }, { repeatable: false, tries: 1 }, false],
    ['a create that never left', { sent: false, passing: true }, { repeatable: false, tries: 1 }, true],
    ['a bad certificate', { sent: false, passing: false }, { repeatable: true, tries: 1 }, false],
    ['the last retry is used up', { ...later, status: 503 }, { repeatable: true, tries: 6 }, false],
    ['one retry is left', { ...later, status: 503 }, { repeatable: true, tries: 5 }, true],
  ];
  test.each(table)('%s', (_name, failed, call, expected) => {
    expect(mayRetry(failed, { ...call, retries: 5 })).toBe(expected);
  });
});

describe('retryPauseMs', () => {
  test('grows from half a second, is jittered by half, and never passes 30 s', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), fc.double({ min: 0, max: 0.999, noNaN: true }), (tries, random) => {
        const pause = retryPauseMs(tries, undefined, () => random);
        const full = Math.min(30_000, 500 * 2 ** (tries - 1));
        expect(pause).toBeGreaterThanOrEqual(full / 2);
        expect(pause).toBeLessThanOrEqual(full);
      }),
    );
  });

  test('Retry-After makes it longer, beyond 30 s too, and never shorter', () => {
    expect(retryPauseMs(1, 95_000, () => 0)).toBe(95_000);
    expect(retryPauseMs(1, 0, () => 0)).toBe(250);
  });
});

test.each([
  ['2', 2_000],
  ['120', 120_000],
  ['0.5', 500],
  ['Fri, 20 Nov 2026 12:00:45 GMT', 45_000],
  ['Fri, 20 Nov 2026 11:00:00 GMT', 0],
  ['soon', undefined],
  [undefined, undefined],
])('parseRetryAfter(%j) is %j', (value, expected) => {
  expect(parseRetryAfter(value, Date.UTC(2026, 10, 20, 12))).toBe(expected);
});
