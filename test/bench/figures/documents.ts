import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** Writes a report of so many rows of about 670 bytes, as the service sends it; the same bytes every time. */
export async function writeDocument(file: string, rowCount: number): Promise<void> {
  await pipeline(Readable.from(pieces(rowCount)), createWriteStream(file));
}

const summary =
  '{"since":"2026-01-01T00:00:00+0100","until":"2026-12-31T23:59:59+0100","breakdowns":["DAILY"],"timezone":"europe/paris"}';

/** A thousand rows at a time. */
function* pieces(rowCount: number): Generator<string> {
  for (let row = 0; row < rowCount; row += 1000) {
    const length = Math.min(1000, rowCount - row);
    const texts = Array.from({ length }, (_, i) => JSON.stringify(rowOf(row + i, rowCount)));
    yield (row === 0 ? '{"data":[' : ',') + texts.join(',');
  }
  yield `],"summary":${summary}}`;
}

const names = ['Summer Sale', 'Black Friday', 'Été à Paris', 'Retargeting, basket', 'App install "hero"', 'Launch'];

const fixed = {
  ...{ Adnetwork: 'Core network', adUnitLimitType: '1', billingEntity: 'Example SAS', subpublisherId: null },
  ...{ platform: 'mobile', country: 'France', adminLevel1: null, adminLevel2: null, city: null, postalcode: null },
  ...{ deviceType: 'phone', deviceBrand: 'Samsung', deviceModel: null, carrier: 'Orange', eyesTrackings: 0 },
};

function rowOf(row: number, rowCount: number): object {
  // A number that looks random and is not: Knuth's multiplicative hash.
  const noise = (salt: number): number => (Math.imul(row + salt, 2_654_435_761) >>> 0) / 2 ** 32;
  const campaign = 1000 + Math.floor(noise(1) * 40);
  return {
    date: new Date(Date.UTC(2026, 0, 1 + Math.floor((365 * row) / rowCount))).toISOString().slice(0, 10),
    ...fixed,
    campaignId: String(campaign),
    campaignName: `${names[campaign % names.length]} ${campaign}`,
    adId: String(campaign * 7),
    adName: `Interstitial ${campaign} v${row % 9}`,
    adUnitLimitValue: String(row % 1000),
    advertiser: `Advertiser ${campaign % 7}`,
    creativeId: String(campaign * 13),
    os: row % 3 === 0 ? 'iOS' : 'Android',
    bundleId: `com.example.app${campaign}`,
    displays: Math.floor(noise(2) * 1e5),
    clicks: Math.floor(noise(3) * 1e4),
    downloads: Math.floor(noise(4) * 1e3),
    leads: row % 17,
    landings: row % 5,
    revenueEuro: Math.floor(noise(5) * 1e6) / 100,
    valueDollar: Math.floor(noise(6) * 1e6) / 100,
  };
}
