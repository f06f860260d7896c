import { expect, test } from 'vitest';
import { breakdowns } from '../../src/contract/vocabulary.ts';
import { type ReportDocument, reportOf, startForFile } from './local.ts';

/**
 * The types of row fields (service specification, Report data; `decisions.md` 4). Which fields a breakdown has, with
 * which values and in which order, is in `reference-report.ts`.
 */

const { server } = await startForFile();

/** One hour of 2026-06-15, in Paris 14:00. */
const hour = { since: 1781524800, until: 1781528399 };

function buyer(parameters: object): Promise<ReportDocument> {
  return reportOf(server, 'buyer', { ...hour, metrics: 'displays', ...parameters });
}

const counts = ['requests', 'displays', 'clicks', 'downloads', 'leads', 'landings', 'eyesTrackings'];

test.each([
  ...counts.map((name) => ['buyer', name, name, /^\d+$/] as const),
  ['buyer', 'revenueEuro', 'revenueEuro', /^\d+(\.\d\d?)?$/],
  ['buyer', 'revenueDollar', 'valueDollar', /^\d+(\.\d\d?)?$/],
  ['dsp', 'displays', 'displays', /^\d+$/],
  ['dsp', 'revenueEuro', 'revenueEuro', /^\d+,\d\d$/],
  ['dsp', 'revenueDollar', 'revenueDollar', /^\d+,\d\d$/],
] as const)('a %s who asks for %s alone gets %s alone, like %s', async (as, metric, field, pattern) => {
  const { data } = await reportOf(server, as, { since: hour.since, until: hour.until + 86_400, metrics: metric });
  const [row = {}] = data;
  expect(data).toHaveLength(1);
  // Every dimension field of a buyer is there, and null.
  expect(Object.keys(row)).toHaveLength(as === 'buyer' ? 23 + 1 : 1);
  expect(Object.entries(row).filter(([, value]) => value !== null)).toEqual([[field, row[field]]]);
  expect(String(row[field])).toMatch(pattern);
  expect(row[field]).not.toBe(0);
  expect(typeof row[field]).toBe(as === 'dsp' && metric !== 'displays' ? 'string' : 'number');
});

test('dimension fields of a buyer: ids are strings of digits, the others words; some may be null', async () => {
  const ids = 'campaignId adId adUnitLimitType adUnitLimitValue creativeId publisherId'.split(' ');
  const times = { date: '2026-06-15', hour: '2026-06-15T14:00:00+0200' };
  const all = breakdowns.map(({ name }) => name).filter((name) => !['DAILY', 'MONTHLY', 'RANGE'].includes(name));
  const { data } = await buyer({ breakdowns: all });
  expect(data.length).toBeGreaterThan(10);
  for (const row of data) {
    expect(row).toMatchObject({
      ...times,
      format: expect.stringMatching(/^(interstitial|banner|native ad|video|rewarded video)$/),
    });
    for (const id of ids) expect(row[id]).toMatch(/^\d+$/);
    expect(row.os ?? 'iOS').toMatch(/^(iOS|Android)$/);
    expect(row.deviceType ?? 'phone').toMatch(/^(phone|tablet)$/);
    const { displays, ...fields } = row;
    expect(displays).toBeTypeOf('number');
    expect(Object.values(fields).filter((value) => value !== null && typeof value !== 'string')).toEqual([]);
  }
});

test('the order of the breakdowns in the request changes the summary alone', async () => {
  const one = await buyer({ breakdowns: ['OS', 'CAMPAIGN'] });
  const other = await buyer({ breakdowns: ['CAMPAIGN', 'OS'] });
  expect(other.data).toEqual(one.data);
  expect(one.summary.breakdowns).toEqual(['OS', 'CAMPAIGN']);
  expect(other.summary.breakdowns).toEqual(['CAMPAIGN', 'OS']);
});

test.each([
  ['an id that does not exist', { campaignId: ['99999999'] }],
  ['an id with a leading zero', { campaignId: ['040001'] }],
  ['a name in another case', { carrier: ['sfr'] }],
  ['a name with a blank more', { deviceModel: ['iPhone 15 '] }],
  ["another account's campaign", { campaignId: ['40050'] }],
])('%s selects nothing, and is no error', async (_name, filter) => {
  expect((await buyer({ ...filter, breakdowns: ['CAMPAIGN'] })).data).toEqual([]);
});
