import { defaultZone, type ReportRequest } from '../../contract/messages.ts';
import {
  type Breakdown,
  breakdowns,
  type Filter,
  type FilterName,
  filters,
  findBreakdown,
  findMetric,
  metrics,
  type Profile,
  vocabularyOf,
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
type Refuse = (errorId: ErrorId, parameter: string, problem: string, more?: Partial<FaultDetail>) => undefined;

/**
 * The report request that the parameters of `POST /buyer-reporting` make, for an account (`decisions.md` 2).
 * Throws one `ServiceError` that lists everything that is wrong.
 *
 * @param lenient whether parameters that are not known are passed over
 */
export function readReportRequest(given: Parameters, account: Account, lenient: boolean): ReportRequest {
  const found: { readonly errorId: ErrorId; readonly detail: FaultDetail }[] = [];
  const refuse: Refuse = (errorId, parameter, problem, more) => {
    found.push({ errorId, detail: { parameter, problem, ...more } });
    return undefined;
  };
  const { profile } = account;
  const since = readInstant('since', given, refuse) ?? 0;
  const until = readInstant('until', given, refuse) ?? latestSecond;
  if (since > until) refuse('INVALID_PARAMETER', 'since', `is after until (${until}).`, { value: since });
  const request = {
    since,
    until,
    metrics: readMetrics(given, profile, refuse),
    breakdowns: readBreakdowns(given, profile, refuse),
    filters: readFilters(given, account, refuse),
  };
  const timezone = readTimezone(given, profile, refuse);
  const output = readOutput(given, refuse);
  for (const name of lenient ? [] : Object.keys(given)) {
    if (everyParameter.includes(name)) continue;
    const problem = `is no parameter of a report${suggestion(name, everyParameter)}`;
    refuse('UNKNOWN_PARAMETER', shown(name), problem, { allowed: everyParameter });
  }
  // The gravest names the answer; `ADMIN_ONLY` is last, because a request that is wrong in itself is mended before.
  const gravest = gravity.flatMap((id) => found.find(({ errorId }) => errorId === id) ?? [])[0];
  if (gravest) throw refusalOf(gravest, found);
  return { ...request, ...(timezone === undefined ? {} : { timezone }), ...(output === undefined ? {} : { output }) };
}

const gravity: readonly ErrorId[] = [
  ...(['MISSING_PARAMETER', 'INVALID_PARAMETER', 'UNKNOWN_PARAMETER'] as const),
  ...(['PROFILE_MISMATCH', 'CONFLICTING_BREAKDOWNS', 'ADMIN_ONLY'] as const),
];

function refusalOf(
  gravest: { readonly errorId: ErrorId; readonly detail: FaultDetail },
  found: readonly { readonly detail: FaultDetail }[],
): ServiceError {
  const details = found.slice(0, detailsAtMost).map(({ detail }) => detail);
  const untold = found.length - details.length;
  if (untold > 0) details.push({ parameter: '…', problem: `${untold} more are not listed: mend these first.` });
  const others = found.length - 1;
  const more = others === 0 ? '' : ` ${others === 1 ? 'One more fault is' : `${others} more faults are`} in details.`;
  const { parameter, problem } = gravest.detail;
  return new ServiceError(gravest.errorId, `${parameter}: ${problem}${more}`, { details });
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

function readInstant(name: 'since' | 'until', given: Parameters, refuse: Refuse): number | undefined {
  const allowed = 'a unix timestamp in whole seconds';
  if (isAbsent(given[name])) return refuse('MISSING_PARAMETER', name, `is missing: give ${allowed}.`, { allowed });
  const text = (readScalar(given[name]) ?? '').trim();
  if (/^\d{1,12}$/.test(text) && Number(text) <= latestSecond) return Number(text);
  const value = shown(given[name]);
  const isMilliseconds = /^\d{13}$/.test(text);
  const problem = isMilliseconds
    ? `looks like milliseconds: divide by 1000 (${text.slice(0, 10)}).`
    : `must be ${allowed}.`;
  return refuse('INVALID_PARAMETER', name, problem, { value, allowed });
}

/** The metrics asked for: a comma list or an array, at least one. */
function readMetrics(given: Parameters, profile: Profile, refuse: Refuse): ReportRequest['metrics'] {
  const allowed = vocabularyOf(profile).metrics.map(({ name }) => name);
  const names = readNames('metrics', given, refuse);
  if (names?.length === 0) {
    refuse('MISSING_PARAMETER', 'metrics', 'is missing: name at least one metric.', { allowed });
  }
  return (names ?? []).flatMap((name) => {
    const metric = findMetric(name);
    if (metric?.profiles.includes(profile)) return metric.name;
    refuseName('metrics', name, profile, refuse);
    return [];
  });
}

/** The breakdowns asked for: an array, of which one at most is of time; `daily` and `DAILY` are one. */
function readBreakdowns(given: Parameters, profile: Profile, refuse: Refuse): ReportRequest['breakdowns'] {
  const found = new Set<Breakdown>();
  for (const name of readNames('breakdowns', given, refuse) ?? []) {
    const breakdown = findBreakdown(name);
    if (breakdown?.profiles.includes(profile)) found.add(breakdown);
    else refuseName('breakdowns', name, profile, refuse);
  }
  const times = [...found].filter(({ time }) => time).map(({ name }) => name);
  if (times.length > 1) {
    const problem = `${times.join(' and ')} exclude each other: use at most one time breakdown.`;
    refuse('CONFLICTING_BREAKDOWNS', 'breakdowns', problem, { value: times });
  }
  return [...found].map(({ name }) => name);
}

/** Names with the blanks around them trimmed, repeats dropped, in their order. `undefined` where the list is at fault. */
function readNames(parameter: 'metrics' | 'breakdowns', given: Parameters, refuse: Refuse): string[] | undefined {
  const values = readArray(given[parameter]);
  if (!values) return refuse('INVALID_PARAMETER', parameter, 'must be a list of names.');
  // Only `metrics` may be a comma list (`decisions.md` 2).
  const names = parameter === 'metrics' ? values.flatMap((value) => value.split(',', valuesAtMost + 1)) : values;
  if (names.length > valuesAtMost) return refuseTooMany(parameter, refuse);
  return [...new Set(names.map((name) => name.trim()))].filter((name) => name !== '');
}

function refuseName(parameter: 'metrics' | 'breakdowns', name: string, profile: Profile, refuse: Refuse): void {
  const allowed = vocabularyOf(profile)[parameter].map((entry) => entry.name);
  const known = (parameter === 'metrics' ? metrics : breakdowns).map((entry) => entry.name);
  const value = shown(name);
  const isOthers = (parameter === 'metrics' ? findMetric(name) : findBreakdown(name)) !== undefined;
  if (isOthers) {
    refuse('PROFILE_MISMATCH', parameter, `${value} is not available to the ${profile} profile.`, { value, allowed });
    return;
  }
  const advice = name.includes(',')
    ? ': send each breakdown by itself, as an array or as breakdowns[0]=…&breakdowns[1]=….'
    : suggestion(name, known);
  refuse('INVALID_PARAMETER', parameter, `${value} is not known${advice}`, { value, allowed });
}

/** The end of a sentence about a name that is not known. */
function suggestion(name: string, candidates: readonly string[]): string {
  const guess = nearest(name, candidates);
  return guess ? `: did you mean ${guess}?` : '.';
}

function readFilters(given: Parameters, account: Account, refuse: Refuse): ReportRequest['filters'] {
  const read: { [Name in FilterName]?: readonly string[] } = {};
  for (const filter of filters as readonly Filter[]) {
    const { name, profiles, adminOnly } = filter;
    if (given[name] === undefined) continue;
    if (!profiles.includes(account.profile)) {
      const problem = `is not available to the ${account.profile} profile.`;
      refuse('PROFILE_MISMATCH', name, problem, { allowed: plainParameters });
    } else if (adminOnly && !account.admin) {
      refuse('ADMIN_ONLY', name, 'is for admin accounts only: leave it out.');
    } else {
      const values = readFilterValues(filter, given[name], refuse);
      if (values && values.length > 0) read[name] = values;
    }
  }
  return read;
}

function readFilterValues({ name, compare }: Filter, value: unknown, refuse: Refuse): string[] | undefined {
  if (isInexact(value)) {
    return refuse('INVALID_PARAMETER', name, 'has a number too large to be exact in JSON: send it as a string.');
  }
  const values = readArray(value)?.map((item) => (compare === 'id' ? item.trim() : item));
  if (!values) return refuse('INVALID_PARAMETER', name, 'must be a list of values.');
  if (values.length > valuesAtMost) return refuseTooMany(name, refuse);
  for (const item of compare === 'id' ? values : []) {
    if (/^\d{1,20}$/.test(item)) continue;
    const more = { value: shown(item), allowed: 'digits' };
    refuse('INVALID_PARAMETER', name, `“${shown(item)}” is no ID: IDs are digits.`, more);
  }
  return [...new Set(values)];
}

function refuseTooMany(parameter: string, refuse: Refuse): undefined {
  const allowed = `at most ${valuesAtMost} values`;
  return refuse('INVALID_PARAMETER', parameter, `has more than ${valuesAtMost} values.`, { allowed });
}

/** DSP only; for a buyer it is accepted and has no effect, because the summary always states europe/paris. */
function readTimezone({ timezone }: Parameters, profile: Profile, refuse: Refuse): string | undefined {
  if (profile === 'buyer') return undefined;
  if (isAbsent(timezone)) return defaultZone;
  const text = readScalar(timezone)?.trim();
  if (text !== undefined && isZone(text)) return text;
  const problem =
    text === undefined
      ? `must be one name of the TZ database, such as ${defaultZone}.`
      : `“${shown(text)}” is no time zone of the TZ database${suggestion(text, Intl.supportedValuesOf('timeZone'))}`;
  return refuse('INVALID_PARAMETER', 'timezone', problem, { value: shown(timezone) });
}

/** Whether the platform knows the zone by an IANA name; offsets such as `+02:00` are no names. */
function isZone(text: string): boolean {
  if (!/^[A-Za-z][\w+-]*(\/[\w+-]+)*$/.test(text)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }) !== undefined;
  } catch {
    return false;
  }
}

function readOutput({ output }: Parameters, refuse: Refuse): 'direct' | undefined {
  if (isAbsent(output)) return undefined;
  if (output === 'direct') return 'direct';
  const problem = `“${shown(output)}” is not known: leave it out, or use direct.`;
  return refuse('INVALID_PARAMETER', 'output', problem, { value: shown(output), allowed: ['direct'] });
}

/** A value as it may be repeated in an answer: short, and text whatever it was. */
function shown(value: unknown): string {
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'an array' : 'an object';
  const text = String(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
