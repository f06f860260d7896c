import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mayRetry, parseRetryAfter, retryPauseMs } from '../../src/api/retry.ts';

describe('mayRetry', () => {
  test.each([408, 429, 500, 502, 503, 504])('%i is asked again', (status) => {
    const failed = { status, sent: true, passing: false };
    expect(mayRetry(failed, { isCreate: false, tries: 5, retries: 5 })).toBe(true);
    expect(mayRetry(failed, { isCreate: false, tries: 6, retries: 5 })).toBe(false);
  });

  test.each([
    ['404', { status: 404, sent: true, passing: false }, false],
    ['a bad certificate', { sent: false, passing: false }, false],
    ['a cut', { sent: true, passing: true }, true],
  ])('%s: %o', (_name, failed, expected) => {
    expect(mayRetry(failed, { isCreate: false, tries: 1, retries: 5 })).toBe(expected);
  });

  test.each([
    ['refused with 429', { status: 429, sent: true, passing: false }, true],
    ['refused with 503 and Retry-After', { status: 503, retryAfterMs: 0, sent: true, passing: false }, true],
    ['503 alone', { status: 503, sent: true, passing: false }, false],
    ['500', { status: 500, retryAfterMs: 0, sent: true, passing: false }, false],
    ['may have arrived', { sent: true, passing: true }, false],
    ['never left', { sent: false, passing: true }, true],
  ])('a create, %s', (_name, failed, expected) => {
    expect(mayRetry(failed, { isCreate: true, tries: 1, retries: 5 })).toBe(expected);
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
  ['9'.repeat(400), 365 * 86_400_000],
  ['Fri, 20 Nov 9999 12:00:45 GMT', 365 * 86_400_000],
  ['soon', undefined],
  [undefined, undefined],
])('parseRetryAfter(%j) is %j', (value, expected) => {
  expect(parseRetryAfter(value, Date.UTC(2026, 10, 20, 12))).toBe(expected);
});
