import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { bundleScript } from '../support/bundle.ts';

/** A hundred thousand random requests: none is answered with 500, and the memory of the server does not grow. */

const requestCount = 100_000;
const warmUpCount = 30_000;
const sampleEvery = 10_000;
const workers = 16;
const memoryBytesAtMost = 20 * 1024 * 1024;
const tokens = ['b1', 'ad', 'd5'].map((ending) => ending.padStart(40, '0'));

interface Fuzzed {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

/** The local server in a process of its own, which tells its resident memory, swept, when asked. */
async function startServer(): Promise<{ child: ChildProcess; port: number; residentBytes: () => Promise<number> }> {
  const script = bundleScript(`
    import { startLocalServer } from './src/server/start.ts';
    const server = await startLocalServer({ delayMs: 0 });
    process.on('message', () => {
      globalThis.gc();
      process.send(process.memoryUsage().rss);
    });
    process.send(server.port);
  `);
  const child = spawn(process.execPath, ['--expose-gc', script.file], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  onTestFinished(() => {
    child.kill();
    script.remove();
  });
  const [port] = (await once(child, 'message')) as [number];
  const residentBytes = async (): Promise<number> => {
    child.send('memory');
    return ((await once(child, 'message')) as [number])[0];
  };
  return { child, port, residentBytes };
}

const metric = fc.constantFrom(
  'requests',
  'displays',
  'clicks',
  'revenueEuro',
  'revenueDollar',
  'eyesTrackings',
  'click',
  '',
);
const breakdown = fc.constantFrom(
  'DAILY',
  'HOURLY',
  'RANGE',
  'CAMPAIGN',
  'os',
  'CITY',
  'CARRIER',
  'BUNDLEID',
  'FORMAT',
  'NONE',
  '__proto__',
);
const since = fc.integer({ min: 1_700_000_000, max: 1_800_000_000 });

/** Requests for reports of at most two days, each part of which may be wrong. */
const report = fc
  .record(
    {
      since: fc.oneof({ weight: 9, arbitrary: since }, fc.jsonValue()),
      until: fc.oneof({ weight: 1, arbitrary: fc.jsonValue() }, { weight: 1, arbitrary: fc.constant('') }),
      metrics: fc.oneof({ weight: 5, arbitrary: fc.array(metric, { minLength: 1, maxLength: 3 }) }, metric),
      breakdowns: fc.array(breakdown, { maxLength: 3 }),
      osId: fc.oneof(fc.array(fc.nat().map(String), { maxLength: 5 }), fc.jsonValue()),
      timezone: fc.constantFrom('Asia/Kolkata', 'UTC', 'Nowhere', '+02:00'),
      output: fc.constantFrom('direct', 'direct', 'file'),
      [`x${'y'.repeat(20)}`]: fc.jsonValue(),
    },
    { requiredKeys: ['since', 'metrics'] },
  )
  .map((fields) => {
    const until =
      typeof fields.since === 'number' && fields.until === undefined ? fields.since + 172_800 : (fields.until ?? 0);
    return { ...fields, until };
  });

/** Requests that every account may make, so that much of what runs is the work itself. */
const rightReport = fc
  .record(
    {
      since,
      days: fc.integer({ min: 0, max: 2 }),
      metrics: fc.subarray(['displays', 'revenueEuro', 'revenueDollar'], { minLength: 1 }),
      breakdowns: fc.subarray(['HOURLY', 'BUNDLEID', 'FORMAT']),
      output: fc.constant('direct'),
    },
    { requiredKeys: ['since', 'days', 'metrics'] },
  )
  .map(({ days, ...fields }) => ({ ...fields, until: fields.since + days * 86_400 }));

const json = (value: fc.Arbitrary<unknown>): fc.Arbitrary<string> => value.map((one) => JSON.stringify(one) ?? '');
const form = (value: fc.Arbitrary<object>): fc.Arbitrary<string> =>
  value.map((one) =>
    new URLSearchParams(
      Object.entries(one).map(([name, inner]): [string, string] => [`${name}[0]`, JSON.stringify(inner) ?? '']),
    ).toString(),
  );
const body = fc.oneof(
  { weight: 9, arbitrary: json(rightReport) },
  { weight: 3, arbitrary: json(report) },
  { weight: 1, arbitrary: form(report) },
  { weight: 1, arbitrary: json(fc.record({ id: fc.string() })) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('{"email":"buyer@example.com","password":"demo"}', 'auth[email]=a&auth[password]=b'),
  },
  { weight: 1, arbitrary: json(fc.jsonValue()) },
  { weight: 1, arbitrary: fc.string({ maxLength: 200 }) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)) },
);
const printable = fc.string({
  unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
  maxLength: 60,
});

const fuzzed: fc.Arbitrary<Fuzzed> = fc.record({
  method: fc.oneof(
    { weight: 12, arbitrary: fc.constant('POST') },
    { weight: 3, arbitrary: fc.constant('GET') },
    { weight: 1, arbitrary: fc.constantFrom('PUT', 'DELETE', 'OPTIONS') },
  ),
  path: fc.oneof(
    { weight: 6, arbitrary: fc.constant('/buyer-reporting') },
    {
      weight: 4,
      arbitrary: fc.constantFrom('/status-reporting', '/download-reporting', '/auth-reporting', '/campaigns'),
    },
    { weight: 1, arbitrary: fc.constant('/nothing?x=%zz') },
  ),
  headers: fc.record(
    {
      authorization: fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...tokens) }, printable),
      accept: fc.oneof(fc.constantFrom('application/json', 'text/csv', '*/*;q=0.1', 'image/png'), printable),
      'accept-encoding': fc.oneof(fc.constantFrom('gzip', 'br', 'deflate', 'identity;q=0'), printable),
      'content-type': fc.oneof(
        fc.constantFrom('application/json', 'application/x-www-form-urlencoded', 'image/png'),
        printable,
      ),
    },
    { requiredKeys: ['authorization'] },
  ),
  body,
});

/** Sends one request and resolves with its status; 0 where the connection ended instead. */
function send(port: number, agent: Agent, { method, path, headers, body: sent }: Fuzzed): Promise<number> {
  return new Promise((resolve) => {
    const length = { 'content-length': String(Buffer.byteLength(sent)) };
    const outgoing = request(
      { port, host: '127.0.0.1', agent, method, path, headers: { ...headers, ...length } },
      (response) => {
        response.resume();
        response.once('close', () => resolve(response.statusCode ?? 0));
      },
    );
    outgoing.once('error', () => resolve(0));
    outgoing.end(sent);
  });
}

/** Sends bytes that are no HTTP, and hangs up. */
function sendGarbage(port: number, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.end(bytes));
    socket.on('error', () => {});
    socket.resume().once('close', () => resolve());
  });
}

test('100,000 random requests: no 500, and memory flat within 20 MB', async () => {
  const { child, port, residentBytes } = await startServer();
  const agent = new Agent({ keepAlive: true, maxSockets: workers });
  onTestFinished(() => agent.destroy());
  // Drawing is slower than serving: a pool is drawn once, and its parts are put together anew.
  const pool = fc.sample(fuzzed, { numRuns: 20_000, seed: 20261120 });
  const statuses = new Map<number, number>();
  const samples: number[] = [];
  let sent = 0;

  const worker = async (): Promise<void> => {
    while (sent < requestCount) {
      sent += 1;
      const [one, other] = [pool[sent % pool.length], pool[(sent * 7_919) % pool.length]];
      if (!one || !other) throw new Error('The pool is empty.');
      if (sent % 500 === 0) await sendGarbage(port, Buffer.from(other.body));
      const status = await send(port, agent, { ...one, headers: other.headers });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (status >= 500) throw new Error(`${status}: ${JSON.stringify({ ...one, headers: other.headers })}`);
    }
  };
  const sampler = (async () => {
    for (let at = warmUpCount; at <= requestCount; at += sampleEvery) {
      while (sent < at) await new Promise((resolve) => setTimeout(resolve, 20));
      samples.push(await residentBytes());
    }
  })();
  await Promise.all([...Array.from({ length: workers }, worker), sampler]);

  const growth = Math.max(...samples.slice(1)) - (samples[0] ?? 0);
  console.log(`statuses ${JSON.stringify(Object.fromEntries(statuses))}`);
  console.log(`resident MB ${samples.map((bytes) => Math.round(bytes / 1_048_576)).join(' ')}`);
  expect(child.exitCode).toBeNull();
  expect(statuses.get(200) ?? 0).toBeGreaterThan(requestCount / 10);
  expect(growth).toBeLessThan(memoryBytesAtMost);
});
