import { execFile, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { startLocalServer } from '../../src/server/start.ts';
import { temporaryFolder } from '../support/run-cli.ts';

/**
 * The curl lines of the documentation and the specification, run by the real curl against the local
 * server (`decisions.md` 1, 2, 4).
 */

const asBuyer = ['-H', 'Authorization: 00000000000000000000000000000000000000b1'];
const acceptJson = ['-H', 'Accept: application/json'];
const jsonLabel = ['-H', 'Content-Type: application/json'];
const noLabel = ['-H', 'Content-Type:'];
const window = 'since=1417392000&until=1420070399';

let url: string;
let cwd: string;
beforeEach(async () => {
  const server = await startLocalServer({ delayMs: 0 });
  onTestFinished(() => server.close());
  url = server.url;
  cwd = temporaryFolder();
});

/** Runs `curl ARGS… URL`, with the text, if any, in a file `input`. */
async function curl(path: string, args: readonly string[], input = '') {
  writeFileSync(join(cwd, 'input'), input);
  // Appended by curl after the body.
  const trailer = ['-s', '-w', '\n%{http_code} %{content_type}'];

  const { stdout } = await promisify(execFile)('curl', [...trailer, ...args, url + path], {
    cwd,
    encoding: 'utf8',
  });

  const at = stdout.lastIndexOf('\n');
  const [, status = '', contentType = ''] = /^(\d+) (.*)$/.exec(stdout.slice(at + 1)) ?? [];
  return { status: Number(status), contentType, body: stdout.slice(0, at) };
}

describe.skipIf(spawnSync('curl', ['--version']).status !== 0)('curl', () => {
  test.each([
    {
      auth: '{"auth":{"email":"buyer@example.com","password":"demo"}}\n',
      status: 200,
      body: /^\{"response":\{"status":"OK","token":"[0-9a-f]{40}"\}\}$/,
    },
    {
      auth: '{"auth":{"email":"buyer@example.com"}}',
      status: 400,
      body: /^\{"response":\{"error_id":"SYSTEM","error":"Username or password not set in request"\}\}$/,
    },
  ])(
    '-X POST -d @auth with a JSON file, which curl labels as a form: $auth',
    async ({ auth, status, body }) => {
      const answer = await curl('/auth-reporting', ['-X', 'POST', '-d', '@input'], auth);

      expect(answer).toMatchObject({ status, contentType: 'application/json; charset=utf-8' });
      expect(answer.body).toMatch(body);
    },
  );

  test('a buyer report in three steps, with form fields and non-contiguous indexes', async () => {
    const post = ['-X', 'POST', ...asBuyer];
    const fields = `${window}&metrics=displays,clicks&breakdowns[10]=OS&breakdowns[7]=CAMPAIGN`;

    const created = await curl('/buyer-reporting', [...post, '-g', ...acceptJson, '-d', fields]);

    expect(created.body).toMatch(
      /^\{"response":\{"status":"progress","message":"progress","report_id":"\w+"\}\}$/,
    );

    const id = JSON.parse(created.body).response.report_id;
    const status = await curl('/status-reporting', [...post, '-d', `id=${id}`]);

    expect(JSON.parse(status.body)).toEqual({
      response: { status: 'ready', message: 'ready', report_id: id },
    });

    const download = await curl('/download-reporting', [...post, '-d', `id=${id}`]);

    const { data, summary } = JSON.parse(download.body);
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

  /** Curl's arguments for a small report, each field after the option. */
  function fieldsAfter(option: string): string[] {
    return [option, 'since=1417392000', option, 'until=1420070399', option, 'metrics=displays'];
  }
  const carrier = ['--data-urlencode', 'carrier[0]=AT&T'];

  test.each([
    {
      way: '--data-urlencode',
      args: [...fieldsAfter('--data-urlencode'), ...carrier],
      status: 200,
    },
    { way: 'JSON with its label', args: [...jsonLabel, '-d', '@input'], status: 200 },
    { way: 'JSON without any label', args: [...noLabel, '-d', '@input'], status: 200 },
  ])('$way: $status', async ({ args, status }) => {
    const input =
      '{"since":1417392000,"until":1420070399,"metrics":"displays","breakdowns":["MONTHLY"]}';

    const answer = await curl('/buyer-reporting', [...asBuyer, ...args], input);

    expect(answer.status).toBe(status);
  });
});
