import fc from 'fast-check';
import { afterAll, describe, expect, test, vi } from 'vitest';
import type { LoggedRequest } from '../../src/server/local-server.ts';
import { exchange, openSocket } from '../support/raw-socket.ts';
import { call, posts, refusalIn, startForFile, startForTest, tokens } from './local.ts';

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
    ['objects nested 100,000 deep', `{"since":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}}`],
    [
      'arrays nested deep in every parameter',
      `{${['since', 'metrics', 'osId', 'timezone', 'output', 'id', 'auth'].map((name) => `"${name}":${nested('[', ']', 20_000)}`).join(',')}}`,
    ],
    ['brackets nested deep in a form', `osId${'[a]'.repeat(100_000)}=1`],
    ['brackets that never close', `osId${'['.repeat(500_000)}=1`],
    ['100,000 JSON keys', `{${keys(100_000, (index) => `"${index}":0`, ',')}}`],
    ['100,000 form keys', keys(100_000, (index) => `k${index}`, '&')],
    ['100,000 indexes of one array', keys(100_000, (index) => `osId[${index}]`, '&')],
    ['300,000 ampersands', '&'.repeat(300_000)],
    ['100,000 metrics', `{"metrics":"${'a,'.repeat(100_000)}"}`],
    ['a name of a megabyte', `{"${'a'.repeat(1_000_000)}":1}`],
    ['a metric of a megabyte', `{"metrics":"${'a'.repeat(1_000_000)}"}`],
    ['a number of a megabyte', `{"since":${'9'.repeat(1_000_000)}}`],
    ['a number beyond all bounds', '{"since":1e999,"until":-1e999,"osId":[1e308]}'],
    ['an index of 32 bits', 'osId[4294967295]=x&osId[4294967296]=y&metrics[4294967295]=x'],
    ['__proto__ as a key', '{"__proto__":{"since":1},"metrics":{"__proto__":["displays"]}}'],
    ['__proto__ in brackets', '__proto__[since]=1&metrics[__proto__]=displays&constructor[prototype]=1'],
    ['null bytes', 'metrics=%00&\0=\0&since=\0'],
    ['lone surrogates', '{"metrics":"\\ud800","\\udc00":1}'],
    ['an overlong encoding', Buffer.from([0x6d, 0x3d, 0xc0, 0xaf])],
    ['UTF-16', Buffer.from('{"since":1}', 'utf16le')],
    ['a gzip bomb that claims to be one', Buffer.from('1f8b0800000000000003', 'hex')],
  ])('%s', async (_name, body) => {
    for (const path of posts) {
      const answer = await call(server, path, { as: 'buyer', body });
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.status).toBeLessThan(500);
      expect(refusalIn(answer).error_id).toMatch(/^[A-Z_]+$/);
      expect(answer.text.length).toBeLessThan(100_000);
    }
  });

  test('a prototype stays as it was', async () => {
    const body = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}';
    await call(server, '/buyer-reporting', { as: 'buyer', body });
    await call(server, '/buyer-reporting', { as: 'buyer', form: '__proto__[polluted]=1&osId[__proto__]=1' });
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  test('any JSON at all', async () => {
    const names = fc.constantFrom(
      'since',
      'until',
      'metrics',
      'breakdowns',
      'timezone',
      'output',
      'osId',
      'id',
      'auth',
      'email',
      '__proto__',
    );
    const body = fc.dictionary(fc.oneof(names, fc.string()), fc.jsonValue(), { maxKeys: 8 });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...posts), body, async (path, json) => {
        const answer = await call(server, path, { as: 'buyer', json });
        expect(answer.status).toBeGreaterThanOrEqual(400);
        expect(answer.status).toBeLessThan(500);
      }),
      { numRuns: 150 },
    );
  });

  test('any bytes at all, under any label', async () => {
    const type = fc.constantFrom(
      '',
      'application/json',
      'application/x-www-form-urlencoded',
      'text/plain',
      ';',
      'a/b',
      ' ',
    );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...posts),
        fc.uint8Array({ maxLength: 300 }),
        type,
        async (path, bytes, label) => {
          const headers = label === '' ? {} : { 'content-type': label };
          const answer = await call(server, path, { as: 'buyer', body: Buffer.from(bytes), headers });
          expect(answer.status).toBeGreaterThanOrEqual(400);
          expect(answer.status).toBeLessThan(500);
        },
      ),
      { numRuns: 150 },
    );
  });
});

describe('headers', () => {
  test.each(['authorization', 'accept', 'accept-encoding', 'content-type'])('any %s at all', async (name) => {
    // Printable ASCII: what a client may put into a header.
    const value = fc.string({
      unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
      maxLength: 200,
    });
    await fc.assert(
      fc.asyncProperty(value, async (given) => {
        const headers = { authorization: tokens.buyer, [name]: given };
        const answer = await call(server, '/download-reporting', { body: '{"id":"x"}', headers });
        expect([401, 404]).toContain(answer.status);
      }),
      { numRuns: 60 },
    );
  });

  test('a header of 64 kB: 431, and the connection is closed', async () => {
    const answer = await exchange(
      server.port,
      `GET /campaigns HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(65_536)}\r\n\r\n`,
    );
    expect(answer === '' || answer.startsWith('HTTP/1.1 431 ')).toBe(true);
  });

  test('ten thousand small headers: 431 as well', async () => {
    const answer = await exchange(
      server.port,
      `GET /campaigns HTTP/1.1\r\nhost: x\r\n${'a: b\r\n'.repeat(10_000)}\r\n`,
    );
    expect(answer === '' || answer.startsWith('HTTP/1.1 431 ')).toBe(true);
  });
});

describe('connections', () => {
  test.each([
    ['garbage', '\0\x01\x02 garbage\r\n\r\n'],
    ['a TLS greeting', Buffer.from('16030100050100000100', 'hex')],
    ['a method that is none', 'FETCH /campaigns HTTP/1.1\r\nhost: x\r\n\r\n'],
    ['two lengths', 'POST /status-reporting HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n{}'],
    [
      'a length and chunks',
      'POST /status-reporting HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n{}',
    ],
    ['a negative length', 'POST /status-reporting HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n{}'],
    [
      'a chunk whose size is no number',
      'POST /status-reporting HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n',
    ],
    ['no host', 'GET /campaigns HTTP/1.1\r\n\r\n'],
    ['pipelined garbage', 'GET /campaigns HTTP/1.1\r\nhost: x\r\n\r\n\0\0\0\r\n\r\n'],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ])('%s: only 4xx come back, and the connection is closed', async (_name, sent) => {
    const answer = await exchange(server.port, sent);
    const statuses = [...answer.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
    expect(statuses.filter((status) => status < 400 || status > 499)).toEqual([]);
    if (statuses.length === 0) expect(answer).toBe('');
  });

  test('pipelined requests are answered in order', async () => {
    const one = (path: string) => `GET ${path} HTTP/1.1\r\nhost: x\r\nauthorization: ${tokens.buyer}\r\n`;
    const answer = await exchange(
      server.port,
      `${one('/a')}\r\n${one('/campaigns')}\r\n${one('/b')}connection: close\r\n\r\n`,
    );
    expect([...answer.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => status)).toEqual(['404', '200', '404']);
  });

  test('garbage behind requests waits for the answer to each', async () => {
    const own = await startForTest({ faults: ['campaigns:slow:rate=100kb'] });
    const get = `GET /campaigns HTTP/1.1\r\nhost: x\r\nauthorization: ${tokens.buyer}\r\n\r\n`;
    let rest = await exchange(own.port, `${get.repeat(3)}\0\0\0\r\n\r\n`);
    for (let answers = 0; answers < 3; answers++) {
      const [head = ''] = rest.split('\r\n\r\n', 1);
      const end = head.length + 4 + Number(/content-length: (\d+)/.exec(head)?.[1]);
      expect(head).toMatch(/^HTTP\/1\.1 200 /);
      expect(JSON.parse(rest.slice(head.length + 4, end))).toHaveLength(14);
      rest = rest.slice(end);
    }
    expect(rest).toMatch(/^HTTP\/1\.1 400 /);
  });

  test('pipelined requests whose connection ends before their turn are over with it', async () => {
    const over: LoggedRequest[] = [];
    const own = await startForTest({
      faults: ['status:delay:ms=60000'],
      onRequest: (request) => {
        over.push(request);
      },
    });
    const head = `HTTP/1.1\r\nhost: x\r\nauthorization: ${tokens.buyer}\r\n`;
    const get = `GET /nowhere ${head}\r\n`;
    const raw = await openSocket(own.port);
    raw.socket.write(`${get}POST /status-reporting ${head}content-length: 0\r\n\r\n${get.repeat(2)}`);
    await vi.waitFor(() => expect(own.requests()).toHaveLength(4));
    raw.socket.destroy();
    await vi.waitFor(() => expect(over).toHaveLength(4));
    const logged = own.requests();
    expect(logged.map(({ status }) => status)).toEqual([404, 0, 0, 0]);
    expect(logged.slice(1).map(({ sizeBytes }) => sizeBytes)).toEqual([0, 0, 0]);
  });

  test('a pipelined request is logged with what it was sent itself', async () => {
    const own = await startForTest({ faults: ['campaigns:delay:ms=50'] });
    const get = (path: string) => `GET ${path} HTTP/1.1\r\nhost: x\r\nauthorization: ${tokens.buyer}\r\n`;
    await exchange(own.port, `${get('/campaigns')}\r\n${get('/nowhere')}connection: close\r\n\r\n`);
    const alone = await exchange(own.port, `${get('/nowhere')}connection: close\r\n\r\n`);
    await vi.waitFor(() => expect(own.requests().at(-1)?.sizeBytes).toBe(alone.length));
    expect(own.requests().map(({ sizeBytes }) => sizeBytes)[1]).toBe(alone.length);
  });

  test('of thousands of headers the last one counts', async () => {
    const headers = `${'a:\r\n'.repeat(3_500)}host: x\r\nauthorization: ${tokens.buyer}\r\nconnection: close\r\n`;
    expect(await exchange(server.port, `GET /campaigns HTTP/1.1\r\n${headers}\r\n`)).toMatch(/^HTTP\/1\.1 200 /);
  });

  test('half a request holds up nobody, and goes with its connection', async () => {
    const half = await openSocket(server.port);
    half.socket.write('POST /status-reporting HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{"id"');
    expect((await call(server, '/campaigns', { as: 'buyer' })).status).toBe(200);
    half.socket.destroy();
    await half.closed;
    expect((await call(server, '/campaigns', { as: 'buyer' })).status).toBe(200);
  });

  test('a thousand open connections leave room for another, and do not keep the server from closing', async () => {
    const own = await startForTest();
    const open = await Promise.all(Array.from({ length: 1_000 }, () => openSocket(own.port)));
    for (const { socket } of open.slice(0, 500)) socket.write('GET /campaigns HTTP/1.1\r\nhost: x\r\n');
    expect((await call(own, '/campaigns', { as: 'buyer' })).status).toBe(200);
    await own.close();
    await Promise.all(open.map(({ closed }) => closed));
  });

  test('readers that never read, and leave in the middle, stop the work on their reports', async () => {
    const own = await startForTest();
    const body = JSON.stringify({
      since: 0,
      until: 253_402_300_799,
      metrics: 'displays',
      breakdowns: ['HOURLY', 'ADUNIT', 'CITY'],
      output: 'direct',
    });
    const head = `POST /buyer-reporting HTTP/1.1\r\nhost: x\r\nauthorization: ${tokens.buyer}\r\ncontent-length: ${body.length}\r\n\r\n`;
    const readers = await Promise.all(Array.from({ length: 8 }, () => openSocket(own.port)));
    for (const { socket } of readers) socket.pause().write(head + body);
    expect((await call(own, '/campaigns', { as: 'buyer' })).status).toBe(200);
    for (const { socket } of readers) socket.destroy();
    await Promise.all(readers.map(({ closed }) => closed));
    expect((await call(own, '/status-reporting', { as: 'buyer', json: { id: 'x' } })).status).toBe(404);
  });
});
