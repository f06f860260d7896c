import type { Account, Fixtures } from '../../src/server/fixtures/fixtures.ts';
import { dimensionNames } from '../../src/server/fixtures/fixtures.ts';

/**
 * The report engine over again, as plainly as can be: a map of text keys, a sum at a time, time zones from `Intl`, and the
 * row fields written out by hand from `decisions.md`, section 4. What the real one says is compared with this.
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

/** In row order; `*` marks ids, `+` those that a buyer's row has only when they are asked for. */
const dimensionFields: readonly (readonly [breakdown: string, ...fields: string[]])[] = [
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

const filteredOn: Readonly<Record<string, string>> = {
  advertiserId: 'ADVERTISER',
  adunitId: 'ADUNIT',
  campaignId: 'CAMPAIGN',
  osId: 'OS',
  formatId: 'FORMAT',
  countryId: 'COUNTRY',
  regionId: 'REGION',
  departmentId: 'DEPARTMENT',
  cityId: 'CITY',
  postalcode: 'POSTALCODE',
  adNetworkId: 'ADNETWORK',
  carrier: 'CARRIER',
  deviceTypeId: 'DEVICETYPE',
  deviceBrandId: 'DEVICEBRAND',
  deviceModel: 'DEVICEMODEL',
};

interface PlainFact {
  readonly hour: number;
  readonly ids: Readonly<Record<string, string | null>>;
  readonly values: Readonly<Record<string, readonly (string | null)[]>>;
  readonly metrics: Readonly<Record<string, number>>;
}

/** The facts of a window, one by one. */
export function* plainFacts({ facts }: Fixtures, since: number, until: number): Generator<PlainFact> {
  const read = facts.open(new Map());
  const first = Math.max(facts.firstHour, Math.ceil(since / 3600));
  for (let hour = first; hour <= Math.min(facts.lastHour, Math.floor(until / 3600)); hour++) {
    for (const { member, metrics } of read(hour)) {
      const members = dimensionNames.map((name) => [name, member(name)] as const);
      yield {
        hour,
        ids: Object.fromEntries(members.map(([name, { id }]) => [name, id])),
        values: Object.fromEntries(members.map(([name, { values }]) => [name, values])),
        metrics,
      };
    }
  }
}

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  const format =
    formats.get(zone) ??
    new Intl.DateTimeFormat('en-GB', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      timeZoneName: 'longOffset',
    });
  formats.set(zone, format);
  return format;
}

/** `2026-10-25T02:30:00+0100`, from `Intl`. */
export function localTime(seconds: number, zone: string): string {
  const parts = Object.fromEntries(
    formatOf(zone)
      .formatToParts(seconds * 1000)
      .map(({ type, value }) => [type, value]),
  );
  const offset = parts.timeZoneName?.replace('GMT', '').replace(':', '') || '+0000';
  return `${parts.year}-${parts.month}-${parts.day}T${parts.hour}:${parts.minute}:${parts.second}${offset}`;
}

function timeFields(breakdowns: readonly string[], hour: number, since: number, zone: string): [string, string][] {
  if (breakdowns.includes('RANGE')) return [['date', localTime(since, zone).slice(0, 10)]];
  const local = localTime(hour * 3600, zone);
  const date = local.slice(0, 10);
  if (breakdowns.includes('DAILY')) return [['date', date]];
  if (breakdowns.includes('MONTHLY')) return [['date', `${date.slice(0, 7)}-01`]];
  if (!breakdowns.includes('HOURLY')) return [];
  return [
    ['date', date],
    ['hour', `${local.slice(0, 13)}:00:00${local.slice(19)}`],
  ];
}

function passes(fact: PlainFact, account: Account, filters: NonNullable<PlainRequest['filters']>): boolean {
  const seesAll = account.admin && account.advertiserIds.length === 0;
  if (!seesAll && !account.advertiserIds.includes(fact.ids.ADVERTISER ?? '')) return false;
  return Object.entries(filters).every(([name, accepted = []]) => {
    const dimension = filteredOn[name] ?? '';
    const byText = name === 'carrier' || name === 'deviceModel';
    return accepted.includes((byText ? fact.values[dimension]?.[0] : fact.ids[dimension]) ?? '\u0000');
  });
}

/** Time first (instants order as their text does but across a clock change), then the dimension fields. */
function compareKeys(a: readonly Sortable[], b: readonly Sortable[]): number {
  for (const [index, { isId, value }] of a.entries()) {
    const other = b[index]?.value ?? null;
    if (value === other) continue;
    if (value === null) return 1;
    if (other === null) return -1;
    if (isId) return BigInt(value) < BigInt(other) ? -1 : 1;
    return value < other ? -1 : 1;
  }
  return 0;
}

interface Sortable {
  readonly isId: boolean;
  readonly value: Value;
}

function money(cents: number, profile: string): Value {
  const text = `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;
  return profile === 'dsp' ? text.replace('.', ',') : Number(text);
}

/** The rows of a report of `account`, as their JSON says them. */
export function referenceRows(fixtures: Fixtures, account: Account, request: PlainRequest): Row[] {
  const { profile } = account;
  const zone = (profile === 'dsp' && request.timezone) || 'Europe/Paris';
  const groups = new Map<string, { key: Sortable[]; fields: Row; sums: Record<string, number> }>();
  for (const fact of plainFacts(fixtures, request.since, request.until)) {
    if (!passes(fact, account, request.filters ?? {})) continue;
    const time = timeFields(request.breakdowns, fact.hour, request.since, zone);
    const fields: Row = Object.fromEntries(time);
    // Rows of one stretch of time follow those of an earlier one, whatever their labels.
    const key: Sortable[] =
      time.length > 0 ? [{ isId: false, value: startOf(time, fact.hour, request.breakdowns) }] : [];
    for (const [dimension, ...names] of dimensionFields) {
      const asked = request.breakdowns.includes(dimension);
      for (const [index, marked] of names.entries()) {
        if (!asked && (profile === 'dsp' || marked.includes('+'))) continue;
        const value = asked ? (fact.values[dimension]?.[index] ?? null) : null;
        fields[marked.replace(/[*+]/g, '')] = value;
        key.push({ isId: marked.includes('*'), value });
      }
    }
    const text = JSON.stringify([time, key]);
    const group = groups.get(text) ?? { key, fields, sums: {} };
    groups.set(text, group);
    for (const name of request.metrics) group.sums[name] = (group.sums[name] ?? 0) + (fact.metrics[name] ?? Number.NaN);
  }
  return [...groups.values()]
    .sort((a, b) => compareKeys(a.key, b.key))
    .map(({ fields, sums }) => {
      const named = request.metrics.map((name) => {
        const field = profile === 'buyer' && name === 'revenueDollar' ? 'valueDollar' : name;
        const sum = sums[name] ?? Number.NaN;
        return [field, name.startsWith('revenue') ? money(sum, profile) : sum];
      });
      return { ...fields, ...Object.fromEntries(named) };
    });
}

function startOf(time: readonly [string, string][], hour: number, breakdowns: readonly string[]): Value {
  return breakdowns.includes('HOURLY') ? hour : (time[0]?.[1] ?? '');
}
