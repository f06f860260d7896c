import { expect, test } from 'vitest';
import { startLocalServer } from '../../src/server/start.ts';
import { exchange, openSocket } from '../support/raw-socket.ts';
import { startForTest } from './local.ts';
import { certificate as cert, privateKey as key } from './tls-certificate.ts';

/** What HTTP has besides a request and its answer, and who listens where. */

const clock = 'POST /__admin/clock HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n';

function statusesIn(answer: string): string[] {
  return [...answer.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status = '']) => status);
}

test('a client that waits to send its body is told to go on', async () => {
  const { port } = await startForTest();
  const raw = await openSocket(port);
  raw.socket.write(`${clock}expect: 100-continue\r\ncontent-length: 16\r\nconnection: close\r\n\r\n`);
  await new Promise((resolve) => raw.socket.once('data', resolve));
  expect(raw.text()).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\n$/);
  raw.socket.write('{"advance":"1s"}');
  await raw.closed;
  expect(statusesIn(raw.text())).toEqual(['100', '200']);
});

test('HTTP/1.0 knows of no going on: such a client is answered once', async () => {
  const { port } = await startForTest();
  const sent = 'POST /__admin/clock HTTP/1.0\r\nexpect: 100-continue\r\ncontent-length: 16\r\n\r\n{"advance":"1s"}';
  expect(statusesIn(await exchange(port, sent))).toEqual(['200']);
});

test.each([
  ['too large', `${clock}expect: 100-continue\r\ncontent-length: 99999999\r\n\r\n`, '413'],
  ['to nowhere', 'POST /nowhere HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-length: 9\r\n\r\n', '404'],
])('a body %s is refused before it is sent', async (_what, sent, status) => {
  const { port } = await startForTest();
  expect(statusesIn(await exchange(port, sent))).toEqual([status]);
});

test('any other expectation is of no concern, and every answer carries the mark of the local server', async () => {
  const { port } = await startForTest();
  const answer = await exchange(port, 'GET / HTTP/1.1\r\nhost: x\r\nexpect: luck\r\nconnection: close\r\n\r\n');
  expect(answer).toMatch(/^HTTP\/1\.1 200 .*x-adreport-local: 1/s);
  const tunnel = await exchange(port, 'CONNECT example.com:443 HTTP/1.1\r\nhost: example.com:443\r\n\r\n');
  expect(tunnel).toMatch(/^HTTP\/1\.1 400 .*x-adreport-local: 1.*no proxy/s);
});

test('a target that is a whole URL is logged by its path, without the credentials in it', async () => {
  const server = await startForTest();
  const get = (target: string) =>
    exchange(server.port, `GET ${target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
  for (const target of [
    'http://x',
    'http://ann:secret@x/?a=1',
    'http://x/__admin/health',
    '/?a=1',
    '/openapi.json?a',
  ]) {
    expect([target, ...statusesIn(await get(target))]).toEqual([target, '200']);
  }
  expect(server.requests()).toEqual([]);
  await get('http://ann:secret@x/campaigns?a=1');
  expect(server.requests()).toMatchObject([{ path: '/campaigns', status: 401 }]);
});

test('a connection whose TLS handshake never ends does not keep the server from closing', async () => {
  const server = await startLocalServer({ tls: { cert, key } });
  const [silent, half] = [await openSocket(server.port), await openSocket(server.port)];
  half.socket.write(Buffer.from('1603010200', 'hex'));
  await server.close();
  await Promise.all([silent.closed, half.closed]);
});

test.each([
  ['192.0.2.1', /192\.0\.2\.1, port 0: that is no address of this machine/],
  ['nowhere.invalid', /nowhere\.invalid, port 0: /],
])('a server cannot listen on %s, and does not blame the port', async (host, message) => {
  const failure: unknown = await startLocalServer({ host }).catch((error: unknown) => error);
  expect(failure).toMatchObject({ message: expect.stringMatching(message), exitCode: 2 });
  if (host === '192.0.2.1') expect(failure).toMatchObject({ hint: expect.stringContaining('--host') });
});
