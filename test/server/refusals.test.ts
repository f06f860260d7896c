import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { errorStatuses } from '../../src/server/service/service-error.ts';
import {
  call,
  expectRefusal,
  labelled,
  portOf,
  posts,
  refusalIn,
  startForFile,
  startForTest,
} from './local.ts';

/**
 * Refusals that do not depend on a parameter (`decisions.md` 6), and the list of campaigns (5).
 */

const { server } = await startForFile();
afterAll(async () => {
  expect((await call(server, '/campaigns', { as: 'buyer' })).status).toBe(200);
});

test('the error ids and statuses are those of the contract', async () => {
  const contract = readFileSync(join(import.meta.dirname, '../contract/spec/decisions.md'), 'utf8');
  const [, section = ''] = /^## 6\. Errors\n([\s\S]*?)^## /m.exec(contract) ?? [];
  // `410 `REPORT_EXPIRED` · 413 …`: a status followed by its error ids.
  const listed = [...section.matchAll(/(\d{3}) |`([A-Z_]{5,})`/g)];
  const statuses: Record<string, number> = {};
  let status = 0;
  for (const [, number, id] of listed) {
    if (number !== undefined) status = Number(number);
    if (id !== undefined && status > 0) statuses[id] ??= status;
  }

  // In `cli.md`, because only a test in the same process can cause it.
  expect({ ...statuses, FAULT_MISTAKE: 500 }).toEqual(errorStatuses);
});

test('the envelope is {"response":{"error_id","error"}} as JSON, with details only for parameters', async () => {
  const without = await call(server, '/campaigns');

  expect(without.headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'x-adreport-local': '1',
  });
  expect(JSON.parse(without.text)).toEqual({
    response: { error_id: 'MISSING_TOKEN', error: expect.any(String) },
  });

  const parameters = await call(server, '/buyer-reporting', { as: 'buyer', json: {} });

  expect(JSON.parse(parameters.text)).toEqual({
    response: {
      error_id: 'MISSING_PARAMETER',
      error: expect.any(String),
      details: ['since', 'until', 'metrics'].map((parameter) => ({
        parameter,
        problem: expect.any(String),
        allowed: expect.anything(),
      })),
    },
  });
});

describe('404', () => {
  test.each(['/campaigns/', '/Campaigns', '//campaigns', '/%e2%82'])('%s', async (path) => {
    const answer = await call(server, path, { as: 'buyer' });

    expectRefusal(answer, 404, 'NOT_FOUND');
    expect(answer.headers['x-adreport-local']).toBe('1');
  });

  test.each([
    { path: '/buyer-report', advice: 'Did you mean /buyer-reporting?' },
    { path: '/__admin/clok', advice: 'Did you mean /__admin/clock?' },
    { path: '/nothing', advice: 'GET /openapi.json describes the service.' },
  ])('$path: $advice', async ({ path, advice }) => {
    const { error } = refusalIn(await call(server, path, { as: 'buyer' }));
    expect(error).toBe(`Unknown path ${path}. ${advice}`);
  });
});

test.each([...posts, '/campaigns'])('405: the other methods of %s', async (path) => {
  const [own, ...others] = path === '/campaigns' ? ['GET, HEAD', 'POST'] : ['POST', 'GET', 'HEAD'];
  for (const method of [...others, 'PUT', 'DELETE', 'PATCH']) {
    const answer = await call(server, path, { method, as: 'buyer' });
    expect([answer.status, answer.headers.allow]).toEqual([405, own]);
    if (method !== 'HEAD') expectRefusal(answer, 405, 'METHOD_NOT_ALLOWED');
  }
});

test('a Host header that does not match the server is refused, against DNS rebinding', async () => {
  for (const host of ['evil.example', 'evil.example:80', '127.0.0.1.evil.example']) {
    const answer = await call(server, '/campaigns', { as: 'buyer', headers: { host } });
    expectRefusal(answer, 403, 'FOREIGN_HOST');
    expect((await call(server, '/__admin/clock', { headers: { host } })).status).toBe(403);
  }

  for (const host of ['localhost', 'LOCALHOST:1234', '127.0.0.1', '[::1]:99']) {
    expect((await call(server, '/campaigns', { as: 'buyer', headers: { host } })).status).toBe(200);
  }

  const everywhere = await startForTest({ host: '0.0.0.0' });

  expect(
    (await call(everywhere, '/campaigns', { as: 'buyer', headers: { host: 'ci.example' } })).status,
  ).toBe(200);
});

describe('bodies', () => {
  test('are accepted up to 1 MiB and not a byte more', async () => {
    const path = '/status-reporting';
    const body = (sizeBytes: number) => `{"x":"${'y'.repeat(sizeBytes - 8)}"}`;

    const whole = await call(server, path, { as: 'buyer', body: body(1_048_576) });

    expect(refusalIn(whole).error_id).not.toBe('BODY_TOO_LARGE');

    const tooLarge = await call(server, path, { as: 'buyer', body: body(1_048_577) });

    expectRefusal(tooLarge, 413, 'BODY_TOO_LARGE');
  });

  test.each(['application/xml', 'multipart/form-data; boundary=x', 'garbage'])(
    'labelled %s are refused, unless they are JSON',
    async (type) => {
      const headers = { 'content-type': type };

      const form = await call(server, '/status-reporting', { as: 'buyer', body: 'id=1', headers });

      expectRefusal(form, 415, 'UNSUPPORTED_MEDIA_TYPE');

      const json = await call(server, '/status-reporting', {
        as: 'buyer',
        body: '{"id":"1"}',
        headers,
      });

      expectRefusal(json, 404, 'UNKNOWN_REPORT');
    },
  );

  test.each<{ name: string; body: string | Buffer; contentType?: string }>([
    { name: 'incomplete JSON', body: '{"id":"1"' },
    {
      name: 'an array, labelled as JSON',
      body: '[1]',
      contentType: 'application/json',
    },
    {
      name: 'bytes that are not UTF-8',
      body: Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]),
    },
    { name: 'a form whose escapes are not UTF-8', body: 'id=%ff' },
    { name: 'a form with a broken escape', body: 'id=100%' },
  ])('$name is refused', async ({ body, contentType }) => {
    const headers = labelled(contentType);

    const answer = await call(server, '/status-reporting', { as: 'buyer', body, headers });
    expectRefusal(answer, 400, 'INVALID_BODY');
  });
});

test('429: one call too many in a second, per account, with the time to wait', async () => {
  const server = await startForTest({ rateLimit: 2 });
  const campaigns = (as: 'buyer' | 'dsp') => call(server, '/campaigns', { as });

  expect([(await campaigns('buyer')).status, (await campaigns('buyer')).status]).toEqual([
    200, 200,
  ]);

  const refused = await campaigns('buyer');

  expectRefusal(refused, 429, 'RATE_LIMITED');
  expect(refused.headers['retry-after']).toBe('1');
  expect((await campaigns('dsp')).status).toBe(200);

  server.advance(999);

  expect((await campaigns('buyer')).status).toBe(429);

  server.advance(1);

  expect((await campaigns('buyer')).status).toBe(200);
});

test('a query string of /campaigns is refused', async () => {
  expectRefusal(
    await call(server, '/campaigns?page=2&x', { as: 'buyer' }),
    400,
    'UNKNOWN_PARAMETER',
    { parameter: 'page' },
    { parameter: 'x' },
  );
  expect((await call(server, '/campaigns?', { as: 'buyer' })).status).toBe(200);
});

describe('hostile bodies get a 4xx, and the server keeps running', () => {
  const nested = (open: string, close: string, depth: number) =>
    open.repeat(depth) + close.repeat(depth);
  const keys = (count: number, write: (index: number) => string, glue: string) =>
    Array.from({ length: count }, (_, index) => write(index)).join(glue);

  test.each([
    { name: 'arrays nested 250,000 deep', body: `{"since":${nested('[', ']', 250_000)}}` },
    { name: '100,000 JSON keys', body: `{${keys(100_000, (index) => `"${index}":0`, ',')}}` },
    {
      name: '__proto__ in brackets',
      body: '__proto__[since]=1&metrics[__proto__]=displays&constructor[prototype]=1',
    },
  ])('$name', async ({ body }) => {
    for (const path of ['/auth-reporting', '/buyer-reporting']) {
      const answer = await call(server, path, { as: 'buyer', body });
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.status).toBeLessThan(500);
      expect(refusalIn(answer).error_id).toMatch(/^[A-Z_]+$/);
      expect(answer.text.length).toBeLessThan(100_000);
    }
  });
});

describe('connections', () => {
  test.each([
    { name: 'garbage', sent: '\0\x01\x02 garbage\r\n\r\n' },
    {
      name: 'a TLS greeting',
      sent: Buffer.from('16030100050100000100', 'hex'),
      says: 'https instead of http',
    },
    {
      name: 'a header of 100 kB',
      sent: `GET / HTTP/1.1\r\nHost: localhost\r\nX-A: ${'a'.repeat(100_000)}\r\n\r\n`,
      status: 431,
      says: 'larger than 16 KiB',
    },
  ])(
    '$name: a refusal with x-adreport-local, and the connection is closed',
    async ({ sent, status = 400, says = '' }) => {
      const socket = connect(portOf(server), '127.0.0.1');
      onTestFinished(() => void socket.destroy());
      socket.write(sent);

      const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');

      expect(head).toMatch(
        new RegExp(`^HTTP/1.1 ${status} .*(\r\n.*)*\r\nx-adreport-local: 1(\r\n|$)`),
      );
      expect(JSON.parse(body).response).toMatchObject({
        error_id: 'INVALID_BODY',
        error: expect.stringContaining(says),
      });
    },
  );
});
