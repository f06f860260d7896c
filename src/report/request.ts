import { createHash } from 'node:crypto';
import { allCountryNames, findCountry } from '../contract/countries.ts';
import {
  defaultZone,
  type Encoding,
  endpoints,
  type ReportRequest,
  type WindowClock,
} from '../contract/messages.ts';
import {
  type BreakdownName,
  breakdowns,
  type DerivedBreakdownName,
  type DerivedName,
  derivedBreakdowns,
  derivedMetrics,
  type Filter,
  type FilterName,
  isCalled,
  type MetricName,
  metrics,
  type Profile,
  type VocabularyEntry,
  vocabularyOf,
} from '../contract/vocabulary.ts';
import { UsageError } from '../errors.ts';
import { didYouMean, nearest } from '../text/nearest.ts';
import { quoted, visibleJson } from '../text/printable.ts';
import { quoteForShell, shellWord } from '../text/quote-for-shell.ts';
import type { NamedFilter, ReportSpec, SpecFilters } from './spec.ts';
import { type SplitUnit, type Window, wallAt } from './window.ts';
import { resolveWindow, type WindowFlags } from './window-flags.ts';

/** The flags that say what is asked for, with their values as they were typed. */
export interface RequestFlags {
  readonly profile: Profile;

  /** The system whose shells read the hints; this one if absent. */
  readonly platform?: NodeJS.Platform;

  /** Comma list in any case, as `by`; all of the profile's where absent. */
  readonly metrics?: string | undefined;
  readonly by?: string | undefined;

  /** Each `name=v1,v2`. */
  readonly filters?: readonly string[] | undefined;

  /** Each a comma list of ISO codes, names or GeoNames ids. */
  readonly countries?: readonly string[] | undefined;

  /** Names or patterns of names, each a comma list. */
  readonly campaigns?: readonly string[] | undefined;
  readonly adUnits?: readonly string[] | undefined;
  readonly advertisers?: readonly string[] | undefined;
  readonly columns?: readonly string[] | 'all' | undefined;
  readonly timezone?: string | undefined;

  /** How the service reads the window's seconds; `instant` if absent. */
  readonly windowClock?: WindowClock | undefined;
}

/** A report to ask for: the request as the service takes it, and its window in its zone. */
export interface ReportPlan {
  readonly profile: Profile;
  readonly request: ReportRequest;
  readonly window: Window;
  readonly windowClock: WindowClock;

  /** The metrics that the user asked for, in that order, computed ones among them. */
  readonly shownMetrics: readonly (MetricName | DerivedName)[];

  /** True if each week of the window is a report of its own (`--by WEEKLY`). */
  readonly isWeekly: boolean;
}

/** What a request asks for, and the zone of its days. */
export type AskedRequest = Pick<ReportSpec, 'request' | 'timezone'>;

/**
 * Reads the flags of a request. The zone is the report's: Europe/Paris for a buyer, `--timezone`
 * for a DSP. Throws one `UsageError` with every mistake, those in the window included.
 */
export function readRequest(flags: RequestFlags & Omit<WindowFlags, 'zone'>): AskedRequest {
  const { profile, columns } = flags;
  const reader = new RequestReader(flags);
  const metrics = reader.readMetrics();
  const breakdowns = reader.readBreakdowns();
  const filters = reader.readFilters();
  const window = reader.readWindow(flags);
  if (!window || reader.errors.length > 0) throw oneErrorOf(reader.errors);

  const hasFilters = Object.keys(filters).length > 0;
  return {
    timezone: window.zone,
    request: {
      profile,
      metrics,
      breakdowns,
      ...(hasFilters && { filters }),
      ...(columns !== undefined && { columns }),
    },
  };
}

/** What a plan is made from: a spec, or as much of one. */
type PlannedSpec = AskedRequest & Pick<ReportSpec, 'windowClock' | 'period' | 'since' | 'until'>;

/** When a plan is made, and what only this run asks for. */
export interface PlanOptions {
  /** The present, in milliseconds since 1970. */
  readonly nowMs: number;

  /** True to have the data as the answer to the create call (`--direct`). */
  readonly direct?: boolean | undefined;

  /** The unit that `-90d` and `-2w` are rounded to. */
  readonly wholeUnit?: SplitUnit | undefined;
}

/**
 * The request and the window of a spec as of now. The names of campaigns are left out: `/campaigns`
 * turns them into ids. Throws `UsageError` for a window that has become wrong.
 */
export function planSpec(spec: PlannedSpec, { nowMs, direct, wholeUnit }: PlanOptions): ReportPlan {
  const { period, since, until, timezone, windowClock = 'instant' } = spec;
  const { profile, metrics: shownMetrics, breakdowns: asked } = spec.request;
  const window = resolveWindow({ period, since, until, zone: timezone, nowMs, wholeUnit });

  const { campaign, adUnit, advertiser, ...filters } = spec.request.filters ?? {};
  const request = {
    metrics: distinct(shownMetrics.flatMap(neededFor)),
    breakdowns: asked.map(sentBreakdown),
    filters,
    // A DSP report always states its zone, so that the service uses the zone of the window.
    ...(profile === 'dsp' && { timezone }),
    ...(direct && { output: 'direct' as const }),
  };
  return {
    profile,
    request: requestFor({ request, windowClock }, window),
    window,
    windowClock,
    shownMetrics,
    isWeekly: asked.includes('WEEKLY'),
  };
}

/** The plan of what flags ask for. Throws as `readRequest` and `planSpec`. */
export function planReport(
  flags: RequestFlags & PlanOptions & Omit<WindowFlags, 'zone'>,
): ReportPlan {
  return planSpec({ ...flags, ...readRequest(flags) }, flags);
}

/** The breakdown that the service is asked for. */
function sentBreakdown(name: BreakdownName | DerivedBreakdownName): BreakdownName {
  const derived = derivedBreakdowns.find((breakdown) => breakdown.name === name);
  return derived ? derived.sentAs : (name as BreakdownName);
}

/** One error for all those of a command. */
function oneErrorOf(errors: readonly UsageError[]): UsageError {
  const [first, second] = errors;
  if (first && !second) return first;
  const lines = errors.map(({ message, hint }) => `\n  - ${message} ${hint}`);
  return new UsageError(`${errors.length} things are wrong:${lines.join('')}`, {
    mistakes: errors,
  });
}

type Askable = Pick<ReportPlan, 'windowClock'> & {
  readonly request: Omit<ReportRequest, 'since' | 'until'>;
};

/**
 * The request for a window, or for a part of one. Throws `UsageError` where its wall times end
 * before they begin.
 */
export function requestFor(
  { request, windowClock }: Askable,
  { since, until, zone }: Window,
): ReportRequest {
  if (windowClock === 'instant') return { ...request, since, until };

  const wallSince = wallAt(since, zone).toSeconds();
  const wallUntil = wallAt(until, zone).toSeconds();
  if (wallSince <= wallUntil) return { ...request, since: wallSince, until: wallUntil };

  const message =
    'As wall time this window would end before it begins: the clocks go back within it.';
  const hint = 'Ask for the whole day, or with --window-clock instant.';
  throw new UsageError(message, { hint, about: { flag: '--window-clock' } });
}

/** The metrics that the service is asked for, so that one that is shown can be. */
function neededFor(name: MetricName | DerivedName): readonly MetricName[] {
  const derived = derivedMetrics.find(({ field }) => field === name);
  return derived ? [derived.numerator, derived.denominator] : [name as MetricName];
}

/** Values of a filter as they were typed, and the flag that gave them. */
interface TypedFilter {
  readonly flag: '--filter' | '--country';
  readonly name: string;

  /** A list of values. */
  readonly list: string;
}

/** A value that is not accepted, and how its flag is typed. */
interface TypedValue {
  readonly flag: string;
  readonly typedAs: string;
  readonly text: string;
  readonly hint: string;
}

/** The values of a flag that takes names. */
interface TypedNames {
  readonly flag: string;
  readonly name: NamedFilter;
  readonly lists: readonly string[];
}

/** Reads the flags of a request, and collects what is wrong with them. */
class RequestReader {
  readonly errors: UsageError[] = [];
  readonly #flags: RequestFlags;

  constructor(flags: RequestFlags) {
    this.#flags = flags;
  }

  /** The metrics that the user asked for; all of the profile where none is named. */
  readMetrics(): (MetricName | DerivedName)[] {
    const { profile, metrics: list } = this.#flags;
    if (list === undefined) return vocabularyOf(profile).metrics.map(({ name }) => name);

    if (splitList(list).length === 0) {
      this.#refuse('--metrics', '--metrics names no metric.', 'Leave it out for all of them.');
    }
    const computed = derivedMetrics.map((metric) => ({ ...metric, name: metric.field }));
    const entries = [...metrics, ...computed];
    return this.#readNames<MetricName | DerivedName>('metric', list, entries);
  }

  readBreakdowns(): (BreakdownName | DerivedBreakdownName)[] {
    const all = [...breakdowns, ...derivedBreakdowns];
    const names = this.#readNames<BreakdownName | DerivedBreakdownName>(
      'breakdown',
      this.#flags.by ?? '',
      all,
    );
    const timeNames = all.filter(({ time }) => time).map(({ name }) => name);
    const askedTimes = names.filter((name) => timeNames.includes(name));
    if (askedTimes.length > 1) {
      const message = `${askedTimes.join(' and ')} exclude each other.`;
      this.#refuse('--by', message, `Use at most one of ${timeNames.join(', ')}.`);
    }
    return names;
  }

  /** The window; `undefined` where it is wrong. */
  readWindow(flags: Omit<WindowFlags, 'zone'>): Window | undefined {
    const { profile, timezone } = this.#flags;
    if (profile === 'buyer' && timezone !== undefined) {
      const message = `--timezone is for DSP reports: a buyer report is always in ${defaultZone}.`;
      this.#refuse('--timezone', message, 'Leave --timezone out.');
    }
    const zone = profile === 'dsp' ? (timezone ?? defaultZone) : defaultZone;
    try {
      return resolveWindow({ ...flags, zone });
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      this.errors.push(error);
      return undefined;
    }
  }

  /**
   * The `--filter name=v1,v2` and `--country` flags as filters: names in any case, a name given
   * twice merged, repeats dropped. Text that holds a comma stands in double quotes:
   * `carrier="A, B",C`.
   */
  readFilters(): SpecFilters {
    const { profile } = this.#flags;
    const filters: { [Name in FilterName | NamedFilter]?: readonly string[] } = {};
    for (const typed of this.#typedFilters()) {
      const accepted = vocabularyOf(profile).filters;
      if (accepted.length === 0) {
        this.#refuse(
          typed.flag,
          `A ${profile} report takes no filters.`,
          `Leave ${typed.flag} out.`,
        );
        break;
      }
      const filter = accepted.find(({ name }) => isSame(name, typed.name));
      if (!filter) {
        this.#refuseFilter(typed, accepted);
        continue;
      }
      const earlier = filters[filter.name] ?? [];
      filters[filter.name] = distinct([...earlier, ...this.#readValues(filter, typed)]);
    }

    for (const { flag, name, lists } of this.#typedNames()) {
      if (vocabularyOf(profile).filters.length === 0) {
        this.#refuse(flag, `A ${profile} report takes no filters.`, `Leave ${flag} out.`);
        break;
      }
      filters[name] = distinct(lists.flatMap((list) => this.#readPatterns(flag, list)));
    }
    return filters;
  }

  *#typedNames(): Generator<TypedNames> {
    const { campaigns, adUnits, advertisers } = this.#flags;
    if (campaigns) yield { flag: '--campaign', name: 'campaign', lists: campaigns };
    if (adUnits) yield { flag: '--ad-unit', name: 'adUnit', lists: adUnits };
    if (advertisers) yield { flag: '--advertiser', name: 'advertiser', lists: advertisers };
  }

  /** Names are separated like the values of `--filter`: by commas outside double quotes. */
  #readPatterns(flag: string, list: string): string[] {
    const patterns = splitValues(list);
    if (patterns && patterns.length > 0) return patterns;

    const pattern = `${flag} ${this.#word('Summer*')}`;
    const hint = `Write ${pattern}; a name that holds a comma stands in double quotes: ${flag} ${this.#word('"A, B"')}.`;
    this.#refuse(flag, `${flag} ${quoted(list)}: this is no name.`, hint);
    return [];
  }

  *#typedFilters(): Generator<TypedFilter> {
    const { filters = [], countries = [] } = this.#flags;
    for (const text of filters) {
      const equals = text.indexOf('=');
      const nameEnd = equals === -1 ? text.length : equals;
      const name = text.slice(0, nameEnd).trim();
      yield { flag: '--filter', name, list: text.slice(nameEnd + 1) };
    }
    for (const list of countries) yield { flag: '--country', name: 'countryId', list };
  }

  #refuseFilter(typed: TypedFilter, accepted: readonly Filter[]): void {
    const names = accepted.map(({ name }) => name);
    const ofBreakdown = accepted.find((filter) => isOf(filter, typed.name));
    const meant = ofBreakdown?.name ?? nearest(typed.name, names);
    const use = ofBreakdown && this.#flagForValues(ofBreakdown, typed.list);
    const hint = use ? `Use: ${use}` : didYouMean(meant, `Filters: ${names.join(', ')}.`);
    this.#refuse(typed.flag, `There is no filter ${quoted(typed.name)}.`, hint);
  }

  /**
   * The values of one flag as the service takes them: a country may be given by its ISO code or its
   * name.
   */
  #readValues(filter: Filter, { flag, list }: TypedFilter): string[] {
    const isFilter = flag === '--filter';
    const typedAs = isFilter ? `--filter ${filter.name}` : flag;
    const hint = `Write ${typedAs}${isFilter ? '=' : ' '}${exampleOf(filter)}.`;
    const texts = splitValues(list);
    if (!texts) {
      const message = `${typedAs}: its double quotes do not pair up.`;
      this.#refuse(flag, message, `${hint} A quote inside quotes is doubled.`);
      return [];
    }
    if (texts.length === 0) this.#refuse(flag, `${typedAs} has no values.`, hint);

    const values: string[] = [];
    for (const text of texts) {
      const value = filterValueOf(filter, text);
      if (value !== undefined) values.push(value);
      else this.#refuseValue(filter, { flag, typedAs, text, hint });
    }
    return values;
  }

  #refuseValue(filter: Filter, { flag, typedAs, text, hint }: TypedValue): void {
    const { on, meaning } = filter;
    if (on !== 'COUNTRY') {
      const message = `${typedAs} takes ids, which are digits, and not ${quoted(text)}.`;
      const byName = nameFlags[on];
      const otherwise = byName === undefined ? '' : ` By name: ${byName} ${this.#word(text)}`;
      this.#refuse(flag, message, `It selects ${meaning}.${otherwise}`);
      return;
    }
    const message = `${typedAs}: there is no country ${quoted(text)}.`;
    this.#refuse(flag, message, didYouMean(nearest(text, allCountryNames()), hint));
  }

  /**
   * The entries of a comma list, each once; a name that is not among them is said with what was
   * probably meant.
   */
  #readNames<Name extends string>(
    kind: 'metric' | 'breakdown',
    list: string,
    entries: readonly VocabularyEntry<Name>[],
  ): Name[] {
    const { profile } = this.#flags;
    const flag = kind === 'metric' ? '--metrics' : '--by';
    const accepted = entries.filter((entry) => entry.profiles.includes(profile));
    const acceptedNames = accepted.map(({ name }) => name);
    const all = `The ${profile} ${kind}s are ${acceptedNames.join(', ')}.`;

    const names: Name[] = [];
    for (const text of splitList(list)) {
      const entry = entries.find(({ name }) => isSame(name, text));
      if (!entry) {
        const synonym = accepted.find((each) => isCalled(each, text))?.name;
        const meant = synonym ?? nearest(text, acceptedNames) ?? nearestByWord(text, accepted);
        this.#refuse(flag, `There is no ${kind} ${quoted(text)}.`, didYouMean(meant, all));
      } else if (!entry.profiles.includes(profile)) {
        const others = entry.profiles.join(' and ');
        this.#refuse(flag, `The ${kind} ${entry.name} is in ${others} reports only.`, all);
      } else {
        names.push(entry.name);
      }
    }
    return distinct(names);
  }

  /**
   * The flag that keeps some values, as it is typed: by their names where it has one, else by their
   * ids.
   */
  #flagForValues(filter: Filter, list: string): string | undefined {
    const byName = nameFlags[filter.on];
    const areIds = /^[\d,\s]+$/.test(list);
    if (byName !== undefined && !areIds) {
      return `${byName} ${list === '' ? 'NAME' : this.#word(list)}`;
    }
    const isValue = areIds || filter.compare === 'text';
    return isValue ? `--filter ${this.#word(`${filter.name}=${list}`)}` : undefined;
  }

  #word(text: string): string {
    return shellWord(text, this.#flags.platform ?? process.platform);
  }

  #refuse(flag: string, message: string, hint: string): void {
    this.errors.push(new UsageError(message, { hint, about: { flag } }));
  }
}

/** The flags that take the names of what a breakdown tells apart. */
const nameFlags: Partial<Readonly<Record<BreakdownName, string>>> = {
  CAMPAIGN: '--campaign',
  ADUNIT: '--ad-unit',
  ADVERTISER: '--advertiser',
  COUNTRY: '--country',
};

/**
 * Whether a name is that of the breakdown that a filter selects on, or of a field or a word of it.
 */
function isOf({ on }: Filter, name: string): boolean {
  const breakdown = breakdowns.find((each) => each.name === on);
  return breakdown !== undefined && isCalled(breakdown, name);
}

/** The name of the entry, one of whose other words is near a misspelt one. */
function nearestByWord<Name extends string>(
  text: string,
  entries: readonly VocabularyEntry<Name>[],
): Name | undefined {
  const word = nearest(
    text,
    entries.flatMap(({ words = [] }) => words),
  );
  return word === undefined ? undefined : entries.find(({ words }) => words?.includes(word))?.name;
}

/** A value of a filter as the service takes it; `undefined` for one that it does not take. */
function filterValueOf({ on, compare }: Filter, text: string): string | undefined {
  if (compare === 'text' || /^\d+$/.test(text)) return text;
  return on === 'COUNTRY' ? findCountry(text)?.id : undefined;
}

/** Values of a filter, as they are typed. */
function exampleOf({ on, compare }: Filter): string {
  if (on === 'COUNTRY') return 'FR,Germany';
  return compare === 'id' ? '1234,5678' : '"A, B",C';
}

/** The words of a comma list. */
function splitList(list: string): string[] {
  const words = list.split(',').map((word) => word.trim());
  return words.filter((word) => word !== '');
}

function isSame(name: string, other: string): boolean {
  return name.toLowerCase() === other.toLowerCase();
}

function distinct<T>(names: readonly T[]): T[] {
  return [...new Set(names)];
}

/**
 * Splits at the commas that stand outside double quotes; `undefined` where the quotes do not pair
 * up.
 */
function splitValues(list: string): string[] | undefined {
  const values: string[] = [];
  let at = 0;
  while (at <= list.length) {
    const item = quotedItemAt(list, at) ?? bareItemAt(list, at);
    if (!item) return undefined;
    if (item.value !== '') values.push(item.value);
    // Behind an item stands its comma.
    at = item.end + 1;
  }
  return values;
}

/** One item of a list, and where its comma stands, or the list ends. */
interface ListItem {
  readonly value: string;
  readonly end: number;
}

/**
 * The item in double quotes that begins at a place, blanks around it apart; `undefined` where none
 * does.
 */
function quotedItemAt(list: string, start: number): ListItem | undefined {
  const quoted = /\s*"((?:[^"]|"")*)"\s*/y;
  quoted.lastIndex = start;
  const match = quoted.exec(list);
  const end = quoted.lastIndex;
  if (!match || (end < list.length && list[end] !== ',')) return undefined;
  return { value: (match[1] ?? '').replaceAll('""', '"'), end };
}

function bareItemAt(list: string, start: number): ListItem | undefined {
  const comma = list.indexOf(',', start);
  const end = comma === -1 ? list.length : comma;
  const value = list.slice(start, end).trim();
  return value.startsWith('"') ? undefined : { value, end };
}

/** The body of a create call in one of the service's encodings. */
export interface EncodedRequest {
  readonly contentType: string;
  readonly text: string;
}

/**
 * The create call's body in either of the service's encodings. A form is written as the
 * specification does, with the brackets and the commas of metrics bare:
 * `metrics=displays,clicks&breakdowns[0]=DAILY&campaignId[0]=12`.
 */
export function encodeRequest(request: ReportRequest, encoding: Encoding): EncodedRequest {
  const parameters = requestParameters(request);
  if (encoding === 'json') {
    // What a terminal would hide stands escaped, because people read the body before it is sent.
    return { contentType: 'application/json', text: visibleJson(parameters) };
  }

  const fields: string[] = [];
  for (const [name, value] of Object.entries(parameters)) {
    if (!Array.isArray(value)) {
      const text = encodeURIComponent(String(value)).replaceAll('%2C', ',');
      fields.push(`${name}=${text}`);
      continue;
    }
    for (const [index, item] of value.entries()) {
      fields.push(`${name}[${index}]=${encodeURIComponent(item)}`);
    }
  }
  return { contentType: 'application/x-www-form-urlencoded', text: fields.join('&') };
}

/** The parameters of a request by their wire names (specification, Report request parameters). */
type RequestParameters = Readonly<Record<string, string | number | readonly string[]>>;

export function requestParameters(request: ReportRequest): RequestParameters {
  const { since, until, metrics, breakdowns, filters, timezone, output } = request;
  return {
    since,
    until,
    metrics: metrics.join(','),
    ...(breakdowns.length > 0 && { breakdowns }),
    ...filters,
    ...(timezone !== undefined && { timezone }),
    ...(output && { output }),
  };
}

/** The address of the create call. */
export function createUrl(baseUrl: string): string {
  return withoutSlashesAtEnd(baseUrl) + endpoints.buyer.path;
}

function withoutSlashesAtEnd(url: string): string {
  let length = url.length;
  while (url[length - 1] === '/') length -= 1;
  return url.slice(0, length);
}

/**
 * The create call as a line for any POSIX shell, or for cmd, which has the token from the variable
 * `ADREPORT_TOKEN`.
 */
export function curlLine(
  baseUrl: string,
  { contentType, text }: EncodedRequest,
  platform: NodeJS.Platform,
): string {
  const quote = (word: string) => quoteForShell(word, platform);
  const token = platform === 'win32' ? '%ADREPORT_TOKEN%' : '$ADREPORT_TOKEN';
  const accept = quote('Accept: application/json');
  const headers = `-H "Authorization: ${token}" -H ${accept} -H ${quote(`Content-Type: ${contentType}`)}`;
  return `curl ${quote(createUrl(baseUrl))} ${headers} --data-raw ${quote(text)}`;
}

/**
 * A name for a request of an account that is the same on every machine: 32 hex digits. No order
 * counts: a service may give one report for requests whose metrics, breakdowns or filters stand in
 * another order.
 */
export function requestHash(baseUrl: string, account: string, request: ReportRequest): string {
  const sortedFilters: [name: string, values: string[]][] = [];
  for (const [name, values] of Object.entries(request.filters)) {
    sortedFilters.push([name, [...values].sort()]);
  }
  const metrics = [...request.metrics].sort();
  const breakdowns = [...request.breakdowns].sort();
  const parameters = requestParameters({ ...request, metrics, breakdowns, filters: {} });
  const identity = [withoutSlashesAtEnd(baseUrl), account, parameters, sortedFilters.sort()];
  return createHash('sha256').update(JSON.stringify(identity)).digest('hex').slice(0, 32);
}
