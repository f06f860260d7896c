import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { type EndpointName, endpoints } from '../contract/messages.ts';
import { createSteering } from './admin.ts';
import { type Answer, jsonAnswer, refusalAnswer, send } from './answer.ts';
import type { Account } from './fixtures/fixtures.ts';
import { openapiDocument } from './openapi.ts';
import { pageAnswer } from './page.ts';
import { bodyBytesAtMost, parseBody } from './request/parse-body.ts';
import { bodyForLog, type LogEntry } from './request-log.ts';
import {
  createService,
  readCredentials,
  type ServiceCall,
  type ServiceParts,
} from './service/service.ts';
import { ServiceError } from './service/service-error.ts';

/** The mark of every answer of the local server. */
const localHeader = 'x-adreport-local';

/**
 * The service over HTTP, and what steers it. A call of the service passes these steps: it is logged, its body is read, its
 * account found, the rate limit and the faults get their say, then the service answers, and the answer is sent as the
 * client likes it.
 *
 * @param ownHost the address that it listens on
 */
export function createApp(parts: ServiceParts, ownHost: string) {
  const { log, sessions, options } = parts;
  // On loopback any other name is that of a web page which has pointed its own name at this machine in order to read
  // tokens (DNS rebinding). A server that others reach has names that it does not know.
  const isLoopback = /^(localhost|::1|127(\.\d{1,3}){3})$/.test(ownHost);
  const ownHosts = isLoopback
    ? [...new Set(['localhost', '127.0.0.1', '[::1]', ownHost])]
    : undefined;
  const app = Fastify({
    // A connection whose TLS handshake does not end would hold a server that is to close.
    ...(options.tls ? { https: { ...options.tls, handshakeTimeout: 2_000 } } : {}),
    // A body that is a little too large is read to its end, so that the client reads the refusal: parseBody refuses it.
    bodyLimit: 8 * bodyBytesAtMost,
    requestTimeout: 60_000,
    keepAliveTimeout: 600_000,
    forceCloseConnections: true,
    clientErrorHandler: refuseNonHttp,
    frameworkErrors: (error, request, reply) =>
      void send(request, reply.header(localHeader, '1'), refusalAnswer(error)),
  }) as unknown as FastifyInstance;
  const { control, calls: steering, listReports } = createSteering(parts);
  const service = createService(parts);

  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.decorateRequest('logEntry', undefined);

  app.addHook('onRequest', async (request, reply) => {
    reply.header(localHeader, '1');
    // Fastify refuses a label that it cannot read, even where the body needs none: parseBody reads it.
    delete request.headers['content-type'];
    const { endpoint } = request.routeOptions.config as { readonly endpoint?: EndpointName };
    if (endpoint !== undefined || request.is404) {
      request.setDecorator(
        'logEntry',
        log.open(request.raw, reply.raw, { nowMs: parts.now(), endpoint }),
      );
    }
    const { host } = request.headers;
    if (
      !ownHosts ||
      host === undefined ||
      ownHosts.includes(host.replace(/:\d+$/, '').toLowerCase())
    )
      return;
    throw new ServiceError(
      'FOREIGN_HOST',
      `The Host header is not this server’s: call it ${ownHosts.join(' or ')}.`,
    );
  });

  app.setErrorHandler((error, request, reply) => {
    for (const name of Object.keys(reply.getHeaders()))
      if (name !== localHeader) reply.removeHeader(name);
    return send(request, reply, refusalAnswer(error));
  });

  app.setNotFoundHandler((request) => {
    const path = decodeURIComponent(request.url.split('?', 1)[0] ?? '').slice(0, 80);
    const pages = ['/openapi.json', '/'].map((page) => ({ method: 'GET', path: page }));
    const calls = [...Object.values(endpoints), ...steering, ...pages];
    const here = calls.filter((call) => call.path === path.replace(/(\/reports\/)[^/]+$/, '$1:id'));
    if (here.length === 0) {
      const known = calls.map((call) => `${call.method} ${call.path}`).join(', ');
      throw new ServiceError('NOT_FOUND', `There is no ${path} here. There are ${known}.`);
    }
    const allow = here
      .flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
      .join(', ');
    throw new ServiceError('METHOD_NOT_ALLOWED', `${path} takes ${allow}.`, { headers: { allow } });
  });

  /** A call of the service: whose it is, the rate limit, the faults, then the service itself. */
  async function answerCall(endpoint: EndpointName, request: FastifyRequest, reply: FastifyReply) {
    const { authorization = '', accept, 'content-encoding': coding } = request.headers;
    const entry = request.getDecorator<LogEntry>('logEntry');
    const body = bodyOf(request);
    const gone = new AbortController();
    reply.raw.once('close', () => gone.abort(new Error('The client is gone.')));
    const call: ServiceCall = {
      accept,
      sizeBytes: body.length,
      signal: gone.signal,
      account: () => sessions.authorize(authorization, parts.now()),
      parameters() {
        const given = parseBody(body, request.raw.headersDistinct['content-type']?.[0], coding);
        entry.body = bodyForLog(body);
        return given;
      },
    };
    // At sign-in, whose call it is says the e-mail.
    let account: Account | undefined;
    try {
      account =
        endpoint === 'auth'
          ? sessions.accountOf(readCredentials(call.parameters()).email)
          : call.account();
    } catch (error) {
      // The service itself will say why it is refused.
      if (!(error instanceof ServiceError)) throw error;
    }
    sessions.admit(account?.email ?? request.ip, parts.now());
    const faults = parts.faults.ofCall(endpoint, account);
    Object.assign(entry, { account: account?.name, faults: faults.map(({ type }) => type) });
    for (const { effect } of faults) {
      if (effect.delayMs !== undefined) await sleep(effect.delayMs, undefined, { ref: false });
      if (!effect.answer) continue;
      const answer = effect.answer(request.raw, () => sessions.revoke(authorization));
      return answer ? send(request, reply, answer) : reply.hijack();
    }
    let answer: Answer;
    try {
      answer = service[endpoint](call);
    } catch (error) {
      // Faults change the answer that refuses a call too.
      answer = refusalAnswer(error);
    }
    const changes = faults.flatMap(({ effect }) => effect.changeBody ?? []);
    return send(request, reply, answer, changes);
  }

  for (const [name, { method, path }] of Object.entries(endpoints)) {
    const endpoint = name as EndpointName;
    app.route({
      method,
      url: path,
      config: { endpoint },
      handler: answerCall.bind(undefined, endpoint),
    });
  }
  for (const { method, path, work } of steering) {
    const handler = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
      if (method !== 'GET') assertOwnOrigin(request);
      const { id = '' } = request.params as { readonly id?: string };
      return send(request, reply, jsonAnswer(work(parseBody(bodyOf(request)), id) ?? { ok: true }));
    };
    app.route({ method, url: path, handler });
  }
  app.get('/openapi.json', (request, reply) =>
    send(request, reply, jsonAnswer(openapiDocument(steering))),
  );
  app.get('/', (request, reply) => {
    // A proxy in front may have given the server another name than the one it knows itself by.
    const base = `${request.protocol}://${request.headers.host ?? 'localhost'}`;
    return send(request, reply, pageAnswer(base, parts.fixtures.accounts, steering, listReports()));
  });
  return { app, control };
}

function bodyOf({ body }: FastifyRequest): Buffer {
  return body instanceof Buffer ? body : Buffer.alloc(0);
}

/** Refuses the pages of other sites: a browser lets them send a POST to this machine, without having asked first. */
function assertOwnOrigin({ headers: { origin, host } }: FastifyRequest): void {
  if (origin === undefined || (URL.canParse(origin) && new URL(origin).host === host)) return;
  throw new ServiceError('FOREIGN_ORIGIN', 'A page of another origin cannot steer this server.');
}

/** Answers what never became a request, and closes the connection. */
function refuseNonHttp({ code }: NodeJS.ErrnoException, socket: Duplex): void {
  const isLarge = code === 'HPE_HEADER_OVERFLOW';
  const status = isLarge ? '431 Request Header Fields Too Large' : '400 Bad Request';
  const { type, body } = jsonAnswer({
    response: { error_id: 'INVALID_BODY', error: 'This is no HTTP request.' },
  });
  const head = `HTTP/1.1 ${status}\r\n${localHeader}: 1\r\nconnection: close\r\ncontent-type: ${type}`;
  if (socket.writable) socket.end(`${head}\r\n\r\n${body}`);
}
