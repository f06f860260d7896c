import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkBaseUrl, formatBaseUrl } from '../../src/config/base-url.ts';
import { UsageError } from '../../src/errors.ts';

const check = (text: string): string => formatBaseUrl(checkBaseUrl(text));

test.each([
  ['https://api.example.com', 'https://api.example.com'],
  ['https://api.example.com/', 'https://api.example.com'],
  ['https://api.example.com//', 'https://api.example.com'],
  ['  HTTPS://API.Example.com:443/v1/reports/  ', 'https://api.example.com/v1/reports'],
  ['https://api.example.com:8443/v1', 'https://api.example.com:8443/v1'],
  ['http://localhost:8787', 'http://localhost:8787'],
  ['http://127.0.0.1', 'http://127.0.0.1'],
  ['http://127.8.9.10:1/x/', 'http://127.8.9.10:1/x'],
  ['http://[::1]:8787/', 'http://[::1]:8787'],
  ['http://127.1', 'http://127.0.0.1'],
])('%s is %s', (text, expected) => {
  expect(check(text)).toBe(expected);
});

describe('refused', () => {
  test.each([
    ['', 'is empty'],
    ['http://api.example.com', 'must begin with https://'],
    ['http://localhost.example.com', 'must begin with https://'],
    ['http://127.0.0.1.example.com', 'must begin with https://'],
    ['http://128.0.0.1', 'must begin with https://'],
    ['http://[::ffff:7f00:1]', 'must begin with https://'],
    ['http://0.0.0.0:8787', 'must begin with https://'],
    ['https://api.example.com?x=1', 'no query'],
    ['https://api.example.com/?', 'no query'],
    ['https://api.example.com/#top', 'no fragment'],
    ['ftp://api.example.com', 'no http or https address'],
    ['file:///etc/passwd', 'no http or https address'],
    ['https:api.example.com', 'no http or https address'],
    ['https://', 'no http or https address'],
    ['https://exa mple.com', 'no http or https address'],
  ])('%j', (text, expected) => {
    expect(() => checkBaseUrl(text)).toThrow(UsageError);
    expect(() => checkBaseUrl(text)).toThrow(expected);
  });

  test.each([
    ['api.example.com', 'Did you mean https://api.example.com?'],
    ['api.example.com/v1', 'Did you mean https://api.example.com/v1?'],
    ['localhost:8787', 'Did you mean http://localhost:8787?'],
    ['127.0.0.1:8787', 'Did you mean http://127.0.0.1:8787?'],
  ])('%s, with a guess', (text, hint) => {
    expect(() => checkBaseUrl(text)).toThrow(expect.objectContaining({ hint }));
  });

  test('credentials, without showing them', () => {
    for (const text of ['https://me:hunter22@api.example.com', 'https://hunter22@x.example', 'me:hunter22@x.example']) {
      expect(() => checkBaseUrl(text)).toThrow(UsageError);
      expect(() => checkBaseUrl(text)).not.toThrow(/hunter22/);
      expect(() => checkBaseUrl(text)).not.toThrow(
        expect.objectContaining({ hint: expect.stringContaining('hunter22') }),
      );
    }
  });
});

test('whatever is accepted is safe to send a token to, and reads the same again', () => {
  const anything = fc.oneof(
    fc.webUrl({ withQueryParameters: true, withFragments: true }),
    fc.string(),
    fc.ipV4(),
    fc.domain(),
  );
  fc.assert(
    fc.property(fc.constantFrom('', 'http://', 'https://', 'https://u:p@', 'ftp://'), anything, (prefix, rest) => {
      let url: URL;
      try {
        url = checkBaseUrl(prefix + rest);
      } catch (error) {
        expect(error).toBeInstanceOf(UsageError);
        return;
      }
      expect(url.protocol === 'https:' || /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname)).toBe(true);
      expect([url.username, url.password, url.search, url.hash]).toEqual(['', '', '', '']);
      expect(check(formatBaseUrl(url))).toBe(formatBaseUrl(url));
    }),
    { numRuns: 2_000 },
  );
});
