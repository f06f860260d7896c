import fc from 'fast-check';
import { parse } from 'qs';
import { expect, test } from 'vitest';
import type { ReportRequest } from '../../src/contract/messages.ts';
import { encodeRequest } from '../../src/report/request/request-body.ts';
import { request } from './usual-request.ts';

const encodeJson = (one: ReportRequest): string => encodeRequest(one, 'json').text;
const encodeForm = (one: ReportRequest): string => encodeRequest(one, 'form').text;

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
  expect(encodeRequest(request, 'json').contentType).toBe('application/json');
  expect(encodeRequest(request, 'form').contentType).toBe('application/x-www-form-urlencoded');
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
