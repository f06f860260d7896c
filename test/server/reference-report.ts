import type { DimensionName } from '../../src/contract/vocabulary.ts';
import type { Account, Fact, Fixtures } from '../../src/server/fixtures/fixtures.ts';

/**
 * A second, very simple report engine to compare the real one with: a map with text keys, time
 * zones from `Intl`, and the row fields of `decisions.md`, section 4.
 */

type Value = string | number | null;
export type Row = Record<string, Value>;

export interface PlainRequest {
  readonly since: number;
  readonly until: number;
  readonly metrics: readonly string[];
  readonly breakdowns: readonly string[];
  readonly filters?: Readonly<Record<string, readonly string[] | undefined>>;
  readonly timezone?: string;
}

/** In row order; `*` marks ids, `+` fields that a buyer's row has only when requested. */
const dimensionFields: readonly (readonly [breakdown: DimensionName, ...fields: string[]])[] = [
  ['ADNETWORK', 'Adnetwork'],
  ['CAMPAIGN', '*campaignId', 'campaignName'],
  ['ADUNIT', '*adId', 'adName', '*adUnitLimitType', '*adUnitLimitValue'],
  ['ADVERTISER', 'advertiser', 'billingEntity'],
  ['CREATIVE', '*creativeId'],
  ['PUBLISHERID', '*+publisherId'],
  ['SUBPUBLISHERID', 'subpublisherId'],
  ['FORMAT', '+format'],
  ['OS', 'os'],
  ['PLATFORM', 'platform'],
  ['COUNTRY', 'country'],
  ['REGION', 'adminLevel1'],
  ['DEPARTMENT', 'adminLevel2'],
  ['CITY', 'city'],
  ['POSTALCODE', 'postalcode'],
  ['DEVICETYPE', 'deviceType'],
  ['DEVICEBRAND', 'deviceBrand'],
  ['DEVICEMODEL', 'deviceModel'],
  ['CARRIER', 'carrier'],
  ['BUNDLEID', 'bundleId'],
];

const filteredOn: Readonly<Record<string, DimensionName>> = {
  advertiserId: 'ADVERTISER',
  adunitId: 'ADUNIT',
  campaignId: 'CAMPAIGN',
  adNetworkId: 'ADNETWORK',
  osId: 'OS',
  formatId: 'FORMAT',
  carrier: 'CARRIER',
  countryId: 'COUNTRY',
  regionId: 'REGION',
  departmentId: 'DEPARTMENT',
  cityId: 'CITY',
  postalcode: 'POSTALCODE',
  deviceTypeId: 'DEVICETYPE',
  deviceBrandId: 'DEVICEBRAND',
  deviceModel: 'DEVICEMODEL',
};

interface PlainFact extends Fact {
  readonly hour: number;
  readonly metrics: Readonly<Record<string, number>> & Fact['metrics'];

  /** Every row field of its dimensions. */
  readonly fields: Readonly<Record<string, string>>;
}

/** The facts of a window, one by one. */
export function* plainFacts(
  { facts, names }: Fixtures,
  since: number,
  until: number,
): Generator<PlainFact> {
  const first = Math.max(facts.firstHour, Math.ceil(since / 3600));
  for (let hour = first; hour <= Math.min(facts.lastHour, Math.floor(until / 3600)); hour++) {
    for (const fact of facts.inHour(hour, () => true)) {
      const fields = dimensionFields.map(([name, field = '']) => {
        const id = fact.dimensions[name];
        if (id === null) return {};
        return names.get(name)?.get(id) ?? { [field.replace(/[*+]/g, '')]: id };
      });
      yield { ...fact, hour, fields: Object.assign({}, ...fields) };
    }
  }
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** `2026-10-25T02:30:00+0100`, from `Intl`. */
function localTime(seconds: number, zone: string): string {
  const format =
    formats.get(zone) ??
    new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' });
  formats.set(zone, format);
  const wall = format.format(seconds * 1_000).replace(' ', 'T');
  const offset = (Date.parse(`${wall}Z`) / 1_000 - seconds) / 60;
  const digits = Math.floor(Math.abs(offset) / 60) * 100 + (Math.abs(offset) % 60);
  return `${wall}${offset < 0 ? '-' : '+'}${String(digits).padStart(4, '0')}`;
}

function timeFields(
  breakdowns: readonly string[],
  hour: number,
  since: number,
  zone: string,
): [string, string][] {
  if (breakdowns.includes('RANGE')) return [['date', localTime(since, zone).slice(0, 10)]];
  const local = localTime(hour * 3600, zone);
  const date = local.slice(0, 10);
  if (breakdowns.includes('DAILY')) return [['date', date]];
  if (breakdowns.includes('MONTHLY')) return [['date', `${date.slice(0, 7)}-01`]];
  if (!breakdowns.includes('HOURLY')) return [];
  return Object.entries({ date, hour: `${local.slice(0, 13)}:00:00${local.slice(19)}` });
}

function passes(
  fact: PlainFact,
  account: Account,
  filters: NonNullable<PlainRequest['filters']>,
): boolean {
  const seesAll = account.admin && account.advertiserIds.length === 0;
  if (!seesAll && !account.advertiserIds.includes(fact.dimensions.ADVERTISER ?? '')) return false;
  return Object.entries(filters).every(([name, accepted = []]) => {
    const dimension = filteredOn[name];
    return dimension && accepted.includes(fact.dimensions[dimension] ?? '\u0000');
  });
}

/** Orders ids as numbers, words by characters, and null last. */
function compare(a: Value, b: Value, isId: boolean): number {
  if (a === b) return 0;
  if (a === null || b === null) return a === null ? 1 : -1;
  return (isId ? BigInt(a) < BigInt(b) : a < b) ? -1 : 1;
}

function money(cents: number, profile: string): Value {
  const text = `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;
  return profile === 'dsp' ? text.replace('.', ',') : Number(text);
}

/** The rows of an account's report, as in JSON. */
export function referenceRows(fixtures: Fixtures, account: Account, request: PlainRequest): Row[] {
  const { profile } = account;
  const { breakdowns } = request;
  const zone = (profile === 'dsp' && request.timezone) || 'Europe/Paris';
  const shown = dimensionFields.flatMap(([dimension, ...names]) =>
    names.map((marked) => ({
      isRequested: breakdowns.includes(dimension),
      name: marked.replace(/[*+]/g, ''),
      isId: marked.includes('*'),
      isForBuyers: !marked.includes('+'),
    })),
  );
  const columns = shown.filter(
    ({ isRequested, isForBuyers }) => isRequested || (profile === 'buyer' && isForBuyers),
  );
  const groups = new Map<string, { start: Value; fields: Row; sums: Record<string, number> }>();
  for (const fact of plainFacts(fixtures, request.since, request.until)) {
    if (!passes(fact, account, request.filters ?? {})) continue;
    const time = timeFields(breakdowns, fact.hour, request.since, zone);
    const shownOf = (name: string): Value => fact.fields[name] ?? null;
    const values = columns.map(({ name, isRequested }): [string, Value] => [
      name,
      isRequested ? shownOf(name) : null,
    ]);
    const text = JSON.stringify([time, values]);
    // Rows are in time order, whatever their labels.
    const start = breakdowns.includes('HOURLY') ? fact.hour : (time[0]?.[1] ?? '');
    const group = groups.get(text) ?? {
      start,
      fields: Object.fromEntries([...time, ...values]),
      sums: {},
    };
    groups.set(text, group);
    for (const name of request.metrics)
      group.sums[name] = (group.sums[name] ?? 0) + (fact.metrics[name] ?? Number.NaN);
  }
  const order = (a: { start: Value; fields: Row }, b: { start: Value; fields: Row }): number => {
    const byField = columns.map(({ name, isId }) =>
      compare(a.fields[name] ?? null, b.fields[name] ?? null, isId),
    );
    return [compare(a.start, b.start, false), ...byField].find((found) => found !== 0) ?? 0;
  };
  return [...groups.values()].sort(order).map(({ fields, sums }) => {
    const named = request.metrics.map((name) => {
      const field = profile === 'buyer' && name === 'revenueDollar' ? 'valueDollar' : name;
      const sum = sums[name] ?? Number.NaN;
      return [field, name.startsWith('revenue') ? money(sum, profile) : sum];
    });
    return { ...fields, ...Object.fromEntries(named) };
  });
}
