import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createClient } from '../../src/api/client.ts';
import { createHttp } from '../../src/api/http.ts';
import { serve } from '../support/http-server.ts';

/** A client that is patient for a moment; how often it tried again. */
async function connect(baseUrl: URL, timeoutMs: number, retries = 0) {
  const http = await createHttp({ timeoutMs, userAgent: 'test', trace: () => {} });
  onTestFinished(() => http.close());
  const pauses: number[] = [];
  const client = createClient({
    baseUrl,
    http,
    retries,
    wallClock: () => 0,
    stopwatch: () => 0,
    sleep: async (durationMs) => void pauses.push(durationMs),
    random: () => 0,
    signal: new AbortController().signal,
    token: 't0ken',
    credentials: undefined,
  });
  return { client, pauses };
}

async function sizeOf({ body }: { body: AsyncIterable<Buffer> }): Promise<number> {
  let sizeBytes = 0;
  for await (const piece of body) sizeBytes += piece.length;
  return sizeBytes;
}

/** A port that takes connections and says nothing. */
async function listenInSilence(): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => void sockets.add(socket.on('error', () => {})));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

const body = { contentType: 'application/json', text: '{}' };

test('to connect: TLS that does not come about; a create has not left, and is tried again', async () => {
  const port = await listenInSilence();
  const { client, pauses } = await connect(new URL(`https://127.0.0.1:${port}/`), 100, 1);
  await expect(client.createReport(body, sizeOf)).rejects.toMatchObject({
    code: 'TIMEOUT',
    exitCode: 5,
    message: expect.stringMatching(/no connection in time.*Tried 2 times\.$/),
  });
  expect(pauses).toHaveLength(1);
});

test('to the first byte: a create may have arrived, and is not repeated', async () => {
  const port = await listenInSilence();
  const { client, pauses } = await connect(new URL(`http://127.0.0.1:${port}/`), 100, 5);
  await expect(client.createReport(body, sizeOf)).rejects.toMatchObject({
    code: 'CREATE_UNCERTAIN',
    exitCode: 5,
    message: expect.stringContaining('no answer in time'),
  });
  expect(pauses).toEqual([]);
});

test('idle: a download that stops moving', async () => {
  const { url } = await serve((_request, response) => void response.writeHead(200).write('{"data":['));
  const { client } = await connect(url, 100);
  await expect(client.download('r', sizeOf)).rejects.toMatchObject({
    code: 'TIMEOUT',
    exitCode: 5,
    message: expect.stringContaining('the answer stopped moving'),
  });
});

test('a status that trickles for ever is given up, though it never pauses', async () => {
  const { url } = await serve((_request, response) => {
    response.writeHead(200);
    const timer = setInterval(() => response.write(' '), 20);
    response.on('close', () => clearInterval(timer));
  });
  const { client } = await connect(url, 150);
  await expect(client.status('r')).rejects.toMatchObject({
    code: 'TIMEOUT',
    exitCode: 5,
    message: expect.stringContaining('did not end in time'),
  });
});

test('never the whole: a download that moves takes as long as it takes', async () => {
  const timeoutMs = 800;
  const { url } = await serve((_request, response) => {
    let pieces = 0;
    response.writeHead(200);
    const timer = setInterval(() => {
      response.write('piece');
      pieces += 1;
      if (pieces < 6) return;
      clearInterval(timer);
      response.end();
    }, timeoutMs / 4);
  });
  const { client } = await connect(url, timeoutMs);
  expect(await client.download('r', sizeOf)).toBe(30);
});

test('a reader that takes its time is no pause of the download', async () => {
  const { url } = await serve((_request, response) => void response.writeHead(200).end(Buffer.alloc(4_000_000)));
  const { client } = await connect(url, 100);
  const sizeBytes = await client.download('r', async (answer) => {
    await new Promise((resolve) => setTimeout(resolve, 300));
    return sizeOf(answer);
  });
  expect(sizeBytes).toBe(4_000_000);
});
