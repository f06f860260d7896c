import {
  type BreakdownName,
  breakdowns,
  type ComputedMetricName,
  computedMetrics,
  type DerivedBreakdownName,
  derivedBreakdowns,
  type MetricName,
  metrics,
} from './vocabulary.ts';

type AliasedName = MetricName | ComputedMetricName | BreakdownName | DerivedBreakdownName;

/** Everyday words and the names that they mean. A word with several names is ambiguous. */
// biome-ignore format: a table
export const aliases: Readonly<Record<string, readonly AliasedName[]>> = {
  'ad requests': ['requests'], 'bid requests': ['requests'],
  impressions: ['displays'], imps: ['displays'], 'ad views': ['displays'],
  taps: ['clicks'],
  installs: ['downloads'], 'app installs': ['downloads'],
  signups: ['leads'], registrations: ['leads'],
  visits: ['landings'],
  conversions: ['downloads', 'leads', 'landings'],
  revenue: ['revenueEuro'], spend: ['revenueEuro'], cost: ['revenueEuro'], 'ad spend': ['revenueEuro'],
  'click rate': ['ctr'], 'click-through rate': ['ctr'],
  cpm: ['ecpmEuro'], ecpm: ['ecpmEuro'], 'cost per mille': ['ecpmEuro'], 'cost per thousand': ['ecpmEuro'],
  cpc: ['cpcEuro'], 'cost per click': ['cpcEuro'],
  cpl: ['cplEuro'], 'cost per lead': ['cplEuro'],
  cpd: ['cpdEuro'], cpi: ['cpdEuro'], 'cost per download': ['cpdEuro'], 'cost per install': ['cpdEuro'],
  cpa: ['cplEuro', 'cpdEuro'],

  day: ['DAILY'], date: ['DAILY'],
  hour: ['HOURLY'],
  week: ['WEEKLY'],
  month: ['MONTHLY'],
  network: ['ADNETWORK', 'CARRIER'],
  ad: ['ADUNIT'], placement: ['ADUNIT'],
  client: ['ADVERTISER'],
  publisher: ['PUBLISHERID'],
  subpublisher: ['SUBPUBLISHERID'],
  'ad format': ['FORMAT'],
  'operating system': ['OS'],
  geo: ['COUNTRY', 'REGION', 'CITY'], location: ['COUNTRY', 'REGION', 'CITY'],
  state: ['REGION'], province: ['REGION'],
  zip: ['POSTALCODE'], 'zip code': ['POSTALCODE'], postcode: ['POSTALCODE'],
  device: ['DEVICETYPE', 'DEVICEBRAND', 'DEVICEMODEL'],
  brand: ['DEVICEBRAND'], manufacturer: ['DEVICEBRAND'],
  model: ['DEVICEMODEL'],
  operator: ['CARRIER'],
  app: ['BUNDLEID'], bundle: ['BUNDLEID'], package: ['BUNDLEID'],
};

/**
 * Finds the accepted names that a typed name represents. An exact match wins, then names that
 * differ only in case, spaces, `-`, `_` or plural, then aliases and other names of a metric or
 * breakdown. With several results, the name is ambiguous. With none, it is unknown.
 *
 * @param accepted metrics, breakdowns, filters or columns
 */
export function findNames(input: string, accepted: readonly string[]): readonly string[] {
  const spellings = findSpellings(input, accepted);
  if (spellings.length > 0) return spellings;

  const names = new Set(
    vocabulary.filter((entry) => matchesEntry(entry, input)).flatMap(listNames),
  );
  return accepted.filter((name) => names.has(name));
}

/** Finds the accepted names that equal a typed name, ignoring case, spaces, `-`, `_` and plural. */
export function findSpellings(input: string, accepted: readonly string[]): readonly string[] {
  if (accepted.includes(input)) return [input];

  const inAnyCase = accepted.filter((name) => name.toLowerCase() === input.trim().toLowerCase());
  return inAnyCase.length > 0 ? inAnyCase : accepted.filter((name) => isSameName(name, input));
}

/** A metric or breakdown, and its columns in a file. */
interface NamedColumns {
  readonly name: AliasedName;
  readonly columns: readonly string[];

  /** False for time breakdowns, which share columns. */
  readonly hasOwnColumns: boolean;
}

const vocabulary: readonly NamedColumns[] = [
  ...metrics.map(({ name, rowField }) => {
    return { name, columns: [name, ...Object.values(rowField ?? {})], hasOwnColumns: true };
  }),
  ...computedMetrics.map(({ name }) => ({ name, columns: [name], hasOwnColumns: true })),
  ...[...breakdowns, ...derivedBreakdowns].map(({ name, fields, time }) => {
    const columns = fields.map((field) => field.name);
    // The column of HOURLY is `hour`, not the date next to it.
    return { name, columns: time ? columns.slice(-1) : columns, hasOwnColumns: !time };
  }),
];

function listNames({ name, columns }: NamedColumns): readonly string[] {
  return [name, ...columns];
}

function matchesEntry({ name, columns, hasOwnColumns }: NamedColumns, input: string): boolean {
  if (isSameName(name, input)) return true;
  if (hasOwnColumns && columns.some((column) => isSameName(column, input))) return true;

  const alias = Object.keys(aliases).find((candidate) => isSameName(candidate, input));
  return alias !== undefined && aliases[alias]?.includes(name) === true;
}

/** Compares names, ignoring case, spaces, `-`, `_` and plural. */
function isSameName(name: string, input: string): boolean {
  const a = normalizeName(name);
  const b = normalizeName(input);
  return a === b || isPlural(a, b) || isPlural(b, a);
}

function normalizeName(name: string): string {
  return name.toLowerCase().replaceAll(/[\s_-]+/g, '');
}

function isPlural(plural: string, singular: string): boolean {
  if (singular.length < 2) return false;
  if (plural === `${singular}s`) return true;
  return singular.endsWith('y') && plural === `${singular.slice(0, -1)}ies`;
}
