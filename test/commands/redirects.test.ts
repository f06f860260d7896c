import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { certificate, privateKey, serveTls, trustAuthorityHere } from '../support/certificates.ts';
import { serve } from '../support/http-server.ts';
import { expectRefusal, runCli } from '../support/run-cli.ts';

/** Redirects to other hosts. Those within the service are in `test/api/client.test.ts`. */

test('a call redirected to another origin has no token', async () => {
  const { server, env } = await serveTls();
  trustAuthorityHere();
  const moved = await serve((_request, response) => {
    response.writeHead(302, { location: `${env.ADREPORT_BASE_URL}/campaigns` }).end();
  });

  const result = await runCli('campaigns --retries 0', {
    env: { ...env, ADREPORT_BASE_URL: moved.url.href },
  });

  expect(result).toMatchObject({ exitCode: 3, stdout: '' });
  expect(moved.received.map(({ headers }) => headers.authorization)).toEqual([env.ADREPORT_TOKEN]);
  expect(server.requests()).toMatchObject([{ path: '/campaigns', status: 401 }]);
});

test('a redirect to no web URL names its scheme', async () => {
  const { env } = await serve((_request, response) => {
    response.writeHead(302, { location: 'file:///etc/hosts' }).end();
  });

  expectRefusal(await runCli('campaigns --retries 0', { env }), 4, 'redirects to a file: URL');
});

describe('a download redirected to a storage host', () => {
  const report = '{"data":[{"displays":7}]}';

  /** A storage host that refuses the links it is given, but for those with `fresh`. */
  async function serveStorage(status: number) {
    trustAuthorityHere();
    const asked: object[] = [];
    const identity = { cert: certificate, key: privateKey };
    const storage = createServer(identity, ({ method, url, headers }, response) => {
      asked.push({ method, url, token: headers.authorization });
      const isFresh = url?.endsWith('fresh');
      response.writeHead(isFresh ? 200 : status).end(isFresh ? report : '');
    });
    await new Promise<void>((resolve) => storage.listen(0, resolve));
    onTestFinished(() => void storage.close().closeAllConnections());
    return { url: `https://localhost:${(storage.address() as AddressInfo).port}`, asked };
  }

  test('uses GET without the token, and its link is not shown', async () => {
    const { url, asked } = await serveStorage(404);
    const service = await serve(
      (_request, response) =>
        void response.writeHead(302, { location: `${url}/r1?signature=fresh` }).end(),
    );

    const line = 'download r1 --format ndjson --retries 0 -v';
    const result = await runCli(line, { env: service.env });

    expect(result).toMatchObject({ exitCode: 0, stdout: '{"displays":7}\n' });
    expect(result.stderr).not.toContain('signature=fresh');
    expect(asked).toEqual([{ method: 'GET', url: '/r1?signature=fresh', token: undefined }]);
  });

  test('is asked for again from the service', async () => {
    const { url } = await serveStorage(404);
    const links = ['expired', 'fresh'];
    const service = await serve((_request, response) => {
      response.writeHead(302, { location: `${url}/r1?${links.shift()}` }).end();
    });

    const result = await runCli('download r1 --format ndjson', { env: service.env });

    expect(result).toMatchObject({ exitCode: 0, stdout: '{"displays":7}\n' });
  });

  test('for ever: the message names the host', async () => {
    const { url } = await serveStorage(403);
    const service = await serve((_request, response) => {
      response.writeHead(302, { location: `${url}/r1?expired` }).end();
    });

    const result = await runCli('download r1 --retries 1', { env: service.env });

    expectRefusal(result, 5, `The service redirected the download to ${url}, which refused it.`);
    expect(result.stderr).not.toContain('adreport login');
    expect(service.received).toHaveLength(2);
  });
});
