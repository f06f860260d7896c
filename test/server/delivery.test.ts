import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import {
  type AccountName,
  type Answered,
  call,
  createReport,
  expectRefusal,
  reportOf,
  startForFile,
  tokens,
} from './local.ts';

/** Formats and compression of reports (`decisions.md` 4). */

const { server } = await startForFile();

const window = { since: 1781388000, until: 1781560799 };

/** Creates and downloads a report, with exactly the given headers. */
async function download(
  as: AccountName,
  headers: Record<string, string> = {},
  more: object = {},
): Promise<Answered> {
  const json = {
    ...window,
    metrics: 'displays,revenueEuro',
    breakdowns: ['DAILY', 'FORMAT'],
    ...more,
  };
  const id = await createReport(server, as, json);
  return call(server, '/download-reporting', { as, json: { id }, headers });
}

const json = 'application/json; charset=utf-8';
const types = { json, csv: 'text/csv; charset=utf-8; header=present', neither: json };

const axios = 'application/json, text/plain, */*';
const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const neither = [
  'application/xml',
  'image/*',
  'application/json;q=0',
  '*/*;q=0',
  'text/html, text/plain',
  'nonsense',
];

/** The format of an account's report for each of these headers. */
interface Negotiation {
  readonly as: AccountName;
  readonly form: 'json' | 'csv' | 'neither';
  readonly accepts: readonly string[];
}

test.each<Negotiation>([
  {
    as: 'dsp',
    form: 'json',
    accepts: [
      'application/json',
      'APPLICATION/JSON',
      'application/json; charset=utf-8',
      'application/*',
    ],
  },
  {
    as: 'dsp',
    form: 'json',
    accepts: [
      'text/json',
      'application/vnd.api+json',
      '*/json',
      axios,
      'text/html, application/json;q=0.5',
    ],
  },
  {
    as: 'dsp',
    form: 'json',
    accepts: [
      'application/json, text/csv',
      'text/csv;q=0.4, application/json;q=0.5',
      'application/json;q=0.001',
    ],
  },
  {
    as: 'dsp',
    form: 'csv',
    accepts: [
      '*/*',
      'text/csv',
      'text/*',
      '*/*;q=0.1',
      browser,
      'text/csv, application/json;q=0.9',
      ' , ,',
      '',
    ],
  },
  { as: 'dsp', form: 'csv', accepts: ['application/json;q=0, */*', 'application/json;q=0.2, */*'] },
  { as: 'dsp', form: 'neither', accepts: neither },
  {
    as: 'buyer',
    form: 'json',
    accepts: [
      'application/json',
      '*/*',
      'application/*',
      'application/json, text/csv',
      axios,
      browser,
    ],
  },
  {
    as: 'buyer',
    form: 'json',
    accepts: [
      'text/csv, application/json',
      'text/csv;q=0.5, */*',
      'text/*;q=0.5, application/json',
    ],
  },
  {
    as: 'buyer',
    form: 'csv',
    accepts: ['text/csv', 'text/*', 'text/csv, application/json;q=0.9', 'text/csv, */*;q=0.1'],
  },
  { as: 'buyer', form: 'csv', accepts: ['application/json;q=0, */*'] },
  { as: 'buyer', form: 'neither', accepts: ['text/html, text/plain'] },
])('a $as gets $form for Accept: $accepts', async ({ as, form, accepts }) => {
  for (const accept of accepts) {
    const answer = await download(as, { accept });
    if (form === 'neither') expectRefusal(answer, 406, 'NOT_ACCEPTABLE');
    expect([accept, answer.headers['content-type']]).toEqual([accept, types[form]]);
  }
});

test.each([
  { as: 'dsp', form: 'csv' },
  { as: 'buyer', form: 'json' },
] as const)('a $as gets $form without Accept, also for a direct report', async ({ as, form }) => {
  const answer = await download(as);

  expect(answer.headers['content-type']).toBe(types[form]);
  if (form === 'csv')
    expect(answer.headers['content-disposition']).toMatch(/^attachment; filename="[\w-]+\.csv"$/);

  const json = { ...window, metrics: 'displays', output: 'direct' };

  const direct = await call(server, '/buyer-reporting', { as, json });

  expect(direct.headers['content-type']).toBe(types[form]);
});

describe('CSV', () => {
  const wide = {
    breakdowns: ['DAILY', 'CAMPAIGN', 'CITY', 'CARRIER', 'DEVICEMODEL'],
    countryId: ['3017382'],
  };

  test.each([
    { as: 'buyer', more: wide },
    {
      as: 'dsp',
      more: {
        breakdowns: ['HOURLY', 'BUNDLEID', 'FORMAT'],
        metrics: 'displays,revenueEuro,revenueDollar',
      },
    },
    { as: 'buyer', more: { breakdowns: [] } },
    // Names with quotes, commas and line ends.
    { as: 'awkward', more: { breakdowns: ['CAMPAIGN', 'CITY'] } },
  ] as const)('has the same names, order and values as JSON ($as)', async ({ as, more }) => {
    const { data } = await reportOf(server, as, {
      ...window,
      metrics: 'displays,revenueEuro',
      ...more,
    });
    const answer = await download(as, { accept: 'text/csv' }, more);
    const [header, ...rows] = parse(answer.text, {
      record_delimiter: '\r\n',
      cast: (value, { quoting }) => (quoting ? value : value || null),
    });

    expect(header).toEqual(Object.keys(data[0] ?? {}));
    expect(rows).toEqual(
      data.map((row) => Object.values(row).map((value) => (value === null ? null : String(value)))),
    );
    expect(answer.text.charCodeAt(0)).not.toBe(0xfeff);
  });

  test('an empty report has only a header row', async () => {
    const none = { breakdowns: ['DAILY', 'OS'], campaignId: ['999999'] };

    const answer = await download('buyer', { accept: 'text/csv' }, none);

    expect(answer.text).toMatch(/^date,Adnetwork,campaignId,.*,bundleId,displays,revenueEuro\r\n$/);
    expect(JSON.parse((await download('buyer', {}, none)).text)).toMatchObject({ data: [] });
  });
});

describe('compression', () => {
  const inflaters = { gzip: gunzipSync, deflate: inflateSync, br: brotliDecompressSync } as const;

  const campaigns = (header: string | undefined): Promise<Answered> =>
    call(server, '/campaigns', {
      as: 'buyer',
      headers: header === undefined ? {} : { 'accept-encoding': header },
    });

  test.each([
    { header: 'gzip', coding: 'gzip' },
    { header: 'deflate', coding: 'deflate' },
    { header: 'br', coding: 'br' },
    { header: 'gzip;q=0, deflate', coding: 'deflate' },
    { header: '*', coding: 'gzip' },
    { header: '*;q=0.5, gzip;q=0', coding: 'br' },
  ] as const)('Accept-Encoding: $header gives $coding', async ({ header, coding }) => {
    const plain = await campaigns(undefined);

    const { headers, body } = await campaigns(header);

    expect(headers['content-encoding']).toBe(coding);
    expect(headers.vary).toMatch(/Accept-Encoding/);
    expect(inflaters[coding](body).equals(plain.body)).toBe(true);
    expect(body.length).toBeLessThan(plain.body.length / 2);
  });

  test.each([
    undefined,
    '',
    'identity',
    'zstd',
    'gzip;q=0',
    '*;q=0',
    'identity;q=0',
    'identity, gzip;q=0.5',
  ])('Accept-Encoding: %s gives an uncompressed body', async (header) => {
    const { headers, text } = await campaigns(header);

    expect(headers['content-encoding']).toBeUndefined();
    expect(JSON.parse(text)).toBeInstanceOf(Array);
  });
});

test('a report is streamed, without a length', async () => {
  const year = { since: 1767222000, until: 1798757999, metrics: 'displays', output: 'direct' };
  const options = { method: 'POST', headers: { authorization: tokens.buyer }, agent: false };

  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const asked = request(`${server.url}/buyer-reporting`, options, resolve).on('error', reject);
    asked.end(JSON.stringify({ ...year, breakdowns: ['HOURLY', 'ADUNIT', 'CITY'] }));
  });

  expect(response.headers['content-length']).toBeUndefined();
  expect(response.headers['transfer-encoding']).toBe('chunked');

  const [first] = (await once(response, 'data')) as [Buffer];

  expect(first.toString()).toMatch(/^\{"data":\[\{"date":"2026-01-01"/);
  expect(response.complete).toBe(false);

  response.destroy();
});
