import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { expect } from 'vitest';
import { type Column, columnsOf, requestedColumns } from '../../src/contract/columns.ts';
import type { ReportRequest } from '../../src/contract/messages.ts';
import type { BreakdownName, MetricName, Profile } from '../../src/contract/vocabulary.ts';
import { vocabularyOf } from '../../src/contract/vocabulary.ts';
import { formatDate, formatInstant, type Window } from '../../src/query/calendar.ts';
import { resolvePeriod } from '../../src/query/period.ts';
import { splitWindow } from '../../src/query/window-parts.ts';
import { checkedNowMs, checkMerged, checkReport, type Scene } from '../support/checked-report.ts';

/**
 * Correct reports of random facts: sparse and dense, with nulls and unusual names, in various
 * formats, and with the members that services add to a document.
 */

/** The facts of one hour: an index per breakdown, and the metrics. */
interface Fact {
  readonly hour: number;
  readonly picks: readonly number[];
  readonly counts: readonly number[];
  readonly money: number;
}

/** The possible values of each field, selected by a fact's index. */
const valuesByField: Readonly<Record<string, readonly (string | null)[]>> = {
  Adnetwork: ['core', 'Total'],
  campaignId: ['70', '071', '12345678901234567'],
  campaignName: ['All', 'Été', 'Sum, "x"'],
  adId: ['700', '701'],
  adName: ['Total', 'b'],
  adUnitLimitType: ['1', '2'],
  adUnitLimitValue: ['100', '0'],
  advertiser: ['Total', 'Seven'],
  billingEntity: ['Total', 'Seven SA'],
  creativeId: ['9', '10'],
  publisherId: ['5', '6'],
  subpublisherId: [null, 'total', 'x'],
  format: ['banner', 'native ad'],
  os: [null, 'iOS', 'Android'],
  platform: ['web', 'app'],
  country: [null, 'France', 'Allemagne', 'Niger', 'Atlantis'],
  adminLevel1: [null, 'Somme', 'Bayern'],
  adminLevel2: [null, 'Tout', 'x'],
  city: [null, 'Paris', 'Paris '],
  postalcode: [null, '75001', '01000'],
  deviceType: [null, 'phone', 'tablet'],
  deviceBrand: [null, 'Apple', '-'],
  deviceModel: [null, 'Pixel', 'pixel'],
  carrier: [null, 'SFR', 'Orange F'],
  bundleId: ['com.x', ''],
};

const fields = Object.keys(valuesByField);

const periods = [
  '2026-11-01',
  '2026-10-24..2026-10-26',
  '2027-03-27..2027-03-29',
  '2026-10-30..2026-11-01',
  '2027-04-03..2027-04-05',
];
const zones = ['Europe/Paris', 'UTC', 'America/New_York', 'Asia/Kathmandu', 'Australia/Lord_Howe'];

const world = fc.constantFrom<Profile>('buyer', 'buyer', 'dsp').chain((profile) => {
  const { breakdowns, metrics } = vocabularyOf(profile);
  const names = breakdowns.filter(({ time }) => !time).map(({ name }) => name);
  return fc.record({
    profile: fc.constant(profile),
    time: fc.constantFrom<BreakdownName | undefined>(
      undefined,
      'DAILY',
      'DAILY',
      'HOURLY',
      'MONTHLY',
      'RANGE',
    ),
    dimensions: fc.subarray([...names], { maxLength: Math.min(3, names.length) }),
    metrics: fc.shuffledSubarray([...metrics.map(({ name }) => name)], { minLength: 1 }),
    period: fc.constantFrom(...periods),
    zone: profile === 'dsp' ? fc.constantFrom(...zones) : fc.constant('Europe/Paris'),
    facts: fc.array(
      fc.record({
        hour: fc.nat(10_000),
        picks: fc.array(fc.nat(20), { minLength: fields.length, maxLength: fields.length }),
        counts: fc.array(fc.oneof(fc.nat(3), fc.nat(3), fc.nat(100_000_000), fc.constant(0)), {
          minLength: 7,
          maxLength: 7,
        }),
        money: fc.oneof(fc.nat(9), fc.nat(1_000_000_000)),
      }),
      { maxLength: 30 },
    ),
    body: fc.constantFrom('JSON', 'CSV'),
    filter: fc.constantFrom(...filters),
    delivery: fc.constantFrom<Delivery>('whole', 'merged', 'per part'),
    areHoursUtc: fc.boolean(),
    moneyDecimals: fc.constantFrom(2, 4),
    nullsAt: fc.nat(12),
    numbersAs: fc.constantFrom('number', 'text', 'blanks'),
    summaryForm: fc.constantFrom(...summaryForms),
    beside: fc.subarray([...besideForms], { maxLength: 4 }),
    pieceBytes: fc.constantFrom(300, 5_000),
  });
});

/** One report, or one per day, either merged or in separate files. */
type Delivery = 'whole' | 'merged' | 'per part';
type World = typeof world extends fc.Arbitrary<infer T> ? T : never;

interface WorldFilter {
  readonly filters: NonNullable<ReportRequest['filters']>;
  readonly lets: (fact: Fact) => boolean;
}

const textIn = ({ picks }: Fact, field: string): string | null => {
  const values = valuesByField[field] ?? [];
  return values[(picks[fields.indexOf(field)] ?? 0) % values.length] ?? null;
};

function filterOf(
  name: string,
  values: readonly string[],
  field: string,
  names: readonly (string | null)[],
): WorldFilter {
  return { filters: { [name]: values }, lets: (fact) => names.includes(textIn(fact, field)) };
}

const filters: readonly (WorldFilter | undefined)[] = [
  undefined,
  undefined,
  filterOf('campaignId', ['71', '012345678901234567'], 'campaignId', ['071', '12345678901234567']),
  filterOf('adunitId', ['700'], 'adId', ['700']),
  filterOf('carrier', ['sfr'], 'carrier', ['SFR']),
  filterOf('deviceModel', ['PIXEL'], 'deviceModel', ['Pixel', 'pixel']),
  // Germany, and a second name for “no country”.
  filterOf('countryId', ['2921044'], 'country', ['Allemagne', 'Atlantis']),
  filterOf('osId', ['1'], 'os', [null, 'iOS', 'Android']),
];

type SummaryForm = (window: Window) => object | undefined;
const at = (seconds: number): string => new Date(seconds * 1_000).toISOString().slice(0, 19);
const summaryForms: readonly SummaryForm[] = [
  () => undefined,
  ({ since, until, zone }) => ({
    since: formatInstant(since, zone),
    until: formatInstant(until, zone),
    timezone: zone.toLowerCase(),
  }),
  ({ since, until }) => ({ since: `${at(since)}Z`, until: `${at(until)}.999Z` }),
  ({ since, until }) => ({
    since: `${at(since).replace('T', ' ')}+00`,
    until: `${at(until + 1)}+00:00`,
  }),
  ({ since, until }) => ({ since, until: String(until + 1) }),
  // Wall time without an offset may be in any zone, and a day may end when the next one begins.
  ({ since, until, zone }) => ({
    since: at(since + 12 * 3_600),
    until: formatDate(until, zone),
    timezone: 'Paris',
  }),
  // A value that is not a time proves nothing.
  () => ({ since: 7, until: null, breakdowns: ['OTHER'] }),
];

/** Members of correct reports other than the rows. */
const besideForms: readonly ((rowCount: number) => object)[] = [
  () => ({ error: 'OK', errors: [], warnings: ['API v1 is deprecated'] }),
  () => ({ error: { code: 0, message: 'no error' }, status: 'OK', code: 200 }),
  () => ({ next: null, links: { next: '', self: '/1' }, hasMore: false, partial: 'no' }),
  () => ({ count: -1, total: 900, rows: 'many', limit: 3, sampled: true, cursor: 'abc' }),
  (rowCount) => ({ rowCount, meta: { number_of_rows: String(rowCount) }, report_id: 'r7' }),
  () => ({
    message: 'only the first rows, the others were cut',
    state: 'brewing',
    complete: false,
  }),
];

/** A request without its window. */
interface WorldRequest {
  readonly by: readonly BreakdownName[];
  readonly metrics: readonly MetricName[];
}

/** The reports of a world: one, or one per day. */
function scenesOf(one: World): Scene[] {
  const { period, zone, time, dimensions, metrics } = one;
  const window = resolvePeriod({ period }, { zone, nowMs: checkedNowMs });
  const by = time ? [...dimensions, time] : dimensions;
  const isSplit = one.delivery !== 'whole' && (time === 'DAILY' || time === 'HOURLY');
  const parts = isSplit ? splitWindow(window, 'day') : [window];
  return parts.map((part) => sceneOf(one, window, { ...part, zone }, { by, metrics }));
}

function sceneOf(one: World, whole: Window, window: Window, request: WorldRequest): Scene {
  const { profile, zone, filter } = one;
  const hours = Math.ceil((whole.until + 1 - whole.since) / 3_600);
  const facts: (Fact & { readonly instant: number })[] = [];
  for (const fact of one.facts) {
    const instant = whole.since + (fact.hour % hours) * 3_600;
    const isInside = instant >= window.since && instant <= window.until;
    if (isInside && (filter?.lets(fact) ?? true)) facts.push({ ...fact, instant });
  }

  const { by, metrics } = request;
  const columns = columnsOf(profile, { breakdowns: by, metrics });
  const groups = new Map<
    string,
    { fact: (typeof facts)[number]; counts: bigint[]; money: bigint }
  >();
  for (const fact of facts) {
    const key = columns
      .filter(({ breakdown }) => breakdown)
      .map((column) => cellOf(one, window, fact, column));
    const name = JSON.stringify(key);
    const group = groups.get(name) ?? { fact, counts: fact.counts.map(() => 0n), money: 0n };
    for (const [index, count] of fact.counts.entries()) {
      group.counts[index] = (group.counts[index] ?? 0n) + BigInt(count);
    }
    group.money += BigInt(fact.money);
    groups.set(name, group);
  }

  const asked = new Set(
    requestedColumns(profile, { breakdowns: by, metrics }).map(({ field }) => field),
  );
  const rows = [...groups.values()].map((group, index) => {
    const row: Record<string, unknown> = {};
    for (const [at, column] of columns.entries()) {
      const { field, metric, type } = column;
      if (metric === undefined) {
        row[field] = asked.has(field) ? cellOf(one, window, group.fact, column) : null;
      } else if ((index + at) % 13 === one.nullsAt) {
        row[field] = null;
      } else {
        row[field] =
          type === 'money'
            ? moneyOf(one, group.money)
            : numberOf(one, String(group.counts[at % group.counts.length] ?? 0n));
      }
    }
    return row;
  });

  const { pieceBytes } = one;
  const scene = { profile, window, zone, ...request, filters: filter?.filters ?? {}, pieceBytes };
  if (one.body === 'CSV') {
    const header = columns.map(({ field }) => field);
    return { ...scene, body: stringify(rows, { header: true, columns: header }) };
  }
  const summary = one.summaryForm(window);
  const beside = Object.assign({}, ...one.beside.map((form) => form(rows.length)));
  return { ...scene, body: JSON.stringify({ data: rows, ...(summary && { summary }), ...beside }) };
}

/** The value of a fact in a breakdown column. */
function cellOf(
  { areHoursUtc, time }: World,
  { since, zone }: Window,
  fact: Fact & { readonly instant: number },
  { field }: Column,
): string | null {
  const { instant } = fact;
  if (field === 'hour') return areHoursUtc ? `${at(instant)}Z` : formatInstant(instant, zone);
  if (field !== 'date') return textIn(fact, field);
  if (time === 'RANGE') return formatDate(since, zone);
  const day = formatDate(instant, zone);
  return time === 'MONTHLY' ? `${day.slice(0, 7)}-01` : day;
}

function numberOf({ numbersAs, body }: World, text: string): unknown {
  if (numbersAs === 'number' || body === 'CSV') return Number(text);
  return numbersAs === 'blanks' ? ` ${text} ` : text;
}

/** Money in the profile's format; for a DSP, a text with a decimal comma. */
function moneyOf(one: World, units: bigint): unknown {
  const { moneyDecimals, profile } = one;
  const digits = String(units).padStart(moneyDecimals + 1, '0');
  const text = `${digits.slice(0, -moneyDecimals)}.${digits.slice(-moneyDecimals)}`;
  if (profile === 'dsp') return `${digits.slice(0, -2)},${digits.slice(-2)}`;
  return numberOf(one, text);
}

/** Checks the reports of `numRuns` random worlds and expects no warnings. */
export async function expectNoWarnings(numRuns: number): Promise<void> {
  let factCount = 0;
  await fc.assert(
    fc.asyncProperty(world, async (one) => {
      const scenes = scenesOf(one);
      factCount += one.facts.length;
      const results =
        one.delivery === 'merged'
          ? [await checkMerged(scenes)]
          : await Promise.all(scenes.map(checkReport));

      for (const { warnings } of results) expect(warnings).toEqual([]);
    }),
    { numRuns, endOnFailure: true },
  );
  expect(factCount).toBeGreaterThan(numRuns);
}
