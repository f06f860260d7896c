import Fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
} from 'fastify';
import { type EndpointName, endpoints } from '../contract/endpoints.ts';
import { jsonAnswer } from './answer.ts';
import { answerByFault } from './fault-answers.ts';
import type { FaultKind } from './fault-spec.ts';
import type { Account } from './fixtures/fixtures.ts';
import { parseBody } from './parse-body.ts';
import type { RateLimit } from './rate-limit.ts';
import type { LoggedRequest } from './request-log.ts';
import { type Call, createService, readCredentials, type ServiceParts } from './service.ts';
import { type ErrorId, ServiceError } from './service-error.ts';
import { transmit } from './transmit.ts';

export interface AppParts extends ServiceParts {
  readonly rateLimit: RateLimit | undefined;
  /** Told of every call when it arrives; the function it returns is called when the call is over. */
  readonly onRequest: (describe: () => LoggedRequest) => () => void;
}

const bodyBytesAtMost = 1024 * 1024;
const localHeader = 'x-adreport-local';
const noBody = Buffer.alloc(0);
const loggedBytesAtMost = 2_000;

/** What is noted of a call on its way through, for the log. */
interface Note {
  readonly contentType: string | undefined;
  endpoint?: EndpointName;
  account?: Account | undefined;
  faults: readonly FaultKind[];
  startedMs: number;
  bytesBefore: number;
}

/** The service over HTTP: routes, the error envelope, faults, the log. Listens to nothing by itself. */
export function createApp(parts: AppParts, tls?: { readonly cert: string; readonly key: string }): FastifyInstance {
  const options: FastifyServerOptions & { https?: object } = {
    logger: false,
    bodyLimit: bodyBytesAtMost,
    requestTimeout: 60_000,
    forceCloseConnections: true,
    clientErrorHandler: refuseNonHttp,
    frameworkErrors: (error, request, reply) => refuse(toServiceError(error), request, reply.header(localHeader, '1')),
    routerOptions: { maxParamLength: 200 },
    ...(tls ? { https: tls } : {}),
  };
  const app = Fastify(options as FastifyServerOptions);

  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));

  app.decorateRequest('note');
  app.addHook('onRequest', (request, reply, done) => {
    reply.header(localHeader, '1');
    const bytesBefore = request.raw.socket?.bytesWritten ?? 0;
    const contentType = request.headers['content-type'];
    const note: Note = { contentType, faults: [], startedMs: performance.now(), bytesBefore };
    request.setDecorator('note', note);
    // Which encoding a body has is ours to say, by the body itself (`decisions.md` 1): Fastify is not to refuse any.
    if (contentType !== undefined) request.raw.headers['content-type'] = 'application/octet-stream';
    // Once for every call of the service, the ones whose connection is cut included.
    if (!isAboutServer(request.url))
      reply.raw.once(
        'close',
        parts.onRequest(() => logged(parts, request, reply, note)),
      );
    done();
  });
  app.setErrorHandler((error, request, reply) => {
    const note = request.getDecorator<Note | undefined>('note');
    return refuse(toServiceError(error), request, reply, note?.faults);
  });
  app.setNotFoundHandler(answerUnrouted);
  addEndpoints(app, parts);
  return app;
}

function addEndpoints(app: FastifyInstance, parts: AppParts): void {
  const service = createService(parts);
  for (const [name, { method, path }] of Object.entries(endpoints)) {
    const endpoint = name as EndpointName;
    app.route({
      method,
      url: path,
      handler: async (request, reply) => {
        const note = request.getDecorator<Note>('note');
        const call = toCall(request, reply, note.contentType);
        const account = identify(parts, endpoint, call);
        note.endpoint = endpoint;
        note.account = account;
        parts.rateLimit?.admit(account?.email ?? request.ip, parts.clock.now());
        const faults = parts.faults.strike(endpoint, account);
        note.faults = faults;
        const revokeToken = (): void => parts.sessions.revoke(call.authorization?.trim() ?? '');
        if (faults.length > 0 && (await answerByFault(faults, { request, reply, revokeToken }))) return reply;
        return transmit(request, reply, await service[endpoint](call), faults);
      },
    });
  }
}

function toCall(request: FastifyRequest, reply: FastifyReply, contentType: string | undefined): Call {
  const { authorization, accept } = request.headers;
  const body = Buffer.isBuffer(request.body) ? request.body : noBody;
  let controller: AbortController | undefined;
  return {
    authorization,
    accept,
    contentType,
    body,
    // Made only for the calls that compute something.
    get signal() {
      if (!controller) {
        const made = new AbortController();
        controller = made;
        reply.raw.once('close', () => made.abort(new Error('The client is gone.')));
      }
      return controller.signal;
    },
  };
}

/** Whose call it is, as far as can be told without refusing it: for the log, the faults and the rate limit. */
function identify({ sessions, clock }: AppParts, endpoint: EndpointName, call: Call): Account | undefined {
  try {
    if (endpoint !== 'auth') return sessions.authorize(call.authorization, clock.now());
    const { email } = readCredentials(parseBody(call.body, call.contentType));
    return email === undefined ? undefined : sessions.accountOf(email);
  } catch {
    return undefined;
  }
}

function refuse(
  error: ServiceError,
  request: FastifyRequest,
  reply: FastifyReply,
  faults: readonly FaultKind[] = [],
): FastifyReply {
  return transmit(request, reply, jsonAnswer(error.toBody(), error.status, error.headers), faults);
}

const byFastifyCode: Readonly<Record<string, readonly [ErrorId, string]>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ['BODY_TOO_LARGE', `A body has at most ${bodyBytesAtMost} bytes.`],
  FST_ERR_BAD_URL: ['NOT_FOUND', 'The path is not valid percent-encoding.'],
};

function toServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  const { code = '', statusCode = 500 } = error as { code?: string; statusCode?: number };
  const known = byFastifyCode[code];
  if (known) return new ServiceError(...known);
  if (statusCode >= 400 && statusCode < 500) return new ServiceError('INVALID_BODY', 'The request could not be read.');
  return new ServiceError('INTERNAL', 'The service failed. This is a bug of the local server.');
}

/** 405 with `Allow` for another method of a known path, 404 for an unknown one. */
function answerUnrouted(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const path = request.url.split('?')[0] ?? '';
  const allowed = Object.values(endpoints).filter((endpoint) => endpoint.path === path);
  if (allowed.length === 0) {
    const known = Object.values(endpoints).map((endpoint) => `${endpoint.method} ${endpoint.path}`);
    const error = `There is no ${path.slice(0, 80)} here. There are ${known.join(', ')}.`;
    return refuse(new ServiceError('NOT_FOUND', error), request, reply);
  }
  const allow = allowed.map(({ method }) => (method === 'GET' ? 'GET, HEAD' : method)).join(', ');
  if (request.method === 'OPTIONS') return reply.code(204).header('allow', allow).send();
  const headers = { allow };
  return refuse(new ServiceError('METHOD_NOT_ALLOWED', `${path} takes ${allow}.`, { headers }), request, reply);
}

/** What Node's parser gives up on, by its error code; anything else is 400. */
const unparsed: Readonly<Record<string, readonly [status: string, error: string]>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The headers are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request did not arrive in time.'],
};

/** Answers what never became a request, and closes the connection. */
function refuseNonHttp(
  { code = '' }: NodeJS.ErrnoException,
  socket: { writable: boolean; end(text: string): void; destroy(): void },
): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const [status, error] = unparsed[code] ?? ['400 Bad Request', 'This is not an HTTP request.'];
  const body = JSON.stringify({ response: { error_id: 'INVALID_BODY', error } });
  socket.end(
    `HTTP/1.1 ${status}\r\n${localHeader}: 1\r\nconnection: close\r\ncontent-type: application/json\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

function logged(parts: AppParts, request: FastifyRequest, reply: FastifyReply, note: Note): LoggedRequest {
  return {
    time: new Date(parts.clock.now()).toISOString(),
    method: request.method,
    path: request.url.slice(0, 200),
    endpoint: note.endpoint,
    status: reply.raw.headersSent ? reply.raw.statusCode : 0,
    elapsedMs: Math.round((performance.now() - note.startedMs) * 10) / 10,
    sizeBytes: (request.raw.socket?.bytesWritten ?? 0) - note.bytesBefore,
    account: note.account?.name,
    token: maskToken(request.headers.authorization),
    body:
      note.endpoint !== undefined && note.endpoint !== 'auth' && Buffer.isBuffer(request.body)
        ? request.body.toString('utf8', 0, loggedBytesAtMost)
        : undefined,
    faults: note.faults.map(({ type }) => type),
  };
}

/** Enough of a token to tell one from another; nothing of one that is too short to keep a part of it secret. */
function maskToken(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  return header.length < 20 ? '…' : `…${header.trim().slice(-4)}`;
}

/** Whether a path is about this server and no call of the service, which is what the log is of. */
function isAboutServer(url: string): boolean {
  return url === '/' || url === '/openapi.json' || url.startsWith('/__admin/');
}
