import type { Duplex } from 'node:stream';
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import { type EndpointName, endpoints } from '../contract/messages.ts';
import { jsonAnswer, refusalAnswer, send } from './answer.ts';
import { bodyOf, handleCall } from './call-handler.ts';
import { type AdminCall, listAdminCalls } from './control/admin-calls.ts';
import type { Control } from './local-server.ts';
import { openapiDocument } from './openapi.ts';
import { pageAnswer } from './page.ts';
import { bodyBytesAtMost, parseBody } from './request/parse-body.ts';
import { logEntryOf } from './request-log.ts';
import { answerRows } from './service/service.ts';
import { ServiceError } from './service/service-error.ts';
import type { Services } from './services.ts';

/** The mark of every answer of the local server. */
const localHeader = 'x-adreport-local';

/** Where the server is to be found, and how tests steer it. */
export interface AppOptions {
  readonly control: Control;

  /** The address that it listens on. */
  readonly ownHost: string;
}

/**
 * The service over HTTP. Its routes are the calls of the service (`call-handler.ts`), the
 * admin calls with which tests steer it (`control/`), its description and its page.
 */
export function createApp(services: Services, { control, ownHost }: AppOptions): FastifyInstance {
  const app = createFastify(services);
  const adminCalls = listAdminCalls(services, control);

  acceptAnyBody(app);
  markAnswers(app, services);
  followCalls(app, services);
  refuseForeignHosts(app, ownHost);
  answerErrors(app);
  refuseUnknownPaths(app, adminCalls);

  addServiceCalls(app, services);
  addAdminCalls(app, adminCalls);

  app.get('/openapi.json', async (request, reply) => {
    // The schemas take a package that only this page and the admin calls need.
    const { adminBodySchema } = await import('./control/admin-bodies.ts');
    return send(request, reply, jsonAnswer(openapiDocument(adminCalls, adminBodySchema)));
  });
  app.get('/', (request, reply) => {
    // A proxy in front may have given the server another name than the one it knows itself by.
    const baseUrl = `${request.protocol}://${request.headers.host ?? 'localhost'}`;
    return send(request, reply, pageAnswer(services, { baseUrl, adminCalls }));
  });
  // A browser that shows rows asks for it, and would fill the request log.
  app.get('/favicon.ico', (_request, reply) => reply.code(204).send());
  app.get('/rows/:id', (request, reply) => {
    const { id } = request.params as { readonly id: string };
    services.calls.open(reply.raw);
    return send(request, reply, answerRows(services, id, services.calls.signalOf(reply.raw)));
  });

  return app;
}

function createFastify(services: Services): FastifyInstance {
  const { log, clock, options } = services;
  const { tls } = options;
  const app = Fastify({
    // A connection whose TLS handshake does not end would hold a server that is to close.
    ...(tls && { https: { ...tls, handshakeTimeout: 2_000 } }),
    // A body that is a little too large is read to its end, so that the client reads the refusal:
    // parseBody refuses it.
    bodyLimit: 8 * bodyBytesAtMost,
    requestTimeout: 60_000,
    keepAliveTimeout: 600_000,
    forceCloseConnections: true,
    clientErrorHandler: (error: UnreadableBytes, socket) => refuseNonHttp(services, error, socket),
    // No hook runs for such a request.
    frameworkErrors: (error, request, reply) => {
      const arrival = { incoming: request.raw, outgoing: reply.raw, endpoint: undefined };
      log.open({ ...arrival, nowMs: clock.now() });
      send(request, reply.header(localHeader, '1'), refusalAnswer(error));
    },
  });
  // The types of Fastify tell a server of https from one of http, and nothing here depends on that.
  return app as unknown as FastifyInstance;
}

/** Takes every body as bytes, whatever its label says: `parseBody` reads it. */
function acceptAnyBody(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));

  app.addHook('onRequest', async (request) => {
    // Fastify refuses a label that it cannot read, even where the body needs none.
    delete request.headers['content-type'];
  });
}

function markAnswers(app: FastifyInstance, { clock }: Services): void {
  app.addHook('onRequest', async (_request, reply) => {
    reply.header(localHeader, '1');
    // Clients compare the time of a service with their own.
    reply.header('date', new Date(clock.now()).toUTCString());
  });
}

/** Logs the calls of the service, and those of no known path, and lets `reset` end them. */
function followCalls(app: FastifyInstance, { log, clock, calls }: Services): void {
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

/**
 * On loopback any other name is that of a web page which has pointed its own name at this machine
 * in order to read tokens (DNS rebinding). A server that others reach has names that it does not
 * know, and refuses none.
 */
function refuseForeignHosts(app: FastifyInstance, ownHost: string): void {
  const isLoopback = /^(localhost|::1|127(\.\d{1,3}){3})$/.test(ownHost);
  if (!isLoopback) return;

  const names = new Set(['localhost', '127.0.0.1', '[::1]', ownHost]);
  app.addHook('onRequest', async ({ headers: { host } }) => {
    if (host === undefined) return;

    const name = host.replace(/:\d+$/, '').toLowerCase();
    if (names.has(name)) return;

    const ownNames = [...names].join(' or ');
    const sentence = `The Host header is not this server’s: call it ${ownNames}. To be called by another name, from a container for example, start it with --host 0.0.0.0.`;
    throw new ServiceError('FOREIGN_HOST', sentence);
  });
}

/** Answers every error, without the headers of the answer that there would have been. */
function answerErrors(app: FastifyInstance): void {
  app.setErrorHandler((error, request, reply) => {
    for (const name of Object.keys(reply.getHeaders())) {
      if (name !== localHeader) reply.removeHeader(name);
    }
    return send(request, reply, refusalAnswer(error));
  });
}

/** A path with one of its methods. */
type Route = Pick<AdminCall, 'method' | 'path'>;

/**
 * Refuses a path that is not there, and a method that a path does not take, and says what there is.
 */
function refuseUnknownPaths(app: FastifyInstance, adminCalls: readonly AdminCall[]): void {
  const routes: readonly Route[] = [
    ...Object.values(endpoints),
    ...adminCalls,
    { method: 'GET', path: '/openapi.json' },
    { method: 'GET', path: '/' },
    { method: 'GET', path: '/rows/:id' },
  ];

  app.setNotFoundHandler((request) => {
    const [written = ''] = request.url.split('?', 1);
    const path = decodeURIComponent(written).slice(0, 80);
    const pattern = path.replace(/(\/(?:reports|faults|rows)\/)[^/]+$/, '$1:id');

    const routesOfPath = routes.filter((route) => route.path === pattern);
    if (routesOfPath.length === 0) {
      const all = routes.map((route) => `${route.method} ${route.path}`).join(', ');
      throw new ServiceError('NOT_FOUND', `There is no ${path} here. There are ${all}.`);
    }

    const methods = routesOfPath.map(({ method }) => (method === 'GET' ? 'GET, HEAD' : method));
    const allow = methods.join(', ');
    throw new ServiceError('METHOD_NOT_ALLOWED', `${path} takes ${allow}.`, { headers: { allow } });
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
          throw new ServiceError('INVALID_BODY', `${method} ${path} takes no body.`);
        }
        const result = await answer(parameters, id);
        return send(request, reply, jsonAnswer(result ?? { ok: true }));
      },
    });
  }
}

/**
 * Refuses the pages of other sites: a browser lets them send a POST to this machine, without having
 * asked first.
 */
function assertOwnOrigin({ headers: { origin, host } }: FastifyRequest): void {
  if (origin === undefined) return;
  if (URL.canParse(origin) && new URL(origin).host === host) return;

  throw new ServiceError('FOREIGN_ORIGIN', 'A page of another origin cannot steer this server.');
}

/** The statuses of what never became a request; of all else it is 400. */
const statusesByCode: ReadonlyMap<string | undefined, { status: number; phrase: string }> = new Map(
  [
    ['HPE_HEADER_OVERFLOW', { status: 431, phrase: 'Request Header Fields Too Large' }],
    ['ERR_HTTP_REQUEST_TIMEOUT', { status: 408, phrase: 'Request Timeout' }],
  ],
);

/** What the parser of HTTP tells of bytes that it cannot read. */
interface UnreadableBytes {
  readonly code?: string;

  /** A `Buffer`, whatever the types of Fastify say. */
  readonly rawPacket?: unknown;
}

/** Answers what never became a request, logs it, and closes the connection. */
function refuseNonHttp({ log, clock }: Services, error: UnreadableBytes, socket: Duplex): void {
  const { code, rawPacket } = error;
  const bytes = Buffer.isBuffer(rawPacket) ? rawPacket : Buffer.alloc(0);
  // A client that hangs up is no request.
  if (!socket.writable) return;

  const { status, phrase } = statusesByCode.get(code) ?? { status: 400, phrase: 'Bad Request' };
  const sentence = 'This is no HTTP request.';
  log.addUnreadable({
    bytes,
    nowMs: clock.now(),
    status,
    why: `INVALID_BODY: ${sentence} (${code})`,
  });

  const { type, body } = jsonAnswer({ response: { error_id: 'INVALID_BODY', error: sentence } });
  const head = [
    `HTTP/1.1 ${status} ${phrase}`,
    `${localHeader}: 1`,
    'connection: close',
    `content-type: ${type}`,
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
