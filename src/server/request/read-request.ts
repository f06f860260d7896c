import { defaultZone, type ReportRequest } from '../../contract/messages.ts';
import {
  type Breakdown,
  type Filter,
  type FilterName,
  filters,
  findBreakdown,
  findMetric,
  type Metric,
  vocabularyOf,
} from '../../contract/vocabulary.ts';
import { nearest } from '../../text/nearest.ts';
import { isZone } from '../calendar.ts';
import { latestSecond } from '../clock.ts';
import type { Account } from '../fixtures/fixtures.ts';
import { type Parameters, readArray, readScalar } from './parse-body.ts';
import { RequestErrors } from './request-errors.ts';

/** Maximum number of values of an array parameter. */
const maxValues = 1_000;

const plainParameters: readonly string[] = [
  'since',
  'until',
  'metrics',
  'breakdowns',
  'timezone',
  'output',
];
const everyParameter = [...plainParameters, ...filters.map(({ name }) => name)];

/**
 * Parses the parameters of `POST /buyer-reporting` for an account (`decisions.md` 2). Throws one
 * `ServiceError` that lists every error.
 */
export function readReportRequest(parameters: Parameters, account: Account): ReportRequest {
  return new RequestReader(parameters, account).read();
}

/** Parses a request one parameter at a time, and collects the errors. */
class RequestReader {
  readonly #parameters: Parameters;
  readonly #account: Account;
  readonly #errors = new RequestErrors();

  constructor(parameters: Parameters, account: Account) {
    this.#parameters = parameters;
    this.#account = account;
  }

  read(): ReportRequest {
    const window = this.#readWindow();
    const metrics = this.#readMetrics();
    const breakdowns = this.#readBreakdowns();
    const filterValues = this.#readFilters();
    const timezone = this.#readZone();
    const output = this.#readOutput();
    this.#refuseUnknownParameters();
    this.#errors.throwIfAny();

    return {
      ...window,
      metrics: metrics.map(({ name }) => name),
      breakdowns: breakdowns.map(({ name }) => name),
      filters: filterValues,
      output,
      // A buyer's timezone is accepted but has no effect: the summary always has europe/paris.
      ...(this.#account.profile === 'dsp' && { timezone }),
    };
  }

  #readWindow(): Pick<ReportRequest, 'since' | 'until'> {
    const since = this.#readInstant('since');
    const until = this.#readInstant('until');
    if (since > until) {
      this.#errors.add('INVALID_PARAMETER', {
        parameter: 'since',
        value: since,
        problem: `is after until (${until}).`,
      });
    }
    return { since, until };
  }

  /** Reads `since` or `until`; `NaN` if it is invalid. */
  #readInstant(parameter: 'since' | 'until'): number {
    const written = this.#parameters[parameter];
    const text = readScalar(written)?.trim() ?? '';
    if (/^\d{1,12}$/.test(text) && Number(text) <= latestSecond) return Number(text);

    const allowed = 'a unix timestamp in whole seconds';
    if (this.#isAbsent(parameter)) {
      const problem = `is missing: send ${allowed}.`;
      this.#errors.add('MISSING_PARAMETER', { parameter, problem, allowed });
      return Number.NaN;
    }

    const isMilliseconds = /^\d{13}$/.test(text);
    const problem = isMilliseconds
      ? `looks like milliseconds: divide by 1000 (${text.slice(0, 10)}).`
      : `must be ${allowed}.`;
    const value = describeValue(written);
    this.#errors.add('INVALID_PARAMETER', { parameter, value, problem, allowed });
    return Number.NaN;
  }

  #readMetrics(): Metric[] {
    const names = this.#readList('metrics', (text) => namesIn(text.split(',', maxValues + 1)));
    const metrics = this.#findAll('metrics', names, findMetric);

    if (metrics.length === 0 && !this.#errors.has('metrics')) {
      this.#errors.add('MISSING_PARAMETER', {
        parameter: 'metrics',
        problem: 'is missing: name at least one metric.',
        allowed: this.#namesOfProfile('metrics'),
      });
    }
    return metrics;
  }

  #readBreakdowns(): Breakdown[] {
    const names = this.#readList('breakdowns', (text) => namesIn([text]));
    const breakdowns = this.#findAll('breakdowns', names, findBreakdown);

    const timeNames = breakdowns.filter(({ time }) => time).map(({ name }) => name);
    if (timeNames.length > 1) {
      this.#errors.add('CONFLICTING_BREAKDOWNS', {
        parameter: 'breakdowns',
        value: timeNames,
        problem: `${timeNames.join(' and ')} cannot be combined: use at most one time breakdown.`,
      });
    }
    return breakdowns;
  }

  /**
   * Finds the entries of some names, each once. Adds an error for each name that is not in the
   * profile.
   */
  #findAll<Entry extends Metric | Breakdown>(
    parameter: 'metrics' | 'breakdowns',
    names: readonly string[],
    find: (name: string) => Entry | undefined,
  ): Entry[] {
    const { profile } = this.#account;
    const allowed = this.#namesOfProfile(parameter);
    const entries = new Set<Entry>();

    for (const name of names) {
      const entry = find(name);
      if (entry?.profiles.includes(profile)) {
        entries.add(entry);
        continue;
      }

      const value = describeValue(name);
      if (entry) {
        const problem = `${value} is not available to the ${profile} profile.`;
        this.#errors.add('PROFILE_MISMATCH', { parameter, value, problem, allowed });
      } else {
        const problem = `${value} is not known${adviceForName(name, allowed)}`;
        this.#errors.add('INVALID_PARAMETER', { parameter, value, problem, allowed });
      }
    }

    return [...entries];
  }

  #namesOfProfile(parameter: 'metrics' | 'breakdowns'): string[] {
    const vocabulary = vocabularyOf(this.#account.profile);
    return vocabulary[parameter].map(({ name }) => name);
  }

  #readFilters(): ReportRequest['filters'] {
    const valuesByName: { [Name in FilterName]?: readonly string[] } = {};

    for (const filter of filters) {
      if (this.#parameters[filter.name] === undefined || !this.#isAllowed(filter)) continue;

      const values = this.#readFilter(filter);
      if (values.length > 0) valuesByName[filter.name] = values;
    }

    return valuesByName;
  }

  /** Adds an error if the account may not use the filter. */
  #isAllowed({ name: parameter, profiles, adminOnly }: Filter): boolean {
    const { profile, admin } = this.#account;

    if (!profiles.includes(profile)) {
      const problem = `is not available to the ${profile} profile.`;
      this.#errors.add('PROFILE_MISMATCH', { parameter, problem, allowed: plainParameters });
      return false;
    }
    if (adminOnly && !admin) {
      const problem = 'is for admin accounts only: leave it out.';
      this.#errors.add('ADMIN_ONLY', { parameter, problem });
      return false;
    }
    return true;
  }

  #readFilter({ name: parameter, compare }: Filter): string[] {
    if (compare === 'text') return this.#readList(parameter, (text) => [text]);

    const ids = this.#readList(parameter, (text) => [text.trim()]);
    for (const id of ids) {
      if (/^\d{1,20}$/.test(id)) continue;

      const value = describeValue(id);
      const problem = `“${value}” is not an ID: IDs are digits.`;
      this.#errors.add('INVALID_PARAMETER', { parameter, value, problem, allowed: 'digits' });
    }
    return ids;
  }

  /**
   * Reads the values of a parameter, each once, in the order of the request. `split` divides a
   * string into values.
   */
  #readList(parameter: string, split: (text: string) => readonly string[]): string[] {
    const texts = readArray(this.#parameters[parameter]);
    if (!texts) {
      const problem = 'must be a list of values: send a long ID as a string.';
      this.#errors.add('INVALID_PARAMETER', { parameter, problem });
      return [];
    }

    const values = texts.flatMap(split);
    if (values.length > maxValues) {
      const problem = `has more than ${maxValues} values.`;
      const allowed = `at most ${maxValues} values`;
      this.#errors.add('INVALID_PARAMETER', { parameter, problem, allowed });
      return [];
    }
    return [...new Set(values)];
  }

  #readZone(): string {
    if (this.#isAbsent('timezone')) return defaultZone;

    const written = this.#parameters.timezone;
    const zone = readScalar(written)?.trim() ?? '';
    if (this.#account.profile === 'dsp' && !isZone(zone)) {
      const value = describeValue(written);
      const guess = suggestion(value, Intl.supportedValuesOf('timeZone'));
      const problem = `“${value}” is not a time zone of the TZ database${guess}`;
      this.#errors.add('INVALID_PARAMETER', { parameter: 'timezone', value, problem });
    }
    return zone;
  }

  #readOutput(): 'direct' | undefined {
    const { output } = this.#parameters;
    if (output === 'direct') return output;
    if (this.#isAbsent('output')) return undefined;

    const value = describeValue(output);
    const problem = `“${value}” is not known: leave it out, or use direct.`;
    const allowed = ['direct'];
    this.#errors.add('INVALID_PARAMETER', { parameter: 'output', value, problem, allowed });
    return undefined;
  }

  #refuseUnknownParameters(): void {
    for (const name of Object.keys(this.#parameters)) {
      if (everyParameter.includes(name)) continue;

      this.#errors.add('UNKNOWN_PARAMETER', {
        parameter: describeValue(name),
        problem: `is not a parameter of a report${suggestion(name, everyParameter)}`,
        allowed: everyParameter,
      });
    }
  }

  #isAbsent(parameter: string): boolean {
    const value = this.#parameters[parameter];
    return value === undefined || value === null || value === '';
  }
}

/** Trims names and drops empty ones. */
function namesIn(texts: readonly string[]): string[] {
  return texts.map((text) => text.trim()).filter((name) => name !== '');
}

/** Returns the end of a sentence that lists or suggests names. */
function adviceForName(name: string, candidates: readonly string[]): string {
  if (name.includes(',')) {
    return ': send each breakdown as a separate value, in an array or as breakdowns[0]=…&breakdowns[1]=….';
  }
  return suggestion(name, candidates);
}

/** Returns the end of a sentence that suggests the closest name. */
function suggestion(name: string, candidates: readonly string[]): string {
  const guess = nearest(name, candidates);
  return guess ? `: did you mean ${guess}?` : '.';
}

/** Shortens a value so that it can be repeated in a response. */
function describeValue(value: unknown): string {
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object' && value !== null) return 'an object';

  const text = String(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
