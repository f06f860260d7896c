import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clientAt, createWith, downloadWith, listenRaw } from './connect.ts';

/** The effects of `timeoutMs`. The tests run concurrently, so that all take as long as one. */

/** Longer than a busy machine makes a process wait. */
const timeoutMs = 500;

/** Repeats something as long as the answer can be written. */
function repeat(response: ServerResponse, step: () => void): void {
  const timer = setInterval(step, timeoutMs / 25);
  response.on('close', () => clearInterval(timer));
}

/** Slow services, by the first word of the path. */
const services: Readonly<Record<string, (response: ServerResponse) => void>> = {
  silent: () => {},

  stalls: (response) => {
    response.writeHead(200).write('{"data":[');
  },

  'is-slow-but-whole': (response) => {
    response.writeHead(200);
    repeat(response, () => response.write('piece'));
    setTimeout(() => response.end(), 2 * timeoutMs);
  },
};

const server = createServer((request, response) => {
  const [, word = ''] = request.url?.split('/') ?? [];
  request.resume().on('end', () => services[word]?.(response));
});

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterAll(() => {
  server.close().closeAllConnections();
});

/** The base URL of one of the services. */
function urlOf(word: string): URL {
  const { port } = server.address() as AddressInfo;
  return new URL(`http://127.0.0.1:${port}/${word}`);
}

async function sizeOf({ body }: { body: AsyncIterable<Buffer> }): Promise<number> {
  let sizeBytes = 0;
  for await (const piece of body) sizeBytes += piece.length;
  return sizeBytes;
}

describe.concurrent('a timeout limits', () => {
  test('connecting: a create was not sent, and is tried again', async ({ onTestFinished }) => {
    const port = await listenRaw('', onTestFinished);
    const url = new URL(`https://127.0.0.1:${port}/`);

    const { client, pauses } = await clientAt(url, { timeoutMs, retries: 1, onTestFinished });

    await expect(createWith(client, sizeOf)).rejects.toMatchObject({
      code: 'TIMEOUT',
      exitCode: 5,
      message: expect.stringMatching(/no connection in time/),
    });
    expect(pauses).toHaveLength(1);
  });

  test('the wait for the first byte: the error says how to wait longer', async ({
    onTestFinished,
  }) => {
    const { client } = await clientAt(urlOf('silent'), { timeoutMs, retries: 0, onTestFinished });

    await expect(client.status('r')).rejects.toMatchObject({
      code: 'TIMEOUT',
      exitCode: 5,
      message: expect.stringContaining('no response in time'),
      hint: expect.stringContaining('--timeout'),
    });
  });

  test('the wait for the first byte: a create may have arrived, and is not repeated', async ({
    onTestFinished,
  }) => {
    const { client, pauses } = await clientAt(urlOf('silent'), { timeoutMs, onTestFinished });

    await expect(createWith(client, sizeOf)).rejects.toMatchObject({
      code: 'CREATE_UNCERTAIN',
      exitCode: 5,
      message: expect.stringContaining('no response in time'),
    });
    expect(pauses).toEqual([]);
  });

  test('a pause within a download', async ({ onTestFinished }) => {
    const { client } = await clientAt(urlOf('stalls'), { timeoutMs, retries: 0, onTestFinished });

    await expect(downloadWith(client, sizeOf)).rejects.toMatchObject({
      code: 'TIMEOUT',
      exitCode: 5,
      message: expect.stringContaining('the response stalled'),
    });
  });
});

describe.concurrent('a timeout does not limit', () => {
  test('a download that makes progress', async ({ onTestFinished }) => {
    const options = { timeoutMs, retries: 0, onTestFinished };

    const { client } = await clientAt(urlOf('is-slow-but-whole'), options);

    expect(await downloadWith(client, sizeOf)).toBeGreaterThan(0);
  });
});
