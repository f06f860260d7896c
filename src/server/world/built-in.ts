import { type MetricName, metrics } from '../../contract/vocabulary.ts';
import { type Account, type Fact, type FactSource, type Fixtures, noDimensions } from '../fixtures/fixtures.ts';
import { type AdUnitPlan, builtInCampaigns, builtInCatalog } from './catalog.ts';
import { mix } from './random.ts';

/** An account whose token is easy to recognise, and plainly no secret: 40 hexadecimal digits. */
function account(name: string, tokenEnd: string, profile: 'buyer' | 'dsp', advertisers: string): Account {
  const own = { email: `${name}@example.com`, password: 'demo', token: tokenEnd.padStart(40, '0') };
  return { name, ...own, profile, admin: name === 'admin', advertiserIds: advertisers.split(' ') };
}

/** The built-in accounts. The names of `awkward` are hostile on purpose, and no other account sees them. */
const accounts: readonly Account[] = [
  account('buyer', 'b1', 'buyer', '501 502 503 504 505 509 510'),
  account('admin', 'ad', 'buyer', '501 502 503 504 505 506 507 508 509 510 511 512'),
  account('dsp', 'd5', 'dsp', '505 506 507 508 511 512'),
  account('awkward', 'a4', 'buyer', '591 592'),
];

/**
 * The built-in data: accounts, campaigns, and facts for every hour from 1970 to 9999 (`decisions.md` 7). The facts of an
 * hour and ad unit are a pure function of both and the seed, the same on every machine.
 * @param options.seed any whole number; another seed is other traffic of the same campaigns.
 * @param options.scale multiplies the number of facts; a whole number from 1.
 */
export function builtInFixtures({ seed, scale }: { readonly seed: number; readonly scale: number }): Fixtures {
  const { names, adUnits } = builtInCatalog();
  const facts: FactSource = {
    firstHour: Math.min(...adUnits.map(({ firstHour }) => firstHour)),
    lastHour: Math.max(...adUnits.map(({ lastHour }) => lastHour)),
    *ofHour(hour, isWanted) {
      const hourBits = mix(seed, hour);
      for (const adUnit of adUnits) {
        if (hour < adUnit.firstHour || hour > adUnit.lastHour || !isWanted(adUnit.dimensions)) continue;
        const bits = mix(hourBits, adUnit.seed);
        for (let nth = 1; nth <= (2 + (bits & 3)) * scale; nth++) yield drawFact(adUnit, hour, mix(bits, nth));
      }
    },
  };
  return { accounts, campaigns: builtInCampaigns, names, facts };
}

/** @param bits 32 random bits, from which everything about the fact follows */
function drawFact(adUnit: AdUnitPlan, hour: number, bits: number): Fact {
  const more = mix(bits, 1);
  const creative = adUnit.creatives[bits >>> 24];
  const carrier = adUnit.places[(bits >>> 8) & 255]?.next[more & 255];
  const app = adUnit.devices[bits & 255]?.next[(bits >>> 16) & 255];
  const subPublisher = app?.next[(more >>> 8) & 255];
  const drawn = [creative, carrier, app, subPublisher].map((choice) => choice?.dimensions);
  return {
    dimensions: Object.assign({}, noDimensions, ...drawn),
    metrics: drawMetrics(adUnit, hour, mix(bits, 2), mix(bits, 3)),
  };
}

/** Requests ≥ displays ≥ clicks ≥ each conversion; whole numbers and whole cents, by integer arithmetic alone. */
function drawMetrics(adUnit: AdUnitPlan, hour: number, bits: number, more: number): Record<MetricName, number> {
  const share = (value: number, thousandths: number, dither: number): number =>
    Math.floor((value * thousandths + (dither % 1_000)) / 1_000);
  const level = Math.floor((adUnit.volume * busyness(hour)) / 250_000);
  const requests = 1 + Math.floor((level * (64 + (bits & 127))) / 128);
  const displays = Math.floor((requests * (700 + ((bits >>> 7) & 255))) / 1_000);
  const clicks = share(displays, adUnit.clickRate + ((bits >>> 15) & 3), bits >>> 20);
  const cents = Math.floor((displays * adUnit.cpm) / 1_000) + clicks * adUnit.cpc;
  // The ten-thousandths of a dollar for a euro on that day.
  const rate = 10_700 + (mix(Math.floor(hour / 24), 7) & 1_023);
  const drawn: Partial<Record<MetricName, number>> = {
    requests,
    displays,
    clicks,
    downloads: share(clicks, 90, more & 1_023),
    leads: share(clicks, 40, (more >>> 10) & 1_023),
    landings: share(clicks, 620, more >>> 20),
    revenueEuro: cents,
    revenueDollar: Math.floor((cents * rate) / 10_000),
    eyesTrackings: share(displays, 310, more >>> 5),
  };
  // A metric that is new in the vocabulary has data too: a share of the displays or of the revenue.
  for (const { name, type } of metrics) drawn[name] ??= share(type === 'money' ? cents : displays, 120, more >>> 9);
  return drawn as Record<MetricName, number>;
}

/** Requests by the hour of the day, by the weekday from Sunday, and by the month, in percent of the busiest. */
const ofHour = [22, 14, 9, 7, 8, 14, 30, 52, 64, 62, 60, 64, 78, 74, 62, 60, 64, 72, 82, 92, 100, 98, 76, 44];
const ofWeekday = [97, 88, 86, 87, 90, 94, 100];
const ofMonth = [74, 72, 78, 80, 84, 82, 76, 68, 84, 90, 98, 100];

/** How busy an hour is, in millionths of the busiest. Central European winter time is near enough for a curve. */
function busyness(hour: number): number {
  const local = new Date((hour + 1) * 3_600_000);
  return (ofHour[local.getUTCHours()] ?? 0) * (ofWeekday[local.getUTCDay()] ?? 0) * (ofMonth[local.getUTCMonth()] ?? 0);
}
