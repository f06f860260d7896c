import type { RequestListener, Server, ServerOptions } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { UsageError } from '../../errors.ts';
import { refuseNonHttp, refuseTunnel } from './refusals.ts';

/** A certificate and its key, as PEM text. */
export interface Tls {
  readonly cert: string;
  readonly key: string;
}

const options: ServerOptions = {
  // A request without a host is refused in the service's own words.
  requireHostHeader: false,
  requestTimeout: 60_000,
  // No idle connection is closed: a test that pauses is not cut off by its next call, and no call sets a timer.
  keepAliveTimeout: 0,
};

/** An HTTP server, https where there is a certificate. Throws `UsageError` for a certificate and key that cannot be used. */
export async function createHttpServer(listener: RequestListener, tls: Tls | undefined): Promise<Server> {
  const server = tls ? await createSecureServer(listener, tls) : await createPlainServer(listener);
  // An answer that is clear without the body spares the client sending it; other expectations are of no concern.
  server.on('checkContinue', listener).on('checkExpectation', listener);
  // The 16 kB that all headers may have are bound enough; Node would drop the last of many, and say nothing.
  server.maxHeadersCount = 0;
  return server.on('connect', refuseTunnel).on('clientError', refuseNonHttp);
}

async function createPlainServer(listener: RequestListener): Promise<Server> {
  const { createServer } = await import('node:http');
  return createServer(options, listener);
}

async function createSecureServer(listener: RequestListener, tls: Tls): Promise<Server> {
  const { createServer } = await import('node:https');
  try {
    return keepSockets(createServer({ ...options, ...tls }, listener));
  } catch (cause) {
    throw new UsageError(`The TLS certificate and key cannot be used: ${(cause as Error).message}.`, {
      hint: 'Give a certificate and its own key, both as PEM.',
      cause,
    });
  }
}

/** The connections of a TLS server: `closeAllConnections` knows of none whose handshake is not over. */
const socketsOf = new WeakMap<Server, Set<Socket>>();

function keepSockets(server: Server): Server {
  const sockets = new Set<Socket>();
  socketsOf.set(server, sockets);
  return server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
}

/** Listens, and says where. Throws `UsageError` where it cannot. */
export async function listen(server: Server, host: string, port: number): Promise<AddressInfo> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host, port }, () => {
        server.off('error', reject);
        resolve();
      });
    });
    return server.address() as AddressInfo;
  } catch (cause) {
    const { code = 'LISTEN', message } = cause as NodeJS.ErrnoException;
    const [why, hint] = refusals[code] ?? [message, otherPort];
    throw new UsageError(`The local server cannot listen on ${host}, port ${port}: ${why}.`, { code, hint, cause });
  }
}

const otherPort = 'Take a free port with --port 0.';
const otherHost = 'Give an address of this machine with --host: 127.0.0.1, ::1 or its own.';

/** Why it cannot listen, and what to do, by the code of the system. */
const refusals: Readonly<Record<string, readonly [why: string, hint: string]>> = {
  EADDRINUSE: ['another program listens there', otherPort],
  EACCES: ['this user may not take that port', otherPort],
  EADDRNOTAVAIL: ['that is no address of this machine', otherHost],
  ENOTFOUND: ['no such host is known', otherHost],
};

/** Ends a server and every connection to it; one that has ended stays so. */
export async function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  for (const socket of socketsOf.get(server) ?? []) socket.destroy();
  await closed;
}
