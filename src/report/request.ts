import { createHash } from 'node:crypto';
import { allCountries, findCountry } from '../contract/countries.ts';
import { defaultZone, type Encoding, endpoints, type ReportRequest, type WindowClock } from '../contract/messages.ts';
import {
  type BreakdownName,
  breakdowns,
  type DerivedName,
  derivedMetrics,
  type Filter,
  findMetric,
  isCalled,
  type MetricName,
  metrics,
  type Profile,
  profiles,
  vocabularyOf,
} from '../contract/vocabulary.ts';
import { UsageError } from '../errors.ts';
import { nearest } from '../text/nearest.ts';
import { quoteForShell } from '../text/printable.ts';
import { didYouMean, quoteIfNeeded } from './mistakes.ts';
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
  const mistakes: UsageError[] = [];
  const shownMetrics = readMetrics(flags, mistakes);
  const content = {
    metrics: [...new Set(shownMetrics.flatMap(neededFor))],
    breakdowns: readBreakdowns(flags, mistakes),
    filters: readFilters(flags, mistakes),
  };
  const timezone = readTimezone(flags, mistakes);
  const window = collect(mistakes, () => resolveWindow({ ...flags, zone: timezone ?? defaultZone }));
  if (mistakes.length > 0 || !window) throw joined(mistakes);
  const windowClock = flags.windowClock ?? 'instant';
  const request = {
    ...content,
    ...(timezone === undefined ? {} : { timezone }),
    ...(flags.direct ? { output: 'direct' as const } : {}),
  };
  return { request: requestFor({ request, windowClock }, window), window, windowClock, shownMetrics };
}

/** The result of `read`, or `undefined` with its `UsageError` added to `mistakes`; any other error is thrown on. */
function collect<T>(mistakes: UsageError[], read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    mistakes.push(error);
    return undefined;
  }
}

/** One error for all the mistakes of a command. */
function joined(mistakes: readonly UsageError[]): UsageError {
  const [first, ...others] = mistakes;
  if (first && others.length === 0) return first;
  const lines = mistakes.map(({ message, hint = '' }) => `  - ${message} ${hint}`.trimEnd());
  return new UsageError([`${mistakes.length} things are wrong:`, ...lines].join('\n'));
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

/** What a list may name, by its name, its row fields or the trade's words for it. */
interface Nameable<Name extends string> {
  readonly name: Name;
  readonly profiles: readonly Profile[];
  readonly words?: readonly string[];
  readonly fields: readonly string[];
}

const nameableMetrics: readonly Nameable<MetricName | DerivedName>[] = [
  ...metrics.map((metric) => ({ ...metric, fields: Object.values(metric.rowField ?? {}) })),
  ...derivedMetrics.map(({ field: name, words }) => {
    const isIn = (profile: Profile) =>
      neededFor(name).every((needed) => findMetric(needed)?.profiles.includes(profile));
    return { name, words, fields: [], profiles: profiles.filter(isIn) };
  }),
];

const nameableBreakdowns: readonly Nameable<BreakdownName>[] = breakdowns.map((breakdown) => ({
  ...breakdown,
  fields: breakdown.fields.map(({ name }) => name),
}));

function readMetrics({ profile, metrics: list }: RequestFlags, mistakes: UsageError[]): (MetricName | DerivedName)[] {
  if (list === undefined) return vocabularyOf(profile).metrics.map(({ name }) => name);
  if (splitList(list).length === 0) {
    mistakes.push(new UsageError('--metrics names no metric.', { hint: 'Leave it out for all of them.' }));
  }
  return readNames('metric', list, nameableMetrics, profile, mistakes);
}

function readBreakdowns({ profile, by = '' }: RequestFlags, mistakes: UsageError[]): BreakdownName[] {
  const names = readNames('breakdown', by, nameableBreakdowns, profile, mistakes);
  const allTimes = breakdowns.filter(({ time }) => time).map(({ name }) => name);
  const times = names.filter((name) => allTimes.includes(name));
  if (times.length > 1) {
    const hint = `Use at most one of ${allTimes.join(', ')}.`;
    mistakes.push(new UsageError(`${times.join(' and ')} exclude each other.`, { hint }));
  }
  return names;
}

/** The names of a comma list, in any case, each once, in the order of their first mention. */
function readNames<Name extends string>(
  kind: 'metric' | 'breakdown',
  list: string,
  all: readonly Nameable<Name>[],
  profile: Profile,
  mistakes: UsageError[],
): Name[] {
  const known = all.filter((entry) => entry.profiles.includes(profile));
  const names = known.map(({ name }) => name);
  const hint = `The ${profile} ${kind}s are ${names.join(', ')}.`;
  const found = splitList(list).flatMap((text) => {
    const entry = all.find(({ name }) => isSame(name, text));
    if (entry?.profiles.includes(profile)) return [entry.name];
    if (entry) {
      const where = entry.profiles.join(' and ');
      mistakes.push(new UsageError(`The ${kind} ${entry.name} is in ${where} reports only.`, { hint }));
    } else {
      const meant =
        known.find(({ fields }) => fields.some((field) => isSame(field, text))) ??
        known.find((each) => isCalled(each, text));
      const nearby = didYouMean(meant?.name ?? nearest(text, names), hint);
      mistakes.push(new UsageError(`There is no ${kind} ${quoteIfNeeded(text)}.`, { hint: nearby }));
    }
    return [];
  });
  return [...new Set(found)];
}

/** The zone that the request states: a DSP's always, so that the service reckons in the zone the window was found in. */
function readTimezone({ profile, timezone }: RequestFlags, mistakes: UsageError[]): string | undefined {
  if (profile === 'dsp') {
    return collect(mistakes, () => checkZoneName({ flag: '--timezone', text: timezone ?? defaultZone }));
  }
  if (timezone !== undefined) {
    const message = `--timezone is for DSP reports: a buyer report is always in ${defaultZone}.`;
    mistakes.push(new UsageError(message, { hint: 'Leave --timezone out.' }));
  }
  return undefined;
}

function splitList(list: string): string[] {
  const items = list.split(',').map((item) => item.trim());
  return items.filter((item) => item !== '');
}

function isSame(name: string, other: string): boolean {
  return name.toLowerCase() === other.toLowerCase();
}

/** The service takes at most this many values an array (`decisions.md` 2). */
const valuesAtMost = 1_000;

/**
 * The `--filter name=v1,v2` and `--country` flags as filters: names in any case, a name given twice merged, repeats
 * dropped. Text that holds a comma stands in double quotes: `carrier="A, B",C`. What is wrong is added to `mistakes`.
 */
function readFilters(
  { profile, filters = [], countries = [] }: RequestFlags,
  mistakes: UsageError[],
): ReportRequest['filters'] {
  const known = vocabularyOf(profile).filters;
  const found = new Map<Filter['name'], Set<string>>();
  const flags = [
    ...filters.map((text) => ({ flag: '--filter', text })),
    ...countries.map((list) => ({ flag: '--country', text: `countryId=${list}` })),
  ];
  if (known.length === 0 && flags[0]) {
    const hint = `Leave ${flags[0].flag} out.`;
    mistakes.push(new UsageError(`A ${profile} report takes no filters.`, { hint }));
    return {};
  }
  for (const { flag, text } of flags) {
    const [, name = '', list = ''] = /^([^=]*)=?(.*)$/s.exec(text) ?? [];
    const filter = known.find((candidate) => isSame(candidate.name, name.trim()));
    collect(mistakes, () => {
      if (!filter) throw unknownFilter(name.trim(), known);
      const shown = flag === '--filter' ? `--filter ${filter.name}` : flag;
      const values = new Set([...(found.get(filter.name) ?? []), ...readValues(filter, shown, list)]);
      if (values.size > valuesAtMost) {
        throw new UsageError(`${shown} has over ${valuesAtMost} values, and the service takes no more.`, {
          hint: 'Ask for several reports, each with a part of the values.',
        });
      }
      found.set(filter.name, values);
    });
  }
  return Object.fromEntries([...found].map(([name, values]) => [name, [...values]]));
}

function unknownFilter(name: string, known: readonly Filter[]): UsageError {
  const names = known.map((filter) => filter.name);
  const meant = known.find((filter) => filter.on === name.toUpperCase())?.name ?? nearest(name, names);
  const hint = didYouMean(meant, `Filters: ${names.join(', ')}.`);
  return new UsageError(`There is no filter ${quoteIfNeeded(name)}.`, { hint });
}

/** The values of one flag, each fit for its filter. */
function readValues({ name, on, compare, meaning }: Filter, flag: string, list: string): readonly string[] {
  const values = splitValues(list);
  if (values === undefined) {
    throw new UsageError(`${flag}: its double quotes do not pair up.`, {
      hint: `Write ${name}="A, B",C; a quote inside quotes is doubled.`,
    });
  }
  const example = compare === 'id' ? '1234,5678' : '"Name one","Name two"';
  const hint = flag === '--country' ? 'Write --country FR,Germany.' : `Write --filter ${name}=${example}.`;
  if (values.length === 0) throw new UsageError(`${flag} has no values.`, { hint });
  if (on === 'COUNTRY') return values.map((value) => countryId(flag, value));
  const misfits = compare === 'id' ? values.filter((value) => !/^\d+$/.test(value)) : [];
  if (misfits.length === 0) return values;
  const shown = misfits.slice(0, 3).map(quoteIfNeeded).join(', ');
  throw new UsageError(`${flag} takes ids, which are digits, and not ${shown}.`, { hint: `It selects ${meaning}.` });
}

/** The GeoNames id of a country: any that is given as such, and that of an ISO code or English name. */
function countryId(flag: string, text: string): string {
  const id = /^\d+$/.test(text) ? text : findCountry(text)?.id;
  if (id !== undefined) return id;
  const names = allCountries().map(({ name }) => name);
  const hint = didYouMean(nearest(text, names), 'Give an ISO code or an English name: FR, Germany.');
  throw new UsageError(`${flag}: there is no country ${quoteIfNeeded(text)}.`, { hint });
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

/**
 * The create call's body, with the Content-Type it is sent as, in either of the service's encodings (specification, What
 * the service does, 6): `{"since":1793487600,…}`, or `since=1793487600&metrics=displays,clicks&breakdowns[0]=DAILY` with
 * the brackets and the commas of names bare, as the specification writes it.
 */
export function encodeRequest(request: ReportRequest, encoding: Encoding): { contentType: string; text: string } {
  const parameters = requestParameters(request);
  if (encoding === 'json') return { contentType: 'application/json', text: JSON.stringify(parameters) };
  const fields = Object.entries(parameters).flatMap(([name, value]) => {
    if (name === 'metrics') return [`metrics=${value}`];
    return Array.isArray(value)
      ? value.map((item, index) => `${name}[${index}]=${encodeURIComponent(item)}`)
      : [`${name}=${encodeURIComponent(String(value))}`];
  });
  return { contentType: 'application/x-www-form-urlencoded', text: fields.join('&') };
}

/** The URL of the create call of a service. Slashes at the end of the base URL make no difference. */
export function createUrl(baseUrl: string): string {
  return baseUrl.replace(/\/+$/, '') + endpoints.buyer.path;
}

/** The create call as a line for any POSIX shell, which has the token from `$ADREPORT_TOKEN`. */
export function curlLine(call: { baseUrl: string; request: ReportRequest; encoding: Encoding }): string {
  const { contentType, text } = encodeRequest(call.request, call.encoding);
  return [
    `curl ${quoteForShell(createUrl(call.baseUrl))}`,
    '-H "Authorization: $ADREPORT_TOKEN"',
    "-H 'Accept: application/json'",
    `-H 'Content-Type: ${contentType}'`,
    `--data-raw ${quoteForShell(text)}`,
  ].join(' ');
}

/**
 * A name for a request that is the same on every machine: 32 hex digits. The order of metrics and breakdowns counts,
 * because the report keeps it; the order of filters and of their values does not.
 * @param asked.account who asks: any name that stays the same from run to run
 */
export function requestHash(asked: { baseUrl: string; account: string; request: ReportRequest }): string {
  const { filters, ...others } = asked.request;
  const sortedFilters = Object.entries(filters)
    .map(([name, values]) => [name, [...values].sort()] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const parameters = requestParameters({ ...others, filters: {} });
  const identity = [asked.baseUrl.replace(/\/+$/, ''), asked.account, parameters, sortedFilters];
  return createHash('sha256').update(JSON.stringify(identity)).digest('hex').slice(0, 32);
}
