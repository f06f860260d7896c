import { type AddressInfo, connect } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import {
  certificate,
  expired,
  privateKey,
  serveTls,
  trustAuthorityHere,
} from '../support/certificates.ts';
import { startConnectProxy } from '../support/connect-proxy.ts';
import { serve } from '../support/http-server.ts';
import { expectRefusal, runCli } from '../support/run-cli.ts';
import { spawnCli } from '../support/spawn.ts';

const list = 'campaigns --format ndjson --retries 0';

/** Starts a TLS proxy in front of a local port, and returns its port. */
async function startTlsBefore(port: number): Promise<number> {
  const server = createTlsServer({ cert: certificate, key: privateKey }, (socket) => {
    const inner = connect(port, '127.0.0.1');
    for (const end of [socket, inner]) end.on('error', () => inner.destroy());
    socket.pipe(inner).pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

test('NODE_EXTRA_CA_CERTS makes it trust a service and a TLS proxy, whose IP address causes no deprecation warning', async () => {
  const service = await serveTls();
  const proxy = await startConnectProxy(service.port);
  const port = await startTlsBefore(Number(new URL(proxy.url).port));
  const through = { ...service.env, HTTPS_PROXY: `https://127.0.0.1:${port}` };

  // Node reads the variable when it starts, and warns once in each process.
  const result = await spawnCli(list, { env: through });

  expect(result).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('"campaignId":'),
    stderr: '',
  });
  expect(proxy.asked).toHaveLength(1);
});

test('a private authority is refused, with the variable to set', async () => {
  const { server, env } = await serveTls();

  expectRefusal(await runCli(list, { env }), 5, 'set NODE_EXTRA_CA_CERTS to the file');
  expect(server.requests()).toEqual([]);
});

test('an expired certificate has nothing to do with private authorities', async () => {
  const { env } = await serveTls('127.0.0.1', expired);
  trustAuthorityHere(expired.cert);

  const refused = await runCli(list, { env });

  expectRefusal(refused, 5, /certificate has expired.*\n.*this machine.s clock/);
  expect(refused.stderr).not.toContain('NODE_EXTRA_CA_CERTS');
});

test('a port that speaks http is named, of the service and of a proxy', async () => {
  const { env, url } = await serve((_request, response) => void response.end('[]'));
  const asHttps = { ...env, ADREPORT_BASE_URL: `https://localhost:${url.port}` };
  expectRefusal(await runCli(list, { env: asHttps }), 5, 'This port speaks plain http.');

  const proxy = { ...asHttps, HTTPS_PROXY: `https://localhost:${url.port}` };
  expectRefusal(await runCli(list, { env: proxy }), 5, 'Start HTTPS_PROXY with http://');
});

test('a broken proxy does not stop --local', async () => {
  const env = { HTTPS_PROXY: 'not a proxy' };
  expect(await runCli('campaigns --local', { env })).toMatchObject({ exitCode: 0 });
});

test('a certificate of another host is distinguished from one of a private authority', async () => {
  const { server, url, env } = await serveTls('127.0.0.2');
  trustAuthorityHere();

  const refused = await runCli(list, { env: { ...env, ADREPORT_BASE_URL: url } });

  expectRefusal(refused, 5, 'The certificate is for a different host');
  expect(server.requests()).toEqual([]);
});

test('every call uses HTTPS_PROXY, except for hosts in NO_PROXY', async () => {
  // Bound to loopback only, it would refuse the host name used by the proxy.
  const { port, env } = await serveTls('0.0.0.0');
  trustAuthorityHere();
  const proxy = await startConnectProxy(port);
  // No host has this name, so that only the proxy finds the service.
  const through = { ...env, ADREPORT_BASE_URL: 'https://reports.test', HTTPS_PROXY: proxy.url };
  const line = 'run --period yesterday --by OS --format ndjson --retries 0';

  const proxied = await runCli(line, { env: through });

  expect(proxied).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('"os":') });
  expect(new Set(proxy.asked)).toEqual(new Set(['reports.test:443']));

  const asked = proxy.asked.length;
  const past = { ...env, HTTPS_PROXY: proxy.url, NO_PROXY: 'localhost' };

  expect(await runCli(line, { env: past })).toMatchObject({ exitCode: 0 });
  expect(proxy.asked).toHaveLength(asked);
});

test('a proxy’s password is sent to it and never shown', async () => {
  const { server, port, env } = await serveTls();
  const proxy = await startConnectProxy(port, 407);
  const HTTPS_PROXY = proxy.url.replace('http://', 'me:hush-hush@');

  const result = await runCli('campaigns -v --retries 3', { env: { ...env, HTTPS_PROXY } });

  expectRefusal(result, 5, 'the proxy responded with 407');
  expect(result.stderr).not.toContain('hush-hush');
  // A refusal is permanent, so there is one try.
  expect(proxy.authorizations).toEqual([`Basic ${Buffer.from('me:hush-hush').toString('base64')}`]);
  expect(server.requests()).toEqual([]);
});

test('problems of the proxy are not blamed on the service', async () => {
  const service = { ADREPORT_BASE_URL: 'https://localhost', ADREPORT_TOKEN: 'f'.repeat(40) };

  const result = await runCli(list, {
    env: { ...service, HTTPS_PROXY: 'http://me:hush-hush@127.0.0.1:1' },
  });

  expectRefusal(
    result,
    5,
    /at the proxy http:\/\/127\.0\.0\.1:1: connection refused.*\n {2}Check HTTPS_PROXY/,
  );
  expect(result.stderr).not.toContain('hush-hush');
});
