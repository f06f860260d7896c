import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createHttp } from '../../src/api/http.ts';
import { goesThrough, maskProxy, readProxy } from '../../src/config/proxy.ts';
import { startConnectProxy } from '../support/connect-proxy.ts';

test('no proxy without HTTPS_PROXY; http:// where it names no scheme; no password shown', () => {
  expect(readProxy({ NO_PROXY: 'x' })).toBeUndefined();
  const proxy = readProxy({ HTTPS_PROXY: ' me:hush@127.0.0.1:3128 ', no_proxy: 'a' });
  expect(proxy).toMatchObject({ url: new URL('http://me:hush@127.0.0.1:3128'), none: 'a' });
  expect(proxy && maskProxy(proxy)).toBe('http://me:…@127.0.0.1:3128');
});

test('what is said of NO_PROXY is what is done', async () => {
  const proxy = await startConnectProxy(1, 407);
  const entry = fc.constantFrom(
    'a.invalid',
    'x.a.invalid',
    '.a.invalid',
    '*.a.invalid',
    'invalid',
    '*',
    'b',
    'A.INVALID:443',
    'a.invalid:8443',
    '',
  );
  const url = fc.constantFrom(
    'https://a.invalid',
    'https://x.a.invalid',
    'https://a.invalid:8443',
    'https://ba.invalid',
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(entry, { maxLength: 3 }),
      fc.constantFrom(',', ' ', ', '),
      url,
      async (entries, comma, address) => {
        const none = entries.join(comma);
        const http = await createHttp({
          timeoutMs: 1_000,
          userAgent: 'test',
          trace: () => {},
          proxy: { https: proxy.url, none },
        });
        const before = proxy.asked.length;
        await http.send({ method: 'GET', url: new URL(address), headers: {} }).catch(() => {});
        await http.close();
        expect(goesThrough({ url: new URL(proxy.url), none }, new URL(address))).toBe(proxy.asked.length > before);
      },
    ),
    { numRuns: 60 },
  );
});
