import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/**
 * Starts an HTTP proxy for one test. CONNECT always leads to one port of this machine, or is
 * refused with a status. `asked` has the requested hosts and ports, `authorizations` the
 * Proxy-Authorization of each.
 */
export async function startConnectProxy(toPort: number, status = 200) {
  const asked: (string | undefined)[] = [];
  const authorizations: (string | undefined)[] = [];
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on('error', () => socket.destroy());
  };
  const server = createServer((_request, response) => response.writeHead(400).end());
  server.on('connect', (request, stream) => {
    const client = keep(stream as Socket);
    asked.push(request.url);
    authorizations.push(request.headers['proxy-authorization']);
    if (status !== 200) return client.end(`HTTP/1.1 ${status} No\r\n\r\n`);
    const service = keep(
      connect(toPort, '127.0.0.1', () => client.write('HTTP/1.1 200 Connected\r\n\r\n')),
    );
    service.pipe(client).pipe(service);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close().closeAllConnections();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    authorizations,
  };
}
