import { expect, test } from 'vitest';
import { json, serve } from '../support/http-server.ts';
import { runCli } from '../support/run-cli.ts';

/** The client's requests, byte for byte, and its output for the documents of the specification. */

const token = 'c0ffeec0ffeec0ffeec0ffeec0ffeec0ffeec0ff';
const buyerReport = `{"data":[{"displays":1204,"clicks":31,"revenueEuro":12.5,"valueDollar":14.02,"country":null,"city":null,
"carrier":"Orange F","campaignId":"40001","campaignName":"Noël, \\"2014\\"","Adnetwork":"Aurora"}],
"summary":{"since":"2014-12-01T01:00:00+0100","until":"2015-01-01T00:59:59+0100","breakdowns":["CAMPAIGN","SUBPUBLISHERID","PLATFORM","CREATIVE"],"timezone":"europe/paris"}}`;
const dspReport =
  '{"data":[{"date":"2014-12-01","displays":7,"revenueEuro":"1234,50","revenueDollar":"1381,02"}],' +
  '"summary":{"since":"2014-12-01T01:00:00+0100","until":"2015-01-01T00:59:59+0100","breakdowns":["DAILY"],"timezone":"Europe/Paris"}}';
const campaigns =
  '[{"advertiserId":"5","advertiserName":"Café","campaignId":"40","campaignName":"Noël","campaignStartDate":"2014-12-01 00:00:00",' +
  '"campaignEndDate":"2014-12-31 23:59:59","adunits":[{"adunitName":"Bannière","adunitId":"7"}]}]';

/** A service whose reports are ready at the third status call. */
async function startService(report = buyerReport) {
  let looks = 0;
  const { url, received } = await serve(({ path }, response) => {
    if (path === '/status-reporting') looks += 1;
    const status = looks < 3 ? 'queued' : 'ready';

    if (path === '/download-reporting') {
      response.writeHead(200, { 'content-type': 'application/json' }).end(report);
    } else if (path === '/campaigns') {
      response.writeHead(200, { 'content-type': 'application/json' }).end(campaigns);
    } else {
      json(response, { response: { status, message: status, report_id: 'r-1' } });
    }
  });
  const env = { ADREPORT_BASE_URL: url.href, ADREPORT_TOKEN: token };
  const run = (line: string) => runCli(line, { env });
  return { run, received };
}

const window = '--since 1417392000 --until 1420070399';

test('a buyer report: three kinds of calls, and the document unchanged', async () => {
  const { run, received } = await startService();

  const { exitCode, stdout } = await run(`run ${window} --metrics displays --format json`);

  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout)).toEqual(JSON.parse(buyerReport));
  expect(received.map(({ method, path, body }) => `${method} ${path} ${body}`)).toEqual([
    'POST /buyer-reporting {"since":1417392000,"until":1420070399,"metrics":"displays"}',
    'POST /status-reporting {"id":"r-1"}',
    'POST /status-reporting {"id":"r-1"}',
    'POST /status-reporting {"id":"r-1"}',
    'POST /download-reporting {"id":"r-1"}',
  ]);
  for (const { headers } of received) {
    expect(headers).toMatchObject({ authorization: token, 'content-type': 'application/json' });
    expect(headers.accept).toContain('application/json');
  }
});

test('a form-encoded request has the keys of the examples', async () => {
  const { run, received } = await startService();

  const flags = '--metrics displays --by campaign,os --filter osId=1 --encoding form';
  await run(`report create ${window} ${flags}`);

  expect(received[0]?.headers['content-type']).toBe('application/x-www-form-urlencoded');
  expect(decodeURIComponent(received[0]?.body ?? '')).toBe(
    'since=1417392000&until=1420070399&metrics=displays&breakdowns[0]=CAMPAIGN&breakdowns[1]=OS&osId[0]=1',
  );
});

test('a DSP report as CSV has the values of the JSON', async () => {
  const { run } = await startService(dspReport);

  const { stdout } = await run(`run --profile dsp ${window} --by DAILY --format csv`);

  expect(stdout).toBe(
    'date,displays,revenueEuro,revenueDollar\r\n2014-12-01,7,"1234,50","1381,02"\r\n',
  );
});

test('campaigns with their ad units', async () => {
  const { run, received } = await startService();

  const { stdout } = await run('campaigns --ad-units --format csv');

  expect(stdout).toMatch(/Noël.*Bannière/);
  expect(received[0]).toMatchObject({ method: 'GET', path: '/campaigns', body: '' });
});
