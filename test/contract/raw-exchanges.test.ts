import { expect, test } from 'vitest';
import { startForTest } from '../server/local.ts';
import { exchange } from '../support/raw-socket.ts';

/** Literal requests, byte for byte, and what comes back on the same connection. */

const token = '00000000000000000000000000000000000000b1';

async function send(lines: readonly string[], body = ''): Promise<{ head: string; body: string }> {
  const server = await startForTest();
  const length = body === '' ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
  const [first = '', ...headers] = lines;
  const text = [first, 'Host: localhost', ...headers, ...length, 'Connection: close', '', body].join('\r\n');
  const answer = await exchange(server.port, text);
  const end = answer.indexOf('\r\n\r\n');
  return { head: answer.slice(0, end), body: Buffer.from(answer.slice(end + 4), 'latin1').toString('utf8') };
}

test('sign in', async () => {
  const { head, body } = await send(
    ['POST /auth-reporting HTTP/1.1', 'Content-Type: application/x-www-form-urlencoded'],
    '{"auth":{"email":"dsp@example.com","password":"demo"}}',
  );
  expect(head).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(body).toMatch(/^\{"response":\{"status":"OK","token":"[0-9a-f]{40}"\}\}$/);
});

test('create, with no Content-Type', async () => {
  const { head, body } = await send(
    ['POST /buyer-reporting HTTP/1.1', `Authorization: ${token}`, 'Accept: application/json'],
    '{"since":1417392000,"until":1420070399,"metrics":"displays,clicks","breakdowns":{"7":"CAMPAIGN","10":"OS"}}',
  );
  expect(head).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(head).toMatch(/^content-type: application\/json/im);
  expect(body).toMatch(/^\{"response":\{"status":"progress","message":"progress","report_id":"[0-9a-f]+"\}\}$/);
});

test('create in pieces of a chunked body', async () => {
  const server = await startForTest();
  const answer = await exchange(
    server.port,
    `POST /buyer-reporting HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${token}\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n` +
      '12\r\nsince=1417392000&u\r\n20\r\nntil=1420070399&metrics=displays\r\n0\r\n\r\n',
  );
  expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*"status":"progress"/);
});

test('HTTP/1.0, without keep-alive and without chunks', async () => {
  const server = await startForTest();
  const answer = await exchange(server.port, `GET /campaigns HTTP/1.0\r\nAuthorization: ${token}\r\n\r\n`);
  expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(answer).not.toMatch(/transfer-encoding/i);
  expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4))).toBeInstanceOf(Array);
});

test('no token', async () => {
  const { head, body } = await send(['GET /campaigns HTTP/1.1']);
  expect(head).toMatch(/^HTTP\/1\.1 401 Unauthorized\r\n/);
  expect(body).toMatch(/^\{"response":\{"error_id":"MISSING_TOKEN","error":"[^"]+"\}\}$/);
});

test('the campaign list', async () => {
  const { head, body } = await send(['GET /campaigns HTTP/1.1', `Authorization: ${token}`]);
  expect(head).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(body).toMatch(
    /^\[\{"advertiserId":"501","advertiserName":"Café Déjà Vu","campaignId":"40001","campaignName":"Fil rouge – notoriété","campaignStartDate":"[\d: -]{19}","campaignEndDate":"[\d: -]{19}","adunits":\[\{"adunitName":"Bannière 320×50","adunitId":"70001"\},/,
  );
});
