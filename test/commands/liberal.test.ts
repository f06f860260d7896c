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
    '{"id": 12345678901234567890}',
    '12345678901234567890',
    '{"response":{"note":"1\\"2","report_id":12345678901234567890}}',
  ])('a number with more digits than a number holds: %s', async (text) => {
    const result = await runAgainst({ createData: (response) => void response.end(text) });
    expectRows(result);
    expect(idsAsked(result.received)).toEqual(['12345678901234567890']);
  });
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
