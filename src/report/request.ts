import { createHash } from 'node:crypto';
import { allCountries, findCountry } from '../contract/countries.ts';
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
  type DerivedName,
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
import { visibleJson } from '../text/printable.ts';
import { quoteForShell } from '../text/quote-for-shell.ts';
import { type Window, wallAt } from './window.ts';
import { quoteIfNeeded, resolveWindow, type WindowFlags } from './window-flags.ts';

export interface RequestFlags {
  readonly profile: Profile;
  /** Comma list in any case, as `by`; all of the profile's where absent. */
  readonly metrics?: string | undefined;
  readonly by?: string | undefined;
  /** Each `name=v1,v2`. */
  readonly filters?: readonly string[] | undefined;
  /** Each a comma list of ISO codes, English names or GeoNames ids. */
  readonly countries?: readonly string[] | undefined;
  readonly timezone?: string | undefined;
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

/** Notes one thing that is wrong with a command, and what to write instead. */
type Say = (message: string, hint: string) => void;

/**
 * What the flags of `report create` and `run` ask for (`cli.md`). The zone is the report's: Europe/Paris for a buyer,
 * `--timezone` for a DSP. Throws one `UsageError` with every mistake of the command, of request and window alike.
 */
export function planReport(flags: RequestFlags & Omit<WindowFlags, 'zone'>): ReportPlan {
  const { profile, direct, timezone, windowClock = 'instant' } = flags;
  const mistakes: UsageError[] = [];
  const say: Say = (message, hint) => mistakes.push(new UsageError(message, { hint }));
  const shownMetrics = readMetrics(flags, say);
  const asked = { breakdowns: readBreakdowns(flags, say), filters: readFilters(flags, say) };
  if (profile === 'buyer' && timezone !== undefined) {
    say(
      `--timezone is for DSP reports: a buyer report is always in ${defaultZone}.`,
      'Leave --timezone out.',
    );
  }
  let window: Window | undefined;
  try {
    window = resolveWindow({
      ...flags,
      zone: profile === 'dsp' ? (timezone ?? defaultZone) : defaultZone,
    });
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    mistakes.push(error);
  }
  const lines = mistakes.map(({ message, hint }) => `\n  - ${message} ${hint}`);
  if (mistakes.length > 1)
    throw new UsageError(`${mistakes.length} things are wrong:${lines.join('')}`);
  if (!window || mistakes[0]) throw mistakes[0];
  const request = {
    metrics: distinct(shownMetrics.flatMap(neededFor)),
    ...asked,
    // A DSP's always states its zone, so that the service reckons in the zone the window was found in.
    ...(profile === 'dsp' ? { timezone: window.zone } : {}),
    ...(direct ? { output: 'direct' as const } : {}),
  };
  return {
    request: requestFor({ request, windowClock }, window),
    window,
    windowClock,
    shownMetrics,
  };
}

type Askable = Pick<ReportPlan, 'windowClock'> & {
  readonly request: Omit<ReportRequest, 'since' | 'until'>;
};

/** The request for a window, or for a part of one. Throws `UsageError` where its wall times end before they begin. */
export function requestFor(
  { request, windowClock }: Askable,
  { since, until, zone }: Window,
): ReportRequest {
  if (windowClock === 'instant') return { ...request, since, until };
  const wall = { since: wallAt(since, zone).toSeconds(), until: wallAt(until, zone).toSeconds() };
  if (wall.since <= wall.until) return { ...request, ...wall };
  const hint = 'Ask for the whole day, or with --window-clock instant.';
  throw new UsageError(
    'As wall time this window would end before it begins: the clocks go back within it.',
    { hint },
  );
}

/** The metrics that the service is asked for, so that one that is shown can be. */
function neededFor(name: MetricName | DerivedName): readonly MetricName[] {
  const derived = derivedMetrics.find(({ field }) => field === name);
  return derived ? [derived.numerator, derived.denominator] : [name as MetricName];
}

function readMetrics(
  { profile, metrics: list }: RequestFlags,
  say: Say,
): (MetricName | DerivedName)[] {
  if (list === undefined) return vocabularyOf(profile).metrics.map(({ name }) => name);
  if (splitList(list).length === 0)
    say('--metrics names no metric.', 'Leave it out for all of them.');
  const computed = derivedMetrics.map((metric) => ({ ...metric, name: metric.field }));
  return readNames<MetricName | DerivedName>(
    'metric',
    list,
    profile,
    [...metrics, ...computed],
    say,
  );
}

function readBreakdowns({ profile, by = '' }: RequestFlags, say: Say): BreakdownName[] {
  const found = readNames('breakdown', by, profile, breakdowns, say);
  const times = breakdowns.flatMap(({ name, time }) => (time ? [name] : []));
  const asked = found.filter((name) => times.includes(name));
  if (asked.length > 1)
    say(`${asked.join(' and ')} exclude each other.`, `Use at most one of ${times.join(', ')}.`);
  return found;
}

/** The entries of a comma list, each once; a name that is not among them is said with what was probably meant. */
function readNames<Name extends string>(
  kind: 'metric' | 'breakdown',
  list: string,
  profile: Profile,
  entries: readonly VocabularyEntry<Name>[],
  say: Say,
): Name[] {
  const known = entries.filter((entry) => entry.profiles.includes(profile));
  const names = known.map(({ name }) => name);
  const all = `The ${profile} ${kind}s are ${names.join(', ')}.`;
  const found = splitList(list).flatMap((text) => {
    const entry = entries.find(({ name }) => isSame(name, text));
    if (entry?.profiles.includes(profile)) return [entry.name];
    if (entry)
      say(`The ${kind} ${entry.name} is in ${entry.profiles.join(' and ')} reports only.`, all);
    else {
      const meant = known.find((each) => isCalled(each, text))?.name ?? nearest(text, names);
      say(`There is no ${kind} ${quoteIfNeeded(text)}.`, didYouMean(meant, all));
    }
    return [];
  });
  return distinct(found);
}

function splitList(list: string): string[] {
  return list.match(/[^\s,](?:[^,]*[^\s,])?/g) ?? [];
}

function isSame(name: string, other: string): boolean {
  return name.toLowerCase() === other.toLowerCase();
}

function distinct<T>(names: readonly T[]): T[] {
  return [...new Set(names)];
}

/**
 * The `--filter name=v1,v2` and `--country` flags as filters: names in any case, a name given twice merged, repeats
 * dropped. Text that holds a comma stands in double quotes: `carrier="A, B",C`.
 */
function readFilters(
  { profile, filters = [], countries = [] }: RequestFlags,
  say: Say,
): ReportRequest['filters'] {
  const known = vocabularyOf(profile).filters;
  const found: { [Name in FilterName]?: string[] } = {};
  const flags = [
    ...filters.map((text) => ['--filter', text] as const),
    ...countries.map((list) => ['--country', `countryId=${list}`] as const),
  ];
  for (const [flag, text] of flags) {
    if (known.length === 0) {
      say(`A ${profile} report takes no filters.`, `Leave ${flag} out.`);
      break;
    }
    const [, name = '', list = ''] = /^([^=]*)=?(.*)$/s.exec(text) ?? [];
    const filter = known.find((each) => isSame(each.name, name.trim()));
    if (filter) {
      found[filter.name] = distinct([
        ...(found[filter.name] ?? []),
        ...readValues(filter, flag, list, say),
      ]);
      continue;
    }
    const names = known.map((each) => each.name);
    const meant = known.find(({ on }) => isSame(on, name.trim()))?.name ?? nearest(name, names);
    say(
      `There is no filter ${quoteIfNeeded(name)}.`,
      didYouMean(meant, `Filters: ${names.join(', ')}.`),
    );
  }
  return found;
}

/** The values of one flag as the service takes them: a country may be given by its ISO code or English name. */
function readValues(
  { name, on, compare, meaning }: Filter,
  flag: string,
  list: string,
  say: Say,
): string[] {
  const isCountry = on === 'COUNTRY';
  const [shown, joint] = flag === '--filter' ? [`--filter ${name}`, '='] : [flag, ' '];
  const hint = `Write ${shown}${joint}${isCountry ? 'FR,Germany' : compare === 'id' ? '1234,5678' : '"A, B",C'}.`;
  const values = splitValues(list);
  if (!values)
    say(`${shown}: its double quotes do not pair up.`, `${hint} A quote inside quotes is doubled.`);
  else if (values.length === 0) say(`${shown} has no values.`, hint);
  return (values ?? []).flatMap((value) => {
    if (compare === 'text' || /^\d+$/.test(value)) return [value];
    const country = isCountry ? findCountry(value) : undefined;
    if (country) return [country.id];
    if (isCountry) {
      const names = allCountries().map((each) => each.name);
      say(
        `${shown}: there is no country ${quoteIfNeeded(value)}.`,
        didYouMean(nearest(value, names), hint),
      );
    } else
      say(
        `${shown} takes ids, which are digits, and not ${quoteIfNeeded(value)}.`,
        `It selects ${meaning}.`,
      );
    return [];
  });
}

/** Splits at the commas that stand outside double quotes; `undefined` where the quotes do not pair up. */
export function splitValues(list: string): string[] | undefined {
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

/** The item in double quotes that begins at a place, blanks around it apart; `undefined` where none does. */
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
 * The create call's body in either of the service's encodings. A form is written as the specification does, with the
 * brackets and the commas of metrics bare: `metrics=displays,clicks&breakdowns[0]=DAILY&campaignId[0]=12`.
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
export function requestParameters({
  since,
  until,
  filters,
  timezone,
  output,
  ...lists
}: ReportRequest) {
  return {
    since,
    until,
    metrics: lists.metrics.join(','),
    ...(lists.breakdowns.length > 0 && { breakdowns: lists.breakdowns }),
    ...filters,
    ...(timezone !== undefined && { timezone }),
    ...(output && { output }),
  };
}

export function createUrl(baseUrl: string): string {
  return baseUrl.replace(/\/+$/, '') + endpoints.buyer.path;
}

/** The create call as a line for any POSIX shell, which has the token from `$ADREPORT_TOKEN`. */
export function curlLine(baseUrl: string, { contentType, text }: EncodedRequest): string {
  const headers = `-H "Authorization: $ADREPORT_TOKEN" -H 'Accept: application/json' -H 'Content-Type: ${contentType}'`;
  return `curl ${quoteForShell(createUrl(baseUrl))} ${headers} --data-raw ${quoteForShell(text)}`;
}

/**
 * A name for a request of an account that is the same on every machine: 32 hex digits. The order of metrics and
 * breakdowns counts, because the report keeps it; the order of filters and of their values does not.
 */
export function requestHash(
  baseUrl: string,
  account: string,
  { filters, ...others }: ReportRequest,
): string {
  const sortedFilters = Object.entries(filters).map(([name, values]) => [name, [...values].sort()]);
  const parameters = requestParameters({ ...others, filters: {} });
  const identity = [baseUrl.replace(/\/+$/, ''), account, parameters, sortedFilters.sort()];
  return createHash('sha256').update(JSON.stringify(identity)).digest('hex').slice(0, 32);
}
