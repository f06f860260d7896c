/** The breakdowns of a report, and the keys of its rows. */
export interface ReportShape {
  /** As `--by` takes them. */
  readonly breakdowns: string;

  /** The columns that the request leads to. */
  readonly columns: readonly string[];

  /** The values of the breakdowns in a row, which no other row has all of. */
  keysOf(row: number, rowCount: number): Readonly<Record<string, string | null>>;
}

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

/** The number of countries or campaigns. */
const groupCount = 40;

function dayOf(row: number, rowCount: number): string {
  const day = 1 + Math.floor((30 * row) / rowCount);
  return `2026-09-${String(day).padStart(2, '0')}`;
}

export const byDayAndCampaign: ReportShape = {
  breakdowns: 'DAILY,CAMPAIGN,SUBPUBLISHERID',
  columns: ['date', 'campaignId', 'campaignName', 'subpublisherId', ...metrics],
  keysOf(row, rowCount) {
    const campaign = 1000 + (row % groupCount);
    return {
      date: dayOf(row, rowCount),
      campaignId: String(campaign),
      campaignName: `${campaignNames[campaign % campaignNames.length]} ${campaign}`,
      subpublisherId: String(100_000 + Math.floor(row / groupCount)),
    };
  },
};

/** A quarter of the rows have no country, as where the service does not know it. */
export const byCountry: ReportShape = {
  breakdowns: 'COUNTRY,SUBPUBLISHERID',
  columns: ['country', 'subpublisherId', ...metrics],
  keysOf(row) {
    const hasCountry = row % 4 !== 0;
    const subpublisher = hasCountry ? Math.floor(row / groupCount) : row;
    return {
      country: hasCountry ? `Country ${row % groupCount}` : null,
      subpublisherId: String(100_000 + subpublisher),
    };
  },
};

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
export function* bodyOf(shape: ReportShape, rowCount: number): Generator<string> {
  for (let row = 0; row < rowCount; row += 1000) {
    const length = Math.min(1000, rowCount - row);
    const texts = Array.from({ length }, (_, i) => JSON.stringify(rowAt(shape, row + i, rowCount)));
    yield (row === 0 ? '{"data":[' : ',') + texts.join(',');
  }

  const summary = {
    since: `${firstDay}T00:00:00+0200`,
    until: `${lastDay}T23:59:59+0200`,
    breakdowns: shape.breakdowns.split(','),
    timezone: 'europe/paris',
  };
  yield `],"summary":${JSON.stringify(summary)}}`;
}

function rowAt(shape: ReportShape, row: number, rowCount: number): object {
  // A number that looks random and is not: Knuth's multiplicative hash.
  const noise = (salt: number): number => (Math.imul(row + salt, 2_654_435_761) >>> 0) / 2 ** 32;
  const { date, hour, ...keys } = shape.keysOf(row, rowCount);
  const displays = Math.floor(noise(2) * 1e5);
  return {
    ...(date === undefined ? {} : { date }),
    ...(hour === undefined ? {} : { hour }),
    ...emptyFields,
    ...keys,
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
