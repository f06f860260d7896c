import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { type EndpointName, endpoints } from '../contract/messages.ts';
import { type Answer, jsonAnswer, refusalAnswer, send } from './answer.ts';
import { type AdminCall, assertOwnOrigin } from './control/admin.ts';
import { type LogEntry, loggedBytesAtMost } from './control/request-log.ts';
import type { Account } from './fixtures/fixtures.ts';
import type { LoggedRequest } from './local-server.ts';
import { openapiDocument } from './openapi.ts';
import { pageHeaders, renderServerPage } from './page.ts';
import { bodyBytesAtMost, type Parameters, parseBody } from './request/parse-body.ts';
import { createService, readCredentials, type ServiceParts } from './service/service.ts';
import { ServiceError } from './service/service-error.ts';

export interface AppParts extends ServiceParts {
  /** Called with every call of the service when it is over. */
  readonly onRequest: ((request: LoggedRequest) => void) | undefined;
  /** Certificate and key as PEM text. */
  readonly tls: { readonly cert: string; readonly key: string } | undefined;
  /** The names by which a request may call this server; any where absent. */
  readonly ownHosts: readonly string[] | undefined;
}

/** The mark of every answer of the local server. */
const localHeader = 'x-adreport-local';

/**
 * The service over HTTP. A call of the service passes these steps: it is logged, its body is read, its account found, the
 * rate limit and the faults get their say, then the service answers, and the answer is sent as the client likes it.
 */
export function createApp(parts: AppParts, adminCalls: readonly AdminCall[]): FastifyInstance {
  const entries = new WeakMap<FastifyRequest, LogEntry>();
  const types = new WeakMap<FastifyRequest, string>();
  const app = Fastify({
    ...(parts.tls ? { https: parts.tls } : {}),
    // A body that is a little too large is read to its end, so that the client reads the refusal: parseBody refuses it.
    bodyLimit: 8 * bodyBytesAtMost,
    requestTimeout: 60_000,
    keepAliveTimeout: 600_000,
    forceCloseConnections: true,
    clientErrorHandler: refuseNonHttp,
    frameworkErrors: (error, request, reply) =>
      void send(request, reply.header(localHeader, '1'), refusalAnswer(error)),
  }) as unknown as FastifyInstance;
  const routes: { readonly method: string; readonly pattern: RegExp }[] = [];
  app.addHook('onRoute', ({ method, url }) => {
    const pattern = new RegExp(`^${url.replaceAll('.', '\\.').replace(/:\w+/g, '[^/]+')}$`);
    routes.push(...[method].flat().map((name) => ({ method: name, pattern })));
  });

  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));

  app.addHook('onRequest', (request, reply, done) => {
    reply.header(localHeader, '1');
    // Fastify refuses a label that it cannot read, even where the body needs none.
    types.set(request, request.headers['content-type'] ?? '');
    delete request.headers['content-type'];
    if (!isAboutServer(request.url)) {
      const endpoint = (request.routeOptions.config as { endpoint?: EndpointName }).endpoint;
      const entry = parts.log.open(request.raw, reply.raw, { arrivedMs: parts.now(), endpoint });
      entries.set(request, entry);
      // Every call ends with this, those whose connection is cut included.
      reply.raw.on('close', () => parts.onRequest?.(parts.log.close(entry)));
    }
    const { ownHosts } = parts;
    const hostName = (request.headers.host ?? '').replace(/:\d+$/, '').toLowerCase();
    if (!ownHosts || request.headers.host === undefined || ownHosts.includes(hostName)) return done();
    done(new ServiceError('FOREIGN_HOST', `The Host header is not this server’s: call it ${ownHosts.join(' or ')}.`));
  });

  app.setErrorHandler((error, request, reply) => {
    for (const name of Object.keys(reply.getHeaders())) if (name !== localHeader) reply.removeHeader(name);
    return send(request, reply, refusalAnswer(error));
  });

  app.setNotFoundHandler((request) => {
    const path = decodeURIComponent(request.url.split('?', 1)[0] ?? '');
    const methods = [...new Set(routes.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method))];
    if (methods.length > 0) {
      const allow = methods.toSorted().join(', ');
      throw new ServiceError('METHOD_NOT_ALLOWED', `${path.slice(0, 80)} takes ${allow}.`, { headers: { allow } });
    }
    const known = [...Object.values(endpoints), ...adminCalls].map((call) => `${call.method} ${call.path}`);
    const there = [...known, 'GET /openapi.json', 'GET /'].join(', ');
    throw new ServiceError('NOT_FOUND', `There is no ${path.slice(0, 80)} here. There are ${there}.`);
  });

  const service = createService(parts);
  for (const [name, { method, path }] of Object.entries(endpoints)) {
    const endpoint = name as EndpointName;
    app.route({ method, url: path, config: { endpoint }, handler: answerCall });

    async function answerCall(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
      const { authorization, accept, 'content-encoding': coding } = request.headers;
      const entry = entries.get(request);
      const body = request.body instanceof Buffer ? request.body : Buffer.alloc(0);
      const parameters = (): Parameters => {
        const given = parseBody(body, { type: types.get(request), coding });
        if (entry) entry.body = body.toString('utf8', 0, loggedBytesAtMost);
        return given;
      };
      const findAccount = (): Account => parts.sessions.authorize(authorization, parts.now());
      // Whose call it is, for the log, the rate limit and the faults: at sign-in, whom the e-mail names.
      const account = attempt(() =>
        endpoint === 'auth' ? parts.sessions.accountOf(readCredentials(parameters()).email ?? '') : findAccount(),
      );
      parts.rateLimit?.admit(account?.email ?? request.ip, parts.now());
      const faults = parts.faults.strike(endpoint, account);
      if (entry) Object.assign(entry, { account, faults });
      for (const fault of faults) {
        await fault.before?.(() => parts.sessions.revoke(authorization?.trim() ?? ''));
        if (!fault.answer) continue;
        const answer = fault.answer(request.raw);
        return answer ? send(request, reply, answer) : reply.hijack();
      }
      const gone = new AbortController();
      reply.raw.once('close', () => gone.abort(new Error('The client is gone.')));
      const call = { parameters, account: findAccount, accept, sizeBytes: body.length, signal: gone.signal };
      let answer: Answer;
      try {
        answer = service[endpoint](call);
      } catch (error) {
        // Faults change the answer that refuses a call too.
        answer = refusalAnswer(error);
      }
      return send(request, reply, answer, faults);
    }
  }

  for (const { method, path, answer } of adminCalls) {
    app.route({
      method,
      url: path,
      handler: (request, reply) => {
        if (method !== 'GET') assertOwnOrigin(request.headers);
        const { id = '' } = request.params as { readonly id?: string };
        return send(request, reply, answer(String(request.body ?? ''), id));
      },
    });
  }
  app.get('/openapi.json', (request, reply) => send(request, reply, jsonAnswer(openapiDocument(adminCalls))));
  app.get('/', (request, reply) => {
    // A proxy in front may have given the server another name than the one it knows itself by.
    const base = `${request.protocol}://${request.headers.host ?? 'localhost'}`;
    const body = renderServerPage(base, parts.fixtures.accounts, adminCalls);
    return send(request, reply, { status: 200, type: 'text/html; charset=utf-8', headers: pageHeaders, body });
  });
  return app;
}

/** Answers what never became a request, and closes the connection. */
function refuseNonHttp(error: NodeJS.ErrnoException, socket: { readonly writable: boolean; end(text: string): void }) {
  const statuses: Readonly<Record<string, string>> = {
    HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
    ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
  };
  const status = statuses[error.code ?? ''] ?? '400 Bad Request';
  const body = JSON.stringify({ response: { error_id: 'INVALID_BODY', error: `This is no HTTP request: ${status}.` } });
  const headers = `${localHeader}: 1\r\nconnection: close\r\ncontent-type: application/json; charset=utf-8`;
  if (socket.writable) socket.end(`HTTP/1.1 ${status}\r\n${headers}\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
}

/** Whether a path is about this server, and so no call of the service, which is what the log is of. */
function isAboutServer(url: string): boolean {
  return /^\/(?:__admin\/|(?:openapi\.json)?(?:\?|$))/.test(url);
}

/** What the work returns, or nothing where the service refuses it: the call itself will say why. */
function attempt<Value>(work: () => Value): Value | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}
