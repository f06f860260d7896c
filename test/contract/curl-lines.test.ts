import { execFile, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { startLocalServer } from '../../src/server/start.ts';
import { temporaryFolder } from '../support/run-cli.ts';

/** The vendor's curl lines, and the specification's, run by the real curl against the server alone (`decisions.md` 1, 2, 4). */

const buyer = ['-H', 'Authorization: 00000000000000000000000000000000000000b1'];
const dsp = ['-H', 'Authorization: 00000000000000000000000000000000000000d5'];
const json = ['-H', 'Accept: application/json'];
const window = 'since=1417392000&until=1420070399';

let url: string;
let cwd: string;
beforeEach(async () => {
  const server = await startLocalServer({ delayMs: 0 });
  onTestFinished(() => server.close());
  url = server.url;
  cwd = temporaryFolder();
});

/** Runs `curl ARGS… URL`; a file `input` holds the text, if any. */
async function curl(path: string, args: readonly string[], input = '') {
  writeFileSync(join(cwd, 'input'), input);
  // What curl adds after the body: nothing else of it is read.
  const trailer = ['-s', '-w', '\n%{http_code} %{content_type}'];
  const { stdout } = await promisify(execFile)('curl', [...trailer, ...args, url + path], {
    cwd,
    encoding: 'utf8',
  });
  const at = stdout.lastIndexOf('\n');
  const [, status = '', contentType = ''] = /^(\d+) (.*)$/.exec(stdout.slice(at + 1)) ?? [];
  return { status: Number(status), contentType, body: stdout.slice(0, at) };
}

const idIn = ({ body }: { body: string }): string => JSON.parse(body).response.report_id;

describe.skipIf(spawnSync('curl', ['--version']).status !== 0)('curl', () => {
  test.each([
    [
      '{"auth":{"email":"buyer@example.com","password":"demo"}}\n',
      200,
      /^\{"response":\{"status":"OK","token":"[0-9a-f]{40}"\}\}$/,
    ],
    [
      '{"auth":{"email":"buyer@example.com"}}',
      400,
      /^\{"response":\{"error_id":"SYSTEM","error":"Username or password not set in request"\}\}$/,
    ],
  ])(
    '-X POST -d @auth, where the file holds JSON that curl labels as a form: %s',
    async (auth, status, body) => {
      const answer = await curl('/auth-reporting', ['-X', 'POST', '-d', '@input'], auth);
      expect(answer).toMatchObject({ status, contentType: 'application/json; charset=utf-8' });
      expect(answer.body).toMatch(body);
    },
  );

  test('a buyer report in three steps, with form fields and non-contiguous indexes', async () => {
    const fields = `${window}&metrics=displays,clicks&breakdowns[10]=OS&breakdowns[7]=CAMPAIGN`;
    const created = await curl('/buyer-reporting', [
      '-X',
      'POST',
      '-g',
      ...buyer,
      ...json,
      '-d',
      fields,
    ]);
    expect(created.body).toMatch(
      /^\{"response":\{"status":"progress","message":"progress","report_id":"\w+"\}\}$/,
    );
    const id = ['-X', 'POST', ...buyer, '-d', `id=${idIn(created)}`];
    expect(JSON.parse((await curl('/status-reporting', id)).body)).toEqual({
      response: { status: 'ready', message: 'ready', report_id: idIn(created) },
    });
    const { data, summary } = JSON.parse((await curl('/download-reporting', id)).body);
    expect(data.length).toBeGreaterThan(5);
    expect(data[0]).toMatchObject({
      campaignId: expect.stringMatching(/^\d+$/),
      adId: null,
      country: null,
    });
    expect(summary).toEqual({
      since: '2014-12-01T01:00:00+0100',
      until: '2015-01-01T00:59:59+0100',
      breakdowns: ['CAMPAIGN', 'OS'],
      timezone: 'europe/paris',
    });
  });

  const right = ['since=1417392000', 'until=1420070399', 'metrics=displays'];
  test.each([
    ['the fields one by one', right.flatMap((field) => ['-d', field]), 200],
    [
      '--data-urlencode',
      [...right, 'carrier[0]=AT&T'].flatMap((field) => ['--data-urlencode', field]),
      200,
    ],
    ['JSON with its label', ['-H', 'Content-Type: application/json', '-d', '@input'], 200],
    ['JSON without any label', ['-H', 'Content-Type:', '-d', '@input'], 200],
    ['multipart', ['-F', 'since=1417392000'], 415],
  ])('%s: %i', async (_name, args, status) => {
    const input =
      '{"since":1417392000,"until":1420070399,"metrics":"displays","breakdowns":["MONTHLY"]}';
    expect((await curl('/buyer-reporting', [...buyer, ...args], input)).status).toBe(status);
  });

  test("a DSP's report: JSON with an Accept header, CSV without, output=direct as the vendor shows it", async () => {
    const fields = `${window}&metrics=displays,revenueEuro,revenueDollar&breakdowns[0]=DAILY&output=direct`;
    const answer = await curl('/buyer-reporting', [
      ...dsp,
      ...json,
      '-d',
      `${fields}&timezone=UTC`,
    ]);
    const { data, summary } = JSON.parse(answer.body);
    // The vendor's window is December 2014 in UTC, whole.
    expect(data.map(({ date }: { date: string }) => date)).toEqual(
      Array.from({ length: 31 }, (_, day) => `2014-12-${String(day + 1).padStart(2, '0')}`),
    );
    const money = expect.stringMatching(/^\d+,\d\d$/);
    expect(data[0]).toEqual({
      date: '2014-12-01',
      displays: expect.any(Number),
      revenueEuro: money,
      revenueDollar: money,
    });
    const times = { since: '2014-12-01T00:00:00+0000', until: '2014-12-31T23:59:59+0000' };
    expect(summary).toEqual({ ...times, breakdowns: ['DAILY'], timezone: 'UTC' });
    for (const accept of [[], ['-H', 'Accept:']]) {
      const csv = await curl('/buyer-reporting', [...dsp, ...accept, '-d', fields]);
      expect(csv.contentType).toBe('text/csv; charset=utf-8; header=present');
      expect(csv.body).toMatch(
        /^date,displays,revenueEuro,revenueDollar\r\n2014-12-01,\d+,"\d+,\d\d","\d+,\d\d"\r\n/,
      );
    }
  });

  test('--compressed, a Bearer token, and a body of more than a mebibyte', async () => {
    const plain = await curl('/campaigns', buyer);
    expect(JSON.parse(plain.body)[0]).toMatchObject({
      campaignStartDate: expect.stringMatching(/^[\d: -]{19}$/),
    });
    expect((await curl('/campaigns', [...buyer, '--compressed'])).body).toBe(plain.body);
    const bearer = await curl('/campaigns', [
      '-H',
      'Authorization: Bearer 00000000000000000000000000000000000000b1',
    ]);
    expect([bearer.status, bearer.body]).toEqual([
      401,
      expect.stringContaining('without “Bearer”'),
    ]);
    const big = `{"x":"${'y'.repeat(1_100_000)}"}`;
    expect((await curl('/status-reporting', [...buyer, '-d', '@input'], big)).status).toBe(413);
  });
});
