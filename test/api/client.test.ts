import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createHttp } from '../../src/api/http.ts';
import type { ReportResponse } from '../../src/api/read-responses.ts';
import { InterruptedError } from '../../src/errors.ts';
import { json, serve } from '../support/http-server.ts';
import { clientAt, connect, createWith, downloadWith, listenRaw } from './connect.ts';

async function text(answer: ReportResponse): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of answer.body) pieces.push(piece);
  return Buffer.concat(pieces).toString('utf8');
}

test('the token is alone in its header, and the base URL keeps its path', async () => {
  const { url, received } = await serve((_request, response) =>
    json(response, { response: { status: 'ready' } }),
  );
  const { client } = await clientAt(new URL('api/v2/', url));

  await client.status('r1');

  expect(received[0]).toMatchObject({
    method: 'POST',
    path: '/api/v2/status-reporting',
    body: '{"id":"r1"}',
  });
  expect(received[0]?.headers).toMatchObject({
    authorization: 't0ken',
    accept: 'application/json',
  });
});

describe('signing in', () => {
  const credentials = { email: 'a@example.com', password: 'secret' };

  test('a refused token is renewed once for all calls, and each call is repeated', async () => {
    const { client, received } = await connect(
      (request, response) => {
        if (request.path === '/auth-reporting')
          json(response, { response: { status: 'OK', token: 'fresh' } });
        else if (request.headers.authorization === 'fresh')
          json(response, { response: { status: 'ready' } });
        else json(response, { response: { error_id: 'EXPIRED_TOKEN', error: 'old' } }, 401);
      },
      { credentials },
    );

    await Promise.all([client.status('a'), client.status('b'), client.status('c')]);

    expect(received.filter(({ path }) => path === '/auth-reporting')).toHaveLength(1);
    expect(received).toHaveLength(7);
  });
});

describe('refusals', () => {
  test.each([404, 410])('%i to a call without a report does not mention one', async (status) => {
    const { client } = await connect((_request, response) => void response.writeHead(status).end());
    for (const call of [createWith(client, text), client.campaigns()]) {
      const error = await call.catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({
        exitCode: 4,
        message: expect.stringMatching(
          /^The service rejected the (report request|list of campaigns)\. \(4/,
        ),
      });
      expect(String((error as { hint?: string }).hint)).not.toContain('report ID');
    }
  });

  test('all mistakes listed in a refusal are printed, one per line', async () => {
    const details = [
      { parameter: 'metrics', problem: 'is unknown\u001b[2J' },
      { parameter: 'since' },
      { problem: 'and late' },
    ];

    const { client } = await connect((_request, response) =>
      json(response, { response: { error: 'Two things', details } }, 400),
    );

    await expect(createWith(client, text)).rejects.toMatchObject({
      exitCode: 4,
      message: expect.stringMatching(
        / Two things\. \(400\)\n {2}- metrics: is unknown␛\[2J\n {2}- and late$/,
      ),
    });
  });

  test('a long refusal is read only in part', async () => {
    let pieces = 0;

    const { client } = await connect((_request, response) => {
      response.writeHead(400, { 'content-type': 'text/plain' }).write('Out of paper\n');
      const more = (): void => {
        pieces += 1;
        if (pieces === 3_000) response.end();
        else if (!response.destroyed) response.write('x'.repeat(10_000), () => setImmediate(more));
      };
      more();
    });

    await expect(downloadWith(client, text)).rejects.toMatchObject({
      exitCode: 4,
      message: expect.stringContaining('Out of paper'),
    });
    expect(pieces).toBeLessThan(3_000);
  });
});

test.each(Object.entries({ gzip: gzipSync, br: brotliCompressSync, deflate: deflateSync }))(
  '%s that is cut or empty is exit 9',
  async (coding, compress) => {
    const whole = compress(
      JSON.stringify({ data: Array.from({ length: 500 }, (_, id) => ({ id })) }),
    );
    for (const sent of [whole.subarray(0, whole.length - 4), Buffer.alloc(0)]) {
      const { client } = await connect((_request, response) => {
        response.writeHead(200, { 'content-encoding': coding }).end(sent);
      });
      await expect(downloadWith(client, text)).rejects.toMatchObject({ exitCode: 9 });
    }
  },
);

describe('redirects', () => {
  test('a GET within the origin is followed with the token; a POST keeps its body (308)', async () => {
    const { client, received } = await connect(({ path }, response) => {
      if (path === '/campaigns') response.writeHead(302, { location: '/v2/campaigns' }).end();
      else if (path === '/status-reporting')
        response.writeHead(308, { location: '/v2/status' }).end();
      else json(response, { response: { status: 'ready' }, campaigns: [] });
    });

    expect(await client.campaigns()).toMatchObject({ campaigns: [] });

    await client.status('r');

    expect(received[1]).toMatchObject({
      path: '/v2/campaigns',
      headers: { authorization: 't0ken' },
    });
    expect(received[3]).toMatchObject({ method: 'POST', path: '/v2/status', body: '{"id":"r"}' });
  });

  test('loops end after five redirects', async () => {
    const { client, received } = await connect((_request, response) => {
      response.writeHead(302, { location: '/campaigns' }).end();
    });
    const message = expect.stringContaining('redirects too many times (5)');

    await expect(client.campaigns()).rejects.toMatchObject({ exitCode: 5, message });
    expect(received).toHaveLength(6);
  });

  test('a GET never goes to another origin without TLS, a POST to none, and no POST becomes a GET', async () => {
    const other = await serve((_request, response) => json(response, []));
    for (const { status, name, location } of [
      { status: 302, name: 'campaigns', location: other.url.href },
      { status: 307, name: 'status', location: other.url.href },
      { status: 302, name: 'status', location: '/x' },
    ] as const) {
      const { client, received } = await connect((_request, response) => {
        response.writeHead(status, { location }).end();
      });
      await expect(client[name]('r')).rejects.toMatchObject({
        exitCode: 4,
        code: 'REDIRECT_REFUSED',
      });
      expect([other.received.length, received.length]).toEqual([0, 1]);
    }
  });
});

test('a server that does not speak HTTP is reported, without a retry', async () => {
  const port = await listenRaw('SSH-2.0-OpenSSH_9.9\r\n');

  const { client, pauses } = await clientAt(new URL(`http://127.0.0.1:${port}`));

  await expect(client.campaigns()).rejects.toMatchObject({
    exitCode: 5,
    message: expect.stringMatching(/: the response is not HTTP/),
  });
  expect(pauses).toEqual([]);
});

test('a call that is aborted before its connection is open is never sent', async () => {
  const { url, received } = await serve((_request, response) => json(response, []));
  const http = await createHttp({
    timeoutMs: 1_000,
    userAgent: 'test',
    wording: 'flags',
    trace: () => {},
  });
  onTestFinished(() => http.close());
  const interrupted = new AbortController();
  const reason = new InterruptedError(130);
  const step = 'the call';
  const create = {
    step,
    method: 'POST',
    url: new URL('/first', url),
    headers: {},
    body: '{}',
  } as const;
  const given = http.send({ ...create, signal: interrupted.signal });
  interrupted.abort(reason);

  await expect(given).rejects.toBe(reason);

  const next = await http.send({ step, method: 'GET', url: new URL('/second', url), headers: {} });
  next.body.resume();

  expect(received.map(({ path }) => path)).toEqual(['/second']);
});
