import { describe, expect, test } from 'vitest';
import { call, type ReportDocument, reportOf, startForFile, startForTest } from './local.ts';
import type { Row } from './reference-report.ts';

/** Row fields, their nulls, types and order (service specification, Report data; `decisions.md` 4). */

const { server } = await startForFile();

/** One hour of 2026-06-15, in Paris 14:00. */
const hour = { since: 1781524800, until: 1781528399 };
/** Two whole Paris days, 2026-06-14 and 2026-06-15. */
const days = { since: 1781388000, until: 1781560799 };

const dimensionFields = [
  'Adnetwork',
  'campaignId',
  'campaignName',
  'adId',
  'adName',
  'adUnitLimitType',
  'adUnitLimitValue',
  'advertiser',
  'billingEntity',
  'creativeId',
  'subpublisherId',
  'os',
  'platform',
  'country',
  'adminLevel1',
  'adminLevel2',
  'city',
  'postalcode',
  'deviceType',
  'deviceBrand',
  'deviceModel',
  'carrier',
  'bundleId',
];

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

  test('come in the order that was asked for', async () => {
    const { data } = await buyer({ metrics: 'revenueDollar,clicks,displays,revenueEuro' });
    expect(Object.keys(data[0] ?? {}).slice(dimensionFields.length)).toEqual([
      'valueDollar',
      'clicks',
      'displays',
      'revenueEuro',
    ]);
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
const nullable = [
  'OS',
  'COUNTRY',
  'REGION',
  'DEPARTMENT',
  'CITY',
  'POSTALCODE',
  'DEVICETYPE',
  'DEVICEBRAND',
  'DEVICEMODEL',
  'SUBPUBLISHERID',
];

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

  test.each([
    ['DAILY', { date: '2026-06-15' }],
    ['HOURLY', { date: '2026-06-15', hour: '2026-06-15T14:00:00+0200' }],
    ['MONTHLY', { date: '2026-06-01' }],
    ['RANGE', { date: '2026-06-15' }],
    ['BUNDLEID', { bundleId: words }],
    ['FORMAT', { format: words }],
  ])('a DSP by %s has only what was asked for', async (breakdown, fields) => {
    const { data } = await reportOf(server, 'dsp', {
      ...hour,
      metrics: 'displays,revenueEuro',
      breakdowns: [breakdown],
    });
    expect(data.length).toBeGreaterThan(0);
    for (const row of data) {
      expect(Object.keys(row)).toEqual([...Object.keys(fields), 'displays', 'revenueEuro']);
      expect(row).toMatchObject(fields);
    }
  });

  test.each(Object.keys(fieldsOf))('by %s the metrics add up to the whole', async (breakdown) => {
    const metrics = 'displays,clicks,revenueEuro';
    const [whole] = (await buyer({ ...days, metrics })).data;
    const { data } = await buyer({ ...days, metrics, breakdowns: [breakdown] });
    expect(sumOf(data, 'displays')).toBe(whole?.displays);
    expect(sumOf(data, 'clicks')).toBe(whole?.clicks);
    expect(Math.round(sumOf(data, 'revenueEuro') * 100)).toBe(Math.round(Number(whole?.revenueEuro) * 100));
  });

  test('all at once: one row for each combination', async () => {
    const breakdowns = Object.keys(fieldsOf).filter((name) => !['DAILY', 'MONTHLY', 'RANGE'].includes(name));
    const { data } = await buyer({ breakdowns });
    const whole = Number((await buyer({})).data[0]?.displays);
    expect(sumOf(data, 'displays')).toBe(whole);
    const keys = data.map(({ displays: _displays, ...dimensions }) => JSON.stringify(dimensions));
    expect(new Set(keys).size).toBe(keys.length);
    expect(Object.keys(data[0] ?? {})).toEqual([
      'date',
      'hour',
      ...dimensionFields.slice(0, 10),
      'publisherId',
      'subpublisherId',
      'format',
      ...dimensionFields.slice(11),
      'displays',
    ]);
  });
});

function sumOf(rows: readonly Row[], field: string): number {
  return rows.reduce((sum, row) => sum + Number(row[field]), 0);
}

describe('order', () => {
  test('by time, then by the dimensions in row order', async () => {
    const { data } = await buyer({ ...days, breakdowns: ['COUNTRY', 'DAILY', 'CAMPAIGN'] });
    const keys = data.map(({ date, campaignId, country }) =>
      [String(date), String(campaignId).padStart(12, '0'), country === null ? '\uffff' : String(country)].join(
        '\u0000',
      ),
    );
    expect(keys).toEqual(keys.toSorted());
    expect(keys.length).toBeGreaterThan(20);
  });

  test('the order of the breakdowns in the request changes the summary alone', async () => {
    const one = await buyer({ breakdowns: ['OS', 'CAMPAIGN'] });
    const other = await buyer({ breakdowns: ['CAMPAIGN', 'OS'] });
    expect(other.data).toEqual(one.data);
    expect([one.summary.breakdowns, other.summary.breakdowns]).toEqual([
      ['OS', 'CAMPAIGN'],
      ['CAMPAIGN', 'OS'],
    ]);
  });

  test('the same request gives the same bytes, on another server too', async () => {
    const json = {
      ...days,
      metrics: 'displays,revenueEuro',
      breakdowns: ['DAILY', 'CITY', 'ADUNIT'],
      output: 'direct',
    };
    const first = await call(server, '/buyer-reporting', { as: 'buyer', json });
    const twin = await startForTest();
    expect((await call(twin, '/buyer-reporting', { as: 'buyer', json })).text).toBe(first.text);
  });
});

describe('filters', () => {
  test.each([
    ['advertiserId', ['501', '503'], 'ADVERTISER', 'advertiser', /^(Café Déjà Vu|Nordlys Reisen GmbH)$/],
    ['adunitId', ['70001', '70003'], 'ADUNIT', 'adId', /^(70001|70003)$/],
    ['campaignId', ['40001'], 'CAMPAIGN', 'campaignId', /^40001$/],
    ['osId', ['1'], 'OS', 'os', /^iOS$/],
    ['formatId', ['1', '3'], 'FORMAT', 'format', /^(interstitial|native ad)$/],
    ['countryId', ['3017382', '2921044'], 'COUNTRY', 'country', /^(France|Germany)$/],
    ['regionId', ['3012874'], 'REGION', 'adminLevel1', /^Île-de-France$/],
    ['departmentId', ['2968815'], 'DEPARTMENT', 'adminLevel2', /^Paris$/],
    ['cityId', ['2988507', '2996944'], 'CITY', 'city', /^(Paris|Lyon)$/],
    ['postalcode', ['6618617'], 'POSTALCODE', 'postalcode', /^75011$/],
    ['adNetworkId', ['2'], 'ADNETWORK', 'Adnetwork', /^Borealis Exchange$/],
    ['carrier', ['SFR', 'Orange F'], 'CARRIER', 'carrier', /^(SFR|Orange F)$/],
    ['deviceTypeId', ['2'], 'DEVICETYPE', 'deviceType', /^tablet$/],
    ['deviceBrandId', ['2', '3'], 'DEVICEBRAND', 'deviceBrand', /^(Samsung|Xiaomi)$/],
    [
      'deviceModel',
      ['iPad Pro 12.9"', 'Tab M10, 3rd Gen'],
      'DEVICEMODEL',
      'deviceModel',
      /^(iPad Pro 12\.9"|Tab M10, 3rd Gen)$/,
    ],
  ])('%s selects exactly the rows of its values', async (filter, values, breakdown, field, names) => {
    const admin = (more: object) =>
      reportOf(server, 'admin', { ...days, metrics: 'displays', breakdowns: [breakdown], ...more });
    const { data: all } = await admin({});
    const { data: selected } = await admin({ [filter]: values });
    expect(selected.length).toBe(values.length);
    for (const row of selected) expect(row[field]).toMatch(names);
    for (const row of selected) expect(all).toContainEqual(row);
    expect(all.length).toBeGreaterThan(selected.length);
    const form = new URLSearchParams({
      since: String(days.since),
      until: String(days.until),
      metrics: 'displays',
      output: 'direct',
    });
    form.append('breakdowns[7]', breakdown);
    for (const [index, value] of values.entries()) form.append(`${filter}[${index * 9}]`, value);
    const asForm = await call(server, '/buyer-reporting', { as: 'admin', form: form.toString() });
    expect((JSON.parse(asForm.text) as ReportDocument).data).toEqual(selected);
  });

  test('of different names are and-ed, values of one are or-ed', async () => {
    const total = async (filters: object) => sumOf((await buyer({ ...days, ...filters })).data, 'displays');
    const [ios, android] = [await total({ osId: ['1'] }), await total({ osId: ['2'] })];
    expect(await total({ osId: ['1', '2'] })).toBe(ios + android);
    const both = await total({ osId: ['1'], countryId: ['3017382'] });
    expect(both).toBeLessThan(ios);
    const { data } = await buyer({ ...days, breakdowns: ['OS', 'COUNTRY'] });
    expect(both).toBe(
      sumOf(
        data.filter(({ os, country }) => os === 'iOS' && country === 'France'),
        'displays',
      ),
    );
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
});
