import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { runCli } from '../support/run-cli.ts';

/** Internal messages of Node, OpenSSL and packages never reach stderr. */

const list = 'campaigns --format ndjson --retries 0';
const token = 'f'.repeat(40);

/** Starts a server that sends the same bytes on every connection. */
async function startTelling(bytes: string): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
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

test('OpenSSL’s error for a server without TLS becomes one readable line', async () => {
  const port = await startTelling('HTTP/1.1 400 Bad Request\r\n\r\n');
  const env = { ADREPORT_BASE_URL: `https://localhost:${port}`, ADREPORT_TOKEN: token };
  const { exitCode, stderr } = await runCli(list, { env });
  expect(exitCode).toBe(5);
  expect(stderr).toMatch(/^adreport: Could not reach https:\/\/localhost:\d+: .*\.\n {2}.*\n$/);
  expect(stderr).not.toMatch(/:error:|routines|deps\/openssl/);
});

test.each(['099', '99999'])('the status %s is reported as invalid HTTP', async (status) => {
  const port = await startTelling(`HTTP/1.1 ${status} Odd\r\ncontent-length: 2\r\n\r\n[]`);
  const env = { ADREPORT_BASE_URL: `http://127.0.0.1:${port}`, ADREPORT_TOKEN: token };
  const { exitCode, stderr } = await runCli(list, { env });
  expect(exitCode).toBe(5);
  expect(stderr).toMatch(/^adreport: Could not reach .*: the response is not HTTP.*\n {2}.*\n$/);
});
