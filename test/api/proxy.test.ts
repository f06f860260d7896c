import { expect, test } from 'vitest';
import { readProxy } from '../../src/api/http.ts';
import { serve } from '../support/http-server.ts';
import { expectRefusal, runCli } from '../support/run-cli.ts';

test('no proxy without HTTPS_PROXY; http:// is its default scheme; blanks around NO_PROXY are ignored', () => {
  expect(readProxy({ NO_PROXY: 'x' })).toBeUndefined();

  const url = new URL('http://me:hush@127.0.0.1:3128');

  expect(readProxy({ HTTPS_PROXY: ' me:hush@127.0.0.1:3128 ', NO_PROXY: ' * ' })).toEqual({
    url,
    none: '*',
  });
  expect(readProxy({ HTTPS_PROXY: 'http://m%25e:hush100%25@h/' })?.url.username).toBe('m%25e');
});

test.each([
  'http://me:hush100%@h',
  'http://me%ff:hush@h',
  'http://me:hush@h:x',
  'socks://me:hush@h',
  'http://h:3128/hush',
  'http://h:3128?x=hush',
  'http://me:hush#ss@h',
])('an invalid %s is a usage error that does not show its password', (address) => {
  const refusal = {
    exitCode: 2,
    hint: expect.stringContaining('%25'),
    message: expect.not.stringContaining('hush'),
  };
  expect(() => readProxy({ HTTPS_PROXY: address })).toThrow(expect.objectContaining(refusal));
});

test('a command with such a proxy ends with exit 2, before anything is sent', async () => {
  const { received, env } = await serve((_request, response) => void response.end('[]'));
  const proxy = { HTTPS_PROXY: 'http://127.0.0.1:3128/path?x=secret' };
  const result = await runCli('campaigns', { env: { ...env, ...proxy } });
  expectRefusal(result, 2, 'HTTPS_PROXY is not an http or https URL that ends with its port.');
  expect(result.stderr).not.toContain('x=secret');
  expect(received).toEqual([]);
});
