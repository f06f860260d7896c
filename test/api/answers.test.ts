import { describe, expect, test } from 'vitest';
import { findCampaigns, findReportId, findStatus, findToken, readRefusal } from '../../src/api/answers.ts';

describe('findReportId takes every shape that a service may answer with', () => {
  test.each([
    [{ response: { status: 'progress', message: 'progress', report_id: 'a1' } }, 'a1'],
    [{ response: { id: 'a1' } }, 'a1'],
    [{ report_id: 'a1' }, 'a1'],
    [{ reportId: 'a1' }, 'a1'],
    [{ response: { reportId: 'a1' } }, 'a1'],
    [{ data: { report_id: 'a1' } }, 'a1'],
    [{ response: { data: { report_id: 'a1' } } }, 'a1'],
    [{ data: [{ report_id: 'a1' }] }, 'a1'],
    [[{ report_id: 'a1' }], 'a1'],
    [{ id: 7 }, '7'],
    [{ response: 'a1' }, 'a1'],
    [{ response: 17 }, '17'],
    ['a1', 'a1'],
    [17, '17'],
    [{ response: { status: 'progress' } }, undefined],
    [{ response: { report_id: '' } }, undefined],
    [null, undefined],
    [[], undefined],
  ])('%j', (answer, expected) => {
    expect(findReportId(answer)).toBe(expected);
  });
});

test.each([
  [{ response: { status: 'READY', message: 'done', report_id: 'x' } }, { status: 'ready', message: 'done' }],
  [{ response: { status: 'progress' } }, { status: 'progress', message: 'progress' }],
  [{ status: 'Queued' }, { status: 'queued', message: 'queued' }],
  [
    { status: 'ok', data: { status: 'progress' } },
    { status: 'progress', message: 'progress' },
  ],
  [
    { status: 200, response: { state: 'pending' } },
    { status: 'pending', message: 'pending' },
  ],
  [{ response: { message: 'no status' } }, undefined],
])('findStatus(%j)', (answer, expected) => {
  expect(findStatus(answer)).toEqual(expected);
});

test('findToken', () => {
  for (const answer of [
    { response: { status: 'OK', token: 'abc' } },
    { token: 'abc' },
    { access_token: 'abc' },
    { data: { token: 'abc' } },
    { response: { access_token: 'abc' } },
  ]) {
    expect(findToken(answer)).toBe('abc');
  }
  expect(findToken('0123456789abcdef')).toBe('0123456789abcdef');
  for (const answer of [{ response: { status: 'OK' } }, 'short']) expect(findToken(answer)).toBeUndefined();
});

test('findCampaigns makes every field a string, and a missing list an empty one', () => {
  const wrapped = {
    response: [{ campaignId: 12, campaignName: 'A', adunits: [{ adunitId: 3, adunitName: 'u' }] }, { id: 7 }],
  };
  expect(findCampaigns(wrapped)).toMatchObject([
    { campaignId: '12', campaignName: 'A', advertiserId: '', adunits: [{ adunitId: '3', adunitName: 'u' }] },
    { campaignId: '7', adunits: [] },
  ]);
  for (const shape of [wrapped.response, { campaigns: wrapped.response }, { response: { data: wrapped.response } }]) {
    expect(findCampaigns(shape)).toEqual(findCampaigns(wrapped));
  }
  const keyed = { 12: { campaignName: 'A', adUnits: { 3: { adunitName: 'u' } } }, 7: {} };
  for (const shape of [keyed, { data: keyed }, { response: { campaigns: keyed } }]) {
    expect(findCampaigns(shape)?.toReversed()).toEqual(findCampaigns(wrapped));
  }
  for (const shape of [{ error: 'x' }, [{ displays: 1 }], ['x'], {}]) expect(findCampaigns(shape)).toBeUndefined();
});

describe('readRefusal', () => {
  test.each([
    ['{"response":{"error_id":"SYSTEM","error":"no"}}', 'SYSTEM', 'no'],
    ['{"response":{"message":"no"}}', undefined, 'no'],
    ['{"error":{"code":"X","message":"no"}}', 'X', 'no'],
    ['{"error":"no"}', undefined, 'no'],
    ['{"message":"no"}', undefined, 'no'],
    ['{"error_id":"X","error":"no"}', 'X', 'no'],
    ['{"error":"invalid_client","error_description":"no"}', undefined, 'no'],
    ['{"title":"Bad","detail":"no"}', undefined, 'no'],
    ['{"errors":["no","nor this"]}', undefined, 'no'],
    ['{"errors":[{"message":"no"}]}', undefined, 'no'],
    ['{"errors":{"since":["no"]}}', undefined, 'no'],
    ['"no"', undefined, 'no'],
    ['no\nmore', undefined, 'no'],
    ['', undefined, undefined],
    ['<html><body>no</body></html>', undefined, undefined],
  ])('%j', (body, errorId, message) => {
    expect(readRefusal(body, undefined)).toMatchObject({ errorId, message });
  });

  test('every fault that the service lists', () => {
    const details = [
      { parameter: 'metrics', value: 'x', problem: 'is unknown' },
      { parameter: 'since', problem: 'is missing' },
    ];
    expect(readRefusal(JSON.stringify({ response: { error: 'no', details } }), undefined).faults).toEqual([
      'metrics: is unknown',
      'since: is missing',
    ]);
  });
});
