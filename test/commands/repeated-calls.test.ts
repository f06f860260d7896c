import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { EndpointName } from '../../src/contract/messages.ts';
import type { FaultAnswer } from '../../src/local-server.ts';
import { certificate, privateKey, trustAuthorityHere } from '../support/certificates.ts';
import { serve } from '../support/http-server.ts';
import { expectRefusal, runCli } from '../support/run-cli.ts';
import { serveForTest } from '../support/service.ts';

/** Which refusals are waited for (`cli.md`, Waiting), and which end the command at once. */

const line = 'run --period 2026-11-09 --metrics displays --fresh -o x.csv';

/** Runs a line that makes a call of this endpoint, which is answered like this a few times. */
async function runRefused(endpoint: EndpointName, answer: FaultAnswer, times: number) {
  const { server, env, calls } = await serveForTest({ delayMs: 0 });
  server.fault({ endpoint, answer, times });
  const signIn = { ADREPORT_EMAIL: 'buyer@example.com', ADREPORT_PASSWORD: 'demo' };
  const words = endpoint === 'campaigns' ? 'campaigns' : line;
  const token = endpoint === 'auth' ? { ADREPORT_TOKEN: undefined } : {};
  const result = await runCli(words, { env: { ...env, ...signIn, ...token } });
  return { ...result, calls: calls(endpoint) };
}

test.each([
  { endpoint: 'auth', status: 408 },
  { endpoint: 'status', status: 500 },
  { endpoint: 'download', status: 520 },
  { endpoint: 'campaigns', status: 530 },
] as const)('$endpoint is repeated after $status', async ({ endpoint, status }) => {
  const { exitCode, stderr, calls } = await runRefused(endpoint, { status, body: '' }, 2);
  expect([exitCode, calls], stderr).toEqual([0, 3]);
});

test.each([501, 505])('a status call ends the command with exit 5 after one %i', async (status) => {
  const { exitCode, calls } = await runRefused('status', { status, body: '' }, 2);
  expect([exitCode, calls]).toEqual([5, 1]);
});

test.each(['auth', 'status', 'download', 'campaigns'] as const)(
  '%s is waited for after 403 with Retry-After, as after 429',
  async (endpoint) => {
    const answer = { status: 403, headers: { 'retry-after': '1' }, body: { error: 'slow down' } };
    const { exitCode, stderr, calls } = await runRefused(endpoint, answer, 2);
    expect([exitCode, calls], stderr).toEqual([0, 3]);
  },
);

test.each([500, 520, 501])('a create that may have worked is not repeated: %i', async (status) => {
  const { exitCode, stderr, calls } = await runRefused('buyer', { status, body: '' }, 2);
  expect([exitCode, calls]).toEqual([5, 1]);
  expect(stderr).toContain('A report may have been created anyway.');
});

test('403 with Retry-After for ever is no refused token', async () => {
  const answer = { status: 403, headers: { 'retry-after': '1' }, body: '' };
  const { exitCode, stderr } = await runRefused('status', answer, 99);
  expect(exitCode).toBe(5);
  expect(stderr).toContain('The service received too many requests. (403)');
});

describe('a download redirected to a host that refuses it', () => {
  /** A storage host that refuses the links it is given, but for those with `fresh`. */
  async function serveStorage(status: number) {
    trustAuthorityHere();
    const storage = createServer({ cert: certificate, key: privateKey }, ({ url }, response) => {
      const isFresh = url?.endsWith('fresh');
      response.writeHead(isFresh ? 200 : status).end(isFresh ? '{"data":[{"displays":7}]}' : '');
    });
    await new Promise<void>((resolve) => storage.listen(0, resolve));
    onTestFinished(() => void storage.close().closeAllConnections());
    return `https://localhost:${(storage.address() as AddressInfo).port}`;
  }

  test('is asked for again from the service', async () => {
    const storage = await serveStorage(404);
    const links = ['expired', 'fresh'];
    const service = await serve((_request, response) => {
      response.writeHead(302, { location: `${storage}/r1?${links.shift()}` }).end();
    });

    const result = await runCli('download r1 --format ndjson', { env: service.env });

    expect(result).toMatchObject({ exitCode: 0, stdout: '{"displays":7}\n' });
  });

  test('for ever: the message names the host', async () => {
    const storage = await serveStorage(403);
    const service = await serve((_request, response) => {
      response.writeHead(302, { location: `${storage}/r1?expired` }).end();
    });

    const result = await runCli('download r1 --retries 1', { env: service.env });

    expectRefusal(
      result,
      5,
      `The service redirected the download to ${storage}, which refused it.`,
    );
    expect(result.stderr).not.toContain('adreport login');
    expect(service.received).toHaveLength(2);
  });
});
