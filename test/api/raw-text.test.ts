import { writeFileSync } from 'node:fs';
import {
  type AddressInfo,
  connect,
  createServer as createPlainServer,
  type Socket,
} from 'node:net';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { certificate, privateKey, serveTls } from '../support/certificates.ts';
import { startConnectProxy } from '../support/connect-proxy.ts';
import { temporaryFolder } from '../support/run-cli.ts';
import { spawnCli } from '../support/spawn.ts';

/** Internal messages of Node, OpenSSL and packages never reach stderr. */

const list = 'campaigns --format ndjson --retries 0';
const token = 'f'.repeat(40);

/** Starts a TLS proxy in front of a local port, and returns its port. */
async function startTlsBefore(port: number): Promise<number> {
  const server = createServer({ cert: certificate, key: privateKey }, (socket) => {
    const inner = connect(port, '127.0.0.1');
    for (const end of [socket, inner]) end.on('error', () => inner.destroy());
    socket.pipe(inner).pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** Starts a server that sends the same bytes on every connection. */
async function startTelling(bytes: string): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createPlainServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    socket.once('data', () => socket.end(bytes));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

test('a TLS proxy with an IP address causes no deprecation warning', async () => {
  const { server, env } = await serveTls();
  const proxy = await startConnectProxy(server.port);
  const port = await startTlsBefore(Number(new URL(proxy.url).port));
  const through = { ...env, HTTPS_PROXY: `https://127.0.0.1:${port}` };
  const result = await spawnCli(list, { env: through });
  expect(result).toMatchObject({ exitCode: 0, stderr: '' });
  expect(proxy.asked).toHaveLength(1);
});

test('OpenSSL’s error for a server without TLS becomes one readable line', async () => {
  const port = await startTelling('HTTP/1.1 400 Bad Request\r\n\r\n');
  const env = { ADREPORT_BASE_URL: `https://localhost:${port}`, ADREPORT_TOKEN: token };
  const { exitCode, stderr } = await spawnCli(list, { env });
  expect(exitCode).toBe(5);
  expect(stderr).toMatch(/^adreport: Could not reach https:\/\/localhost:\d+: .*\.\n {2}.*\n$/);
  expect(stderr).not.toMatch(/:error:|routines|deps\/openssl/);
});

test.each(['099', '99999'])('the status %s is reported as invalid HTTP', async (status) => {
  const port = await startTelling(`HTTP/1.1 ${status} Odd\r\ncontent-length: 2\r\n\r\n[]`);
  const env = { ADREPORT_BASE_URL: `http://127.0.0.1:${port}`, ADREPORT_TOKEN: token };
  const { exitCode, stderr } = await spawnCli(list, { env });
  expect(exitCode).toBe(5);
  expect(stderr).toMatch(/^adreport: Could not reach .*: the response is not HTTP.*\n {2}.*\n$/);
});

test('a mapping as a key of adreport.yaml causes no warning of the YAML package', async () => {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'adreport.yaml'), 'defaults:\n  ? {a: b}\n  : c\n  profile: dsp\n');
  const { stderr } = await spawnCli('config get profile', { cwd });
  expect(stderr).toBe('');
});
