/**
 * All metrics, breakdowns and filters of the reporting service. Each has its wire name, row fields,
 * type, profiles and meaning.
 *
 * Flags, help, completion, validation at both ends, the report engine and the column order are
 * derived from these lists. The order of the lists is the order of the columns in a row.
 * `aliases.ts` lists other words for the names. Sources: the service specification (Metrics,
 * Breakdowns, Buyer-profile filters, Report data) and `decisions.md` section 4.
 */

export const profiles = ['buyer', 'dsp'] as const;

/** Determines what an account may request. The profile belongs to the account, not to a request. */
export type Profile = (typeof profiles)[number];

const buyer = ['buyer'] as const;

interface RowField {
  readonly name: string;
  readonly type: 'date' | 'hour' | 'id' | 'text';
}

export interface VocabularyEntry<Name extends string = string> {
  readonly name: Name;
  readonly profiles: readonly Profile[];
  readonly fields?: readonly RowField[];

  readonly meaning: string;
}

/**
 * Explains revenue, which buyers call by other names. Printed once wherever metrics are explained.
 */
export const revenueMeaning =
  'The service reports revenue in euros and in US dollars; buyers know it as their spend.';

interface MetricEntry<Name extends string = string> extends VocabularyEntry<Name> {
  /** `money` is a decimal number, or a string with a decimal comma in a DSP's rows. */
  readonly type: 'integer' | 'money';

  /** Only set if the row field differs from the metric's name. */
  readonly rowField?: { readonly [P in Profile]?: string };
}

// biome-ignore format: an entry a line reads as a table
const metricTable = [
  { name: 'requests', profiles: buyer, type: 'integer', meaning: 'attempts to fill an impression' },
  { name: 'displays', profiles, type: 'integer', meaning: 'times an ad is served and displayed, as per viewability' },
  { name: 'clicks', profiles: buyer, type: 'integer', meaning: 'clicks' },
  { name: 'downloads', profiles: buyer, type: 'integer', meaning: 'conversions reported through a conversion interface or a buyer integration' },
  { name: 'leads', profiles: buyer, type: 'integer', meaning: 'leads reported through the same channels' },
  { name: 'landings', profiles: buyer, type: 'integer', meaning: 'landings reported through the same channels' },
  { name: 'revenueEuro', profiles, type: 'money', meaning: 'revenue in euros' },
  { name: 'revenueDollar', profiles, type: 'money', rowField: { buyer: 'valueDollar' }, meaning: 'revenue in US dollars (buyer rows name it valueDollar)' },
  { name: 'eyesTrackings', profiles: buyer, type: 'integer', meaning: 'eye trackings (the service does not define it)' },
] as const satisfies readonly MetricEntry[];
export type MetricName = (typeof metricTable)[number]['name'];
export type Metric = MetricEntry<MetricName>;
export const metrics: readonly Metric[] = metricTable;

type MetricRow = (typeof metricTable)[number];

type RowFieldOf<AnyProfile extends Profile, Entry extends MetricRow> = Entry extends {
  rowField: Readonly<Record<AnyProfile, infer Field extends string>>;
}
  ? Field
  : Entry['name'];

/** Row fields of metrics. Metrics of the other profile are omitted. */
export type MetricFields<AnyProfile extends Profile, Names> = {
  [Entry in Extract<MetricRow, { name: Names }> as AnyProfile extends Entry['profiles'][number]
    ? RowFieldOf<AnyProfile, Entry>
    : never]: MetricValue<AnyProfile, Entry['type']> | null;
};

/** A DSP's revenue is a string, such as `1234,50`. */
type MetricValue<AnyProfile extends Profile, Type> = [AnyProfile, Type] extends ['dsp', 'money']
  ? string
  : number;

interface BreakdownEntry<Name extends string = string> extends VocabularyEntry<Name> {
  readonly fields: readonly RowField[];

  /** A request can have only one breakdown by time. */
  readonly time?: true;

  /** May be null even if requested (specification, Report data). */
  readonly nullable?: true;

  /** Without this breakdown, a buyer's row omits the fields instead of null (`decisions.md` 4). */
  readonly onlyWhenRequested?: true;
}

const date = { name: 'date', type: 'date' } as const;
const hour = { name: 'hour', type: 'hour' } as const;
const id = <Name extends string>(name: Name) => ({ name, type: 'id' }) as const;
const text = <Name extends string>(name: Name) => ({ name, type: 'text' }) as const;

/** Breakdowns in the order of their fields in a row (`decisions.md` 4). */
// biome-ignore format: an entry a line reads as a table
const breakdownTable = [
  { name: 'DAILY', profiles, fields: [date], time: true, meaning: 'by day' },
  { name: 'HOURLY', profiles, fields: [date, hour], time: true, meaning: 'by hour' },
  { name: 'MONTHLY', profiles, fields: [date], time: true, meaning: 'by month' },
  { name: 'RANGE', profiles, fields: [date], time: true, meaning: 'by the whole period' },
  { name: 'ADNETWORK', profiles: buyer, fields: [text('Adnetwork')], meaning: 'by core ad network' },
  { name: 'CAMPAIGN', profiles: buyer, fields: [id('campaignId'), text('campaignName')], meaning: 'by campaign' },
  { name: 'ADUNIT', profiles: buyer, fields: [id('adId'), text('adName'), id('adUnitLimitType'), id('adUnitLimitValue')], meaning: 'by ad' },
  { name: 'ADVERTISER', profiles: buyer, fields: [text('advertiser'), text('billingEntity')], meaning: 'by advertiser' },
  { name: 'CREATIVE', profiles: buyer, fields: [id('creativeId')], meaning: 'by creative' },
  { name: 'PUBLISHERID', profiles: buyer, fields: [id('publisherId')], onlyWhenRequested: true, meaning: 'by publisher ID' },
  { name: 'SUBPUBLISHERID', profiles: buyer, fields: [text('subpublisherId')], nullable: true, meaning: 'by sub-publisher ID' },
  { name: 'FORMAT', profiles, fields: [text('format')], onlyWhenRequested: true, meaning: 'by format (interstitial, banner, native ad …)' },
  { name: 'OS', profiles: buyer, fields: [text('os')], nullable: true, meaning: 'by mobile OS' },
  { name: 'PLATFORM', profiles: buyer, fields: [text('platform')], meaning: 'by platform' },
  { name: 'COUNTRY', profiles: buyer, fields: [text('country')], nullable: true, meaning: 'by country' },
  { name: 'REGION', profiles: buyer, fields: [text('adminLevel1')], nullable: true, meaning: 'by region (admin level 1)' },
  { name: 'DEPARTMENT', profiles: buyer, fields: [text('adminLevel2')], nullable: true, meaning: 'by department (admin level 2)' },
  { name: 'CITY', profiles: buyer, fields: [text('city')], nullable: true, meaning: 'by city' },
  { name: 'POSTALCODE', profiles: buyer, fields: [text('postalcode')], nullable: true, meaning: 'by postal code' },
  { name: 'DEVICETYPE', profiles: buyer, fields: [text('deviceType')], nullable: true, meaning: 'by device type (phone or tablet)' },
  { name: 'DEVICEBRAND', profiles: buyer, fields: [text('deviceBrand')], nullable: true, meaning: 'by brand name' },
  { name: 'DEVICEMODEL', profiles: buyer, fields: [text('deviceModel')], nullable: true, meaning: 'by model' },
  { name: 'CARRIER', profiles: buyer, fields: [text('carrier')], meaning: 'by mobile or wireless carrier' },
  { name: 'BUNDLEID', profiles, fields: [text('bundleId')], meaning: 'by package name (Android) or bundle ID (iOS)' },
] as const satisfies readonly BreakdownEntry[];
export type BreakdownName = (typeof breakdownTable)[number]['name'];
export type Breakdown = BreakdownEntry<BreakdownName>;
export const breakdowns: readonly Breakdown[] = breakdownTable;

type BreakdownRow = (typeof breakdownTable)[number];

export type BreakdownFields<Names> = {
  [Entry in Extract<BreakdownRow, { name: Names }> as Entry['fields'][number]['name']]:
    | string
    | (Entry extends { nullable: true } ? null : never);
};

/**
 * A breakdown that the service does not have. The client requests one report per calendar unit,
 * with the breakdown `sentAs`, and merges the reports.
 */
export interface DerivedBreakdown extends Omit<BreakdownEntry, 'name'> {
  readonly name: 'WEEKLY';
  readonly sentAs: TimeBreakdownName;
  readonly unit: 'week';
}

// biome-ignore format: an entry a line reads as a table
export const derivedBreakdowns: readonly DerivedBreakdown[] = [
  { name: 'WEEKLY', profiles, fields: [date], time: true, sentAs: 'RANGE', unit: 'week', meaning: 'by week (Monday to Sunday); one report per week' },
];
export type DerivedBreakdownName = DerivedBreakdown['name'];

/** A breakdown by time. A request has at most one time breakdown (specification, Breakdowns 1). */
export type TimeBreakdownName = Extract<(typeof breakdownTable)[number], { time: true }>['name'];

export type DimensionName = Exclude<BreakdownName, TimeBreakdownName>;

interface FilterEntry<Name extends string = string> extends VocabularyEntry<Name> {
  /** Breakdown whose values the filter selects. */
  readonly on: DimensionName;

  /** Values are compared as strings of digits (`id`) or by exact name (`text`). */
  readonly compare: 'id' | 'text';
  readonly adminOnly?: true;
}

/** Filters are combined with AND, the values of one filter with OR (`decisions.md` 2). */
// biome-ignore format: an entry a line reads as a table
const filterTable = [
  { name: 'advertiserId', profiles: buyer, on: 'ADVERTISER', compare: 'id', adminOnly: true, meaning: 'advertiser IDs (admin accounts only)' },
  { name: 'adunitId', profiles: buyer, on: 'ADUNIT', compare: 'id', meaning: 'ad unit IDs' },
  { name: 'campaignId', profiles: buyer, on: 'CAMPAIGN', compare: 'id', meaning: 'campaign IDs' },
  { name: 'osId', profiles: buyer, on: 'OS', compare: 'id', meaning: 'mobile OS IDs' },
  { name: 'formatId', profiles: buyer, on: 'FORMAT', compare: 'id', meaning: 'placement format IDs' },
  { name: 'countryId', profiles: buyer, on: 'COUNTRY', compare: 'id', meaning: 'countries, as geoname IDs' },
  { name: 'regionId', profiles: buyer, on: 'REGION', compare: 'id', meaning: 'regions (admin level 1), as geoname IDs' },
  { name: 'departmentId', profiles: buyer, on: 'DEPARTMENT', compare: 'id', meaning: 'departments (admin level 2), as geoname IDs' },
  { name: 'cityId', profiles: buyer, on: 'CITY', compare: 'id', meaning: 'cities, as geoname IDs' },
  { name: 'postalcode', profiles: buyer, on: 'POSTALCODE', compare: 'id', meaning: 'postal codes, as geoname IDs' },
  { name: 'adNetworkId', profiles: buyer, on: 'ADNETWORK', compare: 'id', meaning: 'ad network IDs' },
  { name: 'carrier', profiles: buyer, on: 'CARRIER', compare: 'text', meaning: 'carrier names' },
  { name: 'deviceTypeId', profiles: buyer, on: 'DEVICETYPE', compare: 'id', meaning: 'device type IDs' },
  { name: 'deviceBrandId', profiles: buyer, on: 'DEVICEBRAND', compare: 'id', meaning: 'device brand IDs' },
  { name: 'deviceModel', profiles: buyer, on: 'DEVICEMODEL', compare: 'text', meaning: 'device model names' },
] as const satisfies readonly FilterEntry[];
export type FilterName = (typeof filterTable)[number]['name'];
export type Filter = FilterEntry<FilterName>;
export const filters: readonly Filter[] = filterTable;

/**
 * A metric that the service does not send: `factor × numerator / denominator`. It is computed from
 * sums instead of averaged over rows, so it is correct for any grouping.
 */
export interface ComputedMetric extends VocabularyEntry {
  /** Label for people: `eCPM (€)`. */
  readonly label: string;
  readonly numerator: MetricName;
  readonly denominator: MetricName;
  readonly factor: number;
  readonly type: 'percent' | 'money';

  /** Whether the metric is shown only if the user requests it, to keep the default output short. */
  readonly onlyWhenNamed?: true;
}

/** Computed metrics in the order in which they are shown. */
// biome-ignore format: an entry a line reads as a table
export const computedMetrics = [
  { name: 'ctr', label: 'CTR', profiles: buyer, numerator: 'clicks', denominator: 'displays', factor: 100, type: 'percent', meaning: 'the click-through rate (clicks divided by displays; in files 0.012 is 1.2%)' },
  { name: 'ecpmEuro', label: 'eCPM (€)', profiles, numerator: 'revenueEuro', denominator: 'displays', factor: 1000, type: 'money', meaning: 'revenue per 1,000 displays (eCPM), in euros' },
  { name: 'ecpmDollar', label: 'eCPM ($)', profiles, numerator: 'revenueDollar', denominator: 'displays', factor: 1000, type: 'money', meaning: 'revenue per 1,000 displays (eCPM), in US dollars' },
  { name: 'cpcEuro', label: 'CPC (€)', profiles: buyer, numerator: 'revenueEuro', denominator: 'clicks', factor: 1, type: 'money', onlyWhenNamed: true, meaning: 'revenue per click, in euros' },
  { name: 'cpcDollar', label: 'CPC ($)', profiles: buyer, numerator: 'revenueDollar', denominator: 'clicks', factor: 1, type: 'money', onlyWhenNamed: true, meaning: 'revenue per click, in US dollars' },
  { name: 'cplEuro', label: 'CPL (€)', profiles: buyer, numerator: 'revenueEuro', denominator: 'leads', factor: 1, type: 'money', onlyWhenNamed: true, meaning: 'revenue per lead, in euros' },
  { name: 'cpdEuro', label: 'CPD (€)', profiles: buyer, numerator: 'revenueEuro', denominator: 'downloads', factor: 1, type: 'money', onlyWhenNamed: true, meaning: 'revenue per download, in euros' },
] as const satisfies readonly ComputedMetric[];
export type ComputedMetricName = (typeof computedMetrics)[number]['name'];

/** Names that a profile may use, each list in column order. */
interface Vocabulary {
  readonly metrics: readonly Metric[];
  readonly breakdowns: readonly Breakdown[];
  readonly filters: readonly Filter[];
  readonly computed: readonly (typeof computedMetrics)[number][];
  readonly derivedBreakdowns: readonly DerivedBreakdown[];
}

export function vocabularyOf(profile: Profile): Vocabulary {
  const belongsToProfile = (entry: VocabularyEntry) => entry.profiles.includes(profile);
  return {
    metrics: metrics.filter(belongsToProfile),
    breakdowns: breakdowns.filter(belongsToProfile),
    filters: filters.filter(belongsToProfile),
    computed: computedMetrics.filter(belongsToProfile),
    derivedBreakdowns: derivedBreakdowns.filter(belongsToProfile),
  };
}

/** Finds a metric by its exact name. */
export function findMetric(name: string): Metric | undefined {
  return metrics.find((metric) => metric.name === name);
}

/** Finds a computed metric by its exact name. */
export function findComputedMetric(name: string): ComputedMetric | undefined {
  return computedMetrics.find((metric) => metric.name === name);
}

/** Finds a breakdown by its wire name, ignoring case. */
export function findBreakdown(name: string): Breakdown | undefined {
  const upper = name.toUpperCase();
  return breakdowns.find((breakdown) => breakdown.name === upper);
}

/** Finds a breakdown by name, ignoring case. Includes derived breakdowns. */
export function findAnyBreakdown(name: string): Breakdown | DerivedBreakdown | undefined {
  const upper = name.toUpperCase();
  return findBreakdown(upper) ?? derivedBreakdowns.find((breakdown) => breakdown.name === upper);
}
