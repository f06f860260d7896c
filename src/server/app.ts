import { maxHeaderSize, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import { type EndpointName, endpoints } from '../contract/messages.ts';
import { didYouMean, nearest } from '../text/nearest.ts';
import { bodyOf, handleCall } from './call-handler.ts';
import { type AdminCall, listAdminCalls } from './control/admin-calls.ts';
import { FaultMistake } from './faults/fault-mistake.ts';
import { jsonAnswer, refusalAnswer, send } from './http-answer.ts';
import { openapiDocument } from './openapi.ts';
import type { Control } from './public-types.ts';
import { maxBodyBytes, parseBody } from './request/parse-body.ts';
import { logEntryOf } from './request-log.ts';
import { ServiceError } from './service/service-error.ts';
import type { Services } from './services.ts';
import { pageAnswer } from './start-page.ts';

/** Sent with every response, so that clients can recognize the local server. */
const localHeader = 'x-adreport-local';

const requestTimeoutMs = 60_000;

/** First byte of a TLS connection. */
const tlsHandshake = 0x16;

/**
 * Routes the service calls (`call-handler.ts`), the admin calls that tests use to control the
 * server (`control/`), `/openapi.json` and the web page.
 */
export function createApp(
  services: Services,
  { control, host }: { control: Control; host: string },
): FastifyInstance {
  const app = createFastify(services);
  const adminCalls = listAdminCalls(services, control);

  acceptAnyBody(app);
  addCommonHeaders(app, services);
  trackCalls(app, services);
  refuseMissingHost(app);
  refuseForeignHosts(app, host);
  answerErrors(app, services);
  refuseUnknownPaths(app, adminCalls);

  addServiceCalls(app, services);
  addAdminCalls(app, adminCalls);

  app.get('/openapi.json', (request, reply) => {
    return send(request, reply, jsonAnswer(openapiDocument(adminCalls)));
  });
  app.get('/', (request, reply) => {
    // Behind a proxy, the server is reached by another name than its own.
    const baseUrl = `${request.protocol}://${request.headers.host ?? 'localhost'}`;
    return send(request, reply, pageAnswer(services.fixtures.accounts, baseUrl));
  });
  // Browsers request it with every page, which would fill the request log.
  app.get('/favicon.ico', (_request, reply) => reply.code(204).send());

  return app;
}

function createFastify(services: Services): FastifyInstance {
  const { log, clock, options } = services;
  const { tls } = options;
  const app = Fastify({
    // Node would answer a request without Host with no body, and without the log.
    ...(!tls && { http: { requireHostHeader: false } }),
    // An unfinished TLS handshake would keep the server from closing.
    ...(tls && { https: { ...tls, requireHostHeader: false, handshakeTimeout: 2_000 } }),
    // parseBody enforces the real limit. Reading a slightly larger body to the end lets the client
    // receive the refusal.
    bodyLimit: 8 * maxBodyBytes,
    // Without these, Fastify would load two compilers.
    schemaController: {
      compilersFactory: { buildValidator: refuseSchemas, buildSerializer: refuseSchemas },
    },
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: 600_000,
    forceCloseConnections: true,
    clientErrorHandler: (error: ParserError, socket) => refuseBytes(services, error, socket),
    // Hooks do not run for these requests.
    frameworkErrors: (error, request, reply) => {
      const arrival = { incoming: request.raw, outgoing: reply.raw, endpoint: undefined };
      log.open({ ...arrival, nowMs: clock.now() });
      send(request, reply.header(localHeader, '1'), refusalAnswer(error));
    },
  });
  // Fastify types http and https servers differently. Nothing here depends on the difference.
  return app as unknown as FastifyInstance;
}

function refuseSchemas(): never {
  throw new Error('No route has a schema.');
}

/** Accepts every body as bytes, whatever its Content-Type: `parseBody` reads it. */
function acceptAnyBody(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));

  app.addHook('onRequest', async (request) => {
    // Fastify refuses a malformed Content-Type, even if there is no body.
    delete request.headers['content-type'];
  });
}

function addCommonHeaders(app: FastifyInstance, { clock }: Services): void {
  app.addHook('onRequest', async (_request, reply) => {
    reply.header(localHeader, '1');
    // Clients compare the service's time with their own.
    reply.header('date', new Date(clock.now()).toUTCString());
  });
}

/** Logs service calls and calls to unknown paths, and lets `reset` end them. */
function trackCalls(app: FastifyInstance, { log, clock, calls }: Services): void {
  app.addHook('onRequest', async (request, reply) => {
    const { endpoint } = request.routeOptions.config as { readonly endpoint?: EndpointName };
    if (endpoint === undefined && !request.is404) return;

    calls.open(reply.raw);
    const nowMs = clock.now();
    log.open({ incoming: request.raw, outgoing: reply.raw, endpoint, nowMs });
  });

  app.addHook('preValidation', async (request) => {
    const entry = logEntryOf(request.raw);
    if (entry) log.keepBody(entry, bodyOf(request));
  });
}

/** HTTP/1.1 requires the header; clients of HTTP/1.0 do not send it. */
function refuseMissingHost(app: FastifyInstance): void {
  app.addHook('onRequest', async ({ headers, raw }) => {
    if (headers.host !== undefined || raw.httpVersion === '1.0') return;
    throw new ServiceError('INVALID_BODY', 'The request has no Host header.', {
      headers: { connection: 'close' },
    });
  });
}

/**
 * Protects a server on loopback against DNS rebinding: a web page that points its own host name at
 * this machine could read tokens. A server on any other address cannot know all its names, so it
 * accepts every one.
 */
function refuseForeignHosts(app: FastifyInstance, host: string): void {
  const isLoopback = /^(localhost|::1|127(\.\d{1,3}){3})$/.test(host);
  if (!isLoopback) return;

  const names = new Set(['localhost', '127.0.0.1', '[::1]', host]);
  app.addHook('onRequest', async ({ headers }) => {
    if (headers.host === undefined) return;

    const name = headers.host.replace(/:\d+$/, '').toLowerCase();
    if (names.has(name)) return;

    const ownNames = [...names].join(' or ');
    const sentence = `The Host header does not match this server: use ${ownNames}. To use another name, for example from a container, start the server with --host 0.0.0.0.`;
    throw new ServiceError('FOREIGN_HOST', sentence);
  });
}

/** Responds to errors, without the headers that were already set for the normal response. */
function answerErrors(app: FastifyInstance, { faults }: Services): void {
  app.setErrorHandler((error, request, reply) => {
    if (error instanceof FaultMistake) faults.keepMistake(error);
    for (const name of Object.keys(reply.getHeaders())) {
      if (name !== localHeader) reply.removeHeader(name);
    }
    return send(request, reply, refusalAnswer(error));
  });
}

/** Suggests the closest path for an unknown one, and lists the allowed methods for a known path. */
function refuseUnknownPaths(app: FastifyInstance, adminCalls: readonly AdminCall[]): void {
  const routes: readonly Pick<AdminCall, 'method' | 'path'>[] = [
    ...Object.values(endpoints),
    ...adminCalls,
    { method: 'GET', path: '/openapi.json' },
    { method: 'GET', path: '/' },
  ];

  app.setNotFoundHandler((request) => {
    const [written = ''] = request.url.split('?', 1);
    const path = decodeURIComponent(written).slice(0, 80);
    const pattern = path.replace(/(\/(?:reports|faults)\/)[^/]+$/, '$1:id');

    const routesOfPath = routes.filter((route) => route.path === pattern);
    if (routesOfPath.length === 0) {
      const paths = routes.map((route) => route.path);
      const otherwise = 'GET /openapi.json describes every call.';
      const advice = didYouMean(nearest(path, paths), otherwise);
      throw new ServiceError('NOT_FOUND', `Unknown path ${path}. ${advice}`);
    }

    const methods = routesOfPath.map(({ method }) => (method === 'GET' ? 'GET, HEAD' : method));
    const allow = methods.join(', ');
    throw new ServiceError('METHOD_NOT_ALLOWED', `${path} accepts ${allow}.`, {
      headers: { allow },
    });
  });
}

function addServiceCalls(app: FastifyInstance, services: Services): void {
  for (const [name, { method, path }] of Object.entries(endpoints)) {
    const endpoint = name as EndpointName;
    app.route({
      method,
      url: path,
      config: { endpoint },
      handler: (request, reply) => handleCall(services, { endpoint, request, reply }),
    });
  }
}

function addAdminCalls(app: FastifyInstance, adminCalls: readonly AdminCall[]): void {
  for (const { method, path, body, answer } of adminCalls) {
    app.route({
      method,
      url: path,
      async handler(request, reply) {
        if (method !== 'GET') assertOwnOrigin(request);

        const { id = '' } = request.params as { readonly id?: string };
        const parameters = parseBody(bodyOf(request));
        if (!body && Object.keys(parameters).length > 0) {
          throw new ServiceError('INVALID_BODY', `${method} ${path} does not accept a body.`);
        }
        const result = await answer(parameters, id);
        return send(request, reply, jsonAnswer(result ?? { ok: true }));
      },
    });
  }
}

/**
 * Refuses calls from other sites' pages: browsers let any page POST to this machine without a
 * preflight request.
 */
function assertOwnOrigin({ headers: { origin, host } }: FastifyRequest): void {
  if (origin === undefined) return;
  if (URL.canParse(origin) && new URL(origin).host === host) return;

  throw new ServiceError('FOREIGN_ORIGIN', 'Pages from another origin cannot control this server.');
}

/** Error of Node's HTTP parser. */
interface ParserError {
  readonly code?: string;

  /** Without a full stop. */
  readonly reason?: string;

  /** A `Buffer`, although Fastify's types do not say so. */
  readonly rawPacket?: unknown;
}

/** Responds to bytes that are not an HTTP request, logs them, and closes the connection. */
function refuseBytes({ log, clock }: Services, error: ParserError, socket: Duplex): void {
  // The client has hung up.
  if (!socket.writable) return;

  const bytes = Buffer.isBuffer(error.rawPacket) ? error.rawPacket : Buffer.alloc(0);
  const { status, sentence } = describeBytes(error, bytes);
  log.addUnreadable({ bytes, nowMs: clock.now(), status, why: `INVALID_BODY: ${sentence}` });

  const { type, body } = jsonAnswer({ response: { error_id: 'INVALID_BODY', error: sentence } });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `${localHeader}: 1`,
    'connection: close',
    `content-type: ${type}`,
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

function describeBytes({ code, reason }: ParserError, bytes: Buffer) {
  if (code === 'HPE_HEADER_OVERFLOW') {
    const sentence = `The headers are larger than ${maxHeaderSize / 1024} KiB.`;
    return { status: 431, sentence };
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    const sentence = `The request was not complete after ${requestTimeoutMs / 1_000} s.`;
    return { status: 408, sentence };
  }
  if (bytes[0] === tlsHandshake) {
    const sentence = 'This is a TLS handshake, but the server speaks plain HTTP: use http://.';
    return { status: 400, sentence };
  }

  const detail = reason === undefined ? '' : `: ${reason}`;
  return { status: 400, sentence: `This is not an HTTP request${detail}.` };
}
