import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { onTestFinished } from 'vitest';
import { type LocalServer, type LocalServerOptions, startLocalServer } from '../../src/server/start.ts';

/** What came back of a call, whole or cut. */
export interface Outcome {
  /** 0 where the connection ended before an answer. */
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** Whether the answer came to its proper end. */
  readonly isWhole: boolean;
  /** The code of the error that ended it, where one did. */
  readonly errorCode: string | undefined;
}

export interface CallOptions {
  readonly method?: string;
  readonly body?: unknown;
  /** The account whose token is sent; `buyer` where absent. */
  readonly as?: string;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Ends the call once so many bytes of the body have come. */
  readonly leaveAfterBytes?: number;
}

/** A report request that every account may make. */
export const smallReport = {
  since: 1_780_272_000,
  until: 1_780_358_399,
  metrics: 'displays',
  breakdowns: ['DAILY'],
};

const startMs = Date.UTC(2026, 10, 20, 12);

/** A local server with a clock of its own, whose reports are ready at once unless it is told otherwise; closed when the test is over. */
export async function serveLocal(options: LocalServerOptions = {}): Promise<LocalServer> {
  const readiness = options.polls === undefined && !options.manual ? { delayMs: 0 } : {};
  const server = await startLocalServer({ clock: () => startMs, ...readiness, ...options });
  onTestFinished(() => server.close());
  return server;
}

/** One call on a connection of its own; resolves however it ends. */
export function call(server: LocalServer, path: string, options: CallOptions = {}): Promise<Outcome> {
  const { body, headers, leaveAfterBytes = Number.POSITIVE_INFINITY } = options;
  const token = options.token ?? server.accounts.find(({ name }) => name === (options.as ?? 'buyer'))?.token ?? '';
  return new Promise((resolve) => {
    const request = (server.url.startsWith('https:') ? httpsRequest : httpRequest)(new URL(path, server.url), {
      method: options.method ?? (body === undefined ? 'GET' : 'POST'),
      agent: false,
      rejectUnauthorized: false,
      headers: { authorization: token, 'content-type': 'application/json', ...headers },
    });
    request.on('error', (error: NodeJS.ErrnoException) =>
      resolve({ status: 0, headers: {}, body: Buffer.alloc(0), isWhole: false, errorCode: error.code }),
    );
    request.on('response', (response) => {
      const pieces: Buffer[] = [];
      let errorCode: string | undefined;
      response.on('data', (piece: Buffer) => {
        pieces.push(piece);
        if (Buffer.concat(pieces).length >= leaveAfterBytes) request.destroy();
      });
      response.on('error', (error: NodeJS.ErrnoException) => {
        errorCode = error.code;
      });
      response.on('close', () => {
        const { statusCode: status = 0, headers: answered, complete: isWhole } = response;
        resolve({ status, headers: answered, body: Buffer.concat(pieces), isWhole, errorCode });
      });
    });
    request.end(typeof body === 'string' || body === undefined ? body : JSON.stringify(body));
  });
}

/** The body of an answer as JSON. */
export function jsonOf({ body }: Outcome): unknown {
  return JSON.parse(body.toString('utf8'));
}

/** Creates a report and returns its ID. */
export async function createReport(server: LocalServer, as = 'buyer'): Promise<string> {
  const created = jsonOf(await call(server, '/buyer-reporting', { as, body: smallReport }));
  return (created as { response: { report_id: string } }).response.report_id;
}

/** The status word of a report. */
export async function statusOf(server: LocalServer, id: string, as = 'buyer'): Promise<string> {
  const answer = jsonOf(await call(server, '/status-reporting', { as, body: { id } }));
  return (answer as { response: { status: string } }).response.status;
}
