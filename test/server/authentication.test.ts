import { describe, expect, test } from 'vitest';
import {
  call,
  expectRefusal,
  jsonOf,
  refusalIn,
  signIn,
  startForFile,
  startForTest,
  tokens,
} from './local.ts';

const { server } = await startForFile();

const right = { email: 'buyer@example.com', password: 'demo' };
const form = { 'content-type': 'application/x-www-form-urlencoded' };

describe('sign-in', () => {
  test.each([
    ['nested JSON', JSON.stringify({ auth: right }), { 'content-type': 'application/json' }],
    ['flat JSON', JSON.stringify(right), { 'content-type': 'application/json' }],
    ['nested form keys', 'auth[email]=buyer%40example.com&auth[password]=demo', form],
    ['flat form keys', 'email=buyer%40example.com&password=demo', form],
    ['JSON that is labelled as a form', JSON.stringify({ auth: right }), form],
    ['JSON without a label', ` \r\n\t${JSON.stringify({ auth: right })}\n`, {}],
    ['JSON labelled as text', JSON.stringify({ auth: right }), { 'content-type': 'text/plain' }],
    ['JSON labelled as nonsense', JSON.stringify({ auth: right }), { 'content-type': 'nonsense' }],
    ['a form without a label', 'email=buyer%40example.com&password=demo', {}],
    ['an address in another case', JSON.stringify({ ...right, email: ' Buyer@Example.com ' }), {}],
  ])('takes %s', async (_name, body, headers) => {
    const answer = await call(server, '/auth-reporting', { body, headers });
    expect(answer.status).toBe(200);
    expect(jsonOf(answer)).toEqual({
      response: { status: 'OK', token: expect.stringMatching(/^[0-9a-f]{40}$/) },
    });
  });

  test.each([
    ['no password', { auth: { email: 'buyer@example.com' } }],
    ['no e-mail', { password: 'demo' }],
    ['an empty password', { auth: { ...right, password: '' } }],
    ['a password that is a list', { auth: { ...right, password: ['demo'] } }],
    ['auth that is a list', { auth: ['buyer@example.com', 'demo'] }],
    ['nothing', {}],
  ])('refuses %s in the words of the service', async (_name, json) => {
    const answer = await call(server, '/auth-reporting', { json });
    expect(answer.status).toBe(400);
    expect(answer.text).toBe(
      '{"response":{"error_id":"SYSTEM","error":"Username or password not set in request"}}',
    );
  });

  test('an unknown address and a wrong password are refused by the same bytes', async () => {
    const attempt = (auth: object) => call(server, '/auth-reporting', { json: { auth } });
    const wrongPassword = await attempt({ ...right, password: 'no' });
    expectRefusal(wrongPassword, 401, 'INVALID_CREDENTIALS');
    expect(await attempt({ ...right, email: 'x@example.com' })).toMatchObject({
      text: wrongPassword.text,
    });
    expect(await attempt({ email: 'x@example.com', password: ' ' })).toMatchObject({
      text: wrongPassword.text,
    });
  });
});

describe('the token', () => {
  test('lives two hours since its last use; a refused call does not extend it', async () => {
    const own = await startForTest();
    const token = await signIn(own);
    const campaigns = (given = token) => call(own, '/campaigns', { token: given });
    for (let use = 0; use < 3; use += 1) {
      own.advance('119m');
      expect((await campaigns()).status).toBe(200);
    }
    own.advance('90m');
    await campaigns(`Bearer ${token}`);
    own.advance('31m');
    expectRefusal(await campaigns(), 401, 'EXPIRED_TOKEN');
  });

  test.each(['Bearer', 'bearer', 'Token', 'Basic'])(
    '%s in front of it is refused by name',
    async (scheme) => {
      const answer = await call(server, '/campaigns', { token: `${scheme} ${tokens.buyer}` });
      expectRefusal(answer, 401, 'INVALID_TOKEN');
      expect(refusalIn(answer).error).toMatch(new RegExp(`token alone.*“${scheme}”`));
    },
  );

  test.each(['/buyer-reporting', '/status-reporting', '/download-reporting', '/campaigns'])(
    '%s needs it, before anything else is looked at',
    async (path) => {
      const body = path === '/campaigns' ? {} : { body: '{broken' };
      expectRefusal(await call(server, path, body), 401, 'MISSING_TOKEN');
      expectRefusal(
        await call(server, path, { ...body, token: 'f'.repeat(40) }),
        401,
        'INVALID_TOKEN',
      );
    },
  );
});
