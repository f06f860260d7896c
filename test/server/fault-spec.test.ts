import { describe, expect, test } from 'vitest';
import { UsageError } from '../../src/errors.ts';
import { parseFault } from '../../src/server/faults/faults.ts';

test.each([
  ['status:503:times=3', { reach: ['status'], type: 'status', times: 3 }],
  [' buyer:reset:after=2:p=0.25 ', { text: 'buyer:reset:after=2:p=0.25', after: 2, p: 0.25 }],
  ['campaigns:garbage:for=dsp@example.com', { type: 'garbage', account: 'dsp@example.com' }],
  ['*:stuck', { type: 'stuck', reach: ['status'], times: Infinity, after: 0, p: 1 }],
])('%s', (text, expected) => {
  expect(parseFault(text)).toMatchObject(expected);
});

describe('what is wrong is named, with what to write instead', () => {
  test.each([
    ['', '“” is no endpoint', 'Known: auth, buyer, status, download, campaigns, *.'],
    ['statis:503', '“statis” is no endpoint', 'Did you mean status?'],
    ['status', '“” is no kind of fault', 'Known: an HTTP status, reset'],
    ['status:100', '“100” is no kind of fault', 'Known: an HTTP status, reset'],
    ['status:truncat:bytes=1', '“truncat” is no kind of fault', 'Did you mean truncate?'],
    ['status:503:tines=3', '“tines” is no key of 503', 'Did you mean times?'],
    ['status:503:bytes=3', '“bytes” is no key of 503', 'Known: for, times, after, p, retry-after.'],
    ['status:503:times', '“times” is no key=value', 'ENDPOINT:KIND[:key=value…]'],
    ['status:503:times=-1', 'times=-1 is no whole number', 'ENDPOINT:KIND'],
    ['status:503:p=2', 'p=2 is no probability from 0 to 1', 'ENDPOINT:KIND'],
    ['status:429:retry-after=x', 'retry-after=x is no whole number', 'ENDPOINT:KIND'],
    ['download:truncate', 'bytes= is missing', 'bytes=10kb'],
    ['download:slow:rate=fast', 'rate=fast is no size such as 1000 or 10kb', 'ENDPOINT:KIND'],
    ['auth:delay', 'ms= is missing', 'auth:delay:ms=500'],
    ['auth:delay:ms=100d', 'ms=100d is no number of milliseconds', 'ENDPOINT:KIND'],
    ['buyer:failed', 'failed cannot strike buyer', 'Write status:failed.'],
    ['status:not-downloadable', 'not-downloadable cannot strike status', 'Write download:not-downloadable.'],
    ['auth:unauthorized', 'unauthorized cannot strike auth', 'Write status:unauthorized.'],
  ])('%s', (text, problem, hint) => {
    let error: unknown;
    try {
      parseFault(text);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(UsageError);
    expect(error).toMatchObject({ code: 'BAD_FAULT', exitCode: 2 });
    expect((error as UsageError).message).toContain(problem);
    expect((error as UsageError).hint).toContain(hint);
  });
});
