import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { portOf, startForTest, tokens } from '../server/local.ts';

const requestCount = 20_000;
const workers = 16;

const json = (value: fc.Arbitrary<unknown>): fc.Arbitrary<string> =>
  value.map((one) => JSON.stringify(one) ?? '');
const text = fc.string({
  unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
});
const since = fc.integer({ min: 1_700_000_000, max: 1_800_000_000 });

/** Valid requests, so that much of the test covers reports. */
const rightReport = fc.record({
  since,
  until: since.map((instant) => instant + 100_000_000),
  metrics: fc.subarray(['displays', 'revenueEuro', 'revenueDollar'], { minLength: 1 }),
  breakdowns: fc.subarray(['MONTHLY', 'BUNDLEID', 'FORMAT']),
});

/** Requests in which any part may be wrong. */
const report = fc.record(
  {
    since: fc.oneof(since, fc.jsonValue()),
    until: fc.oneof(fc.constant(1_800_000_000), fc.jsonValue()),
    metrics: fc.array(fc.constantFrom('requests', 'displays', 'revenueEuro', 'click', ''), {
      maxLength: 3,
    }),
    breakdowns: fc.array(fc.constantFrom('RANGE', 'CAMPAIGN', 'os', 'NONE', '__proto__'), {
      maxLength: 3,
    }),
    osId: fc.oneof(fc.array(fc.nat().map(String), { maxLength: 5 }), fc.jsonValue()),
    timezone: fc.constantFrom('Asia/Kolkata', 'UTC', 'Nowhere', '+02:00'),
    output: fc.constantFrom('direct', 'file'),
    [`x${'y'.repeat(20)}`]: fc.jsonValue(),
  },
  { requiredKeys: ['since', 'metrics'] },
);

/** The same as a form, with an index for each value. */
const form = report.map((parameters) => {
  const fields = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    fields.append(`${name}[0]`, JSON.stringify(value) ?? '');
  }
  return fields.toString();
});

/** JSON with keys like those of a form. */
const indexedJson = fc
  .dictionary(
    fc.constantFrom('metrics[0]', 'breakdowns[7]', 'breakdowns[]', 'osId'),
    fc.jsonValue(),
  )
  .map((parameters) => JSON.stringify({ since: 1, until: 2, ...parameters }));

const method = fc.oneof(
  { weight: 12, arbitrary: fc.constant('POST') },
  { weight: 2, arbitrary: fc.constant('GET') },
  { weight: 3, arbitrary: fc.constantFrom('PUT', 'DELETE', 'OPTIONS') },
);

const path = fc.oneof(
  { weight: 6, arbitrary: fc.constant('/buyer-reporting') },
  {
    weight: 5,
    arbitrary: fc.constantFrom(
      '/status-reporting',
      '/download-reporting',
      '/auth-reporting',
      '/campaigns',
      '/nothing?x=%zz',
    ),
  },
);

const token = fc.constantFrom(tokens.buyer, tokens.admin, tokens.dsp);
const headers = fc.record(
  {
    authorization: fc.oneof({ weight: 9, arbitrary: token }, text),
    accept: fc.oneof(
      fc.constantFrom('application/json', 'text/csv', '*/*;q=0.1', 'image/png'),
      text,
    ),
    'accept-encoding': fc.oneof(fc.constantFrom('gzip', 'br', 'deflate', 'identity;q=0'), text),
    'content-type': fc.oneof(
      fc.constantFrom('application/json', 'application/x-www-form-urlencoded'),
      text,
    ),
  },
  { requiredKeys: ['authorization'] },
);

const body = fc.oneof(
  { weight: 6, arbitrary: json(rightReport) },
  { weight: 3, arbitrary: json(report) },
  form,
  indexedJson,
  json(fc.record({ id: fc.string() })),
  fc.constantFrom(
    '{"email":"buyer@example.com","password":"demo"}',
    'auth[email]=a&auth[password]=b',
  ),
  json(fc.jsonValue()),
  fc.string({ maxLength: 200 }),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
);

/** A request to send. */
interface FuzzedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

const fuzzedRequest: fc.Arbitrary<FuzzedRequest> = fc.record({ method, path, headers, body });

/** Sends one request and resolves with its status, or 0 if the connection was closed. */
function send(
  port: number,
  agent: Agent,
  { method, path, headers, body }: FuzzedRequest,
): Promise<number> {
  return new Promise((resolve) => {
    const options = { port, host: '127.0.0.1', agent, method, path };
    const length = { 'content-length': String(Buffer.byteLength(body)) };
    const outgoing = request({ ...options, headers: { ...headers, ...length } }, (response) => {
      response.resume().once('close', () => resolve(response.statusCode ?? 0));
    });
    outgoing.once('error', () => resolve(0)).end(body);
  });
}

/** Sends bytes that are not HTTP, and hangs up. */
function sendGarbage(port: number, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.end(bytes));
    socket.on('error', () => {});
    socket.resume().once('close', () => resolve());
  });
}

test(`${requestCount} random requests: no 500`, async () => {
  const server = await startForTest();
  const port = portOf(server);
  const agent = new Agent({ keepAlive: true, maxSockets: workers });
  onTestFinished(() => agent.destroy());
  // Generating is slower than serving: a pool is generated once, and its parts are recombined.
  const pool = fc.sample(fuzzedRequest, { numRuns: 10_000, seed: 20261120 });
  const pick = (at: number): FuzzedRequest => pool[at % pool.length] as FuzzedRequest;
  let [sent, accepted] = [0, 0];
  const worker = async (): Promise<void> => {
    while (sent < requestCount) {
      sent += 1;
      const { headers, body } = pick(sent * 7_919);
      const one = { ...pick(sent), headers };
      if (sent % 500 === 0) await sendGarbage(port, Buffer.from(body));
      const status = await send(port, agent, one);
      if (status === 200) accepted += 1;
      if (status >= 500) throw new Error(`${status}: ${JSON.stringify(one)}`);
    }
  };
  await Promise.all(Array.from({ length: workers }, worker));

  expect(accepted).toBeGreaterThan(requestCount / 20);
});
