import { describe, expect, test } from 'vitest';
import { call, expectRefusal, jsonOf, posts, refusalIn, startForFile, startForTest } from './local.ts';

/** The refusals that do not hang on a parameter (`decisions.md` 6), and the list of campaigns (5). */

const { server } = await startForFile();

test('the envelope is {"response":{"error_id","error"}} as JSON, with details only where parameters are at fault', async () => {
  const without = await call(server, '/campaigns');
  expect(without.headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'x-adreport-local': '1',
  });
  expect(JSON.parse(without.text)).toEqual({ response: { error_id: 'MISSING_TOKEN', error: expect.any(String) } });
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
  test.each(['/nothing', '/campaigns/', '/Campaigns', '/buyer-reporting/x', '//campaigns', '/%e2%82'])(
    '%s',
    async (path) => {
      const answer = await call(server, path, { as: 'buyer' });
      expectRefusal(answer, 404, 'NOT_FOUND');
      expect(answer.headers['x-adreport-local']).toBe('1');
    },
  );

  test('says what there is, the admin calls too', async () => {
    const { error } = refusalIn(await call(server, '/reports', { as: 'buyer' }));
    for (const path of [...posts, '/campaigns', '/__admin/clock', '/__admin/faults']) expect(error).toContain(path);
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

test('a Host header that is not this server’s is refused: a web page may have pointed its name here', async () => {
  for (const host of ['evil.example', 'evil.example:80', '127.0.0.1.evil.example']) {
    const answer = await call(server, '/campaigns', { as: 'buyer', headers: { host } });
    expectRefusal(answer, 403, 'FOREIGN_HOST');
    expect((await call(server, '/__admin/clock', { headers: { host } })).status).toBe(403);
  }
  for (const host of ['localhost', 'LOCALHOST:1234', '127.0.0.1', '[::1]:99']) {
    expect((await call(server, '/campaigns', { as: 'buyer', headers: { host } })).status).toBe(200);
  }
  const everywhere = await startForTest({ host: '0.0.0.0' });
  expect((await call(everywhere, '/campaigns', { as: 'buyer', headers: { host: 'ci.example' } })).status).toBe(200);
});

describe('bodies', () => {
  test.each(posts)('%s takes a mebibyte and no byte more', async (path) => {
    const body = (sizeBytes: number) => `{"x":"${'y'.repeat(sizeBytes - 8)}"}`;
    const whole = await call(server, path, { as: 'buyer', body: body(1_048_576) });
    expect(refusalIn(whole).error_id).not.toBe('BODY_TOO_LARGE');
    const tooLarge = await call(server, path, { as: 'buyer', body: body(1_048_577) });
    expectRefusal(tooLarge, 413, 'BODY_TOO_LARGE');
  });

  test.each(['application/xml', 'multipart/form-data; boundary=x', 'image/png', 'application/octet-stream', 'garbage'])(
    'labelled %s are refused, unless they are JSON',
    async (type) => {
      const headers = { 'content-type': type };
      const form = await call(server, '/status-reporting', { as: 'buyer', body: 'id=1', headers });
      expectRefusal(form, 415, 'UNSUPPORTED_MEDIA_TYPE');
      const json = await call(server, '/status-reporting', { as: 'buyer', body: '{"id":"1"}', headers });
      expectRefusal(json, 404, 'UNKNOWN_REPORT');
    },
  );

  test.each([
    ['half of JSON', '{"id":"1"', {}],
    ['JSON with a comma too many', '{"id":"1",}', {}],
    ['an array, labelled as JSON', '[1]', { 'content-type': 'application/json' }],
    ['a string, labelled as JSON', '"id"', { 'content-type': 'application/vnd.api+json' }],
    ['a form, labelled as JSON', 'id=1', { 'content-type': 'application/json' }],
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]), {}],
    ['a form whose escapes are not UTF-8', 'id=%ff', {}],
    ['a form with a broken escape', 'id=100%', {}],
  ])('%s is refused', async (_name, body, headers) => {
    const answer = await call(server, '/status-reporting', { as: 'buyer', body, headers });
    expectRefusal(answer, 400, 'INVALID_BODY');
  });

  test.each(['gzip', 'br', 'deflate, gzip'])('encoded as %s are refused, and the coding named', async (coding) => {
    const headers = { 'content-encoding': coding };
    const answer = await call(server, '/status-reporting', { as: 'buyer', json: { id: '1' }, headers });
    expectRefusal(answer, 415, 'UNSUPPORTED_MEDIA_TYPE');
    expect(refusalIn(answer).error).toContain(`Content-Encoding: ${coding}`);
  });
});

test('429: one call too many in a second, counted for each account, with the time to wait', async () => {
  const server = await startForTest({ rateLimitPerSecond: 2 });
  const campaigns = (as: 'buyer' | 'dsp') => call(server, '/campaigns', { as });
  expect([(await campaigns('buyer')).status, (await campaigns('buyer')).status]).toEqual([200, 200]);
  const refused = await campaigns('buyer');
  expectRefusal(refused, 429, 'RATE_LIMITED');
  expect(refused.headers['retry-after']).toBe('1');
  expect((await campaigns('dsp')).status).toBe(200);
  server.advance(999);
  expect((await campaigns('buyer')).status).toBe(429);
  server.advance(1);
  expect((await campaigns('buyer')).status).toBe(200);
});

test.each(['buyer', 'admin', 'dsp'] as const)(
  'GET /campaigns is an array of records of the specified fields (%s)',
  async (as) => {
    const campaigns = jsonOf(await call(server, '/campaigns', { as })) as { adunits: object[] }[];
    const digits = expect.stringMatching(/^\d+$/);
    const wallTime = expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
    expect(campaigns.length).toBeGreaterThan(3);
    for (const campaign of campaigns) {
      expect(campaign).toEqual({
        advertiserId: digits,
        advertiserName: expect.any(String),
        campaignId: digits,
        campaignName: expect.any(String),
        campaignStartDate: wallTime,
        campaignEndDate: wallTime,
        adunits: expect.any(Array),
      });
      expect(campaign.adunits).not.toEqual([]);
      for (const unit of campaign.adunits) expect(unit).toEqual({ adunitName: expect.any(String), adunitId: digits });
    }
  },
);
