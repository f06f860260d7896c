import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A request, once all of it has come. */
interface Received {
  readonly method: string;

  /** With the query. */
  readonly path: string;

  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** Answers a request, or leaves it without an answer. */
export type Handler = (request: Received, response: ServerResponse) => void | Promise<void>;

/**
 * A real HTTP server on loopback, whose every answer is the test's own; closed when the test is
 * over.
 */
export async function serve(handler: Handler) {
  const received: Received[] = [];

  const server = createServer((request, response) => {
    // The clocks of tests begin when each test says.
    response.sendDate = false;
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const whole: Received = {
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(pieces).toString('utf8'),
      };
      received.push(whole);
      void handler(whole, response);
    });
  });

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close().closeAllConnections());

  const { port } = server.address() as AddressInfo;
  const url = new URL(`http://127.0.0.1:${port}/`);

  /** Of a command that is signed in there. */
  const env = { ADREPORT_BASE_URL: url.href, ADREPORT_TOKEN: 'f'.repeat(40) };
  return { url, received, env };
}

/** Answers with JSON. */
export function json(
  response: ServerResponse,
  value: unknown,
  status = 200,
  headers: object = {},
): void {
  response
    .writeHead(status, { 'content-type': 'application/json', ...headers })
    .end(JSON.stringify(value));
}

/**
 * A service with one small report, which is ready at once; answers of the test's own by path go
 * before. It may take forms only, as the body of a POST.
 */
export function serveAnswers(
  own: Readonly<Record<string, unknown>> = {},
  { formsOnly = false } = {},
) {
  const usual = {
    '/buyer-reporting': { id: 'r1' },
    '/status-reporting': { status: 'ready' },
    '/download-reporting': { data: [{ displays: 7 }] },
    '/campaigns': [],
  };
  const answers: Readonly<Record<string, unknown>> = { ...usual, ...own };

  return serve(({ path, method, headers }, response) => {
    const isForm = headers['content-type'] === 'application/x-www-form-urlencoded';
    if (formsOnly && method === 'POST' && !isForm) json(response, {}, 415);
    else json(response, answers[path] ?? {}, path in answers ? 200 : 404);
  });
}
