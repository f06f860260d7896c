import { describe, expect, test } from 'vitest';
import { call, refusalIn, signIn, startForTest, tokens } from './local.ts';

const right = { email: 'buyer@example.com', password: 'demo' };
const form = { 'content-type': 'application/x-www-form-urlencoded' };
const minuteMs = 60_000;

async function signedIn() {
  const server = await startForTest();
  const campaigns = (token: string) => call(server, '/campaigns', { token });
  const token = await signIn(server);
  return { server, token, campaigns };
}

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
    const server = await startForTest();
    const answer = await call(server, '/auth-reporting', { body, headers });
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.text)).toEqual({
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
    const server = await startForTest();
    const answer = await call(server, '/auth-reporting', { json });
    expect(answer.status).toBe(400);
    expect(answer.text).toBe('{"response":{"error_id":"SYSTEM","error":"Username or password not set in request"}}');
  });

  test('an unknown address and a wrong password are refused by the same bytes', async () => {
    const server = await startForTest();
    const wrongPassword = await call(server, '/auth-reporting', { json: { auth: { ...right, password: 'no' } } });
    const unknownAddress = await call(server, '/auth-reporting', {
      json: { auth: { ...right, email: 'x@example.com' } },
    });
    const emptyGuess = await call(server, '/auth-reporting', {
      json: { auth: { email: 'x@example.com', password: ' ' } },
    });
    expect(wrongPassword.status).toBe(401);
    expect(refusalIn(wrongPassword).error_id).toBe('INVALID_CREDENTIALS');
    expect([unknownAddress.status, unknownAddress.text]).toEqual([401, wrongPassword.text]);
    expect([emptyGuess.status, emptyGuess.text]).toEqual([401, wrongPassword.text]);
  });
});

describe('the token', () => {
  test('lives two hours since its last use', async () => {
    const { server, token, campaigns } = await signedIn();
    for (let use = 0; use < 3; use += 1) {
      server.advance(119 * minuteMs);
      expect((await campaigns(token)).status).toBe(200);
    }
    server.advance(121 * minuteMs);
    const late = await campaigns(token);
    expect([late.status, refusalIn(late).error_id]).toEqual([401, 'EXPIRED_TOKEN']);
  });

  test('a refused call does not extend it', async () => {
    const { server, token, campaigns } = await signedIn();
    server.advance('90m');
    await campaigns(`Bearer ${token}`);
    server.advance('90m');
    expect(refusalIn(await campaigns(token)).error_id).toBe('EXPIRED_TOKEN');
  });

  test.each([
    ['Bearer', 'Bearer'],
    ['bearer', 'bearer'],
    ['Token', 'Token'],
    ['Basic', 'Basic'],
  ])('%s in front of it is refused by name', async (scheme, named) => {
    const { campaigns } = await signedIn();
    const answer = await campaigns(`${scheme} ${tokens.buyer}`);
    expect([answer.status, refusalIn(answer).error_id]).toEqual([401, 'INVALID_TOKEN']);
    expect(refusalIn(answer).error).toMatch(new RegExp(`token alone.*“${named}”`));
  });

  test.each([
    ['POST', '/buyer-reporting'],
    ['POST', '/status-reporting'],
    ['POST', '/download-reporting'],
    ['GET', '/campaigns'],
  ])('%s %s needs it, before anything else is looked at', async (method, path) => {
    const { server } = await signedIn();
    const body = method === 'POST' ? { body: '{broken' } : {};
    const without = await call(server, path, { method, ...body });
    expect([without.status, refusalIn(without).error_id]).toEqual([401, 'MISSING_TOKEN']);
    const unknown = await call(server, path, { method, ...body, headers: { authorization: 'f'.repeat(40) } });
    expect([unknown.status, refusalIn(unknown).error_id]).toEqual([401, 'INVALID_TOKEN']);
  });
});
