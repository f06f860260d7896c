import { defaultZone, type ReportRequest } from '../contract/messages.ts';
import { nearest } from '../contract/nearest.ts';
import {
  type Breakdown,
  type BreakdownName,
  breakdowns,
  type Filter,
  type FilterName,
  filters,
  findBreakdown,
  findFilter,
  findMetric,
  type MetricName,
  metrics,
  type Profile,
  vocabularyOf,
} from '../contract/vocabulary.ts';
import type { Account } from './fixtures/fixtures.ts';
import { type Parameters, readArray, readScalar } from './parse-body.ts';
import { type ErrorId, type FaultDetail, ServiceError } from './service-error.ts';

const valuesAtMost = 1_000;
/** 9999-12-31T23:59:59Z: beyond it dates have no four-digit year. */
const latestSecond = 253_402_300_799;
const plainParameters = ['since', 'until', 'metrics', 'breakdowns', 'timezone', 'output'] as const;

/**
 * The faults of a request as they are found. The answer's `error_id` is that of the gravest: `ADMIN_ONLY` last, because
 * a request that is wrong in itself should be mended before one asks who may make it.
 */
class Faults {
  readonly #found: (FaultDetail & { readonly errorId: ErrorId })[] = [];

  add(errorId: ErrorId, detail: FaultDetail): undefined {
    this.#found.push({ errorId, ...detail });
    return undefined;
  }

  /** Throws one error with every fault, if there is any. */
  throwIfAny(): void {
    const gravest = gravity.find((errorId) => this.#found.some((fault) => fault.errorId === errorId));
    if (!gravest) return;
    const details = this.#found.map(({ errorId: _errorId, ...detail }) => detail);
    const [first] = this.#found.filter(({ errorId }) => errorId === gravest);
    const more = details.length > 1 ? ` (and ${details.length - 1} more, see details)` : '';
    throw new ServiceError(gravest, `${first?.parameter}: ${first?.problem}${more}`, { details });
  }
}

const gravity: readonly ErrorId[] = [
  'MISSING_PARAMETER',
  'INVALID_PARAMETER',
  'UNKNOWN_PARAMETER',
  'CONFLICTING_BREAKDOWNS',
  'PROFILE_MISMATCH',
  'ADMIN_ONLY',
];

/**
 * The report request that the parameters of `POST /buyer-reporting` make, for an account (`decisions.md` 2).
 * Throws one `ServiceError` that lists every fault.
 *
 * @param lenient whether parameters that are not known are passed over
 */
export function readReportRequest(given: Parameters, account: Account, lenient: boolean): ReportRequest {
  const faults = new Faults();
  const since = readInstant('since', given, faults);
  const until = readInstant('until', given, faults);
  if (since !== undefined && until !== undefined && since > until) {
    faults.add('INVALID_PARAMETER', { parameter: 'since', value: since, problem: `is after until (${until}).` });
  }
  const request = {
    metrics: readMetrics(given, account.profile, faults),
    breakdowns: readBreakdowns(given, account.profile, faults),
    filters: readFilters(given, account, faults),
  };
  const timezone = readTimezone(given, account.profile, faults);
  const output = readOutput(given, faults);
  if (!lenient) findUnknown(given, faults);
  faults.throwIfAny();
  return {
    since: since ?? 0,
    until: until ?? 0,
    ...request,
    ...(timezone === undefined ? {} : { timezone }),
    ...(output === undefined ? {} : { output }),
  };
}

function readInstant(parameter: 'since' | 'until', given: Parameters, faults: Faults): number | undefined {
  const value = given.get(parameter);
  const allowed = 'a unix timestamp in whole seconds';
  if (value === undefined || value === null || value === '') {
    return faults.add('MISSING_PARAMETER', { parameter, problem: `is missing: give ${allowed}.`, allowed });
  }
  const text = (readScalar(value) ?? '').trim();
  if (/^\d{13}$/.test(text)) {
    const problem = `looks like milliseconds: divide by 1000 (${text.slice(0, 10)}).`;
    return faults.add('INVALID_PARAMETER', { parameter, value: text, problem, allowed });
  }
  if (!/^\d{1,12}$/.test(text) || Number(text) > latestSecond) {
    return faults.add('INVALID_PARAMETER', { parameter, value: shown(value), problem: `must be ${allowed}.`, allowed });
  }
  return Number(text);
}

/**
 * A list parameter that may also come as one comma list; blanks trimmed, repeats dropped, order kept. `undefined` where it
 * is at fault.
 */
function readNames(parameter: string, given: Parameters, faults: Faults): string[] | undefined {
  const values = readArray(given.get(parameter))?.flatMap((value) => value.split(',', valuesAtMost + 1));
  if (!values) return faults.add('INVALID_PARAMETER', { parameter, problem: 'must be a list of names.' });
  if (values.length > valuesAtMost) return faults.add('INVALID_PARAMETER', tooMany(parameter));
  const names = values.map((name) => name.trim());
  return [...new Set(names.filter((name) => name !== ''))];
}

function tooMany(parameter: string): FaultDetail {
  const allowed = `at most ${valuesAtMost} values`;
  return { parameter, problem: `has more than ${valuesAtMost} values.`, allowed };
}

function readMetrics(given: Parameters, profile: Profile, faults: Faults): MetricName[] {
  const allowed = vocabularyOf(profile).metrics.map(({ name }) => name);
  const names = readNames('metrics', given, faults);
  if (names?.length === 0) {
    const problem = 'is missing: name at least one metric.';
    faults.add('MISSING_PARAMETER', { parameter: 'metrics', problem, allowed });
  }
  return (names ?? []).flatMap((name) => {
    const metric = findMetric(name);
    if (metric?.profiles.includes(profile)) return [metric.name];
    refuseName(
      'metrics',
      { name, known: metrics.map((entry) => entry.name), allowed, profile, exists: !!metric },
      faults,
    );
    return [];
  });
}

function readBreakdowns(given: Parameters, profile: Profile, faults: Faults): BreakdownName[] {
  const allowed = vocabularyOf(profile).breakdowns.map(({ name }) => name);
  const found = (readNames('breakdowns', given, faults) ?? []).flatMap((name): Breakdown[] => {
    const breakdown = findBreakdown(name);
    if (breakdown?.profiles.includes(profile)) return [breakdown];
    const known = breakdowns.map((entry) => entry.name);
    refuseName('breakdowns', { name, known, allowed, profile, exists: !!breakdown }, faults);
    return [];
  });
  const names = [...new Set(found.map(({ name }) => name))];
  const times = names.filter((name) => found.some((entry) => entry.name === name && entry.time));
  if (times.length > 1) {
    const problem = `${times.join(' and ')} exclude each other: use at most one time breakdown.`;
    faults.add('CONFLICTING_BREAKDOWNS', { parameter: 'breakdowns', value: times, problem });
  }
  return names;
}

interface RefusedName {
  readonly name: string;
  readonly known: readonly string[];
  readonly allowed: readonly string[];
  readonly profile: Profile;
  /** Whether the other profile has it. */
  readonly exists: boolean;
}

function refuseName(parameter: string, { name, known, allowed, profile, exists }: RefusedName, faults: Faults): void {
  const value = shown(name);
  if (exists) {
    const problem = `${value} is not available to the ${profile} profile.`;
    faults.add('PROFILE_MISMATCH', { parameter, value, problem, allowed });
    return;
  }
  const guess = nearest(name, known);
  const problem = `${value} is not known${guess ? `: did you mean ${guess}?` : '.'}`;
  faults.add('INVALID_PARAMETER', { parameter, value, problem, allowed });
}

function readFilters(given: Parameters, account: Account, faults: Faults): ReportRequest['filters'] {
  const read: { [Name in FilterName]?: string[] } = {};
  for (const filter of filters as readonly Filter[]) {
    if (!given.has(filter.name)) continue;
    const parameter = filter.name;
    if (!filter.profiles.includes(account.profile)) {
      const problem = `is not available to the ${account.profile} profile.`;
      faults.add('PROFILE_MISMATCH', { parameter, problem, allowed: plainParameters });
      continue;
    }
    if (filter.adminOnly && !account.admin) {
      faults.add('ADMIN_ONLY', { parameter, problem: 'is for admin accounts only: leave it out.' });
      continue;
    }
    const values = readFilterValues(filter, given.get(filter.name), faults);
    if (values && values.length > 0) read[filter.name] = values;
  }
  return read;
}

function readFilterValues({ name: parameter, compare }: Filter, value: unknown, faults: Faults): string[] | undefined {
  const values = readArray(value)?.map((item) => (compare === 'id' ? item.trim() : item));
  if (!values) return faults.add('INVALID_PARAMETER', { parameter, problem: 'must be a list of values.' });
  if (values.length > valuesAtMost) return faults.add('INVALID_PARAMETER', tooMany(parameter));
  const wrong = compare === 'id' ? values.filter((item) => !/^\d{1,20}$/.test(item)) : [];
  for (const item of wrong) {
    const problem = `“${shown(item)}” is no ID: IDs are digits.`;
    faults.add('INVALID_PARAMETER', { parameter, value: shown(item), problem, allowed: 'digits' });
  }
  return [...new Set(values)];
}

/** DSP only; for a buyer it is accepted and has no effect, because the summary always states europe/paris. */
function readTimezone(given: Parameters, profile: Profile, faults: Faults): string | undefined {
  const value = given.get('timezone');
  if (profile === 'buyer') return undefined;
  if (value === undefined || value === null || value === '') return defaultZone;
  const text = (readScalar(value) ?? '').trim();
  if (isZone(text)) return text;
  const guess = nearest(text, Intl.supportedValuesOf('timeZone'));
  const problem = `“${shown(text)}” is no time zone of the TZ database${guess ? `: did you mean ${guess}?` : '.'}`;
  return faults.add('INVALID_PARAMETER', { parameter: 'timezone', value: shown(value), problem });
}

/** Whether the platform knows the zone by an IANA name; offsets such as `+02:00` are no names. */
function isZone(text: string): boolean {
  if (!/^[A-Za-z][\w+-]*(\/[\w+-]+)*$/.test(text)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: text });
    return true;
  } catch {
    return false;
  }
}

function readOutput(given: Parameters, faults: Faults): 'direct' | undefined {
  const value = given.get('output');
  if (value === undefined || value === null || value === '') return undefined;
  if (value === 'direct') return 'direct';
  const problem = `“${shown(value)}” is not known: leave it out, or use direct.`;
  return faults.add('INVALID_PARAMETER', { parameter: 'output', value: shown(value), problem, allowed: ['direct'] });
}

function findUnknown(given: Parameters, faults: Faults): void {
  const known = [...plainParameters, ...filters.map(({ name }) => name)];
  for (const parameter of given.keys()) {
    if (findFilter(parameter) || (plainParameters as readonly string[]).includes(parameter)) continue;
    const guess = nearest(parameter, known);
    const problem = `is no parameter of a report${guess ? `: did you mean ${guess}?` : '.'}`;
    faults.add('UNKNOWN_PARAMETER', { parameter: shown(parameter), problem, allowed: known });
  }
}

/** A value as it may be repeated in an answer: short, and text whatever it was. */
function shown(value: unknown): string {
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object' && value !== null) return 'an object';
  const text = String(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
