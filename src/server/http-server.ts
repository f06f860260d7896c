import type { RequestListener, Server, ServerOptions } from 'node:http';
import type { AddressInfo } from 'node:net';
import { UsageError } from '../errors.ts';
import { refuseNonHttp } from './refusals.ts';

/** A certificate and its key, as PEM text. */
export interface Tls {
  readonly cert: string;
  readonly key: string;
}

const options: ServerOptions = {
  // A request without a host is refused in the service's own words.
  requireHostHeader: false,
  requestTimeout: 60_000,
  // Longer than clients keep an idle connection: a test that pauses is not cut off by its next call.
  keepAliveTimeout: 72_000,
};

/** An HTTP server, https where there is a certificate. Throws `UsageError` for a certificate and key that cannot be used. */
export async function createHttpServer(listener: RequestListener, tls: Tls | undefined): Promise<Server> {
  const server = tls ? await createSecureServer(listener, tls) : await createPlainServer(listener);
  return server.on('clientError', refuseNonHttp);
}

async function createPlainServer(listener: RequestListener): Promise<Server> {
  const { createServer } = await import('node:http');
  return createServer(options, listener);
}

async function createSecureServer(listener: RequestListener, tls: Tls): Promise<Server> {
  const { createServer } = await import('node:https');
  try {
    return createServer({ ...options, ...tls }, listener);
  } catch (cause) {
    throw new UsageError(`The TLS certificate and key cannot be used: ${(cause as Error).message}.`, {
      hint: 'Give a certificate and its own key, both as PEM.',
      cause,
    });
  }
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
    const { code, message } = cause as NodeJS.ErrnoException;
    const why = code === 'EADDRINUSE' ? 'another program listens there' : message;
    throw new UsageError(`The local server cannot listen on ${host}:${port}: ${why}.`, {
      code: code ?? 'LISTEN',
      hint: 'Take a free port with --port 0.',
      cause,
    });
  }
}

/** Ends a server and every connection to it; one that has ended stays so. */
export async function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  await closed;
}
