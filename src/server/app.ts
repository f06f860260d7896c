import type { Duplex } from 'node:stream';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { type EndpointName, endpoints } from '../contract/messages.ts';
import { adminCalls, createControl } from './admin.ts';
import { type Answer, jsonAnswer, refusalAnswer, send } from './answer.ts';
import type { Account } from './fixtures/fixtures.ts';
import { openapiDocument } from './openapi.ts';
import { pageAnswer } from './page.ts';
import { bodyBytesAtMost, type Parameters, parseBody } from './request/parse-body.ts';
import { type LogEntry, loggedBytesAtMost } from './request-log.ts';
import { createService, readCredentials, type ServiceParts } from './service/service.ts';
import { ServiceError } from './service/service-error.ts';

/** The mark of every answer of the local server. */
const localHeader = 'x-adreport-local';

/**
 * The service over HTTP, and what steers it. A call of the service passes these steps: it is logged, its body is read, its
 * account found, the rate limit and the faults get their say, then the service answers, and the answer is sent as the
 * client likes it.
 *
 * @param ownHosts the names by which a request may call this server; any where absent
 */
export function createApp(parts: ServiceParts, ownHosts: readonly string[] | undefined) {
  const { sessions, options } = parts;
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
  const control = createControl(parts);
  const steering = adminCalls(parts, control);
  const service = createService(parts);

  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.decorateRequest('contentType', '');
  app.decorateRequest('logEntry', undefined);

  app.addHook('onRequest', (request, reply, done) => {
    reply.header(localHeader, '1');
    const { 'content-type': contentType = '', host } = request.headers;
    // Fastify refuses a label that it cannot read, even where the body needs none.
    request.setDecorator('contentType', contentType);
    delete request.headers['content-type'];
    const { endpoint } = request.routeOptions.config as { readonly endpoint?: EndpointName };
    if (endpoint !== undefined || request.is404) {
      const entry = parts.log.open(request.raw, reply.raw, { arrivedMs: parts.now(), endpoint });
      request.setDecorator('logEntry', entry);
    }
    const isOwn = !ownHosts || host === undefined || ownHosts.includes(host.replace(/:\d+$/, '').toLowerCase());
    done(
      isOwn
        ? undefined
        : new ServiceError('FOREIGN_HOST', `The Host header is not this server’s: call it ${ownHosts.join(' or ')}.`),
    );
  });

  app.setErrorHandler((error, request, reply) => {
    for (const name of Object.keys(reply.getHeaders())) if (name !== localHeader) reply.removeHeader(name);
    return send(request, reply, refusalAnswer(error));
  });

  app.setNotFoundHandler((request) => {
    const path = decodeURIComponent(request.url.split('?', 1)[0] ?? '').slice(0, 80);
    const pages = ['/openapi.json', '/'].map((page) => ({ method: 'GET', path: page }));
    const calls = [...Object.values(endpoints), ...steering, ...pages];
    const here = calls.filter((call) => call.path === path.replace(/(\/reports\/)[^/]+$/, '$1:id'));
    if (here.length > 0) {
      const methods = here.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
      const allow = methods.join(', ');
      throw new ServiceError('METHOD_NOT_ALLOWED', `${path} takes ${allow}.`, { headers: { allow } });
    }
    const known = calls.map((call) => `${call.method} ${call.path}`).join(', ');
    throw new ServiceError('NOT_FOUND', `There is no ${path} here. There are ${known}.`);
  });

  async function answerCall(endpoint: EndpointName, request: FastifyRequest, reply: FastifyReply) {
    const { authorization, accept, 'content-encoding': coding } = request.headers;
    const entry = request.getDecorator<LogEntry>('logEntry');
    const body = request.body instanceof Buffer ? request.body : Buffer.alloc(0);
    const parameters = (): Parameters => {
      const given = parseBody(body, request.getDecorator('contentType'), coding);
      entry.body = body.toString('utf8', 0, loggedBytesAtMost);
      return given;
    };
    const findAccount = (): Account => sessions.authorize(authorization, parts.now());
    // Whose call it is, for the log, the rate limit and the faults: at sign-in, whom the e-mail names.
    let account: Account | undefined;
    try {
      account = endpoint === 'auth' ? sessions.accountOf(readCredentials(parameters()).email ?? '') : findAccount();
    } catch (error) {
      // The call itself will say why it is refused.
      if (!(error instanceof ServiceError)) throw error;
    }
    sessions.admit(account?.email ?? request.ip, parts.now());
    const faults = parts.faults.ofCall(endpoint, account);
    Object.assign(entry, { account, faults });
    for (const fault of faults) {
      await fault.before?.(() => sessions.revoke(authorization?.trim() ?? ''));
      if (!fault.answer) continue;
      const answer = fault.answer(request.raw);
      return answer ? send(request, reply, answer) : reply.hijack();
    }
    const gone = new AbortController();
    reply.raw.once('close', () => gone.abort(new Error('The client is gone.')));
    let answer: Answer;
    try {
      const call = { parameters, account: findAccount, accept, sizeBytes: body.length, signal: gone.signal };
      answer = service[endpoint](call);
    } catch (error) {
      // Faults change the answer that refuses a call too.
      answer = refusalAnswer(error);
    }
    return send(request, reply, answer, faults);
  }
  for (const [name, { method, path }] of Object.entries(endpoints)) {
    const endpoint = name as EndpointName;
    app.route({ method, url: path, config: { endpoint }, handler: answerCall.bind(undefined, endpoint) });
  }

  for (const { method, path, work } of steering) {
    const handler = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
      if (method !== 'GET') assertOwnOrigin(request);
      const { id = '' } = request.params as { readonly id?: string };
      const given = parseBody(request.body instanceof Buffer ? request.body : Buffer.alloc(0), '');
      return send(request, reply, jsonAnswer(work(given, id) ?? { ok: true }));
    };
    app.route({ method, url: path, handler });
  }
  app.get('/openapi.json', (request, reply) => send(request, reply, jsonAnswer(openapiDocument(steering))));
  app.get('/', (request, reply) => {
    // A proxy in front may have given the server another name than the one it knows itself by.
    const base = `${request.protocol}://${request.headers.host ?? 'localhost'}`;
    const latest = parts.reports.list().slice(-20).reverse();
    const reports = latest.map((report) => {
      const { status } = parts.reports.record(report, parts.now());
      const created = new Date(report.createdMs).toISOString().slice(0, 19).replace('T', ' ');
      return [report.id, report.account.name, status, created, report.request.breakdowns.join(', ')];
    });
    return send(request, reply, pageAnswer(base, parts.fixtures.accounts, steering, reports));
  });
  return { app, control };
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
  const { type, body } = jsonAnswer({ response: { error_id: 'INVALID_BODY', error: 'This is no HTTP request.' } });
  const head = `HTTP/1.1 ${status}\r\n${localHeader}: 1\r\nconnection: close\r\ncontent-type: ${type}`;
  if (socket.writable) socket.end(`${head}\r\n\r\n${body}`);
}
