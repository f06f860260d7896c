import { type AddressInfo, createServer, type Socket } from 'node:net';
import { type TestContext, onTestFinished as whenTestFinished } from 'vitest';
import { Client, type ClientOptions } from '../../src/api/client.ts';
import { createHttp } from '../../src/api/http.ts';
import type { ReportResponse } from '../../src/api/read-responses.ts';
import { AdreportError } from '../../src/errors.ts';
import { type Handler, serve } from '../support/http-server.ts';

/** Registers a cleanup function for the end of a test. */
type OnTestFinished = TestContext['onTestFinished'];

interface ConnectOptions extends Partial<ClientOptions> {
  readonly timeoutMs?: number;

  /** From the context of the test, for concurrent tests. */
  readonly onTestFinished?: OnTestFinished;
}

/** The request of a create call. */
const body = { contentType: 'application/json', text: '{"since":1}' };

/** A client that records its pauses instead of sleeping. */
export async function clientAt(
  baseUrl: URL,
  connectOptions: ConnectOptions = {},
): Promise<{ client: Client; pauses: readonly number[] }> {
  const { timeoutMs = 1_000, onTestFinished = whenTestFinished, ...options } = connectOptions;
  const http = await createHttp({
    timeoutMs,
    userAgent: 'test',
    wording: 'flags',
    trace: () => {},
  });
  onTestFinished(() => http.close());

  const pauses: number[] = [];
  const client = new Client({
    baseUrl,
    http,
    encoding: 'json',
    retries: 3,
    host: {
      wallClock: () => Date.UTC(2026, 10, 20, 12),
      stopwatch: () => pauses.reduce((sum, durationMs) => sum + durationMs, 0),
      sleep: async (durationMs) => void pauses.push(durationMs),
      random: () => 0.5,
      signal: new AbortController().signal,
    },
    wording: 'flags',
    note: () => {},
    hide: () => {},
    redact: (text) => text,
    token: 't0ken',
    credentials: undefined,
    ...options,
  });
  return { client, pauses };
}

/** A client of a server with the test's answers. */
export async function connect(handler: Handler, options?: ConnectOptions) {
  const { url, received } = await serve(handler);
  const { client, pauses } = await clientAt(url, options);

  return { client, pauses, received };
}

/** A port that is not a web server: it sends the given bytes, or nothing. */
export async function listenRaw(
  greeting = '',
  onTestFinished: OnTestFinished = whenTestFinished,
): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    socket.write(greeting);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** Downloads a report with `client`, and reads it; after a cut from the beginning again. */
export async function downloadWith<T>(
  client: Client,
  read: (answer: ReportResponse) => Promise<T>,
): Promise<T> {
  for (let tries = 0; ; ) {
    const answer = await client.download('r1', tries);
    tries = answer.tries;
    try {
      return await read(answer);
    } catch (error) {
      if (!(error instanceof AdreportError)) throw error;
      await client.pause(error, tries);
    }
  }
}

/** Creates a report, and reads the data if it comes instead of an id. */
export async function createWith<T>(
  client: Client,
  read: (answer: ReportResponse) => Promise<T>,
): Promise<unknown> {
  const created = await client.createReport(body);
  return created.response ? read(created.response) : created;
}
