import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ReportRequest } from '../../src/contract/messages.ts';
import { encodeCsv, encodeJson } from '../../src/server/encode/encode-report.ts';
import { commaDecimal, shortestDecimal } from '../../src/server/encode/money.ts';
import { computeReport } from '../../src/server/engine/compute-report.ts';
import { builtInFixtures } from '../../src/server/fixtures/built-in.ts';
import { byDimension, dimensionNames, type Member } from '../../src/server/fixtures/facts.ts';
import { type Account, createFixtures } from '../../src/server/fixtures/fixtures.ts';
import { FactStore } from '../../src/server/fixtures/stored-facts.ts';
import { accountOf, reportCsv, reportJson, seconds } from './reports.ts';

const cents = fc.oneof(fc.nat({ max: 10_000 }), fc.maxSafeNat());

describe('money', () => {
  test('is the shortest decimal, which reads as the number of cents divided by 100', () => {
    expect([0, 5, 10, 99, 100, 1230, 123450, 2 ** 53 - 1].map(shortestDecimal)).toEqual([
      '0',
      '0.05',
      '0.1',
      '0.99',
      '1',
      '12.3',
      '1234.5',
      '90071992547409.91',
    ]);
    fc.assert(
      fc.property(cents, (value) => {
        expect(shortestDecimal(value)).toMatch(/^(0|[1-9]\d*)(\.\d?[1-9])?$/);
        const [whole = '', fraction = ''] = shortestDecimal(value).split('.');
        expect(BigInt(whole + fraction.padEnd(2, '0'))).toBe(BigInt(value));
      }),
    );
  });

  test('of a DSP has a comma and two decimals', () => {
    expect([0, 5, 10, 100, 123450].map(commaDecimal)).toEqual(['0,00', '0,05', '0,10', '1,00', '1234,50']);
    fc.assert(
      fc.property(cents, (value) => {
        expect(commaDecimal(value)).toMatch(/^(0|[1-9]\d*),\d\d$/);
        expect(BigInt(commaDecimal(value).replace(',', ''))).toBe(BigInt(value));
      }),
    );
  });
});

const owner: Account = {
  name: 'owner',
  email: 'owner@example.com',
  password: 'x',
  profile: 'buyer',
  admin: true,
  token: 'x',
  advertiserIds: [],
};

/** One fact, whose campaign has the name given, in the first hour of 2026. */
function oneFact(campaignName: string | null) {
  const members = byDimension((name): Member[] => [
    { id: '1', values: name === 'CAMPAIGN' ? ['40', campaignName] : ['x', 'y', '0', '0'] },
  ]);
  const store = new FactStore();
  store.add(
    seconds('2026-01-01T00:00:00Z') / 3600,
    dimensionNames.map(() => 0),
    [10, 9, 8, 7, 6, 5, 123450, 5, 1],
  );
  return createFixtures([owner], [], store.source(members));
}

const day = { since: seconds('2026-01-01T00:00:00Z'), until: seconds('2026-01-01T23:59:59Z') };

describe('a report as text', () => {
  const request = { ...day, metrics: ['clicks', 'revenueEuro', 'revenueDollar'], breakdowns: ['HOURLY', 'CAMPAIGN'] };

  test('as JSON is a document of data and summary, every dimension of a buyer in it', async () => {
    expect(await reportJson(oneFact('é "1"\n'), owner, request)).toMatchInlineSnapshot(
      `"{"data":[{"date":"2026-01-01","hour":"2026-01-01T01:00:00+0100","Adnetwork":null,"campaignId":"40","campaignName":"é \\"1\\"\\n","adId":null,"adName":null,"adUnitLimitType":null,"adUnitLimitValue":null,"advertiser":null,"billingEntity":null,"creativeId":null,"subpublisherId":null,"os":null,"platform":null,"country":null,"adminLevel1":null,"adminLevel2":null,"city":null,"postalcode":null,"deviceType":null,"deviceBrand":null,"deviceModel":null,"carrier":null,"bundleId":null,"clicks":8,"revenueEuro":1234.5,"valueDollar":0.05}],"summary":{"since":"2026-01-01T01:00:00+0100","until":"2026-01-02T00:59:59+0100","breakdowns":["HOURLY","CAMPAIGN"],"timezone":"europe/paris"}}"`,
    );
  });

  test('as CSV has a header and CRLF line ends', async () => {
    expect(await reportCsv(oneFact('a,b'), owner, request)).toBe(
      [
        'date,hour,Adnetwork,campaignId,campaignName,adId,adName,adUnitLimitType,adUnitLimitValue,advertiser,billingEntity,' +
          'creativeId,subpublisherId,os,platform,country,adminLevel1,adminLevel2,city,postalcode,deviceType,deviceBrand,' +
          'deviceModel,carrier,bundleId,clicks,revenueEuro,valueDollar',
        '2026-01-01,2026-01-01T01:00:00+0100,,40,"a,b",,,,,,,,,,,,,,,,,,,,,8,1234.5,0.05',
        '',
      ].join('\r\n'),
    );
  });

  test.each([
    ['plain', 'plain'],
    ['', '""'],
    [null, ''],
    ['say "hi"', '"say ""hi"""'],
    ['two\nlines', '"two\nlines"'],
    ['two\rlines', '"two\rlines"'],
    ['=1+1', '=1+1'],
    ['\u001b[31m', '\u001b[31m'],
  ])('a CSV field of %j is %j', async (name, field) => {
    const text = await reportCsv(oneFact(name), owner, { ...request, breakdowns: ['CAMPAIGN'] });
    expect(text.slice(text.indexOf('\r\n') + 2)).toBe(`,40,${field},,,,,,,,,,,,,,,,,,,,,8,1234.5,0.05\r\n`);
  });

  test('of a DSP has what was asked for, money as text with a comma', async () => {
    const dsp: Account = { ...owner, profile: 'dsp' };
    const asked = { ...day, metrics: ['revenueDollar', 'displays', 'revenueEuro'], breakdowns: ['FORMAT', 'DAILY'] };
    expect(JSON.parse(await reportJson(oneFact('a'), dsp, asked)).data).toEqual([
      { date: '2026-01-01', format: 'x', revenueDollar: '0,05', displays: 9, revenueEuro: '1234,50' },
    ]);
    expect(await reportCsv(oneFact('a'), dsp, asked)).toBe(
      'date,format,revenueDollar,displays,revenueEuro\r\n2026-01-01,x,"0,05",9,"1234,50"\r\n',
    );
  });

  test('without rows is still whole', async () => {
    const asked = { ...day, since: day.until, metrics: ['clicks'], breakdowns: [] };
    expect(JSON.parse(await reportJson(oneFact('a'), owner, asked)).data).toEqual([]);
    expect(await reportCsv(oneFact('a'), { ...owner, profile: 'dsp' }, { ...asked, breakdowns: ['DAILY'] })).toBe(
      'date,clicks\r\n',
    );
  });
});

test('a long report comes in pieces of about 64 KB, none of them empty', async () => {
  const fixtures = builtInFixtures({ seed: 1, scale: 1 });
  const week = { since: seconds('2026-10-19T00:00:00Z'), until: seconds('2026-10-25T23:59:59Z') };
  const request = { ...week, metrics: ['displays'], breakdowns: ['HOURLY', 'ADUNIT'], filters: {} };
  const table = () =>
    computeReport(fixtures, accountOf(fixtures, 'admin'), request as ReportRequest, { nowMs: 0, restateDays: 0 });
  for (const encode of [encodeJson, encodeCsv]) {
    const lengths: number[] = [];
    for await (const piece of encode(table())) lengths.push(piece.length);
    expect(lengths.length).toBeGreaterThan(3);
    expect(Math.min(...lengths)).toBeGreaterThan(0);
    expect(Math.max(...lengths)).toBeLessThan(70_000);
  }
});
