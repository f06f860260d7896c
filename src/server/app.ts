import {
  createServer,
  type IncomingMessage,
  maxHeaderSize,
  type Server,
  STATUS_CODES,
} from 'node:http';
import type { Duplex } from 'node:stream';
import { type EndpointName, endpoints } from '../contract/messages.ts';
import { isLoopback } from '../text/loopback.ts';
import { didYouMean, findNearest } from '../text/nearest.ts';
import { type AdminCall, listAdminCalls } from './control/admin-calls.ts';
import { InvalidFaultError } from './faults/invalid-fault-error.ts';
import { buildOpenapiDocument } from './openapi.ts';
import { jsonReply, type Reply, refusalReply } from './reply.ts';
import { parseCall, type ServerCall } from './request/call.ts';
import { maxBodyBytes } from './request/parse-body.ts';
import { logBody } from './request-log.ts';
import { sendReply } from './send-reply.ts';
import { ServiceError } from './service/service-error.ts';
import { respondToCall } from './service-call.ts';
import type { Services } from './services.ts';
import { pageReply } from './start-page.ts';

/** Sent with every response, so that clients recognize the local server. */
const localHeader = 'x-adreport-local';

interface Route {
  readonly method: string;

  /** Path, which may end in `:id`. */
  readonly path: string;

  /** Name of the service call. Only service calls are logged. */
  readonly endpoint?: EndpointName;

  /**
   * Returns the response, or `undefined` if the connection was closed.
   *
   * @param id value of `:id` in the path
   */
  respond(call: ServerCall, id: string): Reply | Promise<Reply | undefined>;
}

/**
 * Creates the HTTP server. It serves the service calls (`service-call.ts`), the admin calls for
 * tests (`control/`), `/openapi.json` and the web page.
 *
 * @param host address that the server will listen on
 */
export function createApp(services: Services, host: string): Server {
  const { log, clock, faults } = services;
  const routes = listRoutes(services);
  // Accepts requests without `Host`. Node itself would reject them without a body or a log entry.
  const options = { requireHostHeader: false, keepAliveTimeout: 600_000 };

  const server = createServer(options, async (incoming, outgoing) => {
    outgoing.setHeader(localHeader, '1');
    // Clients compare the service's time with their own.
    outgoing.setHeader('date', new Date(clock.now()).toUTCString());

    const { route, path, id } = findRoute(routes, incoming);
    const isLogged = route === undefined || route.endpoint !== undefined;
    const entry = isLogged ? log.open(incoming, outgoing, route?.endpoint) : undefined;

    try {
      requireOwnHost(incoming, host);
      const call = parseCall(incoming, outgoing, await readBody(incoming));
      if (entry) logBody(entry, call);
      if (!route) throw unknownPathError(routes, path);

      const reply = await route.respond(call, id);
      if (reply) await deliver(reply);
    } catch (error) {
      if (error instanceof InvalidFaultError) faults.keepIssue(error);
      if (!outgoing.headersSent && !outgoing.destroyed) await deliver(refusalReply(error));
    }

    async function deliver(reply: Reply): Promise<void> {
      if (entry && reply.why !== undefined) entry.why = reply.why;
      await sendReply(reply, incoming, outgoing).catch(() => outgoing.destroy());
    }
  });

  server.on('clientError', (error, socket) => refuseBytes(services, error, socket));
  return server;
}

function listRoutes(services: Services): Route[] {
  const serviceRoutes = Object.entries(endpoints).map(([name, { method, path }]): Route => {
    const endpoint = name as EndpointName;
    return {
      method,
      path,
      endpoint,
      respond: (call) => respondToCall(services, endpoint, call),
    };
  });
  const document: Route = {
    method: 'GET',
    path: '/openapi.json',
    respond: () => jsonReply(buildOpenapiDocument()),
  };
  const page: Route = {
    method: 'GET',
    path: '/',
    respond: ({ incoming }) => pageReply(services.fixtures.accounts, incoming.headers.host),
  };
  const adminCalls = Object.entries(listAdminCalls(services));
  return [...serviceRoutes, ...adminCalls.map(createAdminRoute), document, page];
}

function createAdminRoute([name, run]: [name: string, run: AdminCall]): Route {
  const [method = '', path = ''] = name.split(' ');
  return {
    method,
    path,
    respond({ incoming, parameters }, id) {
      if (method !== 'GET') requireOwnOrigin(incoming);
      return jsonReply(run(parameters(), id) ?? { ok: true });
    },
  };
}

/** Finds the route of a request. HEAD is handled like GET, and Node omits the body. */
function findRoute(routes: readonly Route[], { method = '', url = '' }: IncomingMessage) {
  const [pathname = ''] = url.split('?', 1);
  const [, prefix, id = ''] = /^(\/__admin\/reports\/)([^/]+)$/.exec(pathname) ?? [];
  const path = prefix === undefined ? pathname : `${prefix}:id`;

  const routedMethod = method === 'HEAD' ? 'GET' : method;
  const route = routes.find((route) => route.method === routedMethod && route.path === path);
  return { route, path, id };
}

/** Suggests the closest path, or lists the allowed methods if only the method is wrong. */
function unknownPathError(routes: readonly Route[], path: string): ServiceError {
  const methods = routes.filter((route) => route.path === path).map(({ method }) => method);
  if (methods.length === 0) {
    const paths = routes.map((route) => route.path);
    const advice = didYouMean(findNearest(path, paths), 'GET /openapi.json describes the service.');
    return new ServiceError('NOT_FOUND', `Unknown path ${path.slice(0, 80)}. ${advice}`);
  }

  const allow = methods.map((method) => (method === 'GET' ? 'GET, HEAD' : method)).join(', ');
  return new ServiceError('METHOD_NOT_ALLOWED', `${path} accepts ${allow}.`, {
    headers: { allow },
  });
}

/**
 * Reads the whole body, even if it is too long, so that the client receives the error. Keeps at
 * most one byte over the limit. Rejects if the connection is cut.
 */
async function readBody(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    if (sizeBytes <= maxBodyBytes) chunks.push(chunk);
    sizeBytes += chunk.length;
  }
  return Buffer.concat(chunks).subarray(0, maxBodyBytes + 1);
}

/**
 * Protects a server on loopback against DNS rebinding. A web page could point its own host name at
 * this machine and read tokens. Browsers always send that name, so unknown names are rejected. A
 * server on any other address cannot know all of its names, so it accepts every name.
 *
 * @param address address that the server listens on
 */
function requireOwnHost({ headers: { host } }: IncomingMessage, address: string): void {
  const name = host?.replace(/:\d+$/, '').toLowerCase();
  if (name === undefined || isLoopback(name) || !isLoopback(address)) return;

  const message = 'The Host header does not match this server: use localhost or 127.0.0.1.';
  const advice =
    'To use another name, for example from a container, start the server with --host 0.0.0.0.';
  throw new ServiceError('FOREIGN_HOST', `${message} ${advice}`);
}

/**
 * Rejects calls from pages of other sites. Browsers let any page POST to this machine without a
 * preflight request.
 */
function requireOwnOrigin({ headers: { origin, host } }: IncomingMessage): void {
  if (origin === undefined) return;
  if (URL.canParse(origin) && new URL(origin).host === host) return;

  throw new ServiceError('FOREIGN_ORIGIN', 'Pages from another origin cannot control this server.');
}

/** Error of Node's HTTP parser. */
interface ParserError extends Error {
  readonly code?: string;

  /** Reason without a full stop. */
  readonly reason?: string;
  readonly rawPacket?: unknown;
}

/** Responds to bytes that are not an HTTP request, logs them, and closes the connection. */
function refuseBytes({ log }: Services, error: ParserError, socket: Duplex): void {
  // The client has disconnected.
  if (!socket.writable) return;

  const bytes = Buffer.isBuffer(error.rawPacket) ? error.rawPacket : Buffer.alloc(0);
  const { status, message } = describeParserError(error);
  log.addUnreadable(bytes, status, `INVALID_BODY: ${message}`);

  const { type, body } = jsonReply({ response: { error_id: 'INVALID_BODY', error: message } });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `${localHeader}: 1`,
    'connection: close',
    `content-type: ${type}`,
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

function describeParserError({ code, reason = '' }: ParserError) {
  if (code === 'HPE_HEADER_OVERFLOW') {
    const message = `The headers are larger than ${maxHeaderSize / 1024} KiB.`;
    return { status: 431, message };
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return { status: 408, message: 'The request took too long to arrive.' };
  }
  const message = `This is not an HTTP request (${reason}). Is it https instead of http?`;
  return { status: 400, message };
}
