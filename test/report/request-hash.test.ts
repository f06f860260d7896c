import { expect, test } from 'vitest';
import { requestHash } from '../../src/report/request/request-body.ts';
import { request } from './usual-request.ts';

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
