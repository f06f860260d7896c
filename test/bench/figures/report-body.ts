/** The window of every report: thirty days without a change of the clock. */
export const firstDay = '2026-09-01';
export const lastDay = '2026-09-30';

const metrics = [
  'requests',
  'displays',
  'clicks',
  'downloads',
  'leads',
  'landings',
  'revenueEuro',
  'valueDollar',
];

/** As `--metrics` takes them. */
export const metricNames = metrics.join(',').replace('valueDollar', 'revenueDollar');

const campaignNames = [
  'Summer Sale',
  'Black Friday',
  'Été à Paris',
  'Retargeting basket',
  'App install "hero"',
  'Launch, again',
];

const campaignCount = 40;

/** As `--by` takes them. */
export const breakdowns = 'DAILY,CAMPAIGN,SUBPUBLISHERID';

/** The columns that the request leads to. */
export const columns = ['date', 'campaignId', 'campaignName', 'subpublisherId', ...metrics];

/** The fields of a buyer's row that have no value unless they are asked for. */
const emptyFields = {
  Adnetwork: null,
  campaignId: null,
  campaignName: null,
  adId: null,
  adName: null,
  adUnitLimitType: null,
  adUnitLimitValue: null,
  advertiser: null,
  billingEntity: null,
  creativeId: null,
  subpublisherId: null,
  os: null,
  platform: null,
  country: null,
  adminLevel1: null,
  adminLevel2: null,
  city: null,
  postalcode: null,
  deviceType: null,
  deviceBrand: null,
  deviceModel: null,
  carrier: null,
  bundleId: null,
};

/**
 * A report of so many rows of about 630 bytes, as the service sends it, a thousand at a time; the
 * same bytes every time.
 */
export function* bodyOf(rowCount: number): Generator<string> {
  for (let row = 0; row < rowCount; row += 1000) {
    const length = Math.min(1000, rowCount - row);
    const texts = Array.from({ length }, (_, i) => JSON.stringify(rowAt(row + i, rowCount)));
    yield (row === 0 ? '{"data":[' : ',') + texts.join(',');
  }

  const summary = {
    since: `${firstDay}T00:00:00+0200`,
    until: `${lastDay}T23:59:59+0200`,
    breakdowns: breakdowns.split(','),
    timezone: 'europe/paris',
  };
  yield `],"summary":${JSON.stringify(summary)}}`;
}

/** A row whose breakdowns no other row has. */
function rowAt(row: number, rowCount: number): object {
  // A number that looks random and is not: Knuth's multiplicative hash.
  const noise = (salt: number): number => (Math.imul(row + salt, 2_654_435_761) >>> 0) / 2 ** 32;
  const day = 1 + Math.floor((30 * row) / rowCount);
  const campaign = 1000 + (row % campaignCount);
  const displays = Math.floor(noise(2) * 1e5);
  return {
    date: `2026-09-${String(day).padStart(2, '0')}`,
    ...emptyFields,
    campaignId: String(campaign),
    campaignName: `${campaignNames[campaign % campaignNames.length]} ${campaign}`,
    subpublisherId: String(100_000 + Math.floor(row / campaignCount)),
    requests: Math.floor(displays * 1.2),
    displays,
    clicks: Math.floor(noise(3) * 1e4),
    downloads: Math.floor(noise(4) * 1e3),
    leads: row % 17,
    landings: row % 5,
    revenueEuro: Math.floor(noise(5) * 1e6) / 100,
    valueDollar: Math.floor(noise(6) * 1e6) / 100,
    eyesTrackings: 0,
  };
}
