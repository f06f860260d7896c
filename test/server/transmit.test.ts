import { request } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { Call } from '../../src/server/http/call.ts';
import { closeServer, createHttpServer, listen } from '../../src/server/http/http-server.ts';
import { transmit } from '../../src/server/http/transmit.ts';

/** A body that fails on its way, as one does whose rows cannot be computed to their end. */

/** Serves one body to whoever asks, and returns where. */
async function serve(body: () => AsyncIterable<string>): Promise<number> {
  const note = {
    arrivedMs: 0,
    method: 'GET',
    url: '/',
    authorization: undefined,
    endpoint: undefined,
    account: undefined,
    faults: [],
    body: undefined,
    isLogged: false,
    isWaiting: false,
    response: undefined,
    sizeBytes: 0,
    elapsedMs: 0,
    status: 0,
  };
  const server = await createHttpServer((incoming, outgoing) => {
    const headers = { 'content-disposition': 'attachment' };
    transmit(new Call(incoming, outgoing, note), { status: 200, type: 'text/csv', headers, body: body() });
  }, undefined);
  const { port } = await listen(server, '127.0.0.1', 0);
  onTestFinished(() => closeServer(server));
  return port;
}

interface Received {
  readonly status: number | undefined;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly text: string;
  /** Whether the answer came to its end. */
  readonly isWhole: boolean;
}

function get(port: number, headers: Record<string, string> = {}): Promise<Received> {
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, headers }, (answer) => {
      const pieces: Buffer[] = [];
      answer.on('data', (piece: Buffer) => pieces.push(piece));
      answer.on('error', () => {});
      answer.on('close', () => {
        const { statusCode: status, headers: received, complete: isWhole } = answer;
        resolve({ status, headers: received, text: Buffer.concat(pieces).toString('utf8'), isWhole });
      });
    });
    asked.on('error', reject).end();
  });
}

async function* failing(...pieces: string[]): AsyncGenerator<string> {
  yield* pieces;
  throw new Error('the rows are broken');
}

test('before its first byte: the call is refused, and nothing is told of the body that was to come', async () => {
  const { status, headers, text, isWhole } = await get(await serve(() => failing()));
  expect([status, isWhole]).toEqual([500, true]);
  expect(headers['content-type']).toBe('application/json; charset=utf-8');
  expect(headers['content-disposition']).toBeUndefined();
  expect(JSON.parse(text)).toMatchObject({ response: { error_id: 'INTERNAL' } });
  expect(text).not.toContain('broken');
});

test.each([{}, { 'accept-encoding': 'gzip' }])('later on: the connection is cut (%o)', async (headers) => {
  const long = 'a,b\n'.repeat(100_000);
  const { status, isWhole } = await get(await serve(() => failing(long, long)), headers);
  expect([status, isWhole]).toEqual([200, false]);
});
