import fc from 'fast-check';
import { parse } from 'qs';
import { describe, expect, test } from 'vitest';
import type { ReportRequest } from '../../src/contract/messages.ts';
import { encodeForm, encodeJson, encodeRequest } from '../../src/report/request/request-body.ts';
import { requestHash } from '../../src/report/request/request-hash.ts';

const request: ReportRequest = {
  since: 1_417_392_000,
  until: 1_420_070_399,
  metrics: ['displays', 'clicks'],
  breakdowns: ['DAILY', 'CAMPAIGN'],
  filters: { campaignId: ['12', '13'], carrier: ['A&B = "C", é', '100%+'] },
};

test('as JSON', () => {
  expect(encodeJson(request)).toBe(
    '{"since":1417392000,"until":1420070399,"metrics":"displays,clicks","breakdowns":["DAILY","CAMPAIGN"],' +
      '"campaignId":["12","13"],"carrier":["A&B = \\"C\\", é","100%+"]}',
  );
  expect(encodeJson({ ...request, breakdowns: [], filters: {}, timezone: 'Asia/Tokyo', output: 'direct' })).toBe(
    '{"since":1417392000,"until":1420070399,"metrics":"displays,clicks","timezone":"Asia/Tokyo","output":"direct"}',
  );
});

test('as a form, in the specification’s own writing', () => {
  expect(encodeForm(request)).toBe(
    'since=1417392000&until=1420070399&metrics=displays,clicks&breakdowns[0]=DAILY&breakdowns[1]=CAMPAIGN' +
      '&campaignId[0]=12&campaignId[1]=13&carrier[0]=A%26B%20%3D%20%22C%22%2C%20%C3%A9&carrier[1]=100%25%2B',
  );
  expect(encodeForm({ ...request, breakdowns: [], filters: {}, timezone: 'Asia/Tokyo', output: 'direct' })).toBe(
    'since=1417392000&until=1420070399&metrics=displays,clicks&timezone=Asia%2FTokyo&output=direct',
  );
});

test('each with its content type', () => {
  expect(encodeRequest(request, 'json')).toEqual({ contentType: 'application/json', text: encodeJson(request) });
  expect(encodeRequest(request, 'form')).toEqual({
    contentType: 'application/x-www-form-urlencoded',
    text: encodeForm(request),
  });
});

test('both encodings say the same, whatever the text of a filter', () => {
  const texts = fc.array(fc.string({ unit: 'grapheme', minLength: 1 }), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(texts, (carrier) => {
      const withText = { ...request, filters: { carrier } };
      const fromForm = parse(encodeForm(withText), { arrayLimit: 100 });
      const fromJson = JSON.parse(encodeJson(withText));
      expect(fromForm).toEqual({ ...fromJson, since: String(request.since), until: String(request.until) });
    }),
  );
});

describe('requestHash', () => {
  const identity = { baseUrl: 'https://reports.example.com', account: 'main', request };
  const hash = requestHash(identity);

  test('is the same on every machine', () => {
    expect(hash).toBe('380b5cff38bfd9da68643dfbee15a099');
  });

  test('does not count the order of filters and values, nor a slash after the base URL', () => {
    const { carrier = [], campaignId = [] } = request.filters;
    const reordered = { carrier: carrier.toReversed(), campaignId: campaignId.toReversed() };
    expect(requestHash({ ...identity, request: { ...request, filters: reordered } })).toBe(hash);
    expect(requestHash({ ...identity, baseUrl: 'https://reports.example.com/' })).toBe(hash);
  });

  test.each<[string, Partial<typeof identity>]>([
    ['service', { baseUrl: 'https://reports.example.org' }],
    ['account', { account: 'other' }],
    ['window', { request: { ...request, until: request.until + 1 } }],
    ['metrics', { request: { ...request, metrics: ['clicks', 'displays'] } }],
    ['breakdowns', { request: { ...request, breakdowns: ['DAILY'] } }],
    ['filter', { request: { ...request, filters: { ...request.filters, campaignId: ['12'] } } }],
    ['zone', { request: { ...request, timezone: 'UTC' } }],
    ['output', { request: { ...request, output: 'direct' } }],
  ])('counts the %s', (_, change) => {
    expect(requestHash({ ...identity, ...change })).not.toBe(hash);
  });
});
