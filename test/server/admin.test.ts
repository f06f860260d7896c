import { describe, expect, test } from 'vitest';
import type { LocalServer } from '../../src/server/start.ts';
import { call, createReport, jsonOf, type Sent, signIn, smallReport, startForTest, statusOf } from './local.ts';

/** An admin call, which carries no token. */
async function admin(server: LocalServer, path: string, sent: Sent = {}) {
  const answer = await call(server, `/__admin${path}`, sent);
  return { status: answer.status, json: jsonOf(answer) };
}

describe('the clock', () => {
  test('advanced over HTTP, it ends reports and tokens', async () => {
    const server = await startForTest({ reportTtlMs: 3 * 3_600_000 });
    const id = await createReport(server);
    const token = await signIn(server);
    const advance = () => admin(server, '/clock', { json: { advance: '2h' } });

    expect(await advance()).toEqual({ status: 200, json: { now: '2026-11-20T14:00:00.000Z' } });
    // Used at the end of its life, the token lives on from there.
    expect((await call(server, '/status-reporting', { token, json: { id } })).status).toBe(200);
    expect(await advance()).toMatchObject({ json: { now: '2026-11-20T16:00:00.000Z' } });
    expect((await call(server, '/status-reporting', { as: 'buyer', json: { id } })).status).toBe(410);
    expect((await call(server, '/campaigns', { token })).status).toBe(200);
    await admin(server, '/clock', { json: { advance: '7200001ms' } });
    const expired = await call(server, '/campaigns', { token });
    expect([expired.status, jsonOf(expired)]).toMatchObject([401, { response: { error_id: 'EXPIRED_TOKEN' } }]);
    expect(await admin(server, '/clock')).toEqual({ status: 200, json: { now: '2026-11-20T18:00:00.001Z' } });
  });

  test.each([
    {},
    { advance: 'soon' },
    { advance: '-1s' },
    { advance: 5 },
    { advance: `${10 ** 9}d` },
    { advance: null },
    [],
    'x',
  ])('refuses %j', async (json) => {
    const server = await startForTest();
    expect((await admin(server, '/clock', { json })).status).toBe(400);
    expect((await admin(server, '/clock', { body: JSON.stringify(json).slice(0, -1) })).status).toBe(400);
    expect(await admin(server, '/clock')).toMatchObject({ json: { now: '2026-11-20T12:00:00.000Z' } });
  });
});

describe('reports', () => {
  test('a status set by hand holds, with its message', async () => {
    const server = await startForTest({ manual: true });
    const id = await createReport(server);
    server.advance('23h');
    expect(await statusOf(server, id)).toBe('progress');
    expect(await admin(server, `/reports/${id}`, { json: { status: 'ready' } })).toMatchObject({ status: 200 });
    expect(await statusOf(server, id)).toBe('ready');
    expect((await call(server, '/download-reporting', { as: 'buyer', json: { id } })).status).toBe(200);
    await admin(server, `/reports/${id}`, { json: { status: 'failed', message: 'Out of quota.' } });
    const answer = jsonOf(await call(server, '/status-reporting', { as: 'buyer', json: { id } }));
    expect(answer).toEqual({ response: { status: 'failed', message: 'Out of quota.', report_id: id } });
  });

  test('an unknown report is 404, a status that is none 400', async () => {
    const server = await startForTest();
    const id = await createReport(server);
    expect((await admin(server, '/reports/none', { json: { status: 'ready' } })).status).toBe(404);
    expect((await admin(server, `/reports/${id}`, { json: { status: 'done' } })).status).toBe(400);
  });
});

describe('the request log', () => {
  test('has each call with what it sent, the end of its token, and no password', async () => {
    const server = await startForTest();
    const credentials = { email: 'buyer@example.com', password: 'a-secret-password' };
    await call(server, '/auth-reporting', { json: credentials });
    const id = await createReport(server, 'dsp');
    await call(server, '/nowhere', { token: 'short' });
    const { json } = await admin(server, '/requests');
    expect(json).toMatchObject({
      counts: { auth: 1, buyer: 1, other: 1 },
      requests: [
        { method: 'POST', path: '/auth-reporting', status: 401, account: 'buyer' },
        { method: 'POST', path: '/buyer-reporting', status: 200, account: 'dsp', token: '…00d5' },
        { method: 'GET', path: '/nowhere', status: 404, token: '…' },
      ],
    });
    const [signIn, create] = server.requests();
    expect([signIn?.body, create?.body]).toEqual([undefined, JSON.stringify(smallReport)]);
    expect(create?.time).toBe('2026-11-20T12:00:00.000Z');
    const text = JSON.stringify(json);
    expect(text).not.toContain('a-secret-password');
    expect(text).not.toContain(server.accounts[2]?.token);
    expect(text).not.toContain(id);
  });

  test('has no query string, and no body that holds credentials, could not be read or went nowhere', async () => {
    const server = await startForTest();
    const credentials = { auth: { email: 'a@b.c', password: 'hunter2' } };
    const deep = { id: 'x', user: { password: 'hunter2' } };
    for (const path of ['/auth-reporting', '/auth-reporting/', '/auth', '/buyer-reporting', '/status-reporting']) {
      await call(server, `${path}?token=hunter2`, { json: credentials });
      await call(server, path, { as: 'buyer', json: deep });
      await call(server, path, { method: 'PUT', json: credentials });
      await call(server, path, {
        as: 'buyer',
        body: 'auth%5Bpassword%5D=hunter2',
        headers: { 'content-type': 'text/plain' },
      });
    }
    await call(server, '/status-reporting', { as: 'buyer', body: '{"hunter2' });
    await call(server, '/campaigns', { as: 'buyer', json: { id: 'hunter2' }, method: 'GET' });
    await call(server, '/status-reporting', { as: 'buyer', json: { id: 'seen' } });
    const requests = server.requests();
    expect(JSON.stringify(requests)).not.toContain('hunter2');
    expect(requests.map(({ body }) => body).filter((body) => body !== undefined)).toEqual(['{"id":"seen"}']);
    expect(requests[0]?.path).toBe('/auth-reporting');
  });

  test('knows nothing of admin calls, the page and the description, and can be emptied', async () => {
    const server = await startForTest();
    for (const path of ['/', '/openapi.json', '/__admin/reports', '/__admin/health']) await call(server, path);
    expect(server.requests()).toEqual([]);
    await call(server, '/campaigns', { as: 'buyer' });
    expect(await admin(server, '/requests', { method: 'DELETE' })).toEqual({ status: 200, json: { ok: true } });
    expect(await admin(server, '/requests')).toEqual({ status: 200, json: { counts: {}, requests: [] } });
  });
});

describe('faults at run time', () => {
  test('are added, listed and cleared', async () => {
    const server = await startForTest({ faults: ['auth:503'] });
    expect(await admin(server, '/faults', { json: { fault: 'campaigns:503:times=1' } })).toMatchObject({
      json: { faults: [{ fault: 'auth:503' }, { fault: 'campaigns:503:times=1' }] },
    });
    await admin(server, '/faults', { json: { faults: ['campaigns:429', 'buyer:html'] } });
    expect((await call(server, '/campaigns', { as: 'buyer' })).status).toBe(503);
    expect((await call(server, '/campaigns', { as: 'buyer' })).status).toBe(429);
    await admin(server, '/faults', { method: 'DELETE' });
    expect(await admin(server, '/faults')).toMatchObject({ json: { faults: [] } });
    expect((await call(server, '/campaigns', { as: 'buyer' })).status).toBe(200);
  });

  test.each([
    {},
    { fault: 3 },
    { faults: [] },
    { fault: 'campaigns:5o3' },
    { faults: ['campaigns:503', 'campaigns:5o3'] },
  ])('refuses %j, and nothing of it is in force', async (json) => {
    const server = await startForTest();
    const answer = await admin(server, '/faults', { json });
    expect(answer).toMatchObject({ status: 400, json: { response: { error_id: 'BAD_FAULT' } } });
    expect(await admin(server, '/faults')).toMatchObject({ json: { faults: [] } });
  });
});

describe('who may steer', () => {
  test('a page of another origin may not, one of this server may', async () => {
    const server = await startForTest();
    const from = (origin: string, method = 'POST') =>
      admin(server, method === 'POST' ? '/reset' : '/faults', { method, headers: { origin } });
    for (const origin of ['http://evil.example', 'null', 'https://evil.example', server.url.replace(/\d+$/, '1')]) {
      expect(await from(origin)).toMatchObject({ status: 403, json: { response: { error_id: 'FOREIGN_ORIGIN' } } });
      expect((await from(origin, 'DELETE')).status).toBe(403);
    }
    expect((await from(server.url)).status).toBe(200);
  });
});

test('what goes wrong inside is an inner failure, told without a trace of it', async () => {
  const server = await startForTest({ clock: () => Number.NaN });
  expect(await admin(server, '/clock')).toEqual({
    status: 500,
    json: { response: { error_id: 'INTERNAL', error: 'The service failed. This is a bug of the local server.' } },
  });
});

test('reset is how the server started: reports, tokens, calls, faults, clock and rate', async () => {
  const server = await startForTest({ faults: ['campaigns:503:times=1'], rateLimitPerSecond: 2 });
  const id = await createReport(server);
  server.fault('status:500');
  server.advance('1h');
  expect((await call(server, '/campaigns', { as: 'buyer' })).status).toBe(503);
  expect((await call(server, '/campaigns', { as: 'buyer' })).status).toBe(200);
  expect((await call(server, '/campaigns', { as: 'buyer' })).status).toBe(429);
  expect(await admin(server, '/reset', { method: 'POST' })).toEqual({ status: 200, json: { ok: true } });
  expect(server.requests()).toEqual([]);
  expect(await admin(server, '/health')).toEqual({
    status: 200,
    json: { status: 'ok', now: '2026-11-20T12:00:00.000Z', reports: 0 },
  });
  expect((await call(server, '/status-reporting', { as: 'buyer', json: { id } })).status).toBe(404);
  expect((await call(server, '/campaigns', { as: 'buyer' })).status).toBe(503);
});
