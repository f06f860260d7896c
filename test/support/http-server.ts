import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

interface Received {
  readonly method: string;

  /** Including the query. */
  readonly path: string;

  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** May also never respond. */
export type Handler = (request: Received, response: ServerResponse) => void | Promise<void>;

/** Starts a real HTTP server on loopback for one test, with the test's responses. */
export async function serve(handler: Handler) {
  const received: Received[] = [];

  const server = createServer((request, response) => {
    // Tests set their own clocks.
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

  /** Signs a command in to the server. */
  const env = { ADREPORT_BASE_URL: url.href, ADREPORT_TOKEN: 'f'.repeat(40) };
  return { url, received, env };
}

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
 * Serves one small report that is ready immediately. Responses of the test, by path, have
 * precedence. The service may accept only forms.
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
