import { afterAll, beforeEach, expect, test } from 'vitest';
import { startLocalServer } from '../src/local-server.ts';

// The example of `adreport help testing`, as a test suite of a program under test would have it.

const service = await startLocalServer({ delayMs: 60_000 });
const [buyer, , dsp] = service.accounts;

beforeEach(() => service.reset());
afterAll(() => service.close());

/** The program under test: creates a report, and tries again when the service is busy. */
async function createReport(baseUrl: string, token = ''): Promise<string> {
  const body = JSON.stringify({ since: 1_780_272_000, until: 1_780_358_399, metrics: 'displays' });
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    const answer = await fetch(`${baseUrl}/buyer-reporting`, {
      method: 'POST',
      headers: { authorization: token },
      body,
    });
    if (answer.ok) return ((await answer.json()) as { response: { report_id: string } }).response.report_id;
  }
  throw new Error('The service is busy.');
}

async function statusOf(id: string, token = ''): Promise<{ status: number; word: string | undefined }> {
  const body = JSON.stringify({ id });
  const answer = await fetch(`${service.url}/status-reporting`, {
    method: 'POST',
    headers: { authorization: token },
    body,
  });
  const { response } = (await answer.json()) as { response: { status?: string } };
  return { status: answer.status, word: response.status };
}

test('tries again when the service is busy', async () => {
  service.fault('buyer:503:times=2');
  await createReport(service.url, buyer?.token);
  expect(service.requests().map(({ status }) => status)).toEqual([503, 503, 200]);
});

test('a report gets ready in its time, and nobody waits for it', async () => {
  const id = await createReport(service.url, buyer?.token);
  expect((await statusOf(id, buyer?.token)).word).toBe('progress');
  service.advance('1m');
  expect((await statusOf(id, buyer?.token)).word).toBe('ready');
  service.advance('1d');
  expect((await statusOf(id, buyer?.token)).status).toBe(410);
});

test('one account never sees another’s report', async () => {
  const id = await createReport(service.url, buyer?.token);
  expect((await statusOf(id, dsp?.token)).status).toBe(404);
});

test('options that exclude each other are refused', async () => {
  await expect(startLocalServer({ delayMs: 0, polls: 2 })).rejects.toThrow('exclude each other');
  await expect(startLocalServer({ faults: ['nowhere:503'] })).rejects.toThrow('no endpoint');
  await expect(startLocalServer({ port: service.port })).rejects.toThrow('another program listens there');
});

test.each([
  [{ port: -1 }, 'port cannot be -1.', 'Give a whole number, 0 or more.'],
  [{ delayMs: Number.NaN }, 'delayMs cannot be NaN.', 'Give a whole number, 0 or more.'],
  [{ polls: 0 }, 'polls cannot be 0.', 'Give a whole number, 1 or more.'],
  [{ scale: 1.5 }, 'scale cannot be 1.5.', 'Give a whole number, 1 or more.'],
  [{ restateDays: -2 }, 'restateDays cannot be -2.', 'Give a whole number, 0 or more.'],
])('%j is refused', async (options, message, hint) => {
  await expect(startLocalServer(options)).rejects.toMatchObject({ message, hint });
});

test.for(['::1', '::'])('a server that listens on %s is reached by an address in brackets', async (host, context) => {
  const server = await startLocalServer({ host }).catch(() => context.skip('No IPv6 here.'));
  expect(server.url).toBe(`http://[::1]:${server.port}`);
  const answer = await fetch(`${server.url}/__admin/health`);
  expect(answer.headers.get('x-adreport-local')).toBe('1');
  await server.close();
  await server.close();
});
