import type { ServerResponse } from 'node:http';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { json, type Received, serve } from '../support/http-server.ts';
import { type CliResult, runCli } from '../support/run-cli.ts';

/** What a real service may send that the local one does not, end to end. */

const rows = [
  { date: '2026-11-01', campaignName: 'a, "b"\nc', displays: 12 },
  { date: '2026-11-02', campaignName: null, displays: 0 },
];
const summary = {
  since: '2026-11-01T00:00:00+0100',
  until: '2026-11-02T23:59:59+0100',
  breakdowns: ['DAILY'],
  timezone: 'x',
};
const asNdjson = rows.map((row) => `${JSON.stringify(row)}\n`).join('');

interface Service {
  readonly create?: unknown;
  /** Status words, the last one for ever. */
  readonly statuses?: readonly unknown[];
  readonly data?: (response: ServerResponse) => void;
  readonly createData?: (response: ServerResponse) => void;
}

/** Runs one report against a service that answers so, and tells what it was asked. */
async function runAgainst(service: Service, flags: readonly string[] = ['--format', 'ndjson']) {
  const { create = { response: { report_id: 'r1' } }, statuses = ['ready'] } = service;
  let polls = 0;
  const { url, received } = await serve(({ path }, response) => {
    if (path === '/buyer-reporting') return service.createData ? service.createData(response) : json(response, create);
    if (path === '/download-reporting') {
      return service.data ? service.data(response) : json(response, { data: rows, summary });
    }
    const status = statuses[Math.min(polls, statuses.length - 1)];
    polls += 1;
    return json(response, typeof status === 'string' ? { response: { status } } : status);
  });
  const argv = ['run', '--period', '2026-11-01..2026-11-02', '--by', 'DAILY', '--retries', '1', ...flags];
  const env = { ADREPORT_BASE_URL: url.href, ADREPORT_TOKEN: 'f'.repeat(40) };
  return { ...(await runCli(argv, { env })), received, polls };
}

function expectRows({ exitCode, stdout, stderr }: CliResult): void {
  expect({ exitCode, stdout, stderr: exitCode === 0 ? '' : stderr }).toEqual({
    exitCode: 0,
    stdout: asNdjson,
    stderr: '',
  });
}

const idsAsked = (received: readonly Received[]): string[] => [
  ...new Set(received.filter(({ path }) => path !== '/buyer-reporting').map(({ body }) => JSON.parse(body).id)),
];

describe('a report id in any shape', () => {
  test.each([
    [{ response: { status: 'progress', report_id: 'a-1' } }, 'a-1'],
    [{ response: { id: 17 } }, '17'],
    [{ report_id: 'a1', more: [1] }, 'a1'],
    [{ reportId: 'a1' }, 'a1'],
    [{ id: 'a1' }, 'a1'],
    [{ response: 'a1' }, 'a1'],
    [{ response: 17 }, '17'],
    ['a1', 'a1'],
    [17, '17'],
  ])('%j', async (create, id) => {
    const result = await runAgainst({ create });
    expectRows(result);
    expect(idsAsked(result.received)).toEqual([id]);
  });

  test.each([
    '{"id": 12345678901234567890}',
    '12345678901234567890',
    '{"response":{"note":"1\\"2","report_id":12345678901234567890}}',
  ])('a number with more digits than a number holds: %s', async (text) => {
    const result = await runAgainst({ createData: (response) => void response.end(text) });
    expectRows(result);
    expect(idsAsked(result.received)).toEqual(['12345678901234567890']);
  });
});

test.each([
  [['QUEUED', 'Pending', 'on its way', 'READY']],
  [[{ status: 'Queued' }, { response: 'ready' }]],
  [[{ response: { status: 'processing 50%', extra: { deep: [1] } } }, { response: { status: ' ready ' } }]],
])('status words in any case and shape, unknown ones keep waiting: %j', async (statuses) => {
  const result = await runAgainst({ statuses });
  expectRows(result);
  expect(result.polls).toBe(statuses.length);
});

test.each(['Failed', 'ERROR', 'cancelled', 'Expired'])('%s ends the wait with exit 6', async (status) => {
  const result = await runAgainst({ statuses: [{ response: { status, message: 'no \u001b[31mluck' } }] });
  expect(result).toMatchObject({ exitCode: 6, stdout: '', stderr: expect.stringContaining('no ␛[31mluck') });
});

describe('data in any dress', () => {
  const document = { data: rows, summary };
  const body =
    (text: string | Buffer, headers: Record<string, string> = { 'content-type': 'application/json' }) =>
    (response: ServerResponse) =>
      void response.writeHead(200, headers).end(text);
  const csv = 'date,campaignName,displays\r\n2026-11-01,"a, ""b""\nc",12\r\n2026-11-02,,0\r\n';

  const dresses: readonly (readonly [string, (response: ServerResponse) => void])[] = [
    ['summary before data', body(JSON.stringify({ summary, data: rows }))],
    ['pretty-printed', body(JSON.stringify(document, null, '\t'))],
    ['with a byte order mark', body(`\ufeff${JSON.stringify(document)}`)],
    ['extra members that hold data', body(JSON.stringify({ meta: { data: [{ x: 1 }] }, ...document, page: null }))],
    ['in response', body(JSON.stringify({ response: document }))],
    ['rows alone', body(JSON.stringify(rows))],
    ['without a content type', body(JSON.stringify(document), {})],
    ['as text/html, which it is not', body(JSON.stringify(document), { 'content-type': 'text/html' })],
    ['gzip', body(gzipSync(JSON.stringify(document)), { 'content-encoding': 'gzip' })],
    ['brotli', body(brotliCompressSync(JSON.stringify(document)), { 'content-encoding': 'BR' })],
    ['gzip in gzip', body(gzipSync(gzipSync(JSON.stringify(document))), { 'content-encoding': 'gzip, gzip' })],
    ['CSV where JSON was asked for', body(csv, { 'content-type': 'text/csv; charset=utf-8; header=present' })],
    ['CSV under the name of plain text', body(csv, { 'content-type': 'text/plain' })],
    [
      'CSV with a byte order mark and line feeds',
      body(`\ufeff${csv.replaceAll('\r\n', '\n')}`, { 'content-type': 'text/csv' }),
    ],
    [
      'a byte at a time',
      async (response) => {
        for (const byte of Buffer.from(JSON.stringify(document))) {
          response.write(Buffer.of(byte));
          await new Promise(setImmediate);
        }
        response.end();
      },
    ],
  ];

  test.each(dresses)('%s', async (_name, data) => {
    expectRows(await runAgainst({ data }));
  });

  test.each(dresses)('%s, in the answer to the create call', async (_name, createData) => {
    const result = await runAgainst({ createData });
    expectRows(result);
    expect(result.received.map(({ path }) => path)).toEqual(['/buyer-reporting']);
  });

  test('report create hands on data that it did not ask for, and says that there is no id', async () => {
    const { url } = await serve((_request, response) => json(response, { data: rows, summary }));
    const argv = ['report', 'create', '--period', '2026-11-01..2026-11-02', '--by', 'DAILY', '--format', 'ndjson'];
    const result = await runCli(argv, { env: { ADREPORT_BASE_URL: url.href, ADREPORT_TOKEN: 'f'.repeat(40) } });
    expect(result).toMatchObject({ exitCode: 0, stdout: asNdjson });
    expect(result.stderr).toContain('there is no report id');
  });

  test.each([
    ['JSON', body(JSON.stringify({ data: [], summary }))],
    ['CSV', body('date,displays\r\n', { 'content-type': 'text/csv' })],
  ])('an empty report, as %s, is a whole file with its header', async (_name, data) => {
    const result = await runAgainst({ data }, ['--metrics', 'displays', '-o', 'empty.csv']);
    expect(result.exitCode).toBe(0);
    expect(result.files['empty.csv']).toMatch(/^date,.*displays\r\n$/);
  });
});

describe('a refusal that calls itself a success', () => {
  const refusal = { response: { error_id: 'SYSTEM', error: 'Your account is closed' } };

  test.each([
    ['the create call', { create: refusal }],
    ['the status call', { statuses: [refusal] }],
    ['the download', { data: (response: ServerResponse) => json(response, refusal) }],
  ])('at %s is exit 4, in the service’s words', async (_name, service) => {
    const result = await runAgainst(service);
    expect(result).toMatchObject({
      exitCode: 4,
      stdout: '',
      stderr: expect.stringContaining('Your account is closed'),
    });
  });
});
