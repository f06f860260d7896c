import { expect, test } from 'vitest';
import { breakdowns, filters, metrics, vocabularyOf } from '../../src/contract/vocabulary.ts';

/**
 * The vocabulary has the names of `spec/reporting-service.md`, repeated here. It may have others
 * too.
 */

interface Named {
  readonly name: string;
}

function namesOf(entries: readonly Named[]): string[] {
  return entries.map(({ name }) => name);
}

test('metrics', () => {
  const traffic = ['requests', 'displays', 'clicks'];
  const conversions = ['downloads', 'leads', 'landings'];
  const others = ['revenueEuro', 'revenueDollar', 'eyesTrackings'];

  expect(namesOf(metrics)).toEqual(expect.arrayContaining([...traffic, ...conversions, ...others]));
});

test('breakdowns', () => {
  const byTime = ['DAILY', 'HOURLY', 'MONTHLY', 'RANGE'];
  const bySeller = ['ADNETWORK', 'PUBLISHERID', 'SUBPUBLISHERID', 'BUNDLEID', 'FORMAT'];
  const byBuyer = ['CAMPAIGN', 'ADUNIT', 'ADVERTISER', 'CREATIVE'];
  const byPlace = ['COUNTRY', 'REGION', 'DEPARTMENT', 'CITY', 'POSTALCODE'];
  const byDevice = ['OS', 'PLATFORM', 'DEVICETYPE', 'DEVICEBRAND', 'DEVICEMODEL', 'CARRIER'];

  expect(namesOf(breakdowns)).toEqual(
    expect.arrayContaining([...byTime, ...bySeller, ...byBuyer, ...byPlace, ...byDevice]),
  );
});

test('filters', () => {
  const ofBuyers = ['advertiserId', 'adunitId', 'campaignId', 'formatId', 'adNetworkId'];
  const ofPlaces = ['countryId', 'regionId', 'departmentId', 'cityId', 'postalcode'];
  const ofDevices = ['osId', 'carrier', 'deviceTypeId', 'deviceBrandId', 'deviceModel'];

  expect(namesOf(filters)).toEqual(
    expect.arrayContaining([...ofBuyers, ...ofPlaces, ...ofDevices]),
  );
});

test('what a DSP may request', () => {
  const dsp = vocabularyOf('dsp');

  expect(namesOf(dsp.metrics)).toEqual(['displays', 'revenueEuro', 'revenueDollar']);
  expect(namesOf(dsp.breakdowns)).toEqual([
    'DAILY',
    'HOURLY',
    'MONTHLY',
    'RANGE',
    'FORMAT',
    'BUNDLEID',
  ]);
  expect(dsp.filters).toEqual([]);
});
