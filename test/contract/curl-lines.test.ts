import { execFile, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type LocalServerOptions, startLocalServer } from '../../src/server/start.ts';
import { temporaryFolder } from '../support/run-cli.ts';

/** The vendor's curl lines, and the specification's, run by the real curl against the server alone (`decisions.md` 1, 2, 4). */

const hasCurl = spawnSync('curl', ['--version']).status === 0;
const buyer = 'Authorization: 00000000000000000000000000000000000000b1';
const dsp = 'Authorization: 00000000000000000000000000000000000000d5';

interface Curled {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** Runs `curl ARGS… URL` in a folder that holds the files. */
async function setUp(files: Readonly<Record<string, string>> = {}, options: LocalServerOptions = {}) {
  const server = await startLocalServer({ delayMs: 0, ...options });
  onTestFinished(() => server.close());
  const cwd = temporaryFolder();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
  return async (path: string, ...args: string[]): Promise<Curled> => {
    // What curl adds after the body: nothing else of it is read.
    const trailer = ['-s', '-w', '\n%{http_code} %{content_type}'];
    const { stdout } = await promisify(execFile)('curl', [...trailer, ...args, server.url + path], {
      cwd,
      encoding: 'utf8',
    });
    const at = stdout.lastIndexOf('\n');
    const [, status = '', contentType = ''] = /^(\d+) (.*)$/.exec(stdout.slice(at + 1)) ?? [];
    return { status: Number(status), contentType, body: stdout.slice(0, at) };
  };
}

function idIn({ body }: Curled): string {
  return (JSON.parse(body) as { response: { report_id: string } }).response.report_id;
}

const window = 'since=1417392000&until=1420070399';

describe.skipIf(!hasCurl)('curl', () => {
  test('-X POST -d @auth, where the file holds JSON that curl labels as a form', async () => {
    const curl = await setUp({ auth: '{"auth":{"email":"buyer@example.com","password":"demo"}}\n' });
    const answer = await curl('/auth-reporting', '-X', 'POST', '-d', '@auth');
    expect([answer.status, answer.contentType]).toEqual([200, 'application/json; charset=utf-8']);
    expect(answer.body).toMatch(/^\{"response":\{"status":"OK","token":"[0-9a-f]{40}"\}\}$/);
  });

  test('a buyer report in three steps, with form fields and non-contiguous indexes', async () => {
    const curl = await setUp();
    const fields = `${window}&metrics=displays,clicks&breakdowns[10]=OS&breakdowns[7]=CAMPAIGN`;
    const created = await curl(
      '/buyer-reporting',
      '-X',
      'POST',
      '-g',
      '-H',
      buyer,
      '-H',
      'Accept: application/json',
      '-d',
      fields,
    );
    expect(created.body).toMatch(/^\{"response":\{"status":"progress","message":"progress","report_id":"\w+"\}\}$/);
    const id = `id=${idIn(created)}`;
    const status = await curl('/status-reporting', '-X', 'POST', '-H', buyer, '-d', id);
    expect(JSON.parse(status.body)).toEqual({
      response: { status: 'ready', message: 'ready', report_id: idIn(created) },
    });
    const downloaded = await curl('/download-reporting', '-X', 'POST', '-H', buyer, '-d', id);
    expect(downloaded.contentType).toBe('application/json; charset=utf-8');
    expect(JSON.parse(downloaded.body)).toEqual({
      data: expect.arrayContaining([
        expect.objectContaining({
          campaignId: '40004',
          campaignName: 'Noël 2014',
          os: 'iOS',
          adId: null,
          country: null,
        }),
      ]),
      summary: {
        since: '2014-12-01T01:00:00+0100',
        until: '2015-01-01T00:59:59+0100',
        breakdowns: ['CAMPAIGN', 'OS'],
        timezone: 'europe/paris',
      },
    });
  });

  test("a DSP's report: JSON with an Accept header, CSV without, output=direct as the vendor shows it", async () => {
    const curl = await setUp();
    const fields = `${window}&timezone=Europe/Paris&metrics=displays,revenueEuro,revenueDollar&breakdowns[0]=DAILY`;
    const json = await curl(
      '/buyer-reporting',
      '-H',
      dsp,
      '-H',
      'Accept: application/json',
      '-d',
      `${fields}&output=direct`,
    );
    expect(json.contentType).toBe('application/json; charset=utf-8');
    const { data, summary } = JSON.parse(json.body) as { data: object[]; summary: object };
    expect(data).toHaveLength(32);
    expect(data[0]).toEqual({
      date: '2014-12-01',
      displays: expect.any(Number),
      revenueEuro: expect.stringMatching(/^\d+,\d\d$/),
      revenueDollar: expect.stringMatching(/^\d+,\d\d$/),
    });
    expect(summary).toEqual({
      since: '2014-12-01T01:00:00+0100',
      until: '2015-01-01T00:59:59+0100',
      breakdowns: ['DAILY'],
      timezone: 'Europe/Paris',
    });
    for (const accept of [[], ['-H', 'Accept:']]) {
      const csv = await curl('/buyer-reporting', '-H', dsp, ...accept, '-d', `${fields}&output=direct`);
      expect(csv.contentType).toBe('text/csv; charset=utf-8; header=present');
      expect(csv.body).toMatch(/^date,displays,revenueEuro,revenueDollar\r\n2014-12-01,\d+,"\d+,\d\d","\d+,\d\d"\r\n/);
    }
  });

  test("the vendor's window in UTC is December 2014, whole", async () => {
    const curl = await setUp();
    const fields = `${window}&timezone=UTC&metrics=displays&breakdowns[0]=DAILY&output=direct`;
    const { body } = await curl('/buyer-reporting', '-H', dsp, '-H', 'Accept: application/json', '-d', fields);
    const { data, summary } = JSON.parse(body) as { data: { date: string }[]; summary: object };
    expect(data.map(({ date }) => date)).toEqual(
      Array.from({ length: 31 }, (_, day) => `2014-12-${String(day + 1).padStart(2, '0')}`),
    );
    expect(summary).toMatchObject({
      since: '2014-12-01T00:00:00+0000',
      until: '2014-12-31T23:59:59+0000',
      timezone: 'UTC',
    });
  });
});
