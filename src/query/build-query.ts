import { findSpellings } from '../contract/aliases.ts';
import { findCountry, listCountries } from '../contract/countries.ts';
import { defaultZone, type Encoding, type WindowClock } from '../contract/messages.ts';
import {
  type BreakdownName,
  breakdowns,
  type ComputedMetricName,
  computedMetrics,
  type DerivedBreakdownName,
  derivedBreakdowns,
  type Filter,
  filters as filterTable,
  type MetricName,
  metrics,
  type Profile,
  type VocabularyEntry,
  vocabularyOf,
} from '../contract/vocabulary.ts';
import { didYouMean, findNearest } from '../text/nearest.ts';
import { quoted } from '../text/printable.ts';
import { requireConsistent } from './check-query.ts';
import { type ColumnsQuery, parseColumnNames } from './columns.ts';
import { flagError } from './flag-error.ts';
import type { FilterInput } from './flags/read-value.ts';
import {
  type KeptFlags,
  parsedOptions,
  type QueryFlags,
  runFlagsByName,
} from './flags/run-flags.ts';
import type { FormatName } from './format-names.ts';
import { closestHint, parseName } from './names.ts';
import { parseOutputs } from './outputs.ts';
import { resolveWindow } from './parts.ts';
import { parseZone } from './period.ts';
import { namedFilters, type Query, type QueryFilters } from './query.ts';

/** Inputs to a query other than options. */
export interface QueryContext {
  /** Name of the saved report. */
  readonly report?: string | undefined;

  /** Account as in `Query`, with its settings. */
  readonly account?: string | undefined;
  readonly login?: string | undefined;
  readonly service?: string | undefined;
  readonly profile?: Profile | undefined;
  readonly encoding?: Encoding | undefined;
  readonly windowClock?: WindowClock | undefined;

  /** Format of stdout without `--format`. Default: csv. */
  readonly stdoutFormat?: FormatName;

  /** Milliseconds since 1970. */
  readonly nowMs: number;
}

/**
 * Builds a query from flags, a saved report, a declaration, or the options of the library. Throws
 * `UsageError` for the first mistake.
 */
export function buildQuery(options: QueryFlags, context: QueryContext): Query {
  const { profile = 'buyer', encoding = 'json', windowClock = 'instant', nowMs } = context;
  const { report, account, login, service } = context;
  const content = {
    profile,
    metrics: parseMetrics(options.metrics, profile),
    breakdowns: parseBreakdowns(options.by, profile),
  };
  const query = {
    ...readKept(options, content),
    ...content,
    hasNamedMetrics: options.metrics !== undefined,
    filters: parseFilters(options, profile),
    timezone: parseTimezone(options.timezone, profile),
    encoding,
    windowClock,
    outputs: parseOutputs(options, context.stdoutFormat),
    ...(report !== undefined && { report }),
    ...(account !== undefined && { account }),
    ...(login !== undefined && { login }),
    ...(service !== undefined && { service }),
  } satisfies Query;

  resolveWindow(query, nowMs);
  requireConsistent(query);
  return Object.freeze(query);
}

/** Throws `UsageError` for an unknown zone, and for any zone in the buyer profile. */
export function parseTimezone(name: string | undefined, profile: Profile): string {
  if (name === undefined) return defaultZone;
  if (profile === 'dsp') return parseZone(name);
  throw flagError(
    '--timezone',
    `--timezone cannot be used with buyer reports, which are always in ${defaultZone}.`,
    'Remove --timezone.',
  );
}

/** Reads the metrics. The default is all metrics of the profile. */
function parseMetrics(
  input: readonly string[] | undefined,
  profile: Profile,
): (MetricName | ComputedMetricName)[] {
  if (!input) return vocabularyOf(profile).metrics.map(({ name }) => name);

  const entries: readonly VocabularyEntry<MetricName | ComputedMetricName>[] = [
    ...metrics,
    ...computedMetrics,
  ];
  return parseNames(input, { kind: 'metric', entries, profile });
}

function parseBreakdowns(
  input: readonly string[] = [],
  profile: Profile,
): (BreakdownName | DerivedBreakdownName)[] {
  const entries: readonly VocabularyEntry<BreakdownName | DerivedBreakdownName>[] = [
    ...breakdowns,
    ...derivedBreakdowns,
  ];
  const names = parseNames(input, { kind: 'breakdown', entries, profile });
  const timeBreakdowns = names.filter((name) => timeNames.includes(name));
  if (timeBreakdowns.length < 2) return names;

  const hint = `Use at most one of ${timeNames.join(', ')}.`;
  throw flagError('--by', `${timeBreakdowns.join(' and ')} cannot be combined.`, hint);
}

/** Returns the options that a query keeps unchanged. */
function readKept(options: QueryFlags, content: ColumnsQuery): KeptFlags {
  const { columns } = options;
  const areNamed = columns !== undefined && columns !== 'all';
  const values: Readonly<Record<string, unknown>> = {
    ...options,
    columns: areNamed ? parseColumnNames(columns, content) : columns,
  };
  const kept: Record<string, unknown> = {};
  for (const [option, { scope }] of runFlagsByName) {
    const value = values[option];
    const isGiven = value !== undefined && value !== false;
    const isParsed = parsedOptions.some((parsed) => parsed === option);
    if (scope === undefined && !isParsed && isGiven) kept[option] = value;
  }
  // Each value was parsed by its flag.
  return kept as KeptFlags;
}

/** Reads the filters. If a filter is given several times, its values are merged. */
function parseFilters(options: QueryFlags, profile: Profile): QueryFilters {
  const filters: Record<string, readonly string[]> = {};
  const add = (name: string, values: readonly string[]): void => {
    filters[name] = removeDuplicates([...(filters[name] ?? []), ...values]);
  };
  const addInput = (flag: string, input: FilterInput): void => {
    requireFilters(flag, profile);
    const filter = findFilter(input);
    add(filter.name, parseValues(filter, input.values, flag));
  };
  const { filter: filterInputs = [], country } = options;
  for (const input of filterInputs) addInput('--filter', input);
  if (country) addInput('--country', { name: 'country', values: country });
  for (const { name, flag } of namedFilters) {
    const patterns = options[name];
    if (!patterns) continue;
    requireFilters(flag, profile);
    add(name, patterns);
  }
  return filters;
}

/** Throws `UsageError` for a profile without filters. */
function requireFilters(flag: string, profile: Profile): void {
  if (vocabularyOf(profile).filters.length > 0) return;
  throw flagError(flag, 'DSP reports do not support filters.', `Remove ${flag}.`);
}

/** Finds a filter by its name. Throws `UsageError` for an unknown filter. */
function findFilter({ name: text }: FilterInput): Filter {
  const accepted = [...filterTable.map(({ name }) => name), 'country'];
  const [name] = findSpellings(text, accepted);
  const filter = filterTable.find((known) => {
    return name === 'country' ? known.on === 'COUNTRY' : known.name === name;
  });
  if (filter) return filter;

  const hint = closestHint(text, accepted);
  throw flagError('--filter', `Unknown filter ${quoted(text)}.`, hint);
}

/**
 * Converts the values of a filter to the form that the service expects. Countries may be given by
 * code or name. Throws `UsageError` for an unknown country, and if an ID is not a number.
 */
function parseValues(filter: Filter, input: readonly string[], flag: string): string[] {
  const { name, on, compare, meaning } = filter;
  return input.map((text) => {
    if (compare === 'text' || /^\d+$/.test(text)) return text;
    if (on === 'COUNTRY') return findCountry(text)?.id ?? refuseCountry(text, flag);

    const byName = namedFilters.find((named) => named.filter === name);
    throw flagError(
      flag,
      `The filter ${name} needs numeric IDs, not ${quoted(text)}.`,
      byName ? `To filter by name, use ${byName.flag}.` : `It selects ${meaning}.`,
    );
  });
}

function refuseCountry(text: string, flag: string): never {
  const names = listCountries().map(({ name }) => name);
  const hint = didYouMean(findNearest(text, names), 'Use ISO codes or English names: FR,Germany.');
  throw flagError(flag, `Unknown country ${quoted(text)}.`, hint);
}

/** Names that a flag accepts. */
interface KnownNames<Name extends string> {
  readonly kind: 'metric' | 'breakdown';
  readonly entries: readonly VocabularyEntry<Name>[];
  readonly profile: Profile;
}

function parseNames<Name extends string>(
  input: readonly string[],
  { kind, entries, profile }: KnownNames<Name>,
): Name[] {
  const flag = kind === 'metric' ? '--metrics' : '--by';
  const available = entries.filter(({ profiles }) => profiles.includes(profile));
  const accepted = available.map(({ name }) => name);
  const names = input.map((text) => {
    const name = parseName(text, accepted, flag);
    if (name !== undefined) return name as Name;
    const choice = `In ${profile} reports, choose from ${accepted.join(', ')}.`;
    throw flagError(flag, `Unknown ${kind} ${quoted(text)}.`, closestHint(text, accepted, choice));
  });
  return removeDuplicates(names);
}

const timeNames: readonly string[] = [...breakdowns, ...derivedBreakdowns]
  .filter(({ time }) => time)
  .map(({ name }) => name);

function removeDuplicates<Value>(values: readonly Value[]): Value[] {
  return [...new Set(values)];
}
