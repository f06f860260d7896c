import { describe, expect, test } from 'vitest';
import { type ReportDocument, reportOf, startForFile } from './local.ts';

/** Row fields, their nulls, types and order (service specification, Report data; `decisions.md` 4). */

const { server } = await startForFile();

/** One hour of 2026-06-15, in Paris 14:00. */
const hour = { since: 1781524800, until: 1781528399 };
/** Two whole Paris days, 2026-06-14 and 2026-06-15. */
const days = { since: 1781388000, until: 1781560799 };

const dimensionFields = (
  'Adnetwork campaignId campaignName adId adName adUnitLimitType adUnitLimitValue advertiser billingEntity creativeId ' +
  'subpublisherId os platform country adminLevel1 adminLevel2 city postalcode deviceType deviceBrand deviceModel carrier bundleId'
).split(' ');

function buyer(parameters: object): Promise<ReportDocument> {
  return reportOf(server, 'buyer', { ...hour, metrics: 'displays', ...parameters });
}

describe('metrics', () => {
  test.each([
    ['requests', 'requests', 'integer'],
    ['displays', 'displays', 'integer'],
    ['clicks', 'clicks', 'integer'],
    ['downloads', 'downloads', 'integer'],
    ['leads', 'leads', 'integer'],
    ['landings', 'landings', 'integer'],
    ['revenueEuro', 'revenueEuro', 'number'],
    ['revenueDollar', 'valueDollar', 'number'],
    ['eyesTrackings', 'eyesTrackings', 'integer'],
  ])('a buyer who asks for %s alone gets %s alone, a %s', async (metric, field, type) => {
    const { data } = await buyer({ ...days, metrics: metric });
    expect(data).toHaveLength(1);
    const [row = {}] = data;
    expect(Object.keys(row)).toEqual([...dimensionFields, field]);
    expect(row[field]).toBeGreaterThan(0);
    const fine = Number(row[field]) * (type === 'integer' ? 1 : 100);
    expect(Math.abs(fine - Math.round(fine))).toBeLessThan(type === 'integer' ? Number.MIN_VALUE : 1e-6);
  });

  test.each([
    ['displays', /^\d+$/, 'number'],
    ['revenueEuro', /^\d+,\d\d$/, 'string'],
    ['revenueDollar', /^\d+,\d\d$/, 'string'],
  ])('a DSP who asks for %s gets it under that name', async (metric, pattern, type) => {
    const { data } = await reportOf(server, 'dsp', { ...hour, metrics: metric });
    expect(data.map(Object.keys)).toEqual([[metric]]);
    expect(String(data[0]?.[metric])).toMatch(pattern);
    expect(typeof data[0]?.[metric]).toBe(type);
  });
});

const digits = expect.stringMatching(/^\d+$/);
const words = expect.any(String);
/** The row fields of each buyer breakdown; `null` where a value may be unknown. */
const fieldsOf: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  DAILY: { date: '2026-06-15' },
  HOURLY: { date: '2026-06-15', hour: '2026-06-15T14:00:00+0200' },
  MONTHLY: { date: '2026-06-01' },
  RANGE: { date: '2026-06-15' },
  ADNETWORK: { Adnetwork: words },
  CAMPAIGN: { campaignId: digits, campaignName: words },
  ADUNIT: { adId: digits, adName: words, adUnitLimitType: digits, adUnitLimitValue: digits },
  ADVERTISER: { advertiser: words, billingEntity: words },
  CREATIVE: { creativeId: digits },
  PUBLISHERID: { publisherId: digits },
  SUBPUBLISHERID: { subpublisherId: words },
  FORMAT: { format: expect.stringMatching(/^(interstitial|banner|native ad|video|rewarded video)$/) },
  OS: { os: expect.stringMatching(/^(iOS|Android)$/) },
  PLATFORM: { platform: words },
  COUNTRY: { country: words },
  REGION: { adminLevel1: words },
  DEPARTMENT: { adminLevel2: words },
  CITY: { city: words },
  POSTALCODE: { postalcode: words },
  DEVICETYPE: { deviceType: expect.stringMatching(/^(phone|tablet)$/) },
  DEVICEBRAND: { deviceBrand: words },
  DEVICEMODEL: { deviceModel: words },
  CARRIER: { carrier: words },
  BUNDLEID: { bundleId: words },
};
const nullable = 'OS COUNTRY REGION DEPARTMENT CITY POSTALCODE DEVICETYPE DEVICEBRAND DEVICEMODEL SUBPUBLISHERID'.split(
  ' ',
);

describe('breakdowns', () => {
  test.each(Object.entries(fieldsOf))('a buyer by %s', async (breakdown, fields) => {
    const { data, summary } = await buyer({ breakdowns: [breakdown] });
    expect(summary.breakdowns).toEqual([breakdown]);
    const own = Object.keys(fields);
    const expectedFields = new Set([...dimensionFields, ...own, 'displays']);
    const known = data.filter((row) => own.every((field) => row[field] !== null));
    expect(known.length).toBeGreaterThan(0);
    expect(data.length - known.length).toBeLessThanOrEqual(nullable.includes(breakdown) ? 1 : 0);
    for (const row of data) expect(new Set(Object.keys(row))).toEqual(expectedFields);
    for (const row of known) expect(row).toMatchObject(fields);
    for (const row of data) {
      const others = dimensionFields.filter((field) => !own.includes(field));
      expect(others.filter((field) => row[field] !== null)).toEqual([]);
    }
    expect(new Set(data.map((row) => JSON.stringify(own.map((field) => row[field])))).size).toBe(data.length);
  });
});

describe('order', () => {
  test('the order of the breakdowns in the request changes the summary alone', async () => {
    const one = await buyer({ breakdowns: ['OS', 'CAMPAIGN'] });
    const other = await buyer({ breakdowns: ['CAMPAIGN', 'OS'] });
    expect(other.data).toEqual(one.data);
    expect([one.summary.breakdowns, other.summary.breakdowns]).toEqual([
      ['OS', 'CAMPAIGN'],
      ['CAMPAIGN', 'OS'],
    ]);
  });
});

describe('filters', () => {
  test.each([
    ['an id that does not exist', { campaignId: ['99999999'] }],
    ['an id with a leading zero', { campaignId: ['040001'] }],
    ['a name in another case', { carrier: ['sfr'] }],
    ['a name with a blank more', { deviceModel: ['iPhone 15 '] }],
    ["another account's campaign", { campaignId: ['40050'] }],
  ])('%s selects nothing, and is no error', async (_name, filter) => {
    expect((await buyer({ ...filter, breakdowns: ['CAMPAIGN'] })).data).toEqual([]);
  });
});
