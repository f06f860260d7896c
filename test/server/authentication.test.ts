import { describe, expect, test } from 'vitest';
import {
  call,
  expectRefusal,
  jsonOf,
  labelled,
  refusalIn,
  signIn,
  startForFile,
  startForTest,
  tokens,
} from './local.ts';

const { server } = await startForFile();

const right = { email: 'buyer@example.com', password: 'demo' };
const form = 'application/x-www-form-urlencoded';

describe('sign-in', () => {
  test.each([
    {
      name: 'nested JSON',
      body: JSON.stringify({ auth: right }),
      contentType: 'application/json',
    },
    {
      name: 'flat form keys',
      body: 'email=buyer%40example.com&password=demo',
      contentType: form,
    },
    {
      name: 'JSON that is labelled as a form',
      body: JSON.stringify({ auth: right }),
      contentType: form,
    },
    {
      name: 'JSON without a label',
      body: ` \r\n\t${JSON.stringify({ auth: right })}\n`,
    },
    {
      name: 'a form without a label',
      body: 'email=buyer%40example.com&password=demo',
    },
    {
      name: 'an e-mail address in another case',
      body: JSON.stringify({ ...right, email: ' Buyer@Example.com ' }),
    },
  ])('accepts $name', async ({ body, contentType }) => {
    const headers = labelled(contentType);

    const answer = await call(server, '/auth-reporting', { body, headers });

    expect(answer.status).toBe(200);
    expect(jsonOf(answer)).toEqual({
      response: { status: 'OK', token: expect.stringMatching(/^[0-9a-f]{40}$/) },
    });
  });

  test.each([
    { name: 'no password', json: { auth: { email: 'buyer@example.com' } } },
    { name: 'an empty password', json: { auth: { ...right, password: '' } } },
    { name: 'auth that is a list', json: { auth: ['buyer@example.com', 'demo'] } },
  ])('refuses $name with the message of the service', async ({ json }) => {
    const answer = await call(server, '/auth-reporting', { json });

    expect(answer.status).toBe(400);
    expect(answer.text).toBe(
      '{"response":{"error_id":"SYSTEM","error":"Username or password not set in request"}}',
    );
  });

  test('an unknown address and a wrong password are refused with the same bytes', async () => {
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
  test('expires two hours after its last use; a refused call does not extend it', async () => {
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

  test.each(['bearer', 'Basic'])('%s in front of it is refused and named', async (scheme) => {
    const answer = await call(server, '/campaigns', { token: `${scheme} ${tokens.buyer}` });

    expectRefusal(answer, 401, 'INVALID_TOKEN');
    expect(refusalIn(answer).error).toMatch(new RegExp(`only the token.*“${scheme}”`));
  });

  test.each(['/buyer-reporting', '/status-reporting', '/download-reporting', '/campaigns'])(
    '%s requires it before anything else is checked',
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
