import { createHash } from 'node:crypto';
import { allCountries, findCountry } from '../contract/countries.ts';
import { defaultZone, type Encoding, endpoints, type ReportRequest, type WindowClock } from '../contract/messages.ts';
import {
  type Breakdown,
  type BreakdownName,
  breakdowns,
  type DerivedName,
  derivedMetrics,
  type Filter,
  findBreakdown,
  findDerived,
  isCalled,
  type Metric,
  type MetricName,
  metrics,
  type Profile,
  vocabularyOf,
} from '../contract/vocabulary.ts';
import { UsageError } from '../errors.ts';
import { nearest } from '../text/nearest.ts';
import { quoteForShell } from '../text/printable.ts';
import { collectMistakes, didYouMean, type Mistake, quoteIfNeeded, usageError } from './mistakes.ts';
import { checkZoneName, type Window, ZoneClock } from './window.ts';
import { resolveWindow, type WindowFlags } from './window-flags.ts';

/** The flags that say what a report holds, as the user wrote them. */
export interface RequestFlags {
  readonly profile: Profile;
  /** Comma list; all of the profile's where absent. */
  readonly metrics?: string | undefined;
  /** Comma list, in any case. */
  readonly by?: string | undefined;
  /** Each `name=v1,v2`. */
  readonly filters?: readonly string[] | undefined;
  /** Each a comma list of ISO codes, English names or GeoNames ids. */
  readonly countries?: readonly string[] | undefined;
  /** IANA name in any case; DSP only. */
  readonly timezone?: string | undefined;
  /** Whether the create call is to answer with the data itself (`output=direct`). */
  readonly direct?: boolean | undefined;
  /** How the service reads the window's seconds; `instant` where absent. */
  readonly windowClock?: WindowClock | undefined;
}

/** A report to ask for: the request as the service takes it, and its window in its zone. */
export interface ReportPlan {
  readonly request: ReportRequest;
  readonly window: Window;
  readonly windowClock: WindowClock;
  /** The metrics that the user asked for, in that order; what is computed from sums among them. */
  readonly shownMetrics: readonly (MetricName | DerivedName)[];
}

/**
 * What the flags of `report create` and `run` ask for (`cli.md`). The zone is the report's: Europe/Paris for a buyer,
 * `--timezone` for a DSP. Throws one `UsageError` with every mistake of the command, of request and window alike.
 */
export function planReport(flags: RequestFlags & Omit<WindowFlags, 'zone'>): ReportPlan {
  const mistakes: Mistake[] = [];
  const shownMetrics = readMetrics(flags, mistakes);
  const content = {
    metrics: distinct(shownMetrics.flatMap(neededFor)),
    breakdowns: readBreakdowns(flags, mistakes),
    filters: readFilters(flags, mistakes),
  };
  const timezone = readTimezone(flags, mistakes);
  const window = collectMistakes(mistakes, () => resolveWindow({ ...flags, zone: timezone ?? defaultZone }));
  if (mistakes.length > 0 || !window) throw usageError(mistakes);
  const windowClock = flags.windowClock ?? 'instant';
  const request = {
    ...content,
    ...(timezone === undefined ? {} : { timezone }),
    ...(flags.direct ? { output: 'direct' as const } : {}),
  };
  return { request: requestFor({ request, windowClock }, window), window, windowClock, shownMetrics };
}

interface Askable {
  readonly request: Omit<ReportRequest, 'since' | 'until'>;
  readonly windowClock: WindowClock;
}

/** The request for a window, or for a part of one. Throws `UsageError` where its wall times end before they begin. */
export function requestFor({ request, windowClock }: Askable, { since, until, zone }: Window): ReportRequest {
  if (windowClock === 'instant') return { ...request, since, until };
  const clock = new ZoneClock(zone);
  const wall = { since: clock.wallAt(since), until: clock.wallAt(until) };
  if (wall.since <= wall.until) return { ...request, ...wall };
  throw new UsageError('As wall time this window would end before it begins: the clocks go back within it.', {
    hint: 'Ask for the whole day, or with --window-clock instant.',
  });
}

/** The metrics that the service is asked for, so that one that is shown can be. */
function neededFor(name: MetricName | DerivedName): readonly MetricName[] {
  const derived = derivedMetrics.find(({ field }) => field === name);
  return derived ? [derived.numerator, derived.denominator] : [name as MetricName];
}

function readMetrics({ profile, metrics: list }: RequestFlags, mistakes: Mistake[]): (MetricName | DerivedName)[] {
  const known = vocabularyOf(profile).metrics;
  if (list === undefined) return known.map(({ name }) => name);
  const names = splitList(list);
  if (names.length === 0) {
    mistakes.push({ message: '--metrics names no metric.', hint: 'Leave it out for all of them.' });
  }
  const isHere = (name: MetricName): boolean => known.some((metric) => metric.name === name);
  const computed = derivedMetrics.filter(({ field }) => neededFor(field).every(isHere));
  const found = names.map((name) => {
    const derived = findDerived(name);
    if (derived && computed.some(({ field }) => field === derived.field)) return derived.field;
    const metric = (metrics as readonly Metric[]).find((candidate) => isSame(candidate.name, name));
    if (metric?.profiles.includes(profile)) return metric.name;
    const lacking =
      derived && metrics.find((each) => neededFor(derived.field).includes(each.name) && !isHere(each.name));
    const meant =
      known.find(({ rowField }) => isSame(rowField?.[profile] ?? '', name)) ??
      known.find((each) => isCalled(each, name)) ??
      named(computed.find((each) => isCalled({ ...each, name: each.field }, name)));
    const all = [...known, ...computed.map(({ field }) => ({ name: field }))];
    mistakes.push(unknownName('metric', name, { profile, known: all, owner: metric ?? lacking, meant }));
    return undefined;
  });
  return distinct(found);
}

function named(derived: { readonly field: DerivedName } | undefined): { readonly name: string } | undefined {
  return derived && { name: derived.field };
}

function readBreakdowns({ profile, by }: RequestFlags, mistakes: Mistake[]): BreakdownName[] {
  const known = vocabularyOf(profile).breakdowns;
  const found = splitList(by ?? '').map((name) => {
    const owner = findBreakdown(name);
    if (owner?.profiles.includes(profile)) return owner.name;
    const meant =
      known.find(({ fields }) => fields.some((field) => isSame(field.name, name))) ??
      known.find((each) => isCalled(each, name));
    mistakes.push(unknownName('breakdown', name, { profile, known, owner, meant }));
    return undefined;
  });
  const names = distinct(found);
  const isTime = (name: string): boolean => findBreakdown(name)?.time === true;
  const times = names.filter(isTime);
  if (times.length > 1) {
    const all = (breakdowns as readonly Breakdown[]).map(({ name }) => name).filter(isTime);
    mistakes.push({
      message: `${times.join(' and ')} exclude each other.`,
      hint: `Use at most one of ${all.join(', ')}.`,
    });
  }
  return names;
}

interface Search {
  readonly profile: Profile;
  readonly known: readonly { readonly name: string }[];
  /** The entry of that name, where another profile has it. */
  readonly owner: { readonly name: string; readonly profiles: readonly Profile[] } | undefined;
  /** The entry that has a row field of that name, or is called so elsewhere. */
  readonly meant: { readonly name: string } | undefined;
}

function unknownName(kind: 'metric' | 'breakdown', name: string, { profile, known, owner, meant }: Search): Mistake {
  const names = known.map((entry) => entry.name);
  const all = `The ${profile} ${kind}s are ${names.join(', ')}.`;
  if (owner) {
    return { message: `The ${kind} ${owner.name} is in ${owner.profiles.join(' and ')} reports only.`, hint: all };
  }
  const suggestion = meant?.name ?? nearest(name, names);
  return {
    message: `There is no ${kind} ${quoteIfNeeded(name)}.`,
    hint: suggestion === undefined ? all : didYouMean(suggestion),
  };
}

/** The zone that the request states: a DSP's always, so that the service reckons in the zone the window was found in. */
function readTimezone({ profile, timezone }: RequestFlags, mistakes: Mistake[]): string | undefined {
  if (profile === 'dsp') {
    return collectMistakes(mistakes, () => checkZoneName({ flag: '--timezone', text: timezone ?? defaultZone }));
  }
  if (timezone !== undefined) {
    mistakes.push({
      message: `--timezone is for DSP reports: a buyer report is always in ${defaultZone}.`,
      hint: 'Leave --timezone out.',
    });
  }
  return undefined;
}

function splitList(list: string): string[] {
  return list
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

function isSame(name: string, other: string): boolean {
  return name.toLowerCase() === other.toLowerCase();
}

/** The names that were found, each once, in the order of their first mention. */
function distinct<T>(names: readonly (T | undefined)[]): T[] {
  return [...new Set(names)].filter((name) => name !== undefined);
}

/** The service takes at most this many values an array (`decisions.md` 2). */
const valuesAtMost = 1_000;

type FilterValues = { [Name in Filter['name']]?: readonly string[] };

interface FilterFlags {
  readonly profile: Profile;
  /** Each `name=v1,v2`. */
  readonly filters?: readonly string[] | undefined;
  /** Each a comma list. */
  readonly countries?: readonly string[] | undefined;
}

/**
 * The `--filter name=v1,v2` and `--country` flags as filters: names in any case, a name given twice merged, repeats
 * dropped. Text that holds a comma stands in double quotes: `carrier="A, B",C`. What is wrong is added to `mistakes`.
 */
export function readFilters({ profile, filters = [], countries = [] }: FilterFlags, mistakes: Mistake[]): FilterValues {
  const known = vocabularyOf(profile).filters;
  if (known.length === 0) {
    if (filters.length > 0) mistakes.push(noFilters(profile, '--filter'));
    if (countries.length > 0) mistakes.push(noFilters(profile, '--country'));
    return {};
  }
  const found = new Map<Filter['name'], Set<string>>();
  const flags = [
    ...filters.map((text) => ({ flag: '--filter', text })),
    ...countries.map((list) => ({ flag: '--country', text: `countryId=${list}` })),
  ];
  for (const { flag, text } of flags) {
    const [name, list] = splitAtEquals(text);
    const filter = known.find((candidate) => candidate.name.toLowerCase() === name.toLowerCase());
    if (!filter) {
      mistakes.push(unknownFilter(name, known));
      continue;
    }
    const values = found.get(filter.name) ?? new Set();
    const shown = flag === '--filter' ? `--filter ${filter.name}` : flag;
    for (const value of readValues(filter, shown, list ?? '', mistakes)) values.add(value);
    found.set(filter.name, values);
  }
  for (const [name, { size }] of found) {
    if (size <= valuesAtMost) continue;
    mistakes.push({
      message: `--filter ${name} has ${size} values, and the service takes at most ${valuesAtMost}.`,
      hint: 'Ask for several reports, each with a part of the values.',
    });
  }
  return Object.fromEntries([...found].map(([name, values]) => [name, [...values]]));
}

function noFilters(profile: Profile, flag: string): Mistake {
  return { message: `A ${profile} report takes no filters.`, hint: `Leave ${flag} out.` };
}

function splitAtEquals(flag: string): [name: string, list: string | undefined] {
  const at = flag.indexOf('=');
  return at < 0 ? [flag.trim(), undefined] : [flag.slice(0, at).trim(), flag.slice(at + 1)];
}

function unknownFilter(name: string, known: readonly Filter[]): Mistake {
  const names = known.map((filter) => filter.name);
  const ofBreakdown = known.find((filter) => filter.on === name.toUpperCase())?.name;
  const meant = ofBreakdown ?? nearest(name, names);
  return {
    message: `There is no filter ${quoteIfNeeded(name)}.`,
    hint: meant === undefined ? `Filters: ${names.join(', ')}.` : didYouMean(meant),
  };
}

/** The values of one flag, each fit for its filter; mistakes are added where one is not, or where there are none. */
function readValues(filter: Filter, flag: string, list: string, mistakes: Mistake[]): string[] {
  const isId = filter.compare === 'id';
  const values = splitValues(list);
  if (values === undefined) {
    mistakes.push({
      message: `${flag}: its double quotes do not pair up.`,
      hint: `Write ${filter.name}="A, B",C; a quote inside quotes is doubled.`,
    });
    return [];
  }
  if (filter.on === 'COUNTRY') return readCountries(flag, values, mistakes);
  if (values.length === 0) {
    const example = isId ? '1234,5678' : '"Name one","Name two"';
    mistakes.push({ message: `${flag} has no values.`, hint: `Write --filter ${filter.name}=${example}.` });
  }
  const misfits = isId ? values.filter((value) => !/^\d+$/.test(value)) : [];
  if (misfits.length > 0) {
    mistakes.push({
      message: `${flag} takes ids, which are digits, and not ${misfits.slice(0, 3).map(quoteIfNeeded).join(', ')}.`,
      hint: `It selects ${filter.meaning}.`,
    });
  }
  return values;
}

/** GeoNames ids of countries: any that is given as such, and those of ISO codes and English names. */
function readCountries(flag: string, values: readonly string[], mistakes: Mistake[]): string[] {
  if (values.length === 0) mistakes.push({ message: `${flag} has no values.`, hint: 'Write --country FR,Germany.' });
  return values.flatMap((value) => {
    if (/^\d+$/.test(value)) return [value];
    const country = findCountry(value);
    if (country) return [country.id];
    const meant = nearest(
      value,
      allCountries().map(({ name }) => name),
    );
    mistakes.push({
      message: `${flag}: there is no country ${quoteIfNeeded(value)}.`,
      hint: meant === undefined ? 'Give an ISO code or an English name: FR, Germany.' : didYouMean(meant),
    });
    return [];
  });
}

/** Splits at the commas that stand outside double quotes; `undefined` where the quotes do not pair up. */
export function splitValues(list: string): string[] | undefined {
  const values: string[] = [];
  const items = list.matchAll(/\s*(?:"((?:[^"]|"")*)"\s*(?=,|$)|([^,]*))(?:,|$)/g);
  for (const [, quoted, bare = ''] of items) {
    if (quoted === undefined && bare.startsWith('"')) return undefined;
    const value = quoted?.replaceAll('""', '"') ?? bare.trim();
    if (value !== '') values.push(value);
  }
  return values;
}

/** The body of a create call, with the Content-Type it is sent as. */
export interface EncodedRequest {
  readonly contentType: 'application/json' | 'application/x-www-form-urlencoded';
  readonly text: string;
}

/** The create call's body in either of the service's encodings (specification, What the service does, 6). */
export function encodeRequest(request: ReportRequest, encoding: Encoding): EncodedRequest {
  return encoding === 'json'
    ? { contentType: 'application/json', text: encodeJson(request) }
    : { contentType: 'application/x-www-form-urlencoded', text: encodeForm(request) };
}

/** The parameters of a request by their wire names (specification, Report request parameters). */
export function requestParameters(request: ReportRequest): Record<string, number | string | readonly string[]> {
  const { since, until, metrics, breakdowns, filters, timezone, output } = request;
  return {
    since,
    until,
    metrics: metrics.join(','),
    ...(breakdowns.length > 0 ? { breakdowns } : {}),
    ...filters,
    ...(timezone === undefined ? {} : { timezone }),
    ...(output === undefined ? {} : { output }),
  };
}

/** `{"since":1793487600,"until":…,"metrics":"displays,clicks","breakdowns":["DAILY"],"campaignId":["12"]}` */
function encodeJson(request: ReportRequest): string {
  return JSON.stringify(requestParameters(request));
}

/**
 * `since=1793487600&until=…&metrics=displays,clicks&breakdowns[0]=DAILY&campaignId[0]=12`: as the specification writes
 * it, with the brackets and the commas of names bare. Both are legal in a form, and values are percent-encoded.
 */
function encodeForm(request: ReportRequest): string {
  const fields = Object.entries(requestParameters(request)).flatMap(([name, value]) => {
    if (name === 'metrics') return [`metrics=${value}`];
    return Array.isArray(value)
      ? value.map((item, index) => `${name}[${index}]=${encodeURIComponent(item)}`)
      : [`${name}=${encodeURIComponent(String(value))}`];
  });
  return fields.join('&');
}

/** The URL of the create call of a service. */
export function createUrl(baseUrl: string): string {
  return trimSlashes(baseUrl) + endpoints.buyer.path;
}

/** A base URL without the slashes at its end, which make no difference. */
function trimSlashes(baseUrl: string): string {
  return baseUrl.replace(/\/+$/, '');
}

/** A create call to be written as a curl command. */
export interface CurlCall {
  readonly baseUrl: string;
  readonly request: ReportRequest;
  readonly encoding: Encoding;
}

/** The create call as a line for any POSIX shell, which has the token from `$ADREPORT_TOKEN`. */
export function curlLine({ baseUrl, request, encoding }: CurlCall): string {
  const { contentType, text } = encodeRequest(request, encoding);
  return [
    `curl ${quoteForShell(createUrl(baseUrl))}`,
    '-H "Authorization: $ADREPORT_TOKEN"',
    "-H 'Accept: application/json'",
    `-H 'Content-Type: ${contentType}'`,
    `--data-raw ${quoteForShell(text)}`,
  ].join(' ');
}

/** What tells one report from another in the ledger. */
export interface RequestIdentity {
  readonly baseUrl: string;
  /** Who asks: any name that stays the same from run to run. */
  readonly account: string;
  readonly request: ReportRequest;
}

/**
 * A name for a request that is the same on every machine: 32 hex digits. The order of metrics and breakdowns counts,
 * because the report keeps it; the order of filters and of their values does not.
 */
export function requestHash({ baseUrl, account, request }: RequestIdentity): string {
  const { filters, ...others } = request;
  const sortedFilters = Object.entries(filters)
    .map(([name, values]) => [name, [...values].sort()] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const identity = [trimSlashes(baseUrl), account, requestParameters({ ...others, filters: {} }), sortedFilters];
  return createHash('sha256').update(JSON.stringify(identity)).digest('hex').slice(0, 32);
}
