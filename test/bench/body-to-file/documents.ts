import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

export interface Documents {
  /** A report document of a buyer, as the service sends it. */
  readonly json: string;
  /** Its rows alone, one a line: ready-made for those that cannot read the document. */
  readonly ndjson: string;
}

/** Writes a report of so many rows in both forms; the same bytes every time. */
export async function writeDocuments(folder: string, rowCount: number): Promise<Documents> {
  const documents = { json: join(folder, 'report.json'), ndjson: join(folder, 'report.ndjson') };
  await pipeline(Readable.from(jsonPieces(rowCount)), createWriteStream(documents.json));
  await pipeline(Readable.from(ndjsonPieces(rowCount)), createWriteStream(documents.ndjson));
  return documents;
}

const summary =
  '{"since":"2026-01-01T00:00:00+0100","until":"2026-12-31T23:59:59+0100","breakdowns":["DAILY"],"timezone":"europe/paris"}';

function* jsonPieces(rowCount: number): Generator<string> {
  yield '{"data":[';
  for (const piece of pieces(rowCount, ',')) yield piece;
  yield `],"summary":${summary}}`;
}

function* ndjsonPieces(rowCount: number): Generator<string> {
  for (const piece of pieces(rowCount, '\n')) yield piece;
  yield '\n';
}

/** A thousand rows at a time, with the separator between them. */
function* pieces(rowCount: number, separator: string): Generator<string> {
  for (let row = 0; row < rowCount; row += 1000) {
    const length = Math.min(1000, rowCount - row);
    const texts = Array.from({ length }, (_, i) => rowText(row + i, rowCount));
    yield (row === 0 ? '' : separator) + texts.join(separator);
  }
}

const names = [
  'Summer Sale',
  'Black Friday',
  'Été à Paris',
  'Retargeting, basket',
  'App install "hero"',
  'Launch — autumn',
];

function rowText(row: number, rowCount: number): string {
  // A number that looks random and is not: Knuth's multiplicative hash.
  const noise = (salt: number) => (Math.imul(row + salt, 2_654_435_761) >>> 0) / 2 ** 32;
  const campaign = 1000 + Math.floor(noise(1) * 40);
  const day = new Date(Date.UTC(2026, 0, 1 + Math.floor((365 * row) / rowCount))).toISOString().slice(0, 10);
  const head = {
    date: day,
    Adnetwork: 'Core network',
    campaignId: String(campaign),
    campaignName: `${names[campaign % names.length]} ${campaign}`,
    adId: String(campaign * 7),
    adName: `Interstitial ${campaign} v${row % 9}`,
    adUnitLimitType: '1',
    adUnitLimitValue: String(row % 1000),
    advertiser: `Advertiser ${campaign % 7}`,
    billingEntity: 'Example SAS',
    creativeId: String(campaign * 13),
    subpublisherId: null,
    os: row % 3 === 0 ? 'iOS' : 'Android',
    platform: 'mobile',
    country: 'France',
    adminLevel1: null,
    adminLevel2: null,
    city: null,
    postalcode: null,
    deviceType: 'phone',
    deviceBrand: 'Samsung',
    deviceModel: null,
    carrier: 'Orange',
    bundleId: `com.example.app${campaign}`,
    displays: Math.floor(noise(2) * 1e5),
    clicks: Math.floor(noise(3) * 1e4),
    downloads: Math.floor(noise(4) * 1e3),
    leads: row % 17,
    landings: row % 5,
    revenueEuro: Math.floor(noise(5) * 1e6) / 100,
    valueDollar: Math.floor(noise(6) * 1e6) / 100,
    eyesTrackings: 0,
  };
  return JSON.stringify(head);
}
