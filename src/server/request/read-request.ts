import { defaultZone, type ReportRequest } from '../../contract/messages.ts';
import { type Filter, type FilterName, filters, type Profile } from '../../contract/vocabulary.ts';
import type { Account } from '../fixtures/fixtures.ts';
import { isInexact, type Parameters, readArray, readScalar } from './parse-body.ts';
import { readBreakdowns, readMetrics, suggestion } from './read-names.ts';
import { RequestFaults, shown, tooMany, valuesAtMost } from './request-faults.ts';

/** 9999-12-31T23:59:59Z: beyond it dates have no four-digit year. */
const latestSecond = 253_402_300_799;
const plainParameters: readonly string[] = ['since', 'until', 'metrics', 'breakdowns', 'timezone', 'output'];
const filterNames: readonly string[] = filters.map(({ name }) => name);
const noFilters: ReportRequest['filters'] = {};
const everyParameter = [...plainParameters, ...filterNames];

/**
 * The report request that the parameters of `POST /buyer-reporting` make, for an account (`decisions.md` 2).
 * Throws one `ServiceError` that lists every fault.
 *
 * @param lenient whether parameters that are not known are passed over
 */
export function readReportRequest(given: Parameters, account: Account, lenient: boolean): ReportRequest {
  const faults = new RequestFaults();
  const since = readInstant('since', given, faults);
  const until = readInstant('until', given, faults);
  if (since !== undefined && until !== undefined && since > until) {
    faults.add('INVALID_PARAMETER', () => ({
      parameter: 'since',
      value: since,
      problem: `is after until (${until}).`,
    }));
  }
  const metrics = readMetrics(given, account.profile, faults);
  const breakdowns = readBreakdowns(given, account.profile, faults);
  const others = otherNames(given);
  const read = others.length > 0 ? readFilters(given, account, faults) : noFilters;
  const timezone = readTimezone(given, account.profile, faults);
  const output = readOutput(given, faults);
  if (!lenient) refuseUnknown(others, faults);
  faults.throwIfAny();
  const request = { since: since ?? 0, until: until ?? 0, metrics, breakdowns, filters: read };
  if (timezone === undefined && output === undefined) return request;
  return { ...request, ...(timezone === undefined ? {} : { timezone }), ...(output === undefined ? {} : { output }) };
}

/** The names that every report request may have left aside: most requests have no others. */
function otherNames(given: Parameters): string[] {
  const others: string[] = [];
  for (const name of given.keys()) if (!plainParameters.includes(name)) others.push(name);
  return others;
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

function readInstant(parameter: 'since' | 'until', given: Parameters, faults: RequestFaults): number | undefined {
  const value = given.get(parameter);
  if (typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= latestSecond) return value;
  const allowed = 'a unix timestamp in whole seconds';
  if (isAbsent(value)) {
    const problem = `is missing: give ${allowed}.`;
    return faults.add('MISSING_PARAMETER', () => ({ parameter, problem, allowed }));
  }
  if (value instanceof Map) {
    const problem = `must be one value: give ${allowed}.`;
    return faults.add('INVALID_PARAMETER', () => ({ parameter, problem, allowed }));
  }
  const text = (readScalar(value) ?? '').trim();
  if (/^\d{13}$/.test(text)) {
    const problem = `looks like milliseconds: divide by 1000 (${text.slice(0, 10)}).`;
    return faults.add('INVALID_PARAMETER', () => ({ parameter, value: text, problem, allowed }));
  }
  if (!/^\d{1,12}$/.test(text) || Number(text) > latestSecond) {
    const problem = `must be ${allowed}.`;
    return faults.add('INVALID_PARAMETER', () => ({ parameter, value: shown(value), problem, allowed }));
  }
  return Number(text);
}

function readFilters(given: Parameters, account: Account, faults: RequestFaults): ReportRequest['filters'] {
  const read: { [Name in FilterName]?: string[] } = {};
  for (const filter of filters as readonly Filter[]) {
    const parameter = filter.name;
    const value = given.get(parameter);
    if (value === undefined) continue;
    if (!filter.profiles.includes(account.profile)) {
      const problem = `is not available to the ${account.profile} profile.`;
      faults.add('PROFILE_MISMATCH', () => ({ parameter, problem, allowed: plainParameters }));
      continue;
    }
    if (filter.adminOnly && !account.admin) {
      faults.add('ADMIN_ONLY', () => ({ parameter, problem: 'is for admin accounts only: leave it out.' }));
      continue;
    }
    const values = readFilterValues(filter, value, faults);
    if (values && values.length > 0) read[filter.name] = values;
  }
  return read;
}

function readFilterValues(
  { name: parameter, compare }: Filter,
  value: unknown,
  faults: RequestFaults,
): string[] | undefined {
  if (isInexact(value)) {
    const problem = 'has a number too large to be exact in JSON: send it as a string.';
    return faults.add('INVALID_PARAMETER', () => ({ parameter, problem }));
  }
  const values = readArray(value)?.map((item) => (compare === 'id' ? item.trim() : item));
  if (!values) {
    return faults.add('INVALID_PARAMETER', () => ({ parameter, problem: 'must be a list of values.' }));
  }
  if (values.length > valuesAtMost) return faults.add('INVALID_PARAMETER', () => tooMany(parameter));
  for (const item of compare === 'id' ? values : []) {
    if (/^\d{1,20}$/.test(item)) continue;
    faults.add('INVALID_PARAMETER', () => {
      const problem = `“${shown(item)}” is no ID: IDs are digits.`;
      return { parameter, value: shown(item), problem, allowed: 'digits' };
    });
  }
  return [...new Set(values)];
}

/** DSP only; for a buyer it is accepted and has no effect, because the summary always states europe/paris. */
function readTimezone(given: Parameters, profile: Profile, faults: RequestFaults): string | undefined {
  if (profile === 'buyer') return undefined;
  const parameter = 'timezone';
  const value = given.get(parameter);
  if (isAbsent(value)) return defaultZone;
  const text = readScalar(value)?.trim();
  if (text === undefined) {
    const problem = `must be one name of the TZ database, such as ${defaultZone}.`;
    return faults.add('INVALID_PARAMETER', () => ({ parameter, value: shown(value), problem }));
  }
  if (isZone(text)) return text;
  return faults.add('INVALID_PARAMETER', () => {
    const end = suggestion(text, Intl.supportedValuesOf('timeZone'));
    return { parameter, value: shown(value), problem: `“${shown(text)}” is no time zone of the TZ database${end}` };
  });
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

function readOutput(given: Parameters, faults: RequestFaults): 'direct' | undefined {
  const value = given.get('output');
  if (isAbsent(value)) return undefined;
  if (value === 'direct') return 'direct';
  const problem = `“${shown(value)}” is not known: leave it out, or use direct.`;
  const detail = { parameter: 'output', value: shown(value), problem, allowed: ['direct'] };
  return faults.add('INVALID_PARAMETER', () => detail);
}

function refuseUnknown(names: readonly string[], faults: RequestFaults): void {
  for (const parameter of names) {
    if (filterNames.includes(parameter)) continue;
    faults.add('UNKNOWN_PARAMETER', () => {
      const problem = `is no parameter of a report${suggestion(parameter, everyParameter)}`;
      return { parameter: shown(parameter), problem, allowed: everyParameter };
    });
  }
}
