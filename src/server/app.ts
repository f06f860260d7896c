import type { ServerOptions } from 'node:http';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { type EndpointName, endpoints } from '../contract/endpoints.ts';
import { jsonAnswer } from './answer.ts';
import { Call } from './call.ts';
import { answerByFault } from './fault-answers.ts';
import type { FaultKind } from './fault-spec.ts';
import type { RateLimit } from './rate-limit.ts';
import { bodyBytesAtMost, localHeader, refuseNonHttp, toServiceError } from './refusals.ts';
import { type CallNote, type LoggedRequest, maskToken, type RequestLog, toLogged } from './request-log.ts';
import { type Caller, createService, readCredentials, type ServiceParts } from './service.ts';
import { ServiceError } from './service-error.ts';
import { transmit } from './transmit.ts';
import { answerUnrouted, collectRoutes } from './unrouted.ts';

declare module 'fastify' {
  interface FastifyRequest {
    note: CallNote;
  }
}

export interface AppParts extends ServiceParts {
  readonly rateLimit: RateLimit | undefined;
  readonly log: RequestLog;
  /** Told of every call of the service when it is over. */
  readonly onRequest: ((request: LoggedRequest) => void) | undefined;
}

/** The service over HTTP: routes, the error envelope, faults, the log. Listens to nothing by itself. */
export function createApp(parts: AppParts, tls?: { readonly cert: string; readonly key: string }): FastifyInstance {
  // Node would refuse a request without a host before it can be refused in the service's own words.
  const http: ServerOptions = { requireHostHeader: false };
  const app = Fastify({
    logger: false,
    bodyLimit: bodyBytesAtMost,
    requestTimeout: 60_000,
    forceCloseConnections: true,
    clientErrorHandler: refuseNonHttp,
    frameworkErrors: (error, request, reply) => refuse(toServiceError(error), request, reply.header(localHeader, '1')),
    routerOptions: { maxParamLength: 200 },
    ...((tls ? { https: { ...http, ...tls } } : { http }) as { http: ServerOptions }),
  }) as FastifyInstance;

  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.decorateRequest('note');
  app.addHook('onRequest', (request, reply, done) => {
    noteArrival(parts, request, reply);
    const { headers, httpVersionMinor } = request.raw;
    if (headers.host !== undefined || httpVersionMinor === 0) return done();
    reply.header('connection', 'close');
    done(new ServiceError('INVALID_BODY', 'The request has no Host header, which HTTP/1.1 asks for.'));
  });
  app.setErrorHandler((error, request, reply) => refuse(toServiceError(error), request, reply));
  const routes = collectRoutes(app);
  app.setNotFoundHandler((request, reply) => {
    if (!answerUnrouted(routes, request, reply)) throw new ServiceError('NOT_FOUND', notFound(request));
  });
  addEndpoints(app, parts);
  return app;
}

/** Takes a call up in the log, and marks its answer as one of this server. */
function noteArrival({ clock, log, onRequest }: AppParts, request: FastifyRequest, reply: FastifyReply): void {
  const { headers, method = '', url = '', socket } = request.raw;
  const note: CallNote = {
    arrivedMs: clock.now(),
    method,
    url,
    contentType: headers['content-type'],
    token: maskToken(headers.authorization),
    endpoint: undefined,
    account: undefined,
    faults: noFaults,
    body: undefined,
    response: reply.raw,
    sizeBytes: socket.bytesWritten,
    elapsedMs: performance.now(),
    status: 0,
  };
  request.note = note;
  reply.header(localHeader, '1');
  // Which encoding a body has is ours to say, by the body itself (`decisions.md` 1): Fastify is not to refuse any.
  if (note.contentType !== undefined) headers['content-type'] = 'application/octet-stream';
  if (isAboutServer(url)) return;
  log.open(note);
  // Once for every call, the ones whose connection is cut included.
  reply.raw.on('close', () => {
    log.end(note);
    onRequest?.(toLogged(note));
  });
}

const noFaults: readonly FaultKind[] = [];

function addEndpoints(app: FastifyInstance, parts: AppParts): void {
  const service = createService(parts);
  for (const [name, { method, path }] of Object.entries(endpoints)) {
    const endpoint = name as EndpointName;
    const answer = service[endpoint];
    app.route({
      method,
      url: path,
      // Returns nothing where it has answered: a promise, and a reply too, would be waited for.
      handler: (request, reply): Promise<FastifyReply> | undefined => {
        const { note } = request;
        const call = new Call(request, reply);
        note.endpoint = endpoint;
        const caller = identify(parts, endpoint, call);
        note.account = caller.account;
        parts.rateLimit?.admit(caller.account?.email ?? request.ip, parts.clock.now());
        note.faults = parts.faults.strike(endpoint, caller.account);
        if (note.faults.length > 0) return answerStruck(parts, endpoint, { call, request, reply });
        transmit(request, reply, answer(call, caller));
        return undefined;
      },
    });
  }

  /** Answers a call that faults strike: they may be slow, they may answer themselves, and they may end its token. */
  async function answerStruck(
    { sessions }: AppParts,
    endpoint: EndpointName,
    { call, request, reply }: { call: Call; request: FastifyRequest; reply: FastifyReply },
  ): Promise<FastifyReply> {
    const { faults } = request.note;
    const revokeToken = (): void => sessions.revoke(call.authorization?.trim() ?? '');
    if (await answerByFault(faults, { request, reply, revokeToken })) return reply;
    return transmit(request, reply, service[endpoint](call, identify(parts, endpoint, call)), faults);
  }
}

/** Whose call it is, as far as can be told without refusing it: for the log, the faults and the rate limit. */
function identify({ sessions, clock }: AppParts, endpoint: EndpointName, call: Call): Caller {
  try {
    if (endpoint !== 'auth') return { account: sessions.authorize(call.authorization, clock.now()) };
    const account = sessions.accountOf(readCredentials(call.parameters).email ?? '');
    return account ? { account } : unknownCaller;
  } catch (error) {
    return { refusal: toServiceError(error) };
  }
}

/** A sign-in says by itself what is wrong with it. */
const unknownCaller: Caller = { refusal: new ServiceError('INVALID_CREDENTIALS', 'Sign in.') };

function refuse(error: ServiceError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  // A framework error can come before the call was noted.
  const { faults = noFaults } = (request.note as CallNote | undefined) ?? {};
  return transmit(request, reply, jsonAnswer(error.toBody(), error.status, error.headers), faults);
}

function notFound({ url }: FastifyRequest): string {
  const known = Object.values(endpoints).map(({ method, path }) => `${method} ${path}`);
  return `There is no ${(url.split('?', 1)[0] ?? '').slice(0, 80)} here. There are ${known.join(', ')}.`;
}

/** Whether a path is about this server and no call of the service, which is what the log is of. */
function isAboutServer(url: string): boolean {
  return url === '/' || url === '/openapi.json' || url.startsWith('/__admin/');
}
