import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { call, posts, refusalIn, startForFile } from './local.ts';

/** Whatever arrives, the answer is a 4xx or a closed connection, and the server goes on serving. */

const { server } = await startForFile();
afterAll(async () => {
  expect((await call(server, '/campaigns', { as: 'buyer' })).status).toBe(200);
});

describe('bodies', () => {
  const nested = (open: string, close: string, depth: number) => open.repeat(depth) + close.repeat(depth);
  const keys = (count: number, write: (index: number) => string, glue: string) =>
    Array.from({ length: count }, (_, index) => write(index)).join(glue);

  test.each([
    ['arrays nested 250,000 deep', `{"since":${nested('[', ']', 250_000)}}`],
    ['arrays nested deep in a parameter', `{"metrics":${nested('[', ']', 20_000)},"id":${nested('[', ']', 20_000)}}`],
    ['brackets nested deep in a form', `osId${'[a]'.repeat(100_000)}=1`],
    ['100,000 JSON keys', `{${keys(100_000, (index) => `"${index}":0`, ',')}}`],
    ['100,000 form keys', keys(100_000, (index) => `k${index}`, '&')],
    ['100,000 indexes of one array', keys(100_000, (index) => `osId[${index}]`, '&')],
    ['a name of a megabyte', `{"${'a'.repeat(1_000_000)}":1}`],
    ['a number of a megabyte', `{"since":${'9'.repeat(1_000_000)}}`],
    ['__proto__ in brackets', '__proto__[since]=1&metrics[__proto__]=displays&constructor[prototype]=1'],
    ['null bytes', 'metrics=%00&\0=\0&since=\0'],
    ['lone surrogates', '{"metrics":"\\ud800","\\udc00":1}'],
    ['UTF-16', Buffer.from('{"since":1}', 'utf16le')],
  ])('%s', async (_name, body) => {
    for (const path of posts) {
      const answer = await call(server, path, { as: 'buyer', body });
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.status).toBeLessThan(500);
      expect(refusalIn(answer).error_id).toMatch(/^[A-Z_]+$/);
      expect(answer.text.length).toBeLessThan(100_000);
    }
  });
});

test('a request without a host is refused by Node', async () => {
  const socket = connect(server.port, '127.0.0.1').end('GET /campaigns HTTP/1.1\r\n\r\n');
  expect(await text(socket)).toMatch(/^HTTP\/1.1 400 /);
});

describe('connections', () => {
  const post = 'POST /status-reporting HTTP/1.1\r\nhost: localhost\r\n';

  test.each([
    ['garbage', '\0\x01\x02 garbage\r\n\r\n'],
    ['a TLS greeting', Buffer.from('16030100050100000100', 'hex')],
    ['a method that is none', 'FETCH /campaigns HTTP/1.1\r\nhost: localhost\r\n\r\n'],
    ['two lengths', `${post}content-length: 1\r\ncontent-length: 2\r\n\r\n{}`],
    ['a length and chunks', `${post}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n{}`],
    ['a negative length', `${post}content-length: -1\r\n\r\n{}`],
    ['a chunk whose size is no number', `${post}transfer-encoding: chunked\r\n\r\nzz\r\n`],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['a header of 100 kB', `GET / HTTP/1.1\r\nHost: localhost\r\nX-A: ${'a'.repeat(100_000)}\r\n\r\n`, 431],
  ])('%s: a refusal with the mark of the server, and the connection is closed', async (_name, sent, status = 400) => {
    const socket = connect(server.port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    socket.write(sent);
    const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} .*(\r\n.*)*\r\nx-adreport-local: 1(\r\n|$)`));
    expect(JSON.parse(body).response.error_id).toBe('INVALID_BODY');
  });
});
