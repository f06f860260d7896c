import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { serve } from '../support/http-server.ts';
import { body, clientAt, connect, listenRaw } from './connect.ts';

/** What `timeoutMs` bounds, and what it does not. */

async function sizeOf({ body }: { body: AsyncIterable<Buffer> }): Promise<number> {
  let sizeBytes = 0;
  for await (const piece of body) sizeBytes += piece.length;
  return sizeBytes;
}

test('to connect: TLS that does not come about; a create has not left, and is tried again', async () => {
  const port = await listenRaw();
  const { client, pauses } = await clientAt(new URL(`https://127.0.0.1:${port}/`), {
    timeoutMs: 100,
    retries: 1,
  });
  await expect(client.createReport(body, sizeOf)).rejects.toMatchObject({
    code: 'TIMEOUT',
    exitCode: 5,
    message: expect.stringMatching(/no connection in time.*Tried 2 times\.$/),
  });
  expect(pauses).toHaveLength(1);
});

test('to the first byte: the error says how to wait longer; a create may have arrived, and is not repeated', async () => {
  const { client, pauses } = await connect(() => {}, { timeoutMs: 100 });
  const failure = { exitCode: 5, message: expect.stringContaining('no answer in time') };
  await expect(client.createReport(body, sizeOf)).rejects.toMatchObject({
    ...failure,
    code: 'CREATE_UNCERTAIN',
  });
  expect(pauses).toEqual([]);
  const hint = expect.stringContaining('--timeout');
  await expect(client.status('r')).rejects.toMatchObject({ ...failure, code: 'TIMEOUT', hint });
});

test('idle: a download that stops moving', async () => {
  const { url } = await serve(
    (_request, response) => void response.writeHead(200).write('{"data":['),
  );
  const { client } = await clientAt(url, { timeoutMs: 100, retries: 0 });
  await expect(client.download('r', sizeOf)).rejects.toMatchObject({
    code: 'TIMEOUT',
    exitCode: 5,
    message: expect.stringContaining('the answer stopped moving'),
  });
});

describe('an exchange that never pauses is bounded as a whole', () => {
  /** Sends a piece every 20 ms, for ever. */
  const drip = (response: ServerResponse, piece: string): void => {
    const timer = setInterval(() => response.write(piece), 20);
    response.on('close', () => clearInterval(timer));
  };
  const failure = {
    code: 'TIMEOUT',
    exitCode: 5,
    message: expect.stringContaining('did not end in time'),
  };

  test.each(['signIn', 'status', 'campaigns'] as const)('%s', async (name) => {
    const { client } = await connect((_request, response) => drip(response.writeHead(200), ' '), {
      timeoutMs: 100,
      retries: 0,
      credentials: { email: 'me@example.com', password: 'secret' },
    });
    await expect(client[name]('r')).rejects.toMatchObject(failure);
  });

  test('a create', async () => {
    const { client } = await connect((_request, response) => drip(response.writeHead(200), ' '), {
      timeoutMs: 100,
    });
    await expect(client.createReport(body, sizeOf)).rejects.toMatchObject({
      ...failure,
      code: 'CREATE_UNCERTAIN',
    });
  });

  test('an error that is being told', async () => {
    const { client } = await connect((_request, response) => drip(response.writeHead(400), 'no'), {
      timeoutMs: 100,
    });
    await expect(client.download('r', sizeOf)).rejects.toMatchObject({
      exitCode: 4,
      httpStatus: 400,
    });
  });

  test('hints without an answer, of a download too', async () => {
    const { client } = await connect(
      (_request, response) => {
        const timer = setInterval(() => response.writeProcessing(), 20);
        response.on('close', () => clearInterval(timer));
      },
      { timeoutMs: 100, retries: 0 },
    );
    await expect(client.download('r', sizeOf)).rejects.toMatchObject({
      exitCode: 5,
      code: 'TIMEOUT',
    });
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
  const { client } = await clientAt(url, { timeoutMs });
  expect(await client.download('r', sizeOf)).toBe(30);
});

test('a reader that takes its time is no pause of the download', async () => {
  const { url } = await serve(
    (_request, response) => void response.writeHead(200).end(Buffer.alloc(4_000_000)),
  );
  const { client } = await clientAt(url, { timeoutMs: 100, retries: 0 });
  const sizeBytes = await client.download('r', async (answer) => {
    await new Promise((resolve) => setTimeout(resolve, 300));
    return sizeOf(answer);
  });
  expect(sizeBytes).toBe(4_000_000);
});
