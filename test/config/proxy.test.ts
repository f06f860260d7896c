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

test('a percent sign that encodes nothing is a mistake of the user, and its password is not shown', () => {
  for (const address of ['http://me:hush100%@h', 'http://me%ff:hush@h']) {
    const refusal = { exitCode: 2, hint: expect.stringContaining('%25'), message: expect.not.stringContaining('hush') };
    expect(() => readProxy({ HTTPS_PROXY: address })).toThrow(expect.objectContaining(refusal));
  }
  const proxy = readProxy({ HTTPS_PROXY: 'http://m%25e:hush100%25@h/%' });
  expect(proxy && maskProxy(proxy)).toBe('http://m%25e:…@h');
});

test('blanks around NO_PROXY mean nothing', () => {
  expect(readProxy({ HTTPS_PROXY: 'h', NO_PROXY: ' * ' })?.none).toBe('*');
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
        const known = readProxy({ HTTPS_PROXY: proxy.url, NO_PROXY: entries.join(comma) });
        if (!known) throw new Error('There is a proxy.');
        const http = await createHttp({
          timeoutMs: 1_000,
          userAgent: 'test',
          trace: () => {},
          proxy: { https: known.url.href, none: known.none },
        });
        const before = proxy.asked.length;
        await http.send({ method: 'GET', url: new URL(address), headers: {} }).catch(() => {});
        await http.close();
        expect(goesThrough(known, new URL(address))).toBe(proxy.asked.length > before);
      },
    ),
    {
      numRuns: 60,
      examples: [
        [['*'], ',', 'https://a.invalid'],
        [['*', ''], ' ', 'https://a.invalid'],
      ],
    },
  );
});
