import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { json, type Received, serve } from '../support/http-server.ts';
import { runCli } from '../support/run-cli.ts';

/** Literal answers, replayed against the client alone: the specification's shapes and those that a service might have instead. */

const token = 'c0ffeec0ffeec0ffeec0ffeec0ffeec0ffeec0ff';

const buyerReport = `{"data":[{"displays":1204,"clicks":31,"revenueEuro":12.5,"valueDollar":14.02,"country":null,"city":null,
"carrier":"Orange F","campaignId":"40001","campaignName":"Noël, \\"2014\\"","Adnetwork":"Aurora"}],
"summary":{"since":"2014-12-01T01:00:00+0100","until":"2015-01-01T00:59:59+0100","breakdowns":["CAMPAIGN","SUBPUBLISHERID","PLATFORM","CREATIVE"],"timezone":"europe/paris"}}`;
const dspReport =
  '{"data":[{"date":"2014-12-01","displays":7,"revenueEuro":"1234,50","revenueDollar":"1381,02"}],' +
  '"summary":{"since":"2014-12-01T00:00:00+0100","until":"2014-12-31T23:59:59+0100","breakdowns":["DAILY"],"timezone":"Europe/Paris"}}';

type Answer = (response: ServerResponse, request: Received) => void;

/** A service that answers each path with a text of its own. */
async function service(answers: Readonly<Record<string, Answer>>) {
  const { url, received } = await serve((request, response) => {
    const answer = answers[request.path];
    if (answer) answer(response, request);
    else json(response, {}, 404);
  });
  const run = (...argv: string[]) => runCli(argv, { env: { ADREPORT_BASE_URL: url.href, ADREPORT_TOKEN: token } });
  return { run, received };
}

const text =
  (body: string, contentType = 'application/json', status = 200): Answer =>
  (response) =>
    response.writeHead(status, { 'content-type': contentType }).end(body);

const window = ['--since', '1417392000', '--until', '1420070399', '--metrics', 'displays'];

test('a form-encoded request has the keys of the examples', async () => {
  const { run, received } = await service({ '/buyer-reporting': text('{"response":{"report_id":"r-1"}}') });
  await run('report', 'create', ...window, '--by', 'campaign,os', '--filter', 'osId=1', '--encoding', 'form');
  expect(received[0]?.headers['content-type']).toBe('application/x-www-form-urlencoded');
  expect(
    decodeURIComponent(received[0]?.body ?? '')
      .split('&')
      .toSorted(),
  ).toEqual([
    'breakdowns[0]=CAMPAIGN',
    'breakdowns[1]=OS',
    'metrics=displays',
    'osId[0]=1',
    'since=1417392000',
    'until=1420070399',
  ]);
});

describe('the words of a status call', () => {
  test.each([
    ['ready', 0],
    ['READY', 0],
    ['failed', 6],
    ['failure', 6],
    ['error', 6],
    ['expired', 6],
    ['cancelled', 6],
    ['canceled', 6],
  ])('%s ends the wait with exit code %i', async (word, exitCode) => {
    const { run } = await service({
      '/status-reporting': text(`{"response":{"status":"${word}","message":"So it is","report_id":"r-1"}}`),
    });
    const result = await run('status', 'r-1', '--wait');
    expect(result.exitCode).toBe(exitCode);
    if (exitCode !== 0) expect(result.stderr).toContain('So it is');
  });
});

describe('report data', () => {
  const three = (report: string, contentType?: string) => ({
    '/buyer-reporting': text('{"response":{"status":"progress","message":"progress","report_id":"r-1"}}'),
    '/status-reporting': text('{"response":{"status":"ready","message":"ready","report_id":"r-1"}}'),
    '/download-reporting': text(report, contentType),
  });

  test('of a buyer, as JSON', async () => {
    const { run, received } = await service(three(buyerReport));
    const { exitCode, stdout } = await run('run', ...window, '--format', 'json');
    expect([exitCode, JSON.parse(stdout)]).toEqual([0, JSON.parse(buyerReport)]);
    expect(received.map(({ path }) => path)).toEqual(['/buyer-reporting', '/status-reporting', '/download-reporting']);
  });

  test('of a DSP, as CSV with the values of the JSON', async () => {
    const { run } = await service(three(dspReport));
    const { stdout } = await run('run', '--profile', 'dsp', ...window, '--by', 'DAILY', '--format', 'csv');
    expect(stdout.replaceAll('\r', '')).toBe(
      'date,displays,revenueEuro,revenueDollar\n2014-12-01,7,"1234,50","1381,02"\n',
    );
  });

  test.each(['application/json', 'text/csv; charset=utf-8'])(
    'in the answer to the create call itself (%s)',
    async (type) => {
      const body = type.startsWith('text/csv') ? 'date,displays\r\n2014-12-01,7\r\n' : dspReport;
      const { run, received } = await service({ '/buyer-reporting': text(body, type) });
      const { exitCode, stdout } = await run('run', '--profile', 'dsp', ...window, '--by', 'DAILY', '--format', 'csv');
      expect([exitCode, received.length]).toEqual([0, 1]);
      expect(stdout).toMatch(/^date,displays.*\r?\n2014-12-01,7/);
    },
  );
});

describe('the message of a refusal, wherever it stands', () => {
  test.each([
    ['response.error', '{"response":{"error_id":"SYSTEM","error":"Out of paper"}}', 'application/json'],
    ['response.message', '{"response":{"message":"Out of paper"}}', 'application/json'],
    ['error.message', '{"error":{"message":"Out of paper"}}', 'application/json'],
    ['error', '{"error":"Out of paper"}', 'application/json'],
    ['message', '{"message":"Out of paper"}', 'application/json'],
    ["the body's first line", 'Out of paper\nand ink', 'text/plain'],
  ])('%s', async (_name, body, type) => {
    const { run } = await service({ '/buyer-reporting': text(body, type, 400) });
    const { exitCode, stdout, stderr } = await run('report', 'create', ...window);
    expect([exitCode, stdout]).toEqual([4, '']);
    expect(stderr).toContain('Out of paper');
  });

  test.each([401, 403])('%i is a matter of signing in', async (status) => {
    const { run } = await service({ '/campaigns': text('{"response":{"error":"No"}}', 'application/json', status) });
    expect((await run('campaigns')).exitCode).toBe(3);
  });
});

test('campaigns with their ad units', async () => {
  const record =
    '[{"advertiserId":"5","advertiserName":"Café","campaignId":"40","campaignName":"Noël","campaignStartDate":"2014-12-01 00:00:00",' +
    '"campaignEndDate":"2014-12-31 23:59:59","adunits":[{"adunitName":"Bannière","adunitId":"7"}]}]';
  const { run, received } = await service({ '/campaigns': text(record) });
  const { stdout } = await run('campaigns', '--format', 'json');
  expect(stdout).toContain('Noël');
  expect(received[0]).toMatchObject({ method: 'GET', path: '/campaigns', body: '' });
});
