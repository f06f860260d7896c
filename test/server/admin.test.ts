import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { ListedFault } from '../../src/server/faults/faults.ts';
import type { LocalServer } from '../../src/server/start.ts';
import {
  call,
  createReport,
  downloadOf,
  expectRefusal,
  jsonOf,
  type Sent,
  signIn,
  smallReport,
  startForTest,
  statusOf,
} from './local.ts';

/** Sends bytes that are not a request, and waits until the connection is closed. */
async function sendBytes({ port }: LocalServer, bytes: string): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  socket.on('data', () => {}).end(bytes);
  await once(socket, 'close');
}

/** An admin call, without a token. */
async function admin(server: LocalServer, path: string, sent: Sent = {}) {
  const answer = await call(server, `/__admin${path}`, sent);
  return { status: answer.status, json: jsonOf(answer) };
}

describe('the clock', () => {
  test('advanced over HTTP, it expires reports and tokens', async () => {
    const server = await startForTest({ reportTtlMs: 3 * 3_600_000 });
    const id = await createReport(server);
    const token = await signIn(server);
    const advance = () => admin(server, '/clock', { json: { advance: '2h' } });

    expect(await advance()).toEqual({ status: 200, json: { now: '2026-11-20T14:00:00.000Z' } });
    // Using the token just before it expires extends its life.
    expect((await call(server, '/status-reporting', { token, json: { id } })).status).toBe(200);
    expect(await advance()).toMatchObject({ json: { now: '2026-11-20T16:00:00.000Z' } });
    expect((await call(server, '/status-reporting', { as: 'buyer', json: { id } })).status).toBe(
      410,
    );
    expect((await call(server, '/campaigns', { token })).status).toBe(200);

    await admin(server, '/clock', { json: { advance: '7200001ms' } });

    expectRefusal(await call(server, '/campaigns', { token }), 401, 'EXPIRED_TOKEN');
    expect(await admin(server, '/clock')).toEqual({
      status: 200,
      json: { now: '2026-11-20T18:00:00.001Z' },
    });
  });

  test('refuses to advance by an invalid duration', async () => {
    const server = await startForTest();

    for (const advance of [undefined, 'soon', '-1s', 5, `${10 ** 9}d`, null]) {
      expect((await admin(server, '/clock', { json: { advance } })).status).toBe(400);
    }
    for (const body of ['[]', '"x"', '{"advance":"1h"']) {
      expect((await admin(server, '/clock', { body })).status).toBe(400);
    }
    expect(await admin(server, '/clock')).toMatchObject({
      json: { now: '2026-11-20T12:00:00.000Z' },
    });
  });

  test('set over HTTP, ahead or back, it runs on from there', async () => {
    let machineMs = Date.UTC(2026, 10, 20, 12);
    const server = await startForTest({ clock: () => machineMs, delayMs: 60_000 });
    const id = await createReport(server);

    for (const now of ['2026-11-01T09:00:00Z', '2027-03-01T10:00:00+01:00']) {
      const answer = await admin(server, '/clock', { json: { now } });
      expect(answer).toEqual({ status: 200, json: { now: new Date(now).toISOString() } });
    }

    machineMs += 1_500;

    expect(await admin(server, '/clock')).toMatchObject({
      json: { now: '2027-03-01T09:00:01.500Z' },
    });
    // The report was created long before that, so it has expired.
    expect((await call(server, '/status-reporting', { as: 'buyer', json: { id } })).status).toBe(
      410,
    );
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

  test('set back, earlier calls no longer count towards the rate limit', async () => {
    const server = await startForTest({ rateLimitPerSecond: 1 });
    const campaigns = async () => (await call(server, '/campaigns', { as: 'buyer' })).status;

    expect([await campaigns(), await campaigns()]).toEqual([200, 429]);

    server.setClock({ now: '2026-01-01T00:00:00Z' });

    expect(await campaigns()).toBe(200);
  });

  test('refuses an invalid time, and a contradictory body', async () => {
    const server = await startForTest();

    for (const json of [
      { now: 'noon' },
      { now: '2026-11-01' },
      { now: '2026-11-01T09:00:00' },
      { now: '2026-02-30T09:00:00Z' },
      { now: '1969-12-31T23:59:59Z' },
      { now: '9999-12-31T23:59:59-01:00' },
      { now: 1_793_523_600 },
      { now: null },
      { now: '2026-11-01T09:00:00Z', frozen: 'yes' },
      { now: '2026-11-01T09:00:00Z', advance: '1h' },
      { frozen: 1 },
    ]) {
      const refused = await admin(server, '/clock', { json });
      expect(refused, JSON.stringify(json)).toMatchObject({
        status: 400,
        json: { response: { error: expect.stringMatching(/2026-11-01T09:00:00Z|true or false/) } },
      });
    }
    expect(await admin(server, '/clock')).toMatchObject({
      json: { now: '2026-11-20T12:00:00.000Z' },
    });
  });
});

describe('reports', () => {
  test('a status set by hand is permanent, with its message', async () => {
    const server = await startForTest({ manual: true });
    const id = await createReport(server);
    server.advance('23h');

    expect(await statusOf(server, id)).toBe('progress');
    expect(await admin(server, `/reports/${id}`, { json: { status: 'ready' } })).toMatchObject({
      status: 200,
    });
    expect(await statusOf(server, id)).toBe('ready');
    expect((await downloadOf(server, id)).status).toBe(200);

    await admin(server, `/reports/${id}`, { json: { status: 'failed', message: 'Out of quota.' } });

    const answer = jsonOf(await call(server, '/status-reporting', { as: 'buyer', json: { id } }));

    expect(answer).toEqual({
      response: { status: 'failed', message: 'Out of quota.', report_id: id },
    });
  });

  test('an unknown report is 404, an unknown status 400', async () => {
    const server = await startForTest();

    const id = await createReport(server);

    expect((await admin(server, '/reports/none', { json: { status: 'ready' } })).status).toBe(404);
    expect((await admin(server, `/reports/${id}`, { json: { status: 'done' } })).status).toBe(400);
  });
});

describe('a body', () => {
  test('with an unknown member is refused with the closest member', async () => {
    const server = await startForTest();
    const id = await createReport(server);
    const refused = [
      { path: '/clock', json: { advance: '1h', frozn: true }, meant: 'frozen' },
      { path: '/faults', json: { falt: 'status:503' }, meant: 'fault' },
      { path: `/reports/${id}`, json: { status: 'failed', mesage: 'x' }, meant: 'message' },
    ];

    for (const { path, json, meant } of refused) {
      const error = expect.stringContaining(`Did you mean ${meant}`);
      const answer = await admin(server, path, { json });
      expect(answer).toMatchObject({ status: 400, json: { response: { error } } });
    }

    expect(await admin(server, '/clock')).toMatchObject({
      json: { now: '2026-11-20T12:00:00.000Z' },
    });
    expect(await admin(server, '/faults')).toMatchObject({ json: { faults: [] } });
    expect(await statusOf(server, id)).toBe('ready');
  });

  test('is refused if the call accepts none, and if a message is too long', async () => {
    const server = await startForTest();
    const id = await createReport(server);
    const long = { status: 'failed', message: 'x'.repeat(1_001) };

    expect(await admin(server, '/reset', { json: { fault: 'status:503' } })).toMatchObject({
      status: 400,
    });
    expect(await admin(server, `/reports/${id}`, { json: long })).toMatchObject({ status: 400 });
    expect(await statusOf(server, id)).toBe('ready');
  });
});

describe('the request log', () => {
  test('has headers and body of each call, the end of its token, and no password', async () => {
    const server = await startForTest();
    await call(server, '/auth-reporting', {
      json: { email: 'buyer@example.com', password: 'a-secret-password' },
    });
    const id = await createReport(server, 'dsp');
    await call(server, '/nowhere', { token: 'short' });
    const { json } = await admin(server, '/requests');
    const body = JSON.stringify(smallReport);

    expect(json).toMatchObject({
      requests: [
        { method: 'POST', path: '/auth-reporting', status: 401, account: 'buyer' },
        {
          time: '2026-11-20T12:00:00.000Z',
          path: '/buyer-reporting',
          account: 'dsp',
          token: '…00d5',
          rawBody: body,
        },
        { method: 'GET', path: '/nowhere', status: 404, token: '…' },
      ],
    });

    const text = JSON.stringify(json);

    for (const secret of ['a-secret-password', server.accounts[2]?.token, id])
      expect(text).not.toContain(secret);
    expect(json).toMatchObject({
      requests: [
        {
          headers: { 'content-type': 'application/json' },
          rawBody: '{"email":"buyer@example.com","password":"…"}',
          body: { email: 'buyer@example.com', password: '…' },
          why: expect.stringMatching(/^INVALID_CREDENTIALS: /),
        },
        { headers: { authorization: '…00d5' } },
        { why: expect.stringMatching(/^NOT_FOUND: /) },
      ],
    });
  });

  test('has no query string and no password, in any path or form', async () => {
    const server = await startForTest();
    const form = 'auth%5Bpassword%5D=hunter2';
    for (const path of [
      '/auth-reporting',
      '/auth-reporting/',
      '/auth',
      '/buyer-reporting',
      '/status-reporting',
    ]) {
      await call(server, `${path}?token=hunter2`, {
        json: { auth: { email: 'a@b.c', password: 'hunter2' } },
      });
      await call(server, path, { as: 'buyer', json: { id: 'x', user: { password: 'hunter2' } } });
      await call(server, path, { method: 'PUT', json: { password: 'hunter2' } });
      await call(server, path, { as: 'buyer', body: '{"user":{"p\\u0061ssword":"hunter2"}}' });
      await call(server, path, { as: 'buyer', body: '{"user":{"p\\u0061ssword":"hunter2"' });
      await call(server, path, {
        as: 'buyer',
        body: form,
        headers: { 'content-type': 'text/plain' },
      });
    }
    for (const body of [
      '{"auth":{"password":"hunter2',
      '{"auth":{"password": hunter2 , }',
      '{"pass\\u0077ord":"hunter2"}',
      '{"pass\\u0077ord":"hunter2"',
      'auth[password]=hunter2&x=1',
      'p%61ssword=hunter2',
      '{"password":["hunter2"]}',
      '{"password" "hunter2"}',
      '{"email":"a@b.c","pwd":"hunter2"}',
      '{"email":"a@b.c","key":{"value":"hunter2"}}',
      'email=a%40b.c&pin=hunter2',
      'password: hunter2',
      '<signIn><password>hunter2</password></signIn>',
      '--x\r\nContent-Disposition: form-data; name="password"\r\n\r\nhunter2\r\n--x--',
    ]) {
      await call(server, '/auth-reporting', { body });
    }
    for (const header of ['x-api-key', 'cookie', 'x-auth-token']) {
      await call(server, '/campaigns', { headers: { [header]: 'hunter2' } });
    }
    await call(server, '/status-reporting', { as: 'buyer', json: { id: 'seen' } });
    const requests = server.requests();

    expect(JSON.stringify(requests)).not.toContain('hunter2');
    expect(requests.at(-1)).toMatchObject({ rawBody: '{"id":"seen"}', body: { id: 'seen' } });
    expect(requests[0]?.path).toBe('/auth-reporting');
  });

  test('has bodies as parsed, like the function `when`', async () => {
    const server = await startForTest();
    const seen: object[] = [];
    const when = ({ body }: { readonly body: object }) => void seen.push(body);
    server.fault({ endpoint: 'buyer', kind: '503', when });

    await call(server, '/buyer-reporting', { as: 'buyer', json: smallReport });
    const form = 'metrics=displays&breakdowns[7]=DAILY&breakdowns[10]=OS&countryId[]=1';
    await call(server, '/buyer-reporting', { as: 'buyer', form });

    const bodies = server.requests().map(({ body }) => body);
    expect(bodies).toEqual([
      smallReport,
      { metrics: 'displays', breakdowns: ['DAILY', 'OS'], countryId: ['1'] },
    ]);
    expect(bodies).toEqual(seen);
  });

  test('has refused and unreadable requests, with the reason', async () => {
    const server = await startForTest();
    await call(server, '/status-reporting', { as: 'buyer', body: '{"id":' });
    await call(server, '/campaigns', { headers: { host: 'evil.example' } });
    await call(server, '/%e2%82');
    await call(server, '/buyer-reporting', { as: 'buyer', body: 'x'.repeat(1_100_000) });
    await sendBytes(server, 'POST /status-reporting HTTP/1.1\r\nno header\r\n\r\n');
    await sendBytes(server, 'hello\r\n\r\n');
    await sendBytes(server, 'GET /campaigns HTTP/1.1\r\n\r\n');
    await sendBytes(server, `GET /campaigns HTTP/1.1\r\nx-a: ${'a'.repeat(20_000)}\r\n\r\n`);

    const requests = server.requests();

    expect(requests.map(({ method, path, status }) => `${method} ${path} ${status}`)).toEqual([
      'POST /status-reporting 400',
      'GET /campaigns 403',
      'GET /%e2%82 404',
      'POST /buyer-reporting 413',
      'POST /status-reporting 400',
      '  400',
      'GET /campaigns 400',
      'GET /campaigns 431',
    ]);
    expect(requests.map(({ why = '' }) => why.slice(0, why.indexOf(':')))).toEqual([
      'INVALID_BODY',
      'FOREIGN_HOST',
      'NOT_FOUND',
      'BODY_TOO_LARGE',
      'INVALID_BODY',
      'INVALID_BODY',
      'INVALID_BODY',
      'INVALID_BODY',
    ]);
    expect(requests[0]).toMatchObject({ rawBody: '{"id":', body: {} });
    expect(requests[1]?.why).toContain('--host 0.0.0.0');
    expect(requests[3]?.rawBody).toHaveLength(1024 * 1024);
  });

  test('shows what a client sent', async () => {
    const server = await startForTest();
    const form = 'since=1767222000&until=1767308399&metrics=displays&breakdowns[7]=DAILY';
    await call(server, '/buyer-reporting', { as: 'buyer', form, headers: { accept: 'text/csv' } });

    expect(server.requests()).toMatchObject([
      {
        endpoint: 'buyer',
        headers: { accept: 'text/csv', 'content-type': 'application/x-www-form-urlencoded' },
        rawBody: form,
        why: undefined,
      },
    ]);
  });

  test('has 64 MiB at most', async () => {
    const server = await startForTest();
    const body = JSON.stringify({ id: 'x'.repeat(1_000_000) });
    for (let n = 0; n < 70; n += 1) await call(server, '/status-reporting', { body });

    const kept = server.requests().length;

    expect(kept).toBeGreaterThan(60);
    expect(kept).toBeLessThan(68);
  });

  test('does not have admin calls, the page and openapi.json, and can be cleared', async () => {
    const server = await startForTest();

    for (const path of ['/', '/openapi.json', '/__admin/reports', '/__admin/health'])
      await call(server, path);

    expect(server.requests()).toEqual([]);

    await call(server, '/campaigns', { as: 'buyer' });

    expect(await admin(server, '/requests', { method: 'DELETE' })).toEqual({
      status: 200,
      json: { ok: true },
    });
    expect(await admin(server, '/requests')).toEqual({
      status: 200,
      json: { counts: {}, requests: [] },
    });
  });
});

describe('faults at run time', () => {
  test('are added, listed and cleared', async () => {
    const server = await startForTest({ faults: ['auth:503'] });

    const added = await admin(server, '/faults', { json: { fault: 'campaigns:503:times=1' } });

    expect(added).toMatchObject({
      json: { faults: [{ fault: 'auth:503' }, { fault: 'campaigns:503:times=1' }] },
    });

    await admin(server, '/faults', { json: { faults: ['campaigns:429', 'buyer:html'] } });

    expect((await call(server, '/campaigns', { as: 'buyer' })).status).toBe(503);
    expect((await call(server, '/campaigns', { as: 'buyer' })).status).toBe(429);

    await admin(server, '/faults', { method: 'DELETE' });

    expect(await admin(server, '/faults')).toMatchObject({ json: { faults: [] } });
    expect((await call(server, '/campaigns', { as: 'buyer' })).status).toBe(200);
  });

  test('that are invalid are refused, and none is added', async () => {
    const server = await startForTest();
    const wrong = [
      {},
      { fault: 3 },
      { faults: [] },
      { fault: 'campaigns:5o3' },
      { fault: 'campaigns:503', faults: ['buyer:503'] },
      { fault: 'campaigns:503', time: 1 },
      { fault: `campaigns:503:for=${'x'.repeat(5_000)}` },
      { fault: 'campaigns:503:for=nobody' },
    ];

    for (const json of [...wrong, { faults: ['campaigns:503', 'campaigns:5o3'] }]) {
      const answer = await admin(server, '/faults', { json });
      expect(answer).toMatchObject({ status: 400, json: { response: { error_id: 'BAD_FAULT' } } });
    }

    expect(await admin(server, '/faults')).toMatchObject({ json: { faults: [] } });
  });

  test('are removed one by one, by id', async () => {
    const server = await startForTest({ faults: ['auth:503', 'buyer:503'] });
    const listed = async () => (await admin(server, '/faults')).json as { faults: ListedFault[] };
    const [first, second] = (await listed()).faults;
    const path = `/faults/${first?.id}`;

    expect((await admin(server, path, { method: 'DELETE' })).status).toBe(200);
    expect((await admin(server, path, { method: 'DELETE' })).status).toBe(404);
    expect(await listed()).toEqual({ faults: [second] });

    server.reset();
    const ids = (await listed()).faults.map(({ id }) => id);

    expect(ids).not.toContain(first?.id);
    expect(ids).not.toContain(second?.id);
  });
});

test('only pages of this server’s origin may make admin calls', async () => {
  const server = await startForTest();
  const reset = (origin: string) =>
    call(server, '/__admin/reset', { method: 'POST', headers: { origin } });

  for (const origin of [
    'http://evil.example',
    'null',
    'https://evil.example',
    server.url.replace(/\d+$/, '1'),
  ]) {
    expectRefusal(await reset(origin), 403, 'FOREIGN_ORIGIN');
    const cleared = await call(server, '/__admin/faults', {
      method: 'DELETE',
      headers: { origin },
    });
    expectRefusal(cleared, 403, 'FOREIGN_ORIGIN');
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
  const server = await startForTest({ faults: ['campaigns:503:times=1'], rateLimitPerSecond: 2 });
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
