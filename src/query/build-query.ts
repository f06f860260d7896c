import { findNames, findSpellings } from '../contract/aliases.ts';
import { findCountry, listCountries } from '../contract/countries.ts';
import { defaultZone, type Encoding, type WindowClock } from '../contract/messages.ts';
import {
  type BreakdownName,
  breakdowns,
  type DerivedBreakdownName,
  type DerivedName,
  derivedBreakdowns,
  derivedMetrics,
  type Filter,
  filters as filterTable,
  type MetricName,
  metrics,
  type Profile,
  type VocabularyEntry,
  vocabularyOf,
} from '../contract/vocabulary.ts';
import { UsageError } from '../errors.ts';
import { didYouMean, nearest } from '../text/nearest.ts';
import { quoted } from '../text/printable.ts';
import { shellWord } from '../text/quote-for-shell.ts';
import { requireConsistent } from './check-query.ts';
import { readColumnNames } from './columns.ts';
import type { TypedFilter } from './flags/read-value.ts';
import { type KeptFlags, type QueryFlags, runFlagsByName } from './flags/run-flags.ts';
import type { FormatName } from './format-names.ts';
import { alternatives, closestHint, readName } from './names.ts';
import { readOutputs } from './outputs.ts';
import { keepsFolder, unitOfParts } from './parts.ts';
import { isStillEmpty, readZone, resolvePeriod } from './period.ts';
import { namedFilters, type Query, type QueryFilters } from './query.ts';

/** Inputs to a query other than its options. */
export interface QueryFacts extends Pick<Query, 'report' | 'account' | 'login' | 'service'> {
  /** Settings of the account. */
  readonly profile: Profile;
  readonly encoding?: Encoding;
  readonly windowClock?: WindowClock;

  /** Format of stdout without `--format`. */
  readonly stdoutFormat: FormatName;

  /** Milliseconds since 1970. */
  readonly nowMs: number;

  /** Platform whose shell the hints are quoted for; by default the current one. */
  readonly platform?: NodeJS.Platform;
}

/**
 * Builds a query from the values of flags, of the keys of a saved report or of a declaration, or
 * from the options of the library. Throws one `UsageError` with all mistakes.
 */
export function buildQuery(options: QueryFlags, facts: QueryFacts): Query {
  const { profile, encoding = 'json', windowClock = 'instant', nowMs, stdoutFormat } = facts;
  const { report, account, login, service } = facts;
  const reader = new QueryReader(options, facts);
  const content = { profile, metrics: reader.readMetrics(), breakdowns: reader.readBreakdowns() };
  const query = {
    ...reader.readKept(content),
    ...content,
    hasTypedMetrics: options.metrics !== undefined,
    filters: reader.readFilters(),
    timezone: reader.collect(() => readTimezone(options.timezone, profile)) ?? defaultZone,
    encoding,
    windowClock,
    outputs: reader.collect(() => readOutputs(options, facts)) ?? [
      { path: '-', format: stdoutFormat },
    ],
    ...(report !== undefined && { report }),
    ...(account !== undefined && { account }),
    ...(login !== undefined && { login }),
    ...(service !== undefined && { service }),
  } satisfies Query;

  const place = { zone: query.timezone, nowMs, unit: unitOfParts(query) };
  const begins = keepsFolder(query) && isStillEmpty(query, place);
  if (!begins) reader.collect(() => resolvePeriod(query, place));
  if (reader.mistakes.length > 0) throw joinMistakes(reader.mistakes);
  requireConsistent(query);
  return Object.freeze(query);
}

function joinMistakes(mistakes: readonly UsageError[]): UsageError {
  const [first, second] = mistakes;
  if (first && !second) return first;
  const lines = mistakes.map(({ message, hint = '' }) => `\n  - ${message} ${hint}`.trimEnd());
  return new UsageError(`${mistakes.length} mistakes:${lines.join('')}`, { mistakes });
}

/** Throws `UsageError` for an unknown zone, and for any zone of a buyer. */
export function readTimezone(name: string | undefined, profile: Profile): string {
  if (name === undefined) return defaultZone;
  if (profile === 'dsp') return readZone(name);
  throw new UsageError(
    `--timezone works with DSP reports only: buyer reports are always in ${defaultZone}.`,
    { about: { flag: '--timezone' }, hint: 'Remove --timezone.' },
  );
}

/** Typed names of one kind. */
interface TypedNames<Name extends string> {
  readonly kind: 'metric' | 'breakdown';
  readonly flag: '--metrics' | '--by';
  readonly entries: readonly VocabularyEntry<Name>[];
}

/** Reads options and collects their mistakes. */
class QueryReader {
  readonly mistakes: UsageError[] = [];
  readonly #options: QueryFlags;
  readonly #profile: Profile;
  readonly #platform: NodeJS.Platform;

  constructor(options: QueryFlags, { profile, platform = process.platform }: QueryFacts) {
    this.#options = options;
    this.#profile = profile;
    this.#platform = platform;
  }

  /** Returns the result of `read`. If it throws a `UsageError`, adds it to the mistakes. */
  collect<Value>(read: () => Value): Value | undefined {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      this.mistakes.push(error);
      return undefined;
    }
  }

  /** Reads the metrics; by default all of the profile. */
  readMetrics(): (MetricName | DerivedName)[] {
    const { metrics: typed } = this.#options;
    if (!typed) return vocabularyOf(this.#profile).metrics.map(({ name }) => name);

    const computed = derivedMetrics.map((metric) => ({ ...metric, name: metric.field }));
    const entries: readonly VocabularyEntry<MetricName | DerivedName>[] = [...metrics, ...computed];
    return this.#readNames(typed, { kind: 'metric', flag: '--metrics', entries });
  }

  readBreakdowns(): (BreakdownName | DerivedBreakdownName)[] {
    const entries: readonly VocabularyEntry<BreakdownName | DerivedBreakdownName>[] = [
      ...breakdowns,
      ...derivedBreakdowns,
    ];
    const { by: typed = [] } = this.#options;
    const names = this.#readNames(typed, { kind: 'breakdown', flag: '--by', entries });
    const ofTime = names.filter((name) => timeNames.includes(name));
    if (ofTime.length > 1) {
      const message = `${ofTime.join(' and ')} cannot be combined.`;
      this.#refuse('--by', message, `Use at most one of ${timeNames.join(', ')}.`);
    }
    return names;
  }

  /** Returns the options that a query keeps unchanged. */
  readKept(asked: Pick<Query, 'profile' | 'metrics' | 'breakdowns'>): KeptFlags {
    const values: Readonly<Record<string, unknown>> = {
      ...this.#options,
      period: normalizeCase(this.#options.period),
      since: this.#options.since?.trim(),
      until: this.#options.until?.trim(),
      columns: this.#readColumns(asked),
    };
    const kept: Record<string, unknown> = {};
    for (const [option, { belongsTo, isParsed }] of runFlagsByName) {
      const value = values[option];
      const isGiven = value !== undefined && value !== false;
      if (belongsTo === 'query' && !isParsed && isGiven) kept[option] = value;
    }
    // Each value was read by its flag.
    return kept as KeptFlags;
  }

  /** Reads the columns to write, by their names in the report. */
  #readColumns(asked: Pick<Query, 'profile' | 'metrics' | 'breakdowns'>): Query['columns'] {
    const { columns } = this.#options;
    if (columns === undefined || columns === 'all') return columns;
    const { names, mistakes } = readColumnNames(columns, asked);
    this.mistakes.push(...mistakes);
    return names;
  }

  /** Reads the filters, and merges values for the same one. */
  readFilters(): QueryFilters {
    const filters: Record<string, readonly string[]> = {};
    const add = (name: string, values: readonly string[]): void => {
      filters[name] = distinct([...(filters[name] ?? []), ...values]);
    };
    const { filter: typedFilters = [], country } = this.#options;
    for (const typed of typedFilters) {
      const filter = this.#supportsFilters('--filter') && this.#findFilter(typed);
      if (filter) add(filter.name, this.#readValues(filter, typed.values, '--filter'));
    }
    const byCountry = filterTable.find(({ on }) => on === 'COUNTRY');
    if (country && byCountry && this.#supportsFilters('--country')) {
      add(byCountry.name, this.#readValues(byCountry, country, '--country'));
    }
    for (const { name, flag } of namedFilters) {
      const patterns = this.#options[name];
      if (patterns && this.#supportsFilters(flag)) add(name, patterns);
    }
    return filters;
  }

  /** Returns true if the profile has filters; otherwise adds a mistake. */
  #supportsFilters(flag: string): boolean {
    if (vocabularyOf(this.#profile).filters.length > 0) return true;
    this.#refuse(flag, 'DSP reports do not support filters.', `Remove ${flag}.`);
    return false;
  }

  /** Finds the filter that a typed name means; `undefined` if there is none. */
  #findFilter({ name: text }: TypedFilter): Filter | undefined {
    const accepted = [...filterTable.map(({ name }) => name), 'country'];
    const [name] = findSpellings(text, accepted);
    if (name === undefined) {
      const hint = closestHint({ name: text, accepted }, `Choose from ${accepted.join(', ')}.`);
      this.#refuse('--filter', `Unknown filter ${quoted(text)}.`, hint);
    }
    return filterTable.find((filter) => filter.name === (name === 'country' ? 'countryId' : name));
  }

  /**
   * Reads the values of a filter as the service expects them; countries may be typed by code or
   * name.
   */
  #readValues(filter: Filter, typed: readonly string[], flag: string): string[] {
    const values: string[] = [];
    for (const text of typed) {
      const isValue = filter.compare === 'text' || /^\d+$/.test(text);
      const value = isValue ? text : filter.on === 'COUNTRY' && findCountry(text)?.id;
      if (value) values.push(value);
      else this.#refuseValue(filter, text, flag);
    }
    return values;
  }

  #refuseValue({ name, on, meaning }: Filter, text: string, flag: string): void {
    if (on === 'COUNTRY') {
      const country = nearest(
        text,
        listCountries().map(({ name }) => name),
      );
      const hint = didYouMean(country, 'Use ISO codes or English names: FR,Germany.');
      this.#refuse(flag, `Unknown country ${quoted(text)}.`, hint);
      return;
    }
    const byName = namedFilters.find(({ filter }) => filter === name);
    this.#refuse(
      flag,
      `The filter ${name} needs numeric IDs, not ${quoted(text)}.`,
      byName ? `By name: ${byName.flag} ${this.#word(text)}` : `It selects ${meaning}.`,
    );
  }

  #readNames<Name extends string>(
    typed: readonly string[],
    { kind, flag, entries }: TypedNames<Name>,
  ): Name[] {
    const ofProfile = entries.filter(({ profiles }) => profiles.includes(this.#profile));
    const accepted = ofProfile.map(({ name }) => name);
    const all = `Choose from ${accepted.join(', ')}.`;

    const names: Name[] = [];
    for (const text of typed) {
      const found = this.collect(() => {
        const name = readName({ flag, name: text, accepted });
        if (name !== undefined) return name as Name;
        throw new UsageError(
          elsewhereMessage(kind, text, entries) ?? `Unknown ${kind} ${quoted(text)}.`,
          { about: { flag }, hint: closestHint({ name: text, accepted }, all) },
        );
      });
      if (found !== undefined) names.push(found);
    }
    return distinct(names);
  }

  #word(text: string): string {
    return shellWord(text, this.#platform);
  }

  #refuse(flag: string, message: string, hint: string): void {
    this.mistakes.push(new UsageError(message, { hint, about: { flag } }));
  }
}

const timeNames: readonly string[] = [...breakdowns, ...derivedBreakdowns]
  .filter(({ time }) => time)
  .map(({ name }) => name);

/** Explains a name that another profile has; `undefined` for an unknown one. */
function elsewhereMessage(
  kind: string,
  text: string,
  entries: readonly VocabularyEntry[],
): string | undefined {
  const [name, ...others] = findNames(
    text,
    entries.map((entry) => entry.name),
  );
  if (name === undefined) return undefined;
  const { profiles = [] } = entries.find((entry) => entry.name === name) ?? {};
  return `The ${kind} ${alternatives([name, ...others])} is in ${profiles.join(' and ')} reports only.`;
}

/** Formats a period for storing: `last-week`, `2026-Q3`. */
function normalizeCase(period: string | undefined): string | undefined {
  return period
    ?.trim()
    .toLowerCase()
    .replaceAll(/-[qw]\d/g, (unit) => unit.toUpperCase());
}

function distinct<Value>(values: readonly Value[]): Value[] {
  return [...new Set(values)];
}
