import { type MetricName, metrics } from '../../contract/vocabulary.ts';
import { type Fact, noDimensions } from '../fixtures/fixtures.ts';
import type { AdUnitTraffic } from './ad-units.ts';
import busy from './busy-hours.json' with { type: 'json' };
import { mixBits } from './random.ts';

/**
 * Draws the facts of an ad unit in an hour. Integer arithmetic gives the same facts on every
 * machine.
 *
 * @param hourBits 32 random bits for the hour
 * @param scale multiplies the number of facts
 */
export function drawFacts(
  adUnit: AdUnitTraffic,
  hour: number,
  { hourBits, scale }: { readonly hourBits: number; readonly scale: number },
): Fact[] {
  const bits = mixBits(hourBits, adUnit.seed);
  const count = (2 + (bits & 3)) * scale;
  const traffic = {
    level: Math.floor((adUnit.volume * computeTrafficShare(hour)) / 250_000),
    dollarRate: computeDollarRate(hour),
  };
  const facts: Fact[] = [];
  for (let nth = 1; nth <= count; nth++) facts.push(drawFact(adUnit, traffic, mixBits(bits, nth)));
  return facts;
}

/** Properties shared by all facts of an ad unit in an hour. */
interface Traffic {
  /** Mean number of requests. */
  readonly level: number;

  /** Price of a euro in ten-thousandths of a dollar. */
  readonly dollarRate: number;
}

/** @param bits 32 random bits that determine the fact */
function drawFact(adUnit: AdUnitTraffic, traffic: Traffic, bits: number): Fact {
  const moreBits = mixBits(bits, 1);
  const creative = adUnit.creatives[bits >>> 24];
  const place = adUnit.places[(bits >>> 8) & 255];
  const carrier = place?.next[moreBits & 255];
  const device = adUnit.devices[bits & 255];
  const app = device?.next[(bits >>> 16) & 255];
  const subPublisher = app?.next[(moreBits >>> 8) & 255];

  return {
    // A carrier includes the dimensions of its place, and an app those of its device.
    dimensions: {
      ...noDimensions,
      ...creative?.dimensions,
      ...carrier?.dimensions,
      ...app?.dimensions,
      ...subPublisher?.dimensions,
    },
    metrics: drawMetrics(adUnit, traffic, bits),
  };
}

/**
 * Draws metrics with requests ≥ displays ≥ clicks ≥ each conversion, in whole numbers and whole
 * cents.
 */
function drawMetrics(
  adUnit: AdUnitTraffic,
  { level, dollarRate }: Traffic,
  factBits: number,
): Fact['metrics'] {
  const bits = mixBits(factBits, 2);
  const moreBits = mixBits(factBits, 3);
  const requests = 1 + Math.floor((level * (64 + (bits & 127))) / 128);
  const displays = Math.floor((requests * (700 + ((bits >>> 7) & 255))) / 1_000);
  const clickRate = adUnit.clicksPerThousand + ((bits >>> 15) & 3);
  const clicks = drawShare(displays, clickRate, bits >>> 20);
  const cents = Math.floor((displays * adUnit.cpm) / 1_000) + clicks * adUnit.cpc;

  const values: Partial<Record<MetricName, number>> = {
    requests,
    displays,
    clicks,
    downloads: drawShare(clicks, 90, moreBits & 1_023),
    leads: drawShare(clicks, 40, (moreBits >>> 10) & 1_023),
    landings: drawShare(clicks, 620, moreBits >>> 20),
    revenueEuro: cents,
    revenueDollar: Math.floor((cents * dollarRate) / 10_000),
    eyesTrackings: drawShare(displays, 310, moreBits >>> 5),
  };

  // Any other metric in the vocabulary gets a share of the displays or the revenue.
  for (const { name, type } of metrics) {
    const whole = type === 'money' ? cents : displays;
    values[name] ??= drawShare(whole, 120, moreBits >>> 9);
  }
  return values as Fact['metrics'];
}

/** Computes a share of a number, rounded up or down at random. */
function drawShare(value: number, thousandths: number, bits: number): number {
  return Math.floor((value * thousandths + (bits % 1_000)) / 1_000);
}

/** Returns the price of a euro in ten-thousandths of a dollar, by day. */
function computeDollarRate(hour: number): number {
  const day = Math.floor(hour / 24);
  return 10_700 + (mixBits(day, 7) & 1_023);
}

/**
 * Computes the traffic of an hour in millionths of the busiest hour, from percentages by hour of
 * day, weekday and month. Central European winter time is accurate enough.
 */
function computeTrafficShare(hour: number): number {
  const local = new Date((hour + 1) * 3_600_000);
  const byHour = busy.byHourOfDay[local.getUTCHours()] ?? 0;
  const byWeekday = busy.byDayOfWeek[local.getUTCDay()] ?? 0;
  const byMonth = busy.byMonthOfYear[local.getUTCMonth()] ?? 0;
  return byHour * byWeekday * byMonth;
}
