import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { LocalServer } from '../../src/server/start.ts';
import {
  admin,
  call,
  createReport,
  expectRefusal,
  portOf,
  signIn,
  smallReport,
  startForTest,
} from './local.ts';

/** The calls that control a server over HTTP, and its log of requests. */

/** Sends bytes that are not a request, and waits until the connection is closed. */
async function sendBytes(server: LocalServer, bytes: string): Promise<void> {
  const socket = connect(portOf(server), '127.0.0.1');
  socket.on('data', () => {}).end(bytes);
  await once(socket, 'close');
}

describe('the clock', () => {
  test('advanced over HTTP, it expires reports and tokens', async () => {
    const server = await startForTest({ reportTtlMs: 3 * 3_600_000 });
    const id = await createReport(server);
    const token = await signIn(server);
    const advance = () => admin(server, '/clock', { json: { advance: '2h' } });
    const statusCall = async () =>
      (await call(server, '/status-reporting', { token, json: { id } })).status;

    expect(await advance()).toEqual({ status: 200, json: { now: '2026-11-20T14:00:00.000Z' } });
    // Using the token just before it expires extends its life.
    expect(await statusCall()).toBe(200);
    await advance();
    expect(await statusCall()).toBe(410);

    await admin(server, '/clock', { json: { advance: '7200001ms' } });

    expectRefusal(await call(server, '/campaigns', { token }), 401, 'EXPIRED_TOKEN');
    expect(await admin(server, '/clock')).toEqual({
      status: 200,
      json: { now: '2026-11-20T18:00:00.001Z' },
    });
  });

  test('set over HTTP, ahead or back, it runs on from there', async () => {
    let machineMs = Date.UTC(2026, 10, 20, 12);
    const server = await startForTest({ clock: () => machineMs });

    for (const now of ['2026-11-01T09:00:00Z', '2027-03-01T10:00:00+01:00']) {
      const answer = await admin(server, '/clock', { json: { now } });
      expect(answer).toEqual({ status: 200, json: { now: new Date(now).toISOString() } });
    }

    machineMs += 1_500;

    expect(await admin(server, '/clock')).toMatchObject({
      json: { now: '2027-03-01T09:00:01.500Z' },
    });
  });

  test('frozen, it only moves when it is advanced or resumed', async () => {
    let machineMs = Date.UTC(2026, 10, 20, 12);
    const server = await startForTest({ clock: () => machineMs });
    const clock = async (json?: object) => {
      const answer = await admin(server, '/clock', json && { json });
      machineMs += 5_000;
      return answer.json;
    };

    const frozen = { now: '2026-11-01T09:00:00.000Z', frozen: true };

    expect(await clock({ now: '2026-11-01T09:00:00Z', frozen: true })).toEqual(frozen);
    expect(await clock()).toEqual(frozen);
    expect(await clock({ advance: '1h' })).toEqual({ ...frozen, now: '2026-11-01T10:00:00.000Z' });
    expect(await clock({ frozen: false })).toEqual({ now: '2026-11-01T10:00:00.000Z' });
    expect(await clock({ frozen: true })).toEqual({ ...frozen, now: '2026-11-01T10:00:05.000Z' });

    server.reset();

    expect(await clock()).toEqual({ now: new Date(machineMs - 5_000).toISOString() });
  });

  test.each([
    ...[undefined, 'soon', '-1s', 5, `${10 ** 9}d`, null].map((advance) => ({ advance })),
    ...[
      'noon',
      '2026-11-01',
      '2026-11-01T09:00:00',
      '2026-02-30T09:00:00Z',
      '1969-12-31T23:59:59Z',
      '9999-12-31T23:59:59-01:00',
      1_793_523_600,
      null,
    ].map((now) => ({ now })),
    { now: '2026-11-01T09:00:00Z', frozen: 'yes' },
    { frozen: 1 },
  ])('stays as it is after %j', async (json) => {
    const server = await startForTest();

    const refused = await admin(server, '/clock', { json });

    const error = expect.stringMatching(/2026-11-01T09:00:00Z|true or false|2h or 1d|not empty/);
    expect(refused).toMatchObject({ status: 400, json: { response: { error } } });
    expect(await admin(server, '/clock')).toMatchObject({
      json: { now: '2026-11-20T12:00:00.000Z' },
    });
  });
});

test.each([
  { path: '/clock', json: { advance: '1h', frozn: true }, says: 'Did you mean frozen' },
  { path: '/faults', json: { fault: 'status:503', time: 1 }, says: 'Unknown key “time”' },
  { path: '/faults', json: {}, says: 'endpoint is missing' },
  { path: '/faults', json: { fault: 'status:5o3' }, says: 'unknown kind “5o3”' },
  { path: '/reports/x', json: { status: 'done' }, says: 'use progress or ready or failed' },
  { path: '/reports/x', json: { status: 'ready', message: '' }, says: 'Unknown key “message”' },
])('$path refuses $json', async ({ path, json, says }) => {
  const server = await startForTest();

  const refused = await admin(server, path, { json });

  const error = expect.stringContaining(says);
  expect(refused).toMatchObject({ status: 400, json: { response: { error } } });
  expect(await admin(server, '/faults')).toMatchObject({ json: { faults: [] } });
});

describe('the request log', () => {
  test('has method, path, headers and body of each call, its status and why', async () => {
    const server = await startForTest();
    const form = 'metrics=displays&breakdowns[7]=DAILY&breakdowns[10]=OS&countryId[]=1';
    await createReport(server, 'dsp');
    await call(server, '/buyer-reporting?x=1', { as: 'buyer', form });
    await call(server, '/nowhere', { headers: { accept: 'text/csv' }, token: 'short' });

    const { json } = await admin(server, '/requests');

    expect(json).toEqual(JSON.parse(JSON.stringify({ requests: server.requests() })));
    expect(json).toMatchObject({
      requests: [
        {
          time: '2026-11-20T12:00:00.000Z',
          method: 'POST',
          path: '/buyer-reporting',
          endpoint: 'buyer',
          headers: { authorization: '…00d5', 'content-type': 'application/json' },
          rawBody: JSON.stringify(smallReport),
          body: smallReport,
          status: 200,
        },
        {
          path: '/buyer-reporting',
          rawBody: form,
          body: { metrics: 'displays', breakdowns: ['DAILY', 'OS'], countryId: ['1'] },
          status: 400,
          why: expect.stringMatching(/^MISSING_PARAMETER: /),
        },
        {
          method: 'GET',
          path: '/nowhere',
          headers: { authorization: '…', accept: 'text/csv' },
          body: {},
          status: 404,
          why: expect.stringMatching(/^NOT_FOUND: /),
        },
      ],
    });
  });

  test('has no query string, no token and no password, in any path or form', async () => {
    const server = await startForTest();
    const paths = ['/auth-reporting', '/auth-reporting/', '/auth', '/status-reporting'];
    for (const path of paths) {
      const json = { auth: { email: 'a@b.c', password: 'hunter2' } };
      await call(server, `${path}?token=hunter2`, { json });
      await call(server, path, { method: 'PUT', json: { user: { password: 'hunter2' } } });
      for (const body of [
        '{"user":{"p\\u0061ssword":"hunter2"}}',
        '{"user":{"p\\u0061ssword":"hunter2"',
        '{"auth":{"password": hunter2 , }',
        '{"password":["hunter2"]}',
        '{"email":"a@b.c","pwd":"hunter2"}',
        'auth%5Bpassword%5D=hunter2&x=1',
        'p%61ssword=hunter2',
      ]) {
        await call(server, path, { body, headers: { 'content-type': 'text/plain' } });
      }
    }
    for (const body of [
      'password: hunter2',
      '<signIn><password>hunter2</password></signIn>',
      '--x\r\nContent-Disposition: form-data; name="password"\r\n\r\nhunter2\r\n--x--',
    ]) {
      await call(server, '/auth-reporting', { body });
    }
    for (const header of ['x-api-key', 'cookie', 'x-auth-token']) {
      await call(server, '/campaigns', { headers: { [header]: 'hunter2' } });
    }
    const requests = server.requests();

    expect(JSON.stringify(requests)).not.toContain('hunter2');
    expect(requests[0]).toMatchObject({
      path: '/auth-reporting',
      rawBody: '…',
      body: { auth: { email: 'a@b.c', password: '…' } },
    });
  });

  test('has refused and unreadable requests, with the reason', async () => {
    const server = await startForTest();
    await call(server, '/status-reporting', { as: 'buyer', body: '{"id":' });
    await call(server, '/campaigns', { headers: { host: 'evil.example' } });
    await call(server, '/%e2%82');
    await call(server, '/buyer-reporting', { as: 'buyer', body: 'x'.repeat(9_000_000) });
    await sendBytes(server, 'POST /status-reporting HTTP/1.1\r\nno header\r\n\r\n');
    await sendBytes(server, 'hello\r\n\r\n');
    await sendBytes(server, `GET /campaigns HTTP/1.1\r\nx-a: ${'a'.repeat(20_000)}\r\n\r\n`);

    const requests = server.requests();

    expect(
      requests.map(({ method, path, status, why = '' }) =>
        [method, path, status, why.slice(0, why.indexOf(':'))].join(' '),
      ),
    ).toEqual([
      'POST /status-reporting 400 INVALID_BODY',
      'GET /campaigns 403 FOREIGN_HOST',
      'GET /%e2%82 404 NOT_FOUND',
      'POST /buyer-reporting 413 BODY_TOO_LARGE',
      'POST /status-reporting 400 INVALID_BODY',
      '  400 INVALID_BODY',
      'GET /campaigns 431 INVALID_BODY',
    ]);
    expect(requests[0]).toMatchObject({ rawBody: '{"id":', body: {} });
    expect(requests[1]?.why).toContain('--host 0.0.0.0');
    expect(requests[3]?.rawBody).toHaveLength(65_536);
  });

  test('has the latest 1,000 calls, and can be cleared', async () => {
    const server = await startForTest();
    for (const path of ['/', '/openapi.json', '/__admin/reports', '/__admin/health']) {
      await call(server, path);
    }

    expect(server.requests()).toEqual([]);

    const get = 'GET /x HTTP/1.1\r\nhost: localhost\r\n\r\n';
    await sendBytes(server, `GET /first HTTP/1.1\r\nhost: localhost\r\n\r\n${get.repeat(1_000)}`);

    expect(server.requests()).toHaveLength(1_000);
    expect(server.requests()[0]?.path).toBe('/x');

    const cleared = await admin(server, '/requests', { method: 'DELETE' });

    expect(cleared).toEqual({ status: 200, json: { ok: true } });
    expect(await admin(server, '/requests')).toEqual({ status: 200, json: { requests: [] } });
  });
});

test('faults are added, listed and removed', async () => {
  const server = await startForTest({ faults: ['auth:503'] });
  const answer = { status: 202, headers: { 'x-a': 'b' }, body: { state: 'QUEUED' } };
  await admin(server, '/faults', { json: { fault: 'campaigns:429:times=1' } });

  const added = await admin(server, '/faults', {
    json: { endpoint: 'campaigns', times: 1, answer },
  });

  expect(added.json).toEqual({
    faults: [
      { fault: 'auth:503' },
      { fault: 'campaigns:429:times=1' },
      { fault: 'campaigns:answer:times=1' },
    ],
  });
  const statuses = async (count = 1) => {
    const all: number[] = [];
    for (let n = 0; n < count; n += 1) {
      all.push((await call(server, '/campaigns', { as: 'buyer' })).status);
    }
    return all;
  };
  expect(await statuses(3)).toEqual([429, 202, 200]);

  await admin(server, '/faults', { json: { fault: 'campaigns:unauthorized' } });
  expect(await statuses()).toEqual([401]);
  await admin(server, '/faults', { method: 'DELETE' });

  expect(await admin(server, '/faults')).toEqual({ status: 200, json: { faults: [] } });
  // The fixed token that the fault revoked works again.
  expect(await statuses()).toEqual([200]);
  await signIn(server);
});

test('only pages of this server’s origin may make admin calls', async () => {
  const server = await startForTest();
  const reset = (origin: string) =>
    call(server, '/__admin/reset', { method: 'POST', headers: { origin } });

  for (const origin of [
    'http://evil.example',
    'null',
    server.url.replace('http:', 'https:').replace('127.0.0.1', 'evil.example'),
    server.url.replace(/\d+$/, '1'),
  ]) {
    expectRefusal(await reset(origin), 403, 'FOREIGN_ORIGIN');
  }

  expect((await reset(server.url)).status).toBe(200);
});

test('an unexpected error is INTERNAL, without details', async () => {
  const server = await startForTest({ clock: () => Number.NaN });
  const error = 'The service failed. This is a bug in the local server.';

  expect(await admin(server, '/clock')).toEqual({
    status: 500,
    json: { response: { error_id: 'INTERNAL', error } },
  });
});

test('reset restores the state of the start: reports, tokens, calls, faults, clock, rate limit', async () => {
  const server = await startForTest({ faults: ['campaigns:503:times=1'], rateLimit: 2 });
  const id = await createReport(server);
  server.fault('status:500');
  server.advance('1h');

  for (const status of [503, 200, 429]) {
    expect((await call(server, '/campaigns', { as: 'buyer' })).status).toBe(status);
  }
  expect(await admin(server, '/reset', { method: 'POST' })).toEqual({
    status: 200,
    json: { ok: true },
  });
  expect(server.requests()).toEqual([]);

  const fresh = { status: 'ok', now: '2026-11-20T12:00:00.000Z', reports: 0 };

  expect(await admin(server, '/health')).toEqual({ status: 200, json: fresh });
  expect((await call(server, '/status-reporting', { as: 'buyer', json: { id } })).status).toBe(404);
  expect((await call(server, '/campaigns', { as: 'buyer' })).status).toBe(503);
});
