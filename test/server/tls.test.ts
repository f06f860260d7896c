import { get } from 'node:https';
import { expect, test } from 'vitest';
import { UsageError } from '../../src/errors.ts';
import { startLocalServer } from '../../src/server/start.ts';
import {
  authority as ca,
  certificate as cert,
  privateKey as key,
} from '../support/certificates.ts';
import { call, jsonOf, startForTest } from './local.ts';

test('serves https with the given certificate', async () => {
  const server = await startForTest({ tls: { cert, key } });

  expect(server.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);

  const status = await new Promise((resolve, reject) => {
    get(`${server.url}/__admin/health`, { ca, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    }).on('error', reject);
  });

  expect(status).toBe(200);
  expect((await call(server, '/')).text).toContain(server.url);
});

test('faults cut a TLS connection too', async () => {
  const server = await startForTest({ tls: { cert, key } });

  const whole = await call(server, '/campaigns', { as: 'buyer' });

  expect([whole.isWhole, (jsonOf(whole) as unknown[]).length > 1]).toEqual([true, true]);

  server.fault('campaigns:reset:times=1');

  expect(await call(server, '/campaigns', { as: 'buyer' })).toMatchObject({
    status: 0,
    errorCode: 'ECONNRESET',
  });

  server.fault('campaigns:truncate:bytes=50:times=1');

  const cut = await call(server, '/campaigns', { as: 'buyer' });

  expect([cut.isWhole, cut.body.equals(whole.body.subarray(0, 50))]).toEqual([false, true]);
});

test.each([
  { what: 'a text that is not PEM', tls: { cert: 'x', key: 'y' } },
  { what: 'a damaged key', tls: { cert, key: key.replace('MIG', 'MIH') } },
])('$what is refused', async ({ tls }) => {
  await expect(startLocalServer({ tls })).rejects.toThrow(UsageError);
  await expect(startLocalServer({ tls })).rejects.toThrow(/Cannot use the TLS certificate and key/);
});
