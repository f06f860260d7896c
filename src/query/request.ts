import { createHash } from 'node:crypto';
import { findNames, findSpellings } from '../contract/aliases.ts';
import { findCountry, listCountries } from '../contract/countries.ts';
import {
  defaultZone,
  type Encoding,
  endpointUrl,
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
  filters as filterTable,
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
import { type SplitUnit, type Window, wallAt } from './calendar.ts';
import { type NamedFilter, namedFilters } from './named-filters.ts';
import { resolvePeriod, type TypedPeriod } from './period.ts';
import type { ReportSpec, SpecFilters, SpecRequest } from './spec.ts';
import { readColumnNames } from './typed-columns.ts';
import { alternatives, closestHint, readName, type TypedName } from './typed-name.ts';
import { splitValues } from './value-list.ts';

/** Values are as typed. */
export interface RequestFlags {
  readonly profile: Profile;

  /** System whose shell the hints are quoted for; the current one if absent. */
  readonly platform?: NodeJS.Platform;

  /** Comma list in any case, like `by`; all metrics of the profile if absent. */
  readonly metrics?: string | undefined;
  readonly by?: string | undefined;

  /** Each `name=v1,v2`. */
  readonly filters?: readonly string[] | undefined;

  /** Each a comma list of ISO codes, names or GeoNames ids. */
  readonly countries?: readonly string[] | undefined;

  /** Names or patterns of names, each a comma list. */
  readonly names?: { readonly [Name in NamedFilter['name']]?: readonly string[] | undefined };
  readonly columns?: readonly string[] | 'all' | undefined;
  readonly timezone?: string | undefined;

  /** How the service reads the window's seconds; `instant` if absent. */
  readonly windowClock?: WindowClock | undefined;
}

/** Request as sent to the service, and the window with its zone. */
export interface ReportPlan {
  readonly profile: Profile;
  readonly request: ReportRequest;
  readonly window: Window;
  readonly windowClock: WindowClock;

  /** Requested metrics in order, including computed ones. */
  readonly shownMetrics: readonly (MetricName | DerivedName)[];

  /** Set if each week of the window is a report of its own (`--by WEEKLY`). */
  readonly isWeekly: boolean;
}

/** Request with its zone, and its window as flag values. */
type RequestSpec = Pick<ReportSpec, 'request' | 'timezone' | 'period' | 'since' | 'until'>;

/**
 * Parses the flags of a request. The zone is Europe/Paris for a buyer, `--timezone` for a DSP.
 * Throws one `UsageError` with all mistakes, including those in the window.
 */
export function parseRequest(
  flags: RequestFlags &
    TypedPeriod & { readonly nowMs: number; readonly wholeUnit?: SplitUnit | undefined },
) {
  const { profile } = flags;
  const reader = new RequestParser(flags);
  const metrics = reader.readMetrics();
  const breakdowns = reader.readBreakdowns();
  const filters = reader.readFilters();
  const window = reader.readWindow(flags);
  const columns = reader.readColumns({ metrics, breakdowns });
  if (!window || reader.errors.length > 0) throw joinErrors(reader.errors);

  const hasFilters = Object.keys(filters).length > 0;
  const request = {
    profile,
    metrics,
    breakdowns,
    ...(hasFilters && { filters }),
    ...(columns !== undefined && { columns }),
  };
  return { ...window, request };
}

export interface PlanOptions {
  /** Milliseconds since 1970. */
  readonly nowMs: number;

  /** Gets the data in the response to the create call (`--direct`). */
  readonly direct?: boolean | undefined;

  /** Unit that `-90d` and `-2w` are rounded to. */
  readonly wholeUnit?: SplitUnit | undefined;
}

/**
 * Resolves a spec at the current time into a request and a window. Filters by name are left out,
 * because they are resolved through `/campaigns`. Throws `UsageError` for a window that is invalid
 * now.
 */
export function planSpec(
  spec: RequestSpec & Pick<ReportSpec, 'windowClock'>,
  { nowMs, direct, wholeUnit }: PlanOptions,
): ReportPlan {
  const { period, since, until, timezone, windowClock = 'instant' } = spec;
  const { profile, metrics: shownMetrics, breakdowns: requested } = spec.request;
  const window = resolvePeriod(
    { period, since, until },
    { zone: timezone, nowMs, unit: wholeUnit },
  );

  const { campaign, adUnit, advertiser, ...filters } = spec.request.filters ?? {};
  const request = {
    ...sentNames({ metrics: shownMetrics, breakdowns: requested }),
    filters,
    // Always for a DSP, so that the service uses the zone of the window.
    ...(profile === 'dsp' && { timezone }),
    ...(direct && { output: 'direct' as const }),
  };
  return {
    profile,
    request: requestFor({ request, windowClock }, window),
    window,
    windowClock,
    shownMetrics,
    isWeekly: requested.includes('WEEKLY'),
  };
}

/** Parses flags into a plan. Throws like `parseRequest` and `planSpec`. */
export function planReport(
  flags: RequestFlags &
    PlanOptions &
    TypedPeriod & { readonly nowMs: number; readonly wholeUnit?: SplitUnit | undefined },
): ReportPlan {
  const spec = parseRequest(flags);
  return planSpec({ ...spec, ...(flags.windowClock && { windowClock: flags.windowClock }) }, flags);
}

type RequestedNames = Pick<SpecRequest, 'metrics' | 'breakdowns'>;

/** Returns the metrics and breakdowns to send to the service, without computed ones. */
function sentNames({
  metrics,
  breakdowns,
}: RequestedNames): Pick<ReportRequest, 'metrics' | 'breakdowns'> {
  return {
    metrics: distinct(metrics.flatMap(neededFor)),
    breakdowns: breakdowns.map(sentBreakdown),
  };
}

function sentBreakdown(name: BreakdownName | DerivedBreakdownName): BreakdownName {
  const derived = derivedBreakdowns.find((breakdown) => breakdown.name === name);
  return derived ? derived.sentAs : (name as BreakdownName);
}

function joinErrors(errors: readonly UsageError[]): UsageError {
  const [first, second] = errors;
  if (first && !second) return first;
  const lines = errors.map(({ message, hint }) => `\n  - ${message} ${hint}`);
  return new UsageError(`${errors.length} mistakes:${lines.join('')}`, {
    mistakes: errors,
  });
}

/** Formats a period as the history has it: `last-week`, `2026-Q3`. */
function inUsualCase(period: string): string {
  return period
    .trim()
    .toLowerCase()
    .replaceAll(/-[qw]\d/g, (unit) => unit.toUpperCase());
}

/**
 * Builds the request for a window or a part of it. Throws `UsageError` if its wall times end before
 * they begin.
 */
export function requestFor(
  {
    request,
    windowClock,
  }: { request: Omit<ReportRequest, 'since' | 'until'>; windowClock: WindowClock },
  { since, until, zone }: Window,
): ReportRequest {
  if (windowClock === 'instant') return { ...request, since, until };

  const wallSince = wallAt(since, zone).toSeconds();
  const wallUntil = wallAt(until, zone).toSeconds();
  if (wallSince <= wallUntil) return { ...request, since: wallSince, until: wallUntil };

  const message =
    'As wall time, this period would end before it begins: the clocks go back within it.';
  const hint = 'Request the whole day, or use --window-clock instant.';
  throw new UsageError(message, { hint, about: { flag: '--window-clock' } });
}

/** Returns the metrics to request in order to show a metric. */
function neededFor(name: MetricName | DerivedName): readonly MetricName[] {
  const derived = derivedMetrics.find(({ field }) => field === name);
  return derived ? [derived.numerator, derived.denominator] : [name as MetricName];
}

interface TypedFilter {
  readonly flag: '--filter' | '--country';
  readonly name: string;

  /** Comma list of values. */
  readonly list: string;
}

class RequestParser {
  readonly errors: UsageError[] = [];
  readonly #flags: RequestFlags;

  constructor(flags: RequestFlags) {
    this.#flags = flags;
  }

  /** Returns all metrics of the profile by default. */
  readMetrics(): (MetricName | DerivedName)[] {
    const { profile, metrics: list } = this.#flags;
    if (list === undefined) return vocabularyOf(profile).metrics.map(({ name }) => name);

    if (splitList(list).length === 0) {
      this.#refuse('--metrics', '--metrics is empty.', 'Remove it to request all metrics.');
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
    const requestedTimes = names.filter((name) => timeNames.includes(name));
    if (requestedTimes.length > 1) {
      const message = `${requestedTimes.join(' and ')} cannot be combined.`;
      this.#refuse('--by', message, `Use at most one of ${timeNames.join(', ')}.`);
    }
    return names;
  }

  /** Returns the columns to write, by their names in the report. */
  readColumns(requested: RequestedNames): readonly string[] | 'all' | undefined {
    const { profile, columns } = this.#flags;
    if (columns === undefined || columns === 'all') return columns;

    const { names, errors } = readColumnNames(columns, {
      profile,
      request: sentNames(requested),
    });
    this.errors.push(...errors);
    return names;
  }

  /** Returns the zone, and the window as flag values; `undefined` if they are wrong. */
  readWindow(
    flags: TypedPeriod & { readonly nowMs: number; readonly wholeUnit?: SplitUnit | undefined },
  ): Omit<RequestSpec, 'request'> | undefined {
    const { profile, timezone } = this.#flags;
    if (profile === 'buyer' && timezone !== undefined) {
      const message = `--timezone works with DSP reports only: buyer reports are always in ${defaultZone}.`;
      this.#refuse('--timezone', message, 'Remove --timezone.');
    }
    const zone = profile === 'dsp' ? (timezone ?? defaultZone) : defaultZone;
    return this.#collect(() => {
      const { period, since, until } = flags;
      const window = resolvePeriod({ period, since, until }, { zone, nowMs: flags.nowMs });
      return {
        timezone: window.zone,
        ...(period !== undefined && { period: inUsualCase(period) }),
        ...(since !== undefined && { since: since.trim() }),
        ...(until !== undefined && { until: until.trim() }),
      };
    });
  }

  /**
   * Merges values for the same name without duplicates. A value with a comma is in double quotes:
   * `carrier="A, B",C`.
   */
  readFilters(): SpecFilters {
    const filters: { [Name in FilterName | NamedFilter['name']]?: readonly string[] } = {};
    const add = (name: FilterName | NamedFilter['name'], values: readonly string[]) => {
      filters[name] = distinct([...(filters[name] ?? []), ...values]);
    };
    for (const typed of this.#typedFilters()) {
      if (!this.#expectFilters(typed.flag)) return filters;
      const name = this.#readFilterName(typed);
      if (name === undefined) continue;

      const filter = filterTable.find(
        (entry) => entry.name === (name === 'country' ? 'countryId' : name),
      );
      if (filter) add(filter.name, this.#readValues(filter, typed));
    }

    for (const { flag, name } of namedFilters) {
      const lists = this.#flags.names?.[name];
      if (!lists) continue;
      if (!this.#expectFilters(flag)) return filters;
      for (const list of lists) add(name, this.#readPatterns(flag, list));
    }
    return filters;
  }

  /** Adds an error if the profile has no filters. */
  #expectFilters(flag: string): boolean {
    const { profile } = this.#flags;
    if (vocabularyOf(profile).filters.length > 0) return true;
    const nameOfProfile = profile === 'dsp' ? 'DSP' : 'Buyer';
    this.#refuse(flag, `${nameOfProfile} reports do not support filters.`, `Remove ${flag}.`);
    return false;
  }

  /**
   * Finds the filter that a typed name means; `undefined` if there is none, after adding an error.
   */
  #readFilterName({ flag, name: text }: TypedFilter): string | undefined {
    const names = vocabularyOf(this.#flags.profile).filters.map(({ name }) => name);
    const accepted = [...names, 'country'];
    const [name] = findSpellings(text, accepted);
    if (name === undefined) {
      const hint = closestHint({ text, accepted }, `Choose from ${accepted.join(', ')}.`);
      this.#refuse(flag, `Unknown filter ${quoted(text)}.`, hint);
    }
    return name;
  }

  /** Reads names or patterns, separated like the values of `--filter`. */
  #readPatterns(flag: string, list: string): string[] {
    const patterns = splitValues(list);
    if (patterns && patterns.length > 0) return patterns;

    const pattern = `${flag} ${this.#word('Summer*')}`;
    const hint = `Write ${pattern}, or with double quotes if the name contains a comma: ${flag} ${this.#word('"A, B"')}.`;
    this.#refuse(flag, `${flag} ${quoted(list)}: this is not a name.`, hint);
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

  /** Returns values as sent to the service; countries may be typed by code or name. */
  #readValues(filter: Filter, { flag, list }: TypedFilter): string[] {
    const isFilter = flag === '--filter';
    const typedAs = isFilter ? `--filter ${filter.name}` : flag;
    const hint = `Write ${typedAs}${isFilter ? '=' : ' '}${exampleOf(filter)}.`;
    const texts = splitValues(list);
    if (!texts) {
      const message = `${typedAs}: a double quote is missing.`;
      this.#refuse(flag, message, `${hint} Inside quotes, write a quote twice.`);
      return [];
    }
    if (texts.length === 0) this.#refuse(flag, `${typedAs} has no values.`, hint);

    const values: string[] = [];
    for (const text of texts) {
      const value = parseFilterValue(filter, text);
      if (value !== undefined) values.push(value);
      else this.#refuseValue(filter, { flag, typedAs, text, hint });
    }
    return values;
  }

  #refuseValue(
    filter: Filter,
    { flag, typedAs, text, hint }: { flag: string; typedAs: string; text: string; hint: string },
  ): void {
    const { on, meaning } = filter;
    if (on !== 'COUNTRY') {
      const message = `${typedAs} needs numeric IDs, not ${quoted(text)}.`;
      const byName = namedFilters.find((named) => named.filter === filter.name);
      const otherwise = `It selects ${meaning}.`;
      this.#refuse(
        flag,
        message,
        byName ? `By name: ${byName.flag} ${this.#word(text)}` : otherwise,
      );
      return;
    }
    const message = `Unknown country ${quoted(text)} in ${flag}.`;
    const countryNames = listCountries().map(({ name }) => name);
    this.#refuse(flag, message, didYouMean(nearest(text, countryNames), hint));
  }

  /** Reads a comma list, without duplicates. */
  #readNames<Name extends string>(
    kind: 'metric' | 'breakdown',
    list: string,
    entries: readonly VocabularyEntry<Name>[],
  ): Name[] {
    const { profile } = this.#flags;
    const flag = kind === 'metric' ? '--metrics' : '--by';
    const ofProfile = entries.filter((entry) => entry.profiles.includes(profile));
    const accepted = ofProfile.map(({ name }) => name);
    const allNames = entries.map(({ name }) => name);
    const all = `Choose from ${accepted.join(', ')}.`;

    const names: Name[] = [];
    for (const text of splitList(list)) {
      const typed = { flag, text, accepted };
      const name = this.#readName(typed, () => {
        const others = findNames(text, allNames);
        const profiles = entries.find((entry) => entry.name === others[0])?.profiles ?? [];
        const message =
          others.length > 0
            ? `The ${kind} ${alternatives(others)} is in ${profiles.join(' and ')} reports only.`
            : `Unknown ${kind} ${quoted(text)}.`;
        const hint = others.length > 0 ? all : closestHint(typed, all);
        return new UsageError(message, { hint, about: { flag } });
      });
      if (name !== undefined) names.push(name as Name);
    }
    return distinct(names);
  }

  /** Returns `undefined` if the name is ambiguous or unknown, after adding an error. */
  #readName(typed: TypedName, unknown: () => UsageError): string | undefined {
    return this.#collect(() => {
      const name = readName(typed);
      if (name === undefined) throw unknown();
      return name;
    });
  }

  /** Returns the result of `read`. If it throws a `UsageError`, adds it to the errors. */
  #collect<Value>(read: () => Value): Value | undefined {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      this.errors.push(error);
      return undefined;
    }
  }

  #word(text: string): string {
    return shellWord(text, this.#flags.platform ?? process.platform);
  }

  #refuse(flag: string, message: string, hint: string): void {
    this.errors.push(new UsageError(message, { hint, about: { flag } }));
  }
}

/** Returns a filter value as sent to the service; `undefined` if it is invalid. */
function parseFilterValue({ on, compare }: Filter, text: string): string | undefined {
  if (compare === 'text' || /^\d+$/.test(text)) return text;
  return on === 'COUNTRY' ? findCountry(text)?.id : undefined;
}

function exampleOf({ on, compare }: Filter): string {
  if (on === 'COUNTRY') return 'FR,Germany';
  return compare === 'id' ? '1234,5678' : '"A, B",C';
}

function splitList(list: string): string[] {
  const words = list.split(',').map((word) => word.trim());
  return words.filter((word) => word !== '');
}

function distinct<T>(names: readonly T[]): T[] {
  return [...new Set(names)];
}

/** Body of a create call. */
export interface EncodedRequest {
  readonly contentType: string;
  readonly text: string;
}

/**
 * Encodes the body of a create call. Forms are written as in the specification, with brackets and
 * the commas of metrics unescaped: `metrics=displays,clicks&breakdowns[0]=DAILY&campaignId[0]=12`.
 */
export function encodeRequest(request: ReportRequest, encoding: Encoding): EncodedRequest {
  const parameters = requestParameters(request);
  if (encoding === 'json') {
    // With invisible characters escaped, because `--dry-run` prints the body.
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

export function requestParameters(
  request: ReportRequest,
): Readonly<Record<string, string | number | readonly string[]>> {
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

/**
 * Formats the create call as a curl command for POSIX shells or cmd; the token is in
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
  return `curl ${quote(endpointUrl(baseUrl, 'buyer'))} ${headers} --data-raw ${quote(text)}`;
}

/**
 * Hashes a request to 32 hex digits, the same on every machine. The order of metrics, breakdowns and
 * filters does not matter: the service may treat them as one request.
 */
export function requestHash(request: ReportRequest): string {
  const sortedFilters: [name: string, values: string[]][] = [];
  for (const [name, values] of Object.entries(request.filters)) {
    sortedFilters.push([name, [...values].sort()]);
  }
  const metrics = [...request.metrics].sort();
  const breakdowns = [...request.breakdowns].sort();
  const parameters = requestParameters({ ...request, metrics, breakdowns, filters: {} });
  const body = [parameters, sortedFilters.sort()];
  return createHash('sha256').update(JSON.stringify(body)).digest('hex').slice(0, 32);
}
