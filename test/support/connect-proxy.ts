import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** An HTTP proxy on loopback that opens ways through with CONNECT. */
export interface ConnectProxy {
  readonly url: string;
  /** The addresses that were asked for. */
  readonly asked: readonly string[];
  /** The Proxy-Authorization headers that came with them. */
  readonly authorizations: readonly (string | undefined)[];
}

/**
 * Starts a proxy for one test.
 *
 * @param to the port on this machine that every way leads to, whatever was asked for
 * @param answer what it says: 200 opens the way, another status refuses it, `nothing` keeps the client waiting,
 *   `hang up` ends the connection
 */
export async function startConnectProxy(
  to: number,
  answer: number | 'nothing' | 'hang up' = 200,
): Promise<ConnectProxy> {
  const asked: string[] = [];
  const authorizations: (string | undefined)[] = [];
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on('error', () => socket.destroy());
  };
  const server = createServer((_request, response) => response.writeHead(400).end());
  server.on('connect', (request, stream) => {
    const client = keep(stream as Socket);
    asked.push(request.url ?? '');
    authorizations.push(request.headers['proxy-authorization']);
    if (answer === 'nothing') return;
    if (answer === 'hang up') return client.destroy();
    if (answer !== 200) return client.end(`HTTP/1.1 ${answer} No\r\n\r\n`);
    const service = keep(connect(to, '127.0.0.1', () => client.write('HTTP/1.1 200 Connected\r\n\r\n')));
    service.pipe(client).pipe(service);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, authorizations };
}
