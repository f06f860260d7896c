import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { parse } from 'qs';
import { afterAll, expect, test } from 'vitest';
import type { ReportRequest } from '../../src/contract/messages.ts';
import { curlLine, encodeRequest, requestHash } from '../../src/query/request.ts';

/** A request with lists, and with text that JSON, forms and shells have to escape. */
const request: ReportRequest = {
  since: 1_417_392_000,
  until: 1_420_070_399,
  metrics: ['displays', 'clicks'],
  breakdowns: ['DAILY', 'CAMPAIGN'],
  filters: { campaignId: ['12', '13'], carrier: ['A&B = "C", é', '100%+'] },
};

const encodeJson = (one: ReportRequest): string => encodeRequest(one, 'json').text;
const encodeForm = (one: ReportRequest): string => encodeRequest(one, 'form').text;

test('as JSON, and as a form written like in the specification', () => {
  const short: ReportRequest = {
    ...request,
    breakdowns: [],
    filters: {},
    timezone: 'Asia/Tokyo',
    output: 'direct',
  };

  expect(encodeJson(request)).toBe(
    '{"since":1417392000,"until":1420070399,"metrics":"displays,clicks","breakdowns":["DAILY","CAMPAIGN"],' +
      '"campaignId":["12","13"],"carrier":["A&B = \\"C\\", é","100%+"]}',
  );
  expect(encodeJson(short)).toBe(
    '{"since":1417392000,"until":1420070399,"metrics":"displays,clicks","timezone":"Asia/Tokyo","output":"direct"}',
  );
  expect(encodeForm(request)).toBe(
    'since=1417392000&until=1420070399&metrics=displays,clicks&breakdowns[0]=DAILY&breakdowns[1]=CAMPAIGN' +
      '&campaignId[0]=12&campaignId[1]=13&carrier[0]=A%26B%20%3D%20%22C%22%2C%20%C3%A9&carrier[1]=100%25%2B',
  );
  expect(encodeForm(short)).toBe(
    'since=1417392000&until=1420070399&metrics=displays,clicks&timezone=Asia%2FTokyo&output=direct',
  );
});

test('both encodings are equivalent, with any text in a filter', () => {
  const texts = fc.array(fc.string({ unit: 'grapheme', minLength: 1 }), {
    minLength: 1,
    maxLength: 5,
  });
  fc.assert(
    fc.property(texts, (carrier) => {
      const withText = { ...request, filters: { carrier } };
      const fromForm = parse(encodeForm(withText), { arrayLimit: 100 });
      const fromJson = JSON.parse(encodeJson(withText));
      expect(fromForm).toEqual({
        ...fromJson,
        since: String(request.since),
        until: String(request.until),
      });
    }),
  );
});

const hash = requestHash(request);

test('the hash of a request ignores the order of metrics, breakdowns, filters and values', () => {
  const { carrier = [], campaignId = [] } = request.filters;

  const filters = { carrier: carrier.toReversed(), campaignId: campaignId.toReversed() };
  expect(requestHash({ ...request, filters })).toBe(hash);
  const metrics = request.metrics.toReversed();
  const breakdowns = request.breakdowns.toReversed();
  expect(requestHash({ ...request, metrics, breakdowns })).toBe(hash);
});

test.each<Partial<ReportRequest>>([
  { until: request.until + 1 },
  { metrics: ['clicks'] },
  { breakdowns: ['DAILY'] },
  { filters: { ...request.filters, campaignId: ['12'] } },
  { timezone: 'UTC' },
  { output: 'direct' },
])('it depends on %j', (change) => {
  expect(requestHash({ ...request, ...change })).not.toBe(hash);
});

const plain: ReportRequest = {
  ...request,
  metrics: ['displays'],
  breakdowns: ['DAILY'],
  filters: {},
};

const folder = mkdtempSync(join(tmpdir(), 'adreport-curl-'));
writeFileSync(join(folder, 'curl'), '#!/bin/sh\nprintf "%s\\0" "$@"\n', { mode: 0o755 });
afterAll(() => rmSync(folder, { recursive: true }));

/** The arguments of curl when the line runs in a shell. */
function argumentsOf(line: string): string[] {
  const env = { PATH: `${folder}:${process.env.PATH}`, ADREPORT_TOKEN: 'the token' };
  const { stdout, status } = spawnSync('sh', ['-c', line], { env, encoding: 'utf8' });
  expect(status).toBe(0);
  return stdout.split('\0').slice(0, -1);
}

test.skipIf(process.platform === 'win32')(
  'a curl line runs as printed, with any text in a filter',
  () => {
    const awkward = fc.constantFrom(
      "it's",
      '$HOME `id` $(id) !!',
      '\\',
      '"',
      'a\nb',
      '@file',
      '😀',
    );

    const text = fc.oneof(awkward, fc.string({ unit: 'grapheme', minLength: 1 }));

    fc.assert(
      fc.property(text, fc.constantFrom('json', 'form'), (carrier, encoding) => {
        const withText = { ...plain, filters: { carrier: [carrier] } };
        const { contentType, text: body } = encodeRequest(withText, encoding);
        const line = curlLine('http://127.0.0.1:8787', encodeRequest(withText, encoding), 'linux');
        const headers = [
          'Authorization: the token',
          'Accept: application/json',
          `Content-Type: ${contentType}`,
        ];
        expect(argumentsOf(line)).toEqual([
          'http://127.0.0.1:8787/buyer-reporting',
          ...headers.flatMap((header) => ['-H', header]),
          '--data-raw',
          body,
        ]);
      }),
      { numRuns: 30 },
    );
  },
);
