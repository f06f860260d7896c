import { findBreakdown, findMetric, vocabularyOf } from '../../contract/look-up.ts';
import { defaultZone, type ReportRequest } from '../../contract/messages.ts';
import {
  type Breakdown,
  type BreakdownName,
  breakdowns,
  type Filter,
  type FilterName,
  filters,
  type MetricName,
  metrics,
  type Profile,
} from '../../contract/vocabulary.ts';
import { nearest } from '../../text/nearest.ts';
import type { Account } from '../fixtures/fixtures.ts';
import { type ErrorId, type FaultDetail, ServiceError } from '../service/service-error.ts';
import { isInexact, type Parameters, readArray, readScalar } from './parse-body.ts';

/** The values that an array parameter has at most. */
const valuesAtMost = 1_000;
/** Enough for every honest mistake; a hostile body has thousands, and each would cost a sentence. */
const detailsAtMost = 100;
/** 9999-12-31T23:59:59Z: beyond it dates have no four-digit year. */
const latestSecond = 253_402_300_799;
const plainParameters: readonly string[] = ['since', 'until', 'metrics', 'breakdowns', 'timezone', 'output'];
const everyParameter = [...plainParameters, ...filters.map(({ name }) => name)];

/** Notes something that is wrong with a request. */
type Refuse = (errorId: ErrorId, detail: FaultDetail) => undefined;

/**
 * The report request that the parameters of `POST /buyer-reporting` make, for an account (`decisions.md` 2).
 * Throws one `ServiceError` that lists everything that is wrong.
 *
 * @param lenient whether parameters that are not known are passed over
 */
export function readReportRequest(given: Parameters, account: Account, lenient: boolean): ReportRequest {
  const found: { readonly errorId: ErrorId; readonly detail: FaultDetail }[] = [];
  const refuse: Refuse = (errorId, detail) => {
    found.push({ errorId, detail });
    return undefined;
  };
  const { profile } = account;
  const since = readInstant('since', given, refuse) ?? 0;
  const until = readInstant('until', given, refuse) ?? latestSecond;
  if (since > until) {
    refuse('INVALID_PARAMETER', { parameter: 'since', value: since, problem: `is after until (${until}).` });
  }
  const request = {
    since,
    until,
    metrics: readMetrics(given, profile, refuse),
    breakdowns: readBreakdowns(given, profile, refuse),
    filters: readFilters(given, account, refuse),
  };
  const timezone = readTimezone(given, profile, refuse);
  const output = readOutput(given, refuse);
  for (const parameter of lenient ? [] : Object.keys(given)) {
    if (everyParameter.includes(parameter)) continue;
    const problem = `is no parameter of a report${suggestion(parameter, everyParameter)}`;
    refuse('UNKNOWN_PARAMETER', { parameter: shown(parameter), problem, allowed: everyParameter });
  }
  throwIfAny(found);
  return { ...request, ...(timezone === undefined ? {} : { timezone }), ...(output === undefined ? {} : { output }) };
}

/** The gravest first. `ADMIN_ONLY` is last, because a request that is wrong in itself should be mended before. */
const gravity: readonly ErrorId[] = [
  'MISSING_PARAMETER',
  'INVALID_PARAMETER',
  'UNKNOWN_PARAMETER',
  'CONFLICTING_BREAKDOWNS',
  'PROFILE_MISMATCH',
  'ADMIN_ONLY',
];

/** Throws one error with everything that was found, whose `error_id` is that of the gravest. */
function throwIfAny(found: readonly { readonly errorId: ErrorId; readonly detail: FaultDetail }[]): void {
  const gravest = gravity.find((candidate) => found.some(({ errorId }) => errorId === candidate));
  const first = found.find(({ errorId }) => errorId === gravest);
  if (!first) return;
  const details = found.slice(0, detailsAtMost).map(({ detail }) => detail);
  const untold = found.length - details.length;
  if (untold > 0) details.push({ parameter: '…', problem: `${untold} more are not listed: mend these first.` });
  const others = found.length - 1;
  const more = others === 0 ? '' : ` ${others === 1 ? 'One more fault is' : `${others} more faults are`} in details.`;
  const { parameter, problem } = first.detail;
  throw new ServiceError(first.errorId, `${parameter}: ${problem}${more}`, { details });
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

function readInstant(parameter: 'since' | 'until', given: Parameters, refuse: Refuse): number | undefined {
  const value = given[parameter];
  const allowed = 'a unix timestamp in whole seconds';
  if (isAbsent(value)) {
    return refuse('MISSING_PARAMETER', { parameter, problem: `is missing: give ${allowed}.`, allowed });
  }
  const text = (readScalar(value) ?? '').trim();
  if (/^\d{13}$/.test(text)) {
    const problem = `looks like milliseconds: divide by 1000 (${text.slice(0, 10)}).`;
    return refuse('INVALID_PARAMETER', { parameter, value: text, problem, allowed });
  }
  if (/^\d{1,12}$/.test(text) && Number(text) <= latestSecond) return Number(text);
  return refuse('INVALID_PARAMETER', { parameter, value: shown(value), problem: `must be ${allowed}.`, allowed });
}

/** The metrics asked for: a comma list or an array, at least one. */
function readMetrics(given: Parameters, profile: Profile, refuse: Refuse): MetricName[] {
  const allowed = vocabularyOf(profile).metrics.map(({ name }) => name);
  const names = readNames('metrics', given, refuse);
  if (names?.length === 0) {
    refuse('MISSING_PARAMETER', { parameter: 'metrics', problem: 'is missing: name at least one metric.', allowed });
  }
  return (names ?? []).flatMap((name) => {
    const metric = findMetric(name);
    if (metric?.profiles.includes(profile)) return metric.name;
    refuseName({ parameter: 'metrics', name, profile, allowed, exists: metric !== undefined }, refuse);
    return [];
  });
}

/** The breakdowns asked for: an array, of which one at most is of time; `daily` and `DAILY` are one. */
function readBreakdowns(given: Parameters, profile: Profile, refuse: Refuse): BreakdownName[] {
  const allowed = vocabularyOf(profile).breakdowns.map(({ name }) => name);
  const found = new Set<Breakdown>();
  for (const name of readNames('breakdowns', given, refuse) ?? []) {
    const breakdown = findBreakdown(name);
    if (breakdown?.profiles.includes(profile)) found.add(breakdown);
    else refuseName({ parameter: 'breakdowns', name, profile, allowed, exists: breakdown !== undefined }, refuse);
  }
  const times = [...found].filter(({ time }) => time).map(({ name }) => name);
  if (times.length > 1) {
    const problem = `${times.join(' and ')} exclude each other: use at most one time breakdown.`;
    refuse('CONFLICTING_BREAKDOWNS', { parameter: 'breakdowns', value: times, problem });
  }
  return [...found].map(({ name }) => name);
}

/** Names with the blanks around them trimmed, repeats dropped, in their order. `undefined` where the list is at fault. */
function readNames(parameter: 'metrics' | 'breakdowns', given: Parameters, refuse: Refuse): string[] | undefined {
  const values = readArray(given[parameter]);
  if (!values) return refuse('INVALID_PARAMETER', { parameter, problem: 'must be a list of names.' });
  // Only `metrics` may be a comma list (`decisions.md` 2).
  const names = parameter === 'metrics' ? values.flatMap((value) => value.split(',', valuesAtMost + 1)) : values;
  if (names.length > valuesAtMost) return refuse('INVALID_PARAMETER', tooMany(parameter));
  return [...new Set(names.map((name) => name.trim()))].filter((name) => name !== '');
}

interface RefusedName {
  readonly parameter: 'metrics' | 'breakdowns';
  readonly name: string;
  readonly profile: Profile;
  readonly allowed: readonly string[];
  /** Whether the other profile has it. */
  readonly exists: boolean;
}

function refuseName({ parameter, name, profile, allowed, exists }: RefusedName, refuse: Refuse): void {
  const value = shown(name);
  if (exists) {
    const problem = `${value} is not available to the ${profile} profile.`;
    refuse('PROFILE_MISMATCH', { parameter, value, problem, allowed });
    return;
  }
  const known = (parameter === 'metrics' ? metrics : breakdowns).map((entry) => entry.name);
  const advice = name.includes(',')
    ? ': send each breakdown by itself, as an array or as breakdowns[0]=…&breakdowns[1]=….'
    : suggestion(name, known);
  refuse('INVALID_PARAMETER', { parameter, value, problem: `${value} is not known${advice}`, allowed });
}

/** The end of a sentence about a name that is not known. */
function suggestion(name: string, candidates: readonly string[]): string {
  const guess = nearest(name, candidates);
  return guess ? `: did you mean ${guess}?` : '.';
}

function readFilters(given: Parameters, account: Account, refuse: Refuse): ReportRequest['filters'] {
  const read: { [Name in FilterName]?: readonly string[] } = {};
  for (const filter of filters as readonly Filter[]) {
    const parameter = filter.name;
    const value = given[parameter];
    if (value === undefined) continue;
    if (!filter.profiles.includes(account.profile)) {
      const problem = `is not available to the ${account.profile} profile.`;
      refuse('PROFILE_MISMATCH', { parameter, problem, allowed: plainParameters });
    } else if (filter.adminOnly && !account.admin) {
      refuse('ADMIN_ONLY', { parameter, problem: 'is for admin accounts only: leave it out.' });
    } else {
      const values = readFilterValues(filter, value, refuse);
      if (values && values.length > 0) read[filter.name] = values;
    }
  }
  return read;
}

function readFilterValues({ name: parameter, compare }: Filter, value: unknown, refuse: Refuse): string[] | undefined {
  if (isInexact(value)) {
    const problem = 'has a number too large to be exact in JSON: send it as a string.';
    return refuse('INVALID_PARAMETER', { parameter, problem });
  }
  const values = readArray(value)?.map((item) => (compare === 'id' ? item.trim() : item));
  if (!values) return refuse('INVALID_PARAMETER', { parameter, problem: 'must be a list of values.' });
  if (values.length > valuesAtMost) return refuse('INVALID_PARAMETER', tooMany(parameter));
  for (const item of compare === 'id' ? values : []) {
    if (/^\d{1,20}$/.test(item)) continue;
    const problem = `“${shown(item)}” is no ID: IDs are digits.`;
    refuse('INVALID_PARAMETER', { parameter, value: shown(item), problem, allowed: 'digits' });
  }
  return [...new Set(values)];
}

function tooMany(parameter: string): FaultDetail {
  const allowed = `at most ${valuesAtMost} values`;
  return { parameter, problem: `has more than ${valuesAtMost} values.`, allowed };
}

/** DSP only; for a buyer it is accepted and has no effect, because the summary always states europe/paris. */
function readTimezone(given: Parameters, profile: Profile, refuse: Refuse): string | undefined {
  if (profile === 'buyer') return undefined;
  const value = given.timezone;
  if (isAbsent(value)) return defaultZone;
  const text = readScalar(value)?.trim();
  if (text !== undefined && isZone(text)) return text;
  const problem =
    text === undefined
      ? `must be one name of the TZ database, such as ${defaultZone}.`
      : `“${shown(text)}” is no time zone of the TZ database${suggestion(text, Intl.supportedValuesOf('timeZone'))}`;
  return refuse('INVALID_PARAMETER', { parameter: 'timezone', value: shown(value), problem });
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

function readOutput(given: Parameters, refuse: Refuse): 'direct' | undefined {
  const value = given.output;
  if (isAbsent(value)) return undefined;
  if (value === 'direct') return 'direct';
  const problem = `“${shown(value)}” is not known: leave it out, or use direct.`;
  return refuse('INVALID_PARAMETER', { parameter: 'output', value: shown(value), problem, allowed: ['direct'] });
}

/** A value as it may be repeated in an answer: short, and text whatever it was. */
function shown(value: unknown): string {
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object' && value !== null) return 'an object';
  const text = String(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
