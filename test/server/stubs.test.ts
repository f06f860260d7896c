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

/** Answers that a test puts in the place of the service's. */

const campaignsOf = (server: LocalServer) => call(server, '/campaigns', { as: 'buyer' });

/** Puts a fault in force over HTTP. */
const addFault = (server: LocalServer, json: object) => call(server, '/__admin/faults', { json });

describe('answer, from a file', () => {
  /** A server whose answer to a call is a file. */
  async function serveFile(name: string, text: string, keys = '') {
    const file = join(temporaryFolder(), name);
    writeFileSync(file, text);
    const server = await startForTest({ faults: [`campaigns:answer${keys}:file=${file}`] });
    writeFileSync(file, 'changed since');
    return campaignsOf(server);
  }

  test.each([
    { name: 'a.json', type: 'application/json; charset=utf-8' },
    { name: 'a.CSV', type: 'text/csv; charset=utf-8' },
    { name: 'a.html', type: 'text/html; charset=utf-8' },
    { name: 'a', type: 'text/plain; charset=utf-8' },
    { name: 'with:colons:times=3.json', type: 'application/json; charset=utf-8' },
  ])('$name is $type, and is read once', async ({ name, type }) => {
    const answer = await serveFile(name, '[1]');

    expect(answer).toMatchObject({ status: 200, text: '[1]' });
    expect(answer.headers['content-type']).toBe(type);
  });

  test('with another status and type', async () => {
    const answer = await serveFile('a.json', 'busy', ':status=503:type=text/csv; header=present');

    expect(answer).toMatchObject({ status: 503, text: 'busy' });
    expect(answer.headers['content-type']).toBe('text/csv; header=present');
  });

  test('that is missing or above 1 MiB is refused', async () => {
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
  test('a text, headers and a status; the service has done its work', async () => {
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
      why: 'A fault was asked for: this answer is sent instead.',
    });
  });

  test('a value is sent as JSON, with the id of the report that the call names', async () => {
    const server = await startForTest();
    const id = await createReport(server);
    await addFault(server, { fault: 'status:answer', body: { state: ['done', '{id}'] } });

    const answer = await call(server, '/status-reporting', { as: 'buyer', form: `id=${id}` });

    expect(jsonOf(answer)).toEqual({ state: ['done', id] });
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  });

  test('replaces refusals too, and is never packed', async () => {
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
    { json: { fault: 'status:answer' }, says: 'the body to send is missing' },
    { json: { fault: 'status:answer', status: 200 }, says: 'it has no body' },
    { json: { fault: 'status:answer:file=/etc/hostname' }, says: 'for those who start the server' },
    { json: { faults: ['status:answer:file=/etc/hostname'] }, says: 'who start the server' },
    { json: { fault: 'status:503', body: 'x' }, says: '503 takes no status, headers or body' },
    { json: { faults: ['status:503'], body: 'x' }, says: 'go with fault' },
    { json: { fault: 'status:answer', status: 99, body: '' }, says: 'status' },
    { json: { fault: 'status:answer:status=201', status: 200, body: '' }, says: 'given twice' },
    { json: { fault: 'status:answer', headers: { 'a b': 'c' }, body: '' }, says: 'cannot be sent' },
    {
      json: { fault: 'status:answer', headers: { 'Content-Length': '3' }, body: '' },
      says: 'sets the header “content-length” itself',
    },
    { json: { fault: 'auth:failed' }, says: 'failed cannot strike auth' },
    { json: { fault: 'status:anser', body: '' }, says: 'Did you mean answer?' },
  ])('$json is refused', async ({ json, says }) => {
    const server = await startForTest();

    const refused = await addFault(server, json);

    expectRefusal(refused, 400, 'BAD_FAULT');
    expect(refused.text).toContain(says);
    expect(jsonOf(await call(server, '/__admin/faults'))).toEqual({ faults: [] });
  });
});

describe('change', () => {
  const spoil: FaultObject = {
    endpoint: 'download',
    change: (document) => ({ ...document, data: [{ date: 'x', note: 'a,b' }, { date: null }] }),
  };

  test('the document is changed before it is encoded and packed', async () => {
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
    const packed = await call(server, '/download-reporting', {
      as: 'buyer',
      json,
      headers: { 'accept-encoding': 'gzip' },
    });

    expect(JSON.parse(gunzipSync(packed.body).toString())).toEqual({ data: 'x'.repeat(5_000) });
  });

  test('CSV is written from its data', async () => {
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

  test('every other answer that is no refusal, with a change that cannot reach the data', async () => {
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

  test('a refusal is no strike', async () => {
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

  test.each<{ name: string; fault: Omit<FaultObject<never>, 'endpoint'>; says: string }>([
    {
      name: 'change throws',
      fault: {
        change() {
          throw new Error('my bug');
        },
      },
      says: 'change threw: Error: my bug',
    },
    {
      name: 'change returns nothing',
      fault: { change: () => undefined },
      says: 'returned nothing',
    },
    {
      name: 'change returns too much',
      fault: { change: () => 'x'.repeat(17 * 1024 * 1024) },
      says: 'more than 16 MiB',
    },
    {
      name: 'when throws',
      fault: {
        kind: '503',
        when() {
          throw new Error('my bug');
        },
      },
      says: 'when threw: Error: my bug',
    },
    {
      name: 'when returns a promise',
      fault: { kind: '503', when: async () => true },
      says: 'when returned a promise',
    },
  ])('$name: 500 that says so', async ({ fault, says }) => {
    const server = await startForTest();
    server.fault({ endpoint: 'campaigns', ...fault });

    const answer = await campaignsOf(server);

    expectRefusal(answer, 500, 'INTERNAL');
    expect(answer.text).toContain(says);
    expect(server.requests()[0]?.why).toContain(says);
  });

  test('CSV without data, and a report above 16 MiB: 500 that says so', async () => {
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

    expectRefusal(refused, 500, 'INTERNAL');
    expect(refused.text).toContain('more than 16 MiB');
  });
});

describe('a fault as an object', () => {
  test('one per call, in the order given: times, after and when count what they are given', async () => {
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
  ])('when sees what was asked for, from $name', async ({ sent }) => {
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

  test('when of a body that cannot be read sees no parameters', async () => {
    const server = await startForTest();
    const seen: unknown[] = [];
    server.fault({ endpoint: '*', kind: '503', when: ({ body }) => void seen.push(body) });

    await call(server, '/status-reporting', { as: 'buyer', body: '{"id":' });
    await campaignsOf(server);

    expect(seen).toEqual([{}, {}]);
  });

  test.each(['failed', 'expired', 'stuck'])(
    '%s at buyer: the report of that create ends so, and of no other',
    async (kind) => {
      const server = await startForTest({ delayMs: 1_000 });
      server.fault({
        endpoint: 'buyer',
        kind,
        times: 1,
        when: ({ body }) => String(body.metrics).includes('clicks'),
      });
      const json = { ...smallReport, metrics: 'clicks' };
      // What is answered at once has no end.
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

  test('failed at status with when: it sees the call that finds the report done', async () => {
    const server = await startForTest();
    const ids = [await createReport(server), await createReport(server)];
    server.fault({ endpoint: 'status', kind: 'failed', when: ({ body }) => body.id === ids[1] });

    expect([await statusOf(server, ids[0] ?? ''), await statusOf(server, ids[1] ?? '')]).toEqual([
      'ready',
      'failed',
    ]);
  });

  test('a kind that delays, slows or cuts goes with a change', async () => {
    const server = await startForTest();
    server.fault({ endpoint: 'campaigns', kind: 'truncate:bytes=3', change: () => 'changed' });

    expect(await campaignsOf(server)).toMatchObject({ text: '"ch', isWhole: false });
  });

  test('413 of a fault says that the report is too large', async () => {
    const server = await startForTest({ faults: ['buyer:413'] });

    const answer = await call(server, '/buyer-reporting', { as: 'buyer', json: smallReport });

    expectRefusal(answer, 413, 'REPORT_TOO_LARGE');
  });

  test.each<{ fault: object | null; says: string }>([
    { fault: null, says: 'null is not an object with endpoint, kind' },
    { fault: {}, says: 'endpoint is missing' },
    { fault: { kind: '503' }, says: 'endpoint is missing' },
    { fault: { endpoint: 'statis', kind: '503' }, says: 'endpoint cannot be “statis”' },
    { fault: { endpoint: 'status' }, says: 'it does nothing' },
    { fault: { endpoint: 'status', kind: '5o3' }, says: '“5o3” is no kind of fault' },
    { fault: { endpoint: 'status', kind: '503', times: '2' }, says: 'times cannot be “2”' },
    { fault: { endpoint: 'status', kind: '503', times: -1 }, says: 'times=-1 is no whole number' },
    { fault: { endpoint: 'status', kind: '503', time: 2 }, says: 'did you mean times?' },
    { fault: { endpoint: 'status', kind: '503:times=2', times: 2 }, says: 'times is given twice' },
    {
      fault: { endpoint: 'status', change: {} },
      says: 'change cannot be an object: give a function',
    },
    {
      fault: { endpoint: 'status', kind: '503', change: () => 1 },
      says: 'nothing for change to do',
    },
    {
      fault: { endpoint: 'buyer', kind: 'failed', answer: { body: '' } },
      says: 'nothing for answer',
    },
    { fault: { endpoint: 'status', answer: {} }, says: 'it has no body' },
    { fault: { endpoint: 'status', answer: { boddy: 1 } }, says: 'did you mean body?' },
    {
      fault: { endpoint: 'status', answer: { status: '200', body: '' } },
      says: 'status cannot be',
    },
    {
      fault: { endpoint: 'status', answer: { body: '' }, change: () => 1 },
      says: 'both answer and change',
    },
  ])('$fault is refused', async ({ fault, says }) => {
    const server = await startForTest();

    expect(() => server.fault(fault as FaultObject)).toThrow(says);
  });

  test('bodies that are kept have 64 MiB together', async () => {
    const server = await startForTest();
    const answer = { body: 'x'.repeat(30 * 1024 * 1024) };
    server.fault({ endpoint: 'status', answer });
    server.fault({ endpoint: 'status', answer });

    expect(() => server.fault({ endpoint: 'status', answer })).toThrow('more than 64 MiB');
  });
});

test('the end of all faults lets fixed tokens work again that one ended', async () => {
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

test('a query string of /campaigns is refused, unless the server is lenient', async () => {
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
