import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { endpointNames } from '../../src/contract/messages.ts';
import type { FaultObject } from '../../src/local-server.ts';
import type { LocalServer } from '../../src/server/start.ts';
import {
  call,
  createReport,
  downloadOf,
  expectRefusal,
  jsonOf,
  setStatus,
  signIn,
  smallReport,
  startForTest,
  statusOf,
} from './local.ts';

const campaignsOf = (server: LocalServer) => call(server, '/campaigns', { as: 'buyer' });

async function statuses(server: LocalServer, count: number): Promise<number[]> {
  const all: number[] = [];
  for (let n = 0; n < count; n += 1) all.push((await campaignsOf(server)).status);
  return all;
}

describe('when a fault strikes', () => {
  test('times=N, after=N: the first due fault applies, the others wait', async () => {
    const server = await startForTest({
      faults: ['campaigns:503:times=2', 'campaigns:429:times=1', 'campaigns:404:after=4'],
    });

    await createReport(server);

    expect(await statuses(server, 5)).toEqual([503, 503, 429, 200, 404]);
  });
});

describe('kinds that respond instead of the service', () => {
  test('an HTTP status, in the service’s own envelope', async () => {
    const server = await startForTest({
      faults: ['campaigns:503:times=1', 'campaigns:429:retry-after=2', 'buyer:413'],
    });
    const [first, second] = [await campaignsOf(server), await campaignsOf(server)];
    const third = await call(server, '/buyer-reporting', { as: 'buyer', json: smallReport });

    expect(jsonOf(first)).toEqual({
      response: { error_id: 'INTERNAL', error: expect.stringContaining('503') },
    });
    expect(first.headers['retry-after']).toBeUndefined();
    expectRefusal(second, 429, 'RATE_LIMITED');
    expect(second.headers).toMatchObject({ 'retry-after': '2', 'x-adreport-local': '1' });
    expectRefusal(third, 413, 'REPORT_TOO_LARGE');
  });

  test('garbage: 200 labelled as JSON, but neither JSON nor UTF-8', async () => {
    const server = await startForTest({ faults: ['status:garbage'] });

    const answer = await call(server, '/status-reporting', { as: 'buyer', json: { id: 'x' } });

    expect(answer).toMatchObject({ status: 200, isWhole: true });
    expect(answer.headers['content-type']).toMatch(/^application\/json/);
    expect(() => jsonOf(answer)).toThrow(SyntaxError);
    expect(() => new TextDecoder('utf-8', { fatal: true }).decode(answer.body)).toThrow(TypeError);
  });

  test('unauthorized: the token is revoked for every call, and signing in gives a new one', async () => {
    const server = await startForTest({ faults: ['status:unauthorized:times=1'] });
    const token = await signIn(server);
    const campaigns = async (own: string) =>
      (await call(server, '/campaigns', { token: own })).status;

    expect(await campaigns(token)).toBe(200);

    const refused = await call(server, '/status-reporting', { token, json: { id: 'x' } });

    expectRefusal(refused, 401, 'INVALID_TOKEN');
    expect(await campaigns(token)).toBe(401);
    expect(await campaigns(await signIn(server))).toBe(200);
  });

  test.each([
    { body: 'busy', text: 'busy', type: 'text/plain; charset=utf-8' },
    { body: undefined, text: '', type: 'text/plain; charset=utf-8' },
    {
      body: { state: ['done'] },
      text: '{"state":["done"]}',
      type: 'application/json; charset=utf-8',
    },
    { body: null, text: 'null', type: 'application/json; charset=utf-8' },
  ])('answer: $text as $type', async ({ body, text, type }) => {
    const server = await startForTest();
    server.fault({ endpoint: 'status', answer: { body } });

    const answer = await call(server, '/status-reporting', { json: { id: 'none' } });

    expect(answer).toMatchObject({ status: 200, text });
    expect(answer.headers['content-type']).toBe(type);
  });

  test('answer: with its own status and headers, never compressed', async () => {
    const server = await startForTest();
    const headers = { 'Retry-After': '7', 'content-type': 'a/b', 'content-encoding': 'gzip' };
    const body = 'x'.repeat(10_000);
    server.fault({ endpoint: 'campaigns', answer: { status: 503, headers, body } });

    const answer = await call(server, '/campaigns', { headers: { 'accept-encoding': 'br' } });

    expect(answer).toMatchObject({ status: 503, text: body });
    expect(answer.headers).toMatchObject({
      'retry-after': '7',
      'content-type': 'a/b',
      'content-encoding': 'gzip',
    });
    const why = 'Sent by a fault instead of the service’s response.';
    expect(server.requests()).toMatchObject([{ status: 503, why }]);
  });
});

describe('kinds that damage the response of the service', () => {
  const report = { ...smallReport, breakdowns: ['HOURLY', 'CAMPAIGN', 'CITY'], output: 'direct' };
  const download = (server: LocalServer, leaveAfterBytes = Number.POSITIVE_INFINITY) =>
    call(server, '/buyer-reporting', { as: 'buyer', json: report, leaveAfterBytes });

  test('truncate: exactly the first bytes of a streamed response', async () => {
    const server = await startForTest();

    const { body: whole, isWhole } = await download(server);

    expect([isWhole, whole.length > 70_000]).toEqual([true, true]);

    for (const bytes of [0, 1, 1_000, 65_536, 70_001, whole.length, whole.length + 5]) {
      server.fault(`buyer:truncate:bytes=${bytes}:times=1`);
      const cut = await download(server);
      expect(cut, `${bytes}`).toMatchObject({ status: 200, isWhole: false });
      expect(cut.body.equals(whole.subarray(0, bytes)), `${bytes}`).toBe(true);
    }
  });

  test('slow: the first bytes arrive early, and a client can disconnect', async () => {
    const server = await startForTest({ faults: ['buyer:slow:rate=20b'] });

    const left = await download(server, 1);

    expect(left.isWhole).toBe(false);
    expect(left.body.length).toBeLessThan(100);
  });

  test('delay: a call that is not delayed overtakes the delayed one', async () => {
    const server = await startForTest({ faults: ['campaigns:delay:ms=500:times=1'] });
    const ended: string[] = [];
    const delayed = campaignsOf(server).then(({ status }) => ended.push(`delayed ${status}`));
    await expect.poll(() => server.requests().length).toBe(1);
    const others = campaignsOf(server).then(({ status }) => ended.push(`other ${status}`));

    await Promise.all([delayed, others]);

    expect(ended).toEqual(['other 200', 'delayed 200']);
  });
});

describe('kinds that set the final status of a report', () => {
  test.each([
    { kind: 'failed', status: 409 },
    { kind: 'expired', status: 410 },
  ])('$kind: times counts reports, not calls', async ({ kind, status }) => {
    const server = await startForTest({ delayMs: 2_000, faults: [`status:${kind}:times=1`] });
    const ids = [await createReport(server), await createReport(server)];
    const both = () => Promise.all(ids.map((id) => statusOf(server, id)));

    expect(await both()).toEqual(['progress', 'progress']);

    server.advance('2s');

    expect(await both()).toEqual([kind, 'ready']);
    expect(await both()).toEqual([kind, 'ready']);

    const [refused, whole] = await Promise.all(ids.map((id) => downloadOf(server, id)));

    expect([refused?.status, refused?.headers['retry-after']]).toEqual([status, undefined]);
    expect(whole?.status).toBe(200);
  });

  test('stuck: in progress until the status is set by hand', async () => {
    const server = await startForTest({ faults: ['status:stuck:after=1:times=1'] });

    const [first, second] = [await createReport(server), await createReport(server)];

    expect([await statusOf(server, first), await statusOf(server, second)]).toEqual([
      'ready',
      'progress',
    ]);

    server.advance('23h');

    expect(await statusOf(server, second)).toBe('progress');
    expect((await downloadOf(server, second)).status).toBe(409);

    await setStatus(server, second, 'ready');

    expect(await statusOf(server, second)).toBe('ready');
  });

  test('not-downloadable: ready, then 409 with Retry-After', async () => {
    const server = await startForTest({ faults: ['download:not-downloadable:times=2'] });

    const id = await createReport(server);

    expect(await statusOf(server, id)).toBe('ready');

    for (const [status, retryAfter] of [
      [409, '1'],
      [409, '1'],
      [200, undefined],
    ]) {
      const answer = await downloadOf(server, id);
      expect([answer.status, answer.headers['retry-after']]).toEqual([status, retryAfter]);
    }
  });

  test.each(['failed', 'expired', 'stuck'])(
    '%s at buyer: only the report of that call ends with this status',
    async (kind) => {
      const server = await startForTest();
      server.fault({
        endpoint: 'buyer',
        kind,
        times: 1,
        when: ({ body }) => String(body.metrics).includes('clicks'),
      });
      const json = { ...smallReport, metrics: 'clicks' };
      // A direct report has no final status.
      await call(server, '/buyer-reporting', { as: 'buyer', json: { ...json, output: 'direct' } });
      const ids = [
        await createReport(server),
        await createReport(server, 'buyer', json),
        await createReport(server, 'buyer', json),
      ];

      const struck = kind === 'stuck' ? 'progress' : kind;
      expect(await Promise.all(ids.map((id) => statusOf(server, id)))).toEqual([
        'ready',
        struck,
        'ready',
      ]);
    },
  );
});

describe('change', () => {
  const spoil: FaultObject = {
    endpoint: 'download',
    change: (document) => ({ ...document, data: [{ date: 'x', note: 'a,b' }, { date: null }] }),
  };

  test('the document is changed before it is compressed', async () => {
    const server = await startForTest();
    server.fault(spoil);
    const json = { id: await createReport(server, 'buyer', { ...smallReport, breakdowns: [] }) };
    const headers = { 'accept-encoding': 'gzip' };
    server.fault({ endpoint: 'campaigns', change: () => 'x'.repeat(5_000) });

    const report = await call(server, '/download-reporting', { as: 'buyer', json });
    const campaigns = await call(server, '/campaigns', { as: 'buyer', headers });

    expect(jsonOf(report)).toMatchObject({
      data: [{ date: 'x', note: 'a,b' }, { date: null }],
      summary: { timezone: 'europe/paris' },
    });
    expect(JSON.parse(gunzipSync(campaigns.body).toString())).toBe('x'.repeat(5_000));
  });

  test('CSV is written from the data of the changed document', async () => {
    const server = await startForTest();
    server.fault(spoil);

    const answer = await downloadOf(server, await createReport(server, 'dsp'), 'dsp');

    expect(answer.text).toBe('date,note\r\nx,"a,b"\r\n,\r\n');
    expect(answer.headers['content-type']).toBe('text/csv; charset=utf-8; header=present');

    server.reset();
    server.fault({ endpoint: 'download', change: async (document) => ({ ...document, data: [] }) });
    const emptied = await downloadOf(server, await createReport(server, 'dsp'), 'dsp');

    expect(emptied.text).toBe('date,displays\r\n');
  });
});

test.each<{ name: string; fault: Omit<FaultObject<never>, 'endpoint'>; expected: string }>([
  {
    name: 'change throws',
    fault: {
      change() {
        throw new Error('my bug');
      },
    },
    expected: 'change: Error: my bug',
  },
  { name: 'change returns nothing', fault: { change: () => undefined }, expected: 'is not JSON' },
  {
    name: 'when throws',
    fault: {
      kind: '503',
      when() {
        throw new Error('my bug');
      },
    },
    expected: 'when: Error: my bug',
  },
  {
    name: 'when returns a promise',
    fault: { kind: '503', when: () => Promise.reject(new Error('my bug')) },
    expected: 'when returned a promise',
  },
])('$name: 500 with the reason, which close() rejects with', async ({ fault, expected }) => {
  const server = await startForTest();
  server.fault({ endpoint: 'campaigns', ...fault });

  const answer = await campaignsOf(server);

  expectRefusal(answer, 500, 'FAULT_MISTAKE');
  expect(answer.text).toContain(expected);
  expect(server.requests()[0]?.why).toContain(expected);

  server.reset();
  const error = { code: 'FAULT_MISTAKE', message: expect.stringContaining(expected) };
  await expect(server.close()).rejects.toMatchObject(error);
});

describe('when', () => {
  const breakdowns = ['OS', 'DAILY'];
  const { breakdowns: _, ...rest } = smallReport;
  const form = 'since=1767222000&until=1767308399&metrics=displays&breakdowns[7]=DAILY';

  test.each([
    { name: 'JSON', sent: { json: { ...rest, breakdowns } } },
    { name: 'a form', sent: { form } },
  ])('receives method, path, headers and the parameters of $name', async ({ sent }) => {
    const server = await startForTest();
    const seen: unknown[] = [];
    server.fault({
      endpoint: 'buyer',
      kind: '503',
      when({ method, path, headers, body }) {
        seen.push([method, path, headers['x-trace'], body.metrics]);
        return (body.breakdowns as readonly string[]).includes('DAILY');
      },
    });

    const answer = await call(server, '/buyer-reporting?x=1', {
      as: 'buyer',
      ...sent,
      headers: { 'X-Trace': 't1' },
    });

    expect(answer.status).toBe(503);
    expect(seen).toEqual([['POST', '/buyer-reporting', 't1', 'displays']]);
  });
});

test.each<{ fault: object | null; expected: string }>([
  { fault: {}, expected: 'endpoint is missing' },
  {
    fault: { endpoint: 'statis', kind: '503' },
    expected: 'unknown endpoint “statis”. Did you mean status?',
  },
  { fault: { endpoint: 'status' }, expected: 'exactly one effect. Set kind, change or answer.' },
  { fault: { endpoint: 'status', kind: 'fialed' }, expected: 'Did you mean failed?' },
  {
    fault: { endpoint: 'status', answer: { status: 99, body: '' } },
    expected: 'status cannot be 99: use a whole number, 200 to 599',
  },
  {
    fault: { endpoint: 'status', answer: { headers: { 'a b': 'c' }, body: '' } },
    expected: '"a b" is an invalid header name',
  },
])('$fault is refused', async ({ fault, expected }) => {
  const server = await startForTest();

  expect(() => server.fault(fault as FaultObject)).toThrow(expected);
});

test.each([
  {
    text: '',
    problem: 'unknown endpoint “”',
    advice: `Choose from ${endpointNames.join(', ')}, *.`,
  },
  { text: 'statis:503', problem: 'unknown endpoint “statis”', advice: 'Did you mean status?' },
  // Every JavaScript object has these.
  {
    text: 'status:503:constructor=1',
    problem: 'unknown key “constructor” for 503',
    advice: 'Choose from times, after, retry-after.',
  },
  {
    text: 'download:truncate',
    problem: 'bytes= is missing',
    advice: 'download:truncate:bytes=1000',
  },
  { text: 'auth:failed', problem: 'failed does not work with auth', advice: 'Use status:failed.' },
])('$text is refused with advice in the message', async ({ text, problem, advice }) => {
  const server = await startForTest();
  const parse = () => server.fault(text);

  expect(parse).toThrow(expect.objectContaining({ code: 'BAD_FAULT', exitCode: 2 }));
  expect(parse).toThrow(problem);
  expect(parse).toThrow(advice);
});
