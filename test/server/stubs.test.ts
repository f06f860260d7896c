import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { FaultObject } from '../../src/local-server.ts';
import type { LocalServer } from '../../src/server/start.ts';
import { temporaryFolder } from '../support/run-cli.ts';
import {
  call,
  createReport,
  downloadOf,
  expectRefusal,
  jsonOf,
  signIn,
  smallReport,
  startForTest,
  statusOf,
} from './local.ts';

/** Faults that change or replace the service's answers. */

const campaignsOf = (server: LocalServer) => call(server, '/campaigns', { as: 'buyer' });

const addFault = (server: LocalServer, json: object) => call(server, '/__admin/faults', { json });

describe('answer, from a file', () => {
  /** The answer of a server that replaces the list of campaigns with a file. */
  async function serveFile(name: string, text: string, keys = '') {
    const file = join(temporaryFolder(), name);
    writeFileSync(file, text);
    const server = await startForTest({ faults: [`campaigns:answer${keys}:file=${file}`] });
    writeFileSync(file, 'changed later');
    return campaignsOf(server);
  }

  test.each([
    { name: 'a.json', type: 'application/json; charset=utf-8' },
    { name: 'a.CSV', type: 'text/csv; charset=utf-8' },
    { name: 'a.html', type: 'text/html; charset=utf-8' },
    { name: 'a', type: 'text/plain; charset=utf-8' },
    { name: 'with:colons:times=3.json', type: 'application/json; charset=utf-8' },
  ])('$name is sent as $type, and read only once', async ({ name, type }) => {
    const answer = await serveFile(name, '[1]');

    expect(answer).toMatchObject({ status: 200, text: '[1]' });
    expect(answer.headers['content-type']).toBe(type);
  });

  test('can have another status and type', async () => {
    const answer = await serveFile('a.json', 'busy', ':status=503:type=text/csv; header=present');

    expect(answer).toMatchObject({ status: 503, text: 'busy' });
    expect(answer.headers['content-type']).toBe('text/csv; header=present');
  });

  test('a missing file and one above 1 MiB are refused', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'large'), Buffer.alloc(1024 * 1024 + 1));

    for (const [name, reason] of [
      ['none', 'there is no such file'],
      ['large', 'it is larger than 1 MB'],
    ]) {
      const faults = [`status:answer:file=${join(folder, name ?? '')}`];
      await expect(startForTest({ faults })).rejects.toThrow(reason);
    }
  });
});

describe('answer, over HTTP', () => {
  test('sends a text with status and headers after the service has done its work', async () => {
    const server = await startForTest();
    const headers = { 'Retry-After': '7', 'content-type': 'application/problem+json' };
    const body = '{"detail":"Later, {id}"}';
    await addFault(server, { fault: 'buyer:answer:times=1', status: 503, headers, body });

    const answer = await call(server, '/buyer-reporting', { as: 'buyer', json: smallReport });

    const [report] = server.reports();
    expect(answer).toMatchObject({ status: 503, text: `{"detail":"Later, ${report?.report_id}"}` });
    expect(answer.headers).toMatchObject({
      'retry-after': '7',
      'content-type': 'application/problem+json',
    });
    expect(server.requests()[0]).toMatchObject({
      status: 503,
      faults: ['answer'],
      why: 'Sent by a fault instead of the service’s answer.',
    });
  });

  test('sends a value as JSON, with the ID of the report in the call', async () => {
    const server = await startForTest();
    const id = await createReport(server);
    await addFault(server, { fault: 'status:answer', body: { state: ['done', '{id}'] } });

    const answer = await call(server, '/status-reporting', { as: 'buyer', form: `id=${id}` });

    expect(jsonOf(answer)).toEqual({ state: ['done', id] });
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  });

  test('replaces refusals too, and is never compressed', async () => {
    const server = await startForTest();
    const body = 'x'.repeat(10_000);
    await addFault(server, {
      fault: 'status:answer',
      headers: { 'content-encoding': 'gzip' },
      body,
    });

    const answer = await call(server, '/status-reporting', {
      json: { id: 'none' },
      headers: { 'accept-encoding': 'gzip' },
    });

    expect(answer).toMatchObject({ status: 200, text: body });
    expect(answer.headers['content-encoding']).toBe('gzip');
  });

  test.each([
    { json: { fault: 'status:answer' }, expected: 'the body is missing' },
    {
      json: { fault: 'status:answer:file=/etc/hostname' },
      expected: 'file= does not work over HTTP',
    },
    { json: { fault: 'status:503', body: 'x' }, expected: '503 has no status, headers or body' },
    { json: { faults: ['status:503'], body: 'x' }, expected: 'work with fault, not with faults' },
    { json: { fault: 'status:answer', status: 99, body: '' }, expected: 'status' },
    {
      json: { fault: 'status:answer:status=201', status: 200, body: '' },
      expected: 'status is set twice',
    },
    {
      json: { fault: 'status:answer', headers: { 'a b': 'c' }, body: '' },
      expected: 'the header “a b” is not valid',
    },
    {
      json: { fault: 'status:answer', headers: { 'Content-Length': '3' }, body: '' },
      expected: 'the server itself sets the header “content-length”',
    },
  ])('$json is refused', async ({ json, expected }) => {
    const server = await startForTest();

    const refused = await addFault(server, json);

    expectRefusal(refused, 400, 'BAD_FAULT');
    expect(refused.text).toContain(expected);
    expect(jsonOf(await call(server, '/__admin/faults'))).toEqual({ faults: [] });
  });
});

describe('change', () => {
  const spoil: FaultObject = {
    endpoint: 'download',
    change: (document) => ({ ...document, data: [{ date: 'x', note: 'a,b' }, { date: null }] }),
  };

  test('the document is changed before it is encoded and compressed', async () => {
    const server = await startForTest();
    server.fault(spoil);
    const json = { id: await createReport(server, 'buyer', { ...smallReport, breakdowns: [] }) };

    const answer = await call(server, '/download-reporting', { as: 'buyer', json });

    expect(jsonOf(answer)).toMatchObject({
      data: [{ date: 'x', note: 'a,b' }, { date: null }],
      summary: { timezone: 'europe/paris' },
    });

    server.clearFaults();
    server.fault({ endpoint: 'download', change: () => ({ data: 'x'.repeat(5_000) }) });
    const compressed = await call(server, '/download-reporting', {
      as: 'buyer',
      json,
      headers: { 'accept-encoding': 'gzip' },
    });

    expect(JSON.parse(gunzipSync(compressed.body).toString())).toEqual({ data: 'x'.repeat(5_000) });
  });

  test('CSV is written from the data of the changed document', async () => {
    const server = await startForTest();
    server.fault(spoil);
    server.fault({ endpoint: 'campaigns', change: () => [] });
    const id = await createReport(server, 'dsp');

    const answer = await downloadOf(server, id, 'dsp');

    expect(answer.text).toBe('date,note\r\nx,"a,b"\r\n,\r\n');
    expect(answer.headers['content-type']).toBe('text/csv; charset=utf-8; header=present');
    expect((await campaignsOf(server)).text).toBe('[]');

    server.reset();
    server.fault({ endpoint: 'download', change: async (document) => ({ ...document, data: [] }) });
    const emptied = await downloadOf(server, await createReport(server, 'dsp'), 'dsp');

    expect(emptied.text).toBe('date,displays\r\n');
  });

  test('works for every answer but refusals, and cannot change the fixtures', async () => {
    const server = await startForTest();
    server.fault({ endpoint: 'auth', change: ({ response }) => ({ ...response, extra: 1 }) });
    server.fault({ endpoint: 'buyer', change: ({ response }) => ({ id: response.report_id }) });
    server.fault({ endpoint: 'status', change: ({ response }) => response.status });
    server.fault({
      endpoint: 'campaigns',
      change(list: { campaignId: string | number }[]) {
        for (const campaign of list) campaign.campaignId = 7;
        return list;
      },
    });

    expect(
      await call(server, '/auth-reporting', { json: { email: 'x', password: 'y' } }),
    ).toMatchObject({ status: 401 });
    const created = await call(server, '/buyer-reporting', { as: 'buyer', json: smallReport });
    const { id } = jsonOf(created) as { id: string };
    expect((await call(server, '/status-reporting', { as: 'buyer', json: { id } })).text).toBe(
      '"ready"',
    );
    expect((await campaignsOf(server)).text).toContain('"campaignId":7');

    server.clearFaults();
    expect((await campaignsOf(server)).text).not.toContain('"campaignId":7');
  });

  test('a refusal does not count as a strike', async () => {
    const server = await startForTest();
    server.fault({ endpoint: 'status', times: 1, change: () => 'changed' });
    const json = { id: await createReport(server) };

    expect(
      (await call(server, '/status-reporting', { as: 'buyer', json: { id: 'x' } })).status,
    ).toBe(404);
    expect(server.requests().at(-1)).toMatchObject({ faults: [] });
    expect((await call(server, '/status-reporting', { as: 'buyer', json })).text).toBe('"changed"');
    expect(await statusOf(server, json.id)).toBe('ready');
  });

  test.each<{ name: string; fault: Omit<FaultObject<never>, 'endpoint'>; expected: string }>([
    {
      name: 'change throws',
      fault: {
        change() {
          throw new Error('my bug');
        },
      },
      expected: 'change threw Error: my bug',
    },
    {
      name: 'change returns nothing',
      fault: { change: () => undefined },
      expected: 'the value that change returned is undefined, which is not JSON',
    },
    {
      name: 'change returns a circle',
      fault: {
        change() {
          const circle: { self?: unknown } = {};
          circle.self = circle;
          return circle;
        },
      },
      expected: 'the value that change returned is not JSON: TypeError: Converting circular',
    },
    {
      name: 'change rejects with what is no error',
      fault: { change: () => Promise.reject(Object.create(null)) },
      expected: 'change threw [Object: null prototype] {}',
    },
    {
      name: 'the answer has a BigInt',
      fault: { answer: { body: { count: 1n } } },
      expected: 'the body of answer is not JSON: TypeError: Do not know how to serialize a BigInt',
    },
    {
      name: 'change returns too much',
      fault: { change: () => 'x'.repeat(17 * 1024 * 1024) },
      expected: 'more than 16 MiB',
    },
    {
      name: 'when throws',
      fault: {
        kind: '503',
        when() {
          throw new Error('my bug');
        },
      },
      expected: 'when threw Error: my bug',
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

  test('CSV without data, and a report above 16 MiB: 500 with the reason', async () => {
    const server = await startForTest();
    server.fault({ endpoint: 'download', change: () => ({}), times: 1 });
    const wide = ['HOURLY', 'CAMPAIGN', 'ADUNIT', 'CITY', 'DEVICEMODEL', 'CARRIER'];
    const year = { since: 1_767_222_000, until: 1_767_222_000 + 90 * 86_400 };
    const large = { ...smallReport, ...year, breakdowns: wide };

    expect((await downloadOf(server, await createReport(server, 'dsp'), 'dsp')).text).toContain(
      'change returned no data',
    );

    server.fault({ endpoint: 'download', change: (document) => document });
    const refused = await downloadOf(server, await createReport(server, 'admin', large), 'admin');

    expectRefusal(refused, 500, 'FAULT_MISTAKE');
    expect(refused.text).toContain('larger than 16 MiB');
    await expect(server.close()).rejects.toThrow('change returned no data');
  });
});

describe('a fault as an object', () => {
  test('strikes once per call, in the order given, by times, after and when', async () => {
    const server = await startForTest();
    server.fault({ endpoint: 'campaigns', times: 2, change: () => 'first' });
    server.fault({ endpoint: 'campaigns', times: 1, answer: { status: 418, body: 'second' } });
    server.fault({ endpoint: '*', kind: '503', after: 4, when: ({ method }) => method === 'GET' });

    const answers: string[] = [];
    for (let n = 0; n < 5; n += 1) {
      const { status, text } = await campaignsOf(server);
      answers.push(`${status} ${text.slice(0, 8)}`);
    }

    expect(answers).toEqual([
      '200 "first"',
      '200 "first"',
      '418 second',
      expect.stringMatching(/^200 /),
      expect.stringMatching(/^503 /),
    ]);
    expect(await statusOf(server, await createReport(server))).toBe('ready');
    expect(jsonOf(await call(server, '/__admin/faults'))).toMatchObject({
      faults: [
        { fault: 'campaigns:change:times=2', struck: 2 },
        { fault: 'campaigns:answer:times=1', struck: 1 },
        { fault: '*:503:after=4', struck: 1 },
      ],
    });
  });

  test.each([
    { name: 'JSON', sent: { json: { ...smallReport, breakdowns: ['OS', 'DAILY'] } } },
    { name: 'indexed JSON', sent: { json: { ...smallReport, 'breakdowns[7]': 'DAILY' } } },
    {
      name: 'a form',
      sent: { form: 'since=1767222000&until=1767308399&metrics=displays&breakdowns[7]=DAILY' },
    },
  ])('when receives the parameters of $name', async ({ sent }) => {
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
    const { breakdowns: _, ...rest } = smallReport;
    const json =
      sent.json && 'breakdowns[7]' in sent.json ? { ...rest, 'breakdowns[7]': 'DAILY' } : sent.json;

    const answer = await call(server, '/buyer-reporting?x=1', {
      as: 'buyer',
      ...(json ? { json } : { form: sent.form ?? '' }),
      headers: { 'X-Trace': 't1' },
    });

    expect(answer.status).toBe(503);
    expect(seen).toEqual([['POST', '/buyer-reporting', 't1', 'displays']]);
  });

  test('when receives no parameters if the body is invalid', async () => {
    const server = await startForTest();
    const seen: unknown[] = [];
    server.fault({ endpoint: '*', kind: '503', when: ({ body }) => void seen.push(body) });

    await call(server, '/status-reporting', { as: 'buyer', body: '{"id":' });
    await campaignsOf(server);

    expect(seen).toEqual([{}, {}]);
  });

  test.each(['failed', 'expired', 'stuck'])(
    '%s at buyer: only the report of that call ends with this status',
    async (kind) => {
      const server = await startForTest({ delayMs: 1_000 });
      server.fault({
        endpoint: 'buyer',
        kind,
        times: 1,
        when: ({ body }) => String(body.metrics).includes('clicks'),
      });
      const json = { ...smallReport, metrics: 'clicks' };
      // A direct report has no final status.
      await call(server, '/buyer-reporting', { as: 'buyer', json: { ...json, output: 'direct' } });

      const other = await createReport(server);
      const struck = await createReport(server, 'buyer', json);
      const later = await createReport(server, 'buyer', json);
      expect(await statusOf(server, struck)).toBe('progress');
      server.advance('1s');

      expect(await statusOf(server, struck)).toBe(kind === 'stuck' ? 'progress' : kind);
      expect([await statusOf(server, other), await statusOf(server, later)]).toEqual([
        'ready',
        'ready',
      ]);
    },
  );

  test('failed at status: when receives the first status call after the report is done', async () => {
    const server = await startForTest();
    const ids = [await createReport(server), await createReport(server)];
    server.fault({ endpoint: 'status', kind: 'failed', when: ({ body }) => body.id === ids[1] });

    expect([await statusOf(server, ids[0] ?? ''), await statusOf(server, ids[1] ?? '')]).toEqual([
      'ready',
      'failed',
    ]);
  });

  test('a kind that delays, slows or cuts can be combined with a change', async () => {
    const server = await startForTest();
    server.fault({ endpoint: 'campaigns', kind: 'truncate:bytes=3', change: () => 'changed' });

    expect(await campaignsOf(server)).toMatchObject({ text: '"ch', isWhole: false });
  });

  test('a 413 fault means that the report is too large', async () => {
    const server = await startForTest({ faults: ['buyer:413'] });

    const answer = await call(server, '/buyer-reporting', { as: 'buyer', json: smallReport });

    expectRefusal(answer, 413, 'REPORT_TOO_LARGE');
  });

  test.each<{ fault: object | null; expected: string }>([
    { fault: null, expected: 'Expected an object with endpoint, kind' },
    { fault: {}, expected: 'endpoint is missing' },
    { fault: { endpoint: 'statis', kind: '503' }, expected: 'endpoint cannot be “statis”' },
    { fault: { endpoint: 'status' }, expected: 'it has no effect' },
    { fault: { endpoint: 'status', kind: '503', times: '2' }, expected: 'times cannot be “2”' },
    {
      fault: { endpoint: 'status', kind: '503', time: 2 },
      expected: 'Did you mean times, which takes',
    },
    {
      fault: { endpoint: 'status', kind: '503:times=2', times: 2 },
      expected: 'times= is repeated',
    },
    {
      fault: { endpoint: 'status', change: {} },
      expected: 'change cannot be an object: use a function',
    },
    {
      fault: { endpoint: 'status', kind: '503', change: () => 1 },
      expected: 'this kind cannot be combined with change',
    },
    {
      fault: { endpoint: 'status', answer: { boddy: 1 } },
      expected: 'Did you mean body, which takes',
    },
    {
      fault: { endpoint: 'status', answer: { status: '200', body: '' } },
      expected: 'status cannot be',
    },
    {
      fault: { endpoint: 'status', answer: { body: '' }, change: () => 1 },
      expected: 'both answer and change',
    },
  ])('$fault is refused', async ({ fault, expected }) => {
    const server = await startForTest();

    expect(() => server.fault(fault as FaultObject)).toThrow(expected);
  });
});

test('removing all faults restores the fixed tokens they revoked', async () => {
  const server = await startForTest({ faults: ['campaigns:unauthorized'] });
  const token = await signIn(server);
  const statuses = async () => [
    (await campaignsOf(server)).status,
    (await call(server, '/campaigns', { token })).status,
  ];

  expect(await statuses()).toEqual([401, 401]);

  await call(server, '/__admin/faults', { method: 'DELETE' });

  expect(await statuses()).toEqual([200, 401]);
});

test('a query string of /campaigns is refused unless the server is lenient', async () => {
  const server = await startForTest();
  const path = '/campaigns?page=2&x';

  expectRefusal(
    await call(server, path, { as: 'buyer' }),
    400,
    'UNKNOWN_PARAMETER',
    { parameter: 'page' },
    { parameter: 'x' },
  );
  expect((await call(server, '/campaigns?', { as: 'buyer' })).status).toBe(200);

  const lenient = await startForTest({ lenient: true });
  expect((await call(lenient, path, { as: 'buyer' })).status).toBe(200);
});
